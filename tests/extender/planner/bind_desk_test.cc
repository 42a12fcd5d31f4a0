#include "extender/planner/bind_desk.h"

#include "tests/support/catch.h"

namespace gangplan::bind_desk_test {
namespace {

constexpr absl::Time kNow = absl::FromUnixSeconds(1'000);
const PodRef kPod = {"team", "pod", "uid"};

struct Desk {
  Desk() { outbox.SetActive(true); }
  // Its number.
  int64_t Write(std::string_view node = "n1") {
    if (desk.Answer(kPod.uid, "there is another one")) outbox.Take();
    Hold(kPod.uid, ++call, absl::InfiniteFuture(), node);
    desk.Write({kPod.uid});
    return OnlyWrite().attempt;
  }
  void Hold(std::string_view uid, CallId id, absl::Time call_off, std::string_view node = "n1") {
    desk.Hold({id, call_off}, {{"team", "pod", std::string(uid)}, std::string(node), {}, kNow});
  }
  std::optional<Settlement> Result(int64_t attempt, BindOutcome outcome, absl::Time now = kNow) {
    return desk.OnResult(now, kPod.uid, attempt, {outcome, "words"});
  }
  // The only effect since the last call.
  template <typename Kind>
  Kind Only() {
    Effects effects = outbox.Take();
    REQUIRE(effects.size() == 1);
    REQUIRE(std::holds_alternative<Kind>(effects.front()));
    return std::get<Kind>(std::move(effects.front()));
  }
  BindingWrite OnlyWrite() {
    WriteBindings all = Only<WriteBindings>();
    REQUIRE(all.writes.size() == 1);
    return std::move(*all.writes.front());
  }

  CallId call = 0;
  Outbox outbox;
  BindDesk desk{absl::Seconds(600), outbox};
};

}  // namespace

TEST_CASE("BindDesk: a result of another generation changes nothing") {
  Desk world;
  const int64_t first = world.Write();
  CHECK_FALSE(world.Result(first + 1, BindOutcome::kBound));
  CHECK_FALSE(world.Result(first, BindOutcome::kUnknown));
  const int64_t second = world.Write();
  CHECK(second > first);
  CHECK_FALSE(world.Result(first, BindOutcome::kBound));
  CHECK(world.desk.AttemptOf(kPod.uid)->state == AttemptState::kPosting);
  CHECK(world.Result(second, BindOutcome::kBound)->outcome == BindOutcome::kBound);
}

TEST_CASE("BindDesk: a proved attempt keeps its node until the watch shows it") {
  Desk world;
  const int64_t attempt = world.Write();
  REQUIRE(world.Result(attempt, BindOutcome::kBound));
  CHECK_FALSE(world.Result(attempt, BindOutcome::kRefused));
  CHECK(world.desk.NodeOf(kPod.uid) == "n1");
  world.desk.Forget(kPod.uid);
  CHECK(world.desk.NodeOf(kPod.uid).empty());
}

TEST_CASE("BindDesk: a refused attempt is over, with the server's words") {
  Desk world;
  const auto settled = world.Result(world.Write(), BindOutcome::kRefused);
  REQUIRE(settled);
  CHECK(settled->node == "n1");
  CHECK(settled->message == "words");
  CHECK(world.desk.AttemptOf(kPod.uid) == nullptr);
}

TEST_CASE("BindDesk: one that was refused over one in doubt is read before it is over") {
  Desk world;
  world.Result(world.Write(), BindOutcome::kUnknown);
  const int64_t second = world.Write();
  CHECK_FALSE(world.Result(second, BindOutcome::kRefused));
  REQUIRE(world.desk.AttemptOf(kPod.uid) != nullptr);
  CHECK(world.desk.AttemptOf(kPod.uid)->doubtful());
  world.desk.ReadDoubtful(kNow + absl::Seconds(2));
  CHECK(world.Only<BindingRead>().attempt == second);
  CHECK(world.Result(second, BindOutcome::kRefused)->outcome == BindOutcome::kRefused);
}

TEST_CASE("BindDesk: doubt is read with pauses that grow up to a bound") {
  Desk world;
  const int64_t attempt = world.Write();
  absl::Time now = kNow;
  for (int seconds : {2, 4, 8, 16, 32, 32}) {
    world.Result(attempt, BindOutcome::kUnknown, now);
    CHECK(world.desk.BrokenInvariant().empty());
    now += absl::Seconds(seconds);
    world.desk.ReadDoubtful(now - absl::Milliseconds(1));
    CHECK(world.outbox.Take().empty());
    world.desk.ReadDoubtful(now);
    CHECK(world.Only<BindingRead>().node == "n1");
  }
}

TEST_CASE("BindDesk: each call is answered once") {
  Desk world;
  world.Hold(kPod.uid, 7, kNow + absl::Seconds(1));
  CHECK(world.desk.PodsOf({6, 7}) == std::vector<std::string>{kPod.uid});
  CHECK(world.desk.Answer(kPod.uid, "late"));
  CHECK(world.Only<AnswerCall>().call == 7);
  CHECK_FALSE(world.desk.Answer(kPod.uid, "late"));
  CHECK(world.outbox.Take().empty());
  CHECK(world.desk.TakeLate(kNow + absl::Seconds(1)).empty());
  CHECK(world.desk.held_calls() == 0);
}

TEST_CASE("BindDesk: a call that goes takes along what was to be written for it") {
  Desk world;
  world.Hold(kPod.uid, 7, absl::InfiniteFuture());
  CHECK(world.desk.AttemptOf(kPod.uid) == nullptr);
  CHECK(world.desk.NodeOf(kPod.uid).empty());
  CHECK(world.desk.Answer(kPod.uid, "late"));
  CHECK(world.desk.BrokenInvariant().empty());
  world.Hold(kPod.uid, 8, absl::InfiniteFuture(), "n2");
  world.outbox.Take();
  world.desk.Write({kPod.uid});
  CHECK(world.OnlyWrite().node == "n2");
  CHECK(world.desk.AttemptOf(kPod.uid)->node == "n2");
}

TEST_CASE("BindDesk: a call that is too late is told once") {
  Desk world;
  world.Hold(kPod.uid, 7, kNow);
  world.Hold("other", 8, absl::InfiniteFuture());
  CHECK(world.desk.TakeLate(kNow - absl::Milliseconds(1)).empty());
  CHECK(world.desk.TakeLate(kNow) == std::vector<std::string>{kPod.uid});
  CHECK(world.desk.TakeLate(kNow).empty());
  CHECK(world.desk.HeldCalls() == std::vector<CallId>{7, 8});
}

TEST_CASE("BindDesk: time to write and to be sure of it is kept of a call") {
  Desk world;
  CHECK(world.desk.NotAfter(kNow) == kNow + absl::Seconds(585));
  CHECK(world.desk.CallOff(kNow, 1'000) == kNow + absl::Seconds(581));
}

}  // namespace gangplan::bind_desk_test
