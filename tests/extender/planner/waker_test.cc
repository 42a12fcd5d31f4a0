#include "extender/planner/waker.h"

#include "extender/planner/limits.h"
#include "tests/support/catch.h"

namespace gangplan::waker_test {
namespace {

constexpr absl::Time kNow = absl::FromUnixSeconds(100);
const PodRef kPod = {"team", "pod", "uid"};

struct Wakes {
  explicit Wakes(bool active = true) { outbox.SetActive(active); }
  // Nodes of the nominations since the last call.
  std::vector<std::string> Sent() {
    std::vector<std::string> nodes;
    for (const Effect& effect : outbox.Take()) nodes.push_back(std::get<Nomination>(effect).node);
    return nodes;
  }
  // The watch shows the nomination, and that it was cleared.
  // True: it is to be renewed at once.
  bool Clear(absl::Time now) {
    bool at_once = false;
    for (std::string_view shown : {"n1", ""}) {
      waker.Saw(kPod.uid, shown);
      at_once = waker.Watch(now, kPod.uid, "n1");
    }
    return at_once;
  }

  Outbox outbox;
  Waker waker{outbox};
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("Waker: a nomination that did not get there is due again after a pause") {
  Wakes world;
  world.waker.MarkRejected(kPod.uid, true);
  world.waker.Nominate(kPod, "n1", false);
  REQUIRE(world.Sent() == Names{"n1"});
  world.waker.NotSent(kNow, kPod.uid);
  CHECK(world.waker.Rejected(kPod.uid));
  CHECK(world.waker.TakeDue(kNow + kNominationBackoff - absl::Nanoseconds(1)).empty());
  CHECK(world.waker.TakeDue(kNow + kNominationBackoff) == Names{kPod.uid});
  CHECK(world.waker.Renew(kPod, "n1"));
  CHECK(world.Sent() == Names{"n1"});
  world.waker.NotSent(kNow, "nobody");
  CHECK(world.waker.TakeDue(absl::InfiniteFuture()).empty());
}

TEST_CASE("Waker: one that never gets there is tried ever less often") {
  Wakes world;
  world.waker.MarkRejected(kPod.uid, true);
  world.waker.Nominate(kPod, "n1", false);
  for (int failures = 0; failures < 12; ++failures) {
    world.waker.NotSent(kNow, kPod.uid);
    const absl::Duration pause = kNominationBackoff * (1 << std::min(failures, 8));
    CHECK(world.waker.TakeDue(kNow + pause - absl::Nanoseconds(1)).empty());
    CHECK(world.waker.TakeDue(kNow + pause) == Names{kPod.uid});
    CHECK(world.waker.Renew(kPod, "n1"));
  }
}

TEST_CASE("Waker: a rejected pod is nominated once for one planned node") {
  Wakes world;
  world.waker.Nominate(kPod, "n1", false);
  CHECK(world.Sent().empty());  // it is on its way by itself
  world.waker.MarkRejected(kPod.uid, true);
  world.waker.Nominate(kPod, "n1", false);
  CHECK(world.Sent() == Names{"n1"});
  CHECK_FALSE(world.waker.Rejected(kPod.uid));
  world.waker.MarkRejected(kPod.uid, true);
  world.waker.Nominate(kPod, "n1", false);
  CHECK(world.Sent().empty());
  world.waker.Reset(kPod.uid);
  world.waker.Nominate(kPod, "n2", false);
  CHECK(world.Sent() == Names{"n2"});
}

TEST_CASE("Waker: where a sample is offered a pod is pointed to a node that it does not know") {
  Wakes world;
  world.waker.Saw(kPod.uid, "n1");
  world.waker.Nominate(kPod, "n1", true);
  CHECK(world.Sent().empty());
  world.waker.Nominate(kPod, "n2", true);
  CHECK(world.Sent() == Names{"n2"});
}

TEST_CASE("Waker: a cleared nomination is renewed at once, then after pauses, so many times") {
  Wakes world;
  world.waker.MarkRejected(kPod.uid, true);
  world.waker.Nominate(kPod, "n1", false);
  absl::Time now = kNow;
  CHECK(world.Clear(now));
  CHECK(world.waker.Renew(kPod, "n1"));
  for (int seconds : {1, 2, 4}) {
    world.Sent();
    CHECK_FALSE(world.Clear(now));
    now += absl::Seconds(seconds);
    CHECK(world.waker.TakeDue(now - absl::Milliseconds(1)).empty());
    CHECK(world.waker.TakeDue(now) == Names{kPod.uid});
    CHECK(world.waker.Renew(kPod, "n1") == (seconds < 4));
  }
  CHECK(world.Sent().empty());
}

TEST_CASE("Waker: one that still stands, or was never shown, is not renewed") {
  Wakes world;
  world.waker.MarkRejected(kPod.uid, true);
  world.waker.Nominate(kPod, "n1", false);
  for (std::string_view shown : {"", "n1"}) {
    world.waker.Saw(kPod.uid, shown);
    world.waker.Watch(kNow, kPod.uid, "n1");
  }
  CHECK(world.waker.TakeDue(absl::InfiniteFuture()).empty());
  world.Clear(kNow);
  world.waker.StopRenewing(kPod.uid);
  CHECK(world.waker.TakeDue(absl::InfiniteFuture()).empty());
}

TEST_CASE("Waker: a node that was not offered is pointed to at once, then after a pause") {
  Wakes world;
  world.waker.NominateAgain(kNow, kPod, "n1");
  CHECK(world.Sent() == Names{"n1"});
  CHECK(world.waker.Rejected(kPod.uid));
  world.waker.NominateAgain(kNow, kPod, "n1");
  CHECK(world.Sent().empty());
  CHECK(world.waker.TakeDue(kNow + absl::Seconds(1)) == Names{kPod.uid});
}

TEST_CASE("Waker: who is nominated to a node is known as the watch shows it") {
  Wakes world;
  Waker& waker = world.waker;
  waker.Saw("b", "n1");
  waker.Saw("a", "n1");
  waker.Saw("c", "n10");
  CHECK(waker.NominatedTo("n1", 9) == Names{"a", "b"});
  CHECK(waker.NominatedTo("n1", 1) == Names{"a"});
  waker.Saw("a", "n10");
  waker.Forget("b");
  CHECK(waker.NominatedTo("n1", 9).empty());
  CHECK(waker.NominatedTo("n10", 9) == Names{"a", "c"});
  waker.Saw("c", "");
  CHECK(waker.NominatedTo("n10", 9) == Names{"a"});
  // One that is pointed elsewhere now loses the old nomination by the new one.
  waker.NominateAgain(kNow, {"team", "a", "a"}, "n2");
  CHECK(waker.NominatedTo("n10", 9).empty());
}

TEST_CASE("Waker: the scheduler counts a pod where it is pointed to, nominated or given") {
  Wakes world;
  Waker& waker = world.waker;
  CHECK_FALSE(waker.MayStand(kPod.uid, "n1"));
  SECTION("pointed to, until the plan changes") { waker.NominateAgain(kNow, kPod, "n1"); }
  SECTION("given, until the plan changes") { waker.Passed(kPod.uid, true); }
  SECTION("nominated") {
    waker.Saw(kPod.uid, "n1");
    CHECK_FALSE(waker.MayStand(kPod.uid, "n2"));
    CHECK(waker.MayStand(kPod.uid, "n1"));
    waker.Saw(kPod.uid, "");
    CHECK_FALSE(waker.MayStand(kPod.uid, "n1"));
    return;
  }
  CHECK(waker.MayStand(kPod.uid, "n1"));
  waker.Reset(kPod.uid);
  CHECK_FALSE(waker.MayStand(kPod.uid, "n1"));
}

TEST_CASE("Waker: the first of two calls for the nominated node alone is a question") {
  Wakes world;
  Waker& waker = world.waker;
  CHECK(waker.IsQuestion(kPod.uid, true));
  CHECK_FALSE(waker.IsQuestion(kPod.uid, true));
  CHECK(waker.IsQuestion(kPod.uid, true));
  CHECK_FALSE(waker.IsQuestion(kPod.uid, false));
  CHECK(waker.IsQuestion(kPod.uid, true));
}

TEST_CASE("Waker: rejected pods are counted once each") {
  Wakes world;
  for (std::string_view uid : {"a", "b", "a"}) world.waker.MarkRejected(uid, true);
  CHECK(world.waker.rejected() == 2);
  world.waker.Forget("a");
  CHECK(world.waker.rejected() == 1);
  world.waker.MarkRejected("b", false);
  CHECK(world.waker.rejected() == 0);
}

TEST_CASE("Waker: an instance that is not active nominates nobody, and has not tried") {
  Wakes world(false);
  world.waker.MarkRejected(kPod.uid, true);
  world.waker.Nominate(kPod, "n1", false);
  CHECK(world.Sent().empty());
  world.outbox.SetActive(true);
  world.waker.Nominate(kPod, "n1", false);
  CHECK(world.Sent() == Names{"n1"});
}

}  // namespace gangplan::waker_test
