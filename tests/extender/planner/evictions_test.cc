// Evictions of which nobody tells what has come of their writes, that are refused again and again,
// or that nobody needs any more.
#include "extender/planner/evictions.h"

#include <optional>

#include "extender/cluster/annotations.h"
#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "tests/extender/planner/preemption_world.h"
#include "tests/extender/planner/ready_world.h"
#include "tests/support/catch.h"

namespace gangplan::evictions_test {
namespace {

const absl::Status kWebhook = absl::UnavailableError("500 failed calling webhook");
const absl::Status kDenied = absl::PermissionDeniedError("403 denied by a webhook");
const absl::Status kBudget = absl::FailedPreconditionError("disruption budget");

bool TakesBack(const PodMark& mark) { return !mark.annotations.at(0).second.has_value(); }

// "high" waits for what "a" is to leave.
struct Beneficiary : TwoRacks {
  explicit Beneficiary(PlannerOptions options = Preempting()) : TwoRacks(std::move(options)) {
    world.ShowJob(high, 0, 2);
  }
  void DeleteHigh() {
    for (int i = 0; i < 2; ++i) world.Delete(JobPod(high, i));
  }
  // "a" is marked, nobody needs that any more, and it may not be taken back. The pod as it is then;
  // the watch has shown it.
  PodFacts KeepMark() {
    Try();
    const PodMark mark = Mark();
    DeleteHigh();
    Tell(mark);
    Tell(Mark(), kDenied);
    PodFacts marked = BoundPod(a, 1);
    REQUIRE(marked.uid == mark.pod.uid);
    SetWord(marked.annotations, kEvictedForAnnotation, "team/high");
    world.Show(marked);
    return marked;
  }
  // Whatever is marked, or suspended, is answered by a fault; what is taken back is.
  void Fail() {
    for (const PodMark& one : world.Take<PodMark>())
      Tell(one, TakesBack(one) ? absl::OkStatus() : kWebhook);
    for (const JobWrite& one : world.Take<JobWrite>())
      world.planner().OnJobWritten(world.now(), one.job.uid, one.attempt, kWebhook);
  }
  // Of those that are asked about within that time.
  std::vector<std::string> AskedWithin(absl::Duration time) {
    std::vector<std::string> asked;
    for (const absl::Time end = world.now() + time; asked.empty() && world.now() < end;) {
      world.Pass(absl::Seconds(1));
      Fail();
      for (const PodDelete& one : world.Take<PodDelete>()) {
        if (one.how == PodDelete::How::kTry) {
          asked.push_back(one.pod.name);
        } else {
          Tell(one, kDenied);
        }
      }
    }
    std::sort(asked.begin(), asked.end());
    return asked;
  }
  // What "a" loses gets a node.
  bool IsRepaired() {
    world.Delete(BoundPod(a, 0));
    const PodFacts again = JobPod(a, 0, 1);
    world.Show(again);
    return !world.Passed(again).empty();
  }
};

const std::vector<std::string> kB = {"b-0-0", "b-1-0"};

TEST_CASE("Evictions: with the last pod that is tried all are named, whenever it is tried") {
  Beneficiary racks;
  for (int round = 0; round < 2; ++round) {
    std::vector<std::string> last;
    for (const PodDelete& one : racks.world.Take<PodDelete>()) {
      REQUIRE(one.how == PodDelete::How::kTry);
      if (!one.together.empty()) last.push_back(one.pod.name);
      const bool all =
          one.together == std::vector<std::string>{JobPod(racks.a, 0).uid, JobPod(racks.a, 1).uid};
      CHECK(all == !one.together.empty());
      racks.Tell(one, round == 0 && !one.together.empty() ? kWebhook : absl::OkStatus());
    }
    CHECK(last == std::vector<std::string>{"a-1-0"});
    racks.world.Pass(kEvictionRetry);
  }
}

TEST_CASE("Evictions: a mark in doubt that nobody needs any more is taken back, and nobody goes") {
  Beneficiary racks;
  PlannerWorld& world = racks.world;
  racks.Try();
  racks.Tell(racks.Mark(), kWebhook);
  racks.DeleteHigh();
  const PodMark back = racks.Mark();
  CHECK(TakesBack(back));
  racks.Tell(back);
  // The first one may land after that.
  world.Pass(kLandsWithin);
  const PodMark again = racks.Mark();
  CHECK(TakesBack(again));
  racks.Tell(again);
  CHECK(racks.IsRepaired());
  for (int i = 0; i < 10; ++i) world.Pass(absl::Minutes(1));
  CHECK(world.Take<PodMark>().empty());
  CHECK(world.Take<PodDelete>().empty());
}

TEST_CASE("Evictions: a mark that is on its way is waited for, and then taken back") {
  Beneficiary racks;
  PlannerWorld& world = racks.world;
  racks.Try();
  const PodMark mark = racks.Mark();
  racks.DeleteHigh();
  CHECK(world.Take<PodMark>().empty());
  racks.Tell(mark);
  const PodMark back = racks.Mark();
  CHECK(TakesBack(back));
  CHECK(back.pod.uid == mark.pod.uid);
  racks.Tell(back, kWebhook);
  world.Pass(kEvictionRetry);
  racks.Tell(racks.Mark());
  CHECK(racks.IsRepaired());
  world.Pass(kLandsWithin);
  CHECK(world.Take<PodMark>().empty());
  CHECK(world.Take<PodDelete>().empty());
}

TEST_CASE("Evictions: a mark that may not be taken back is tried again, and nobody goes for it") {
  Beneficiary racks;
  PlannerWorld& world = racks.world;
  const PodFacts marked = racks.KeepMark();
  for (int i = 0; i < 60; ++i) world.Pass(kSparedFor / 60);
  const PodMark again = racks.Mark();
  CHECK(TakesBack(again));
  racks.Tell(again);
  world.Show(marked);  // as it was before
  world.Pass(kSparedFor);
  CHECK(world.Take<PodMark>().empty());
  CHECK(world.Take<PodDelete>().empty());
  CHECK(racks.IsRepaired());
}

TEST_CASE(
    "Evictions: who keeps a mark that may not be taken back goes as any other, told so once") {
  Beneficiary racks;
  PlannerWorld& world = racks.world;
  const auto told = [&] {
    const auto notes = world.Take<EventNote>();
    return std::count_if(notes.begin(), notes.end(),
                         [](const EventNote& note) { return note.reason == kMarkStays; });
  };
  racks.KeepMark();
  CHECK(told() == 1);
  for (int i = 0; i < 60; ++i) world.Pass(kSparedFor / 60);
  racks.Tell(racks.Mark(), kDenied);
  CHECK(told() == 0);
  world.ShowJob(Gang("next", 100), 0, 2);
  world.Pass(absl::Seconds(1));
  CHECK(racks.Try() == std::vector<std::string>{"a-0-0", "a-1-0"});
}

TEST_CASE("Evictions: a gang that keeps such a mark goes for nobody when it is read anew") {
  PlannerOptions options = Preempting();
  options.topologies[0].live = "levels";
  Beneficiary racks(options);
  PlannerWorld& world = racks.world;
  racks.KeepMark();
  Topology levels = ThreeLevels();
  levels.levels.erase(levels.levels.begin());
  REQUIRE(world.planner().OnTopology(world.now(), levels));
  for (int i = 0; i < 5; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.StateOf("team/a") == "Running");
  CHECK(world.Take<PodDelete>().empty());
}

TEST_CASE("Evictions: a mark of the one that took over meanwhile is not one's own") {
  Beneficiary racks;
  PlannerWorld& world = racks.world;
  racks.Try();
  const PodMark mark = racks.Mark();
  racks.DeleteHigh();
  racks.Tell(mark);
  racks.Tell(racks.Mark());
  REQUIRE(racks.IsRepaired());
  const bool stood_by = GENERATE(false, true);
  if (stood_by) {
    for (const bool active : {false, true}) world.planner().SetActive(world.now(), active);
  }
  PodFacts marked = racks.BoundPod(racks.a, 1);
  REQUIRE(marked.uid == mark.pod.uid);
  SetWord(marked.annotations, kEvictedForAnnotation, "team/other");
  world.Show(marked);
  world.Pass(absl::Seconds(1));
  CHECK(world.Take<PodDelete>().empty() != stood_by);
}

TEST_CASE("Evictions: whose mark, or suspension, nobody tells of is let go, and another set goes") {
  const bool suspends = GENERATE(false, true);
  Beneficiary racks(suspends ? Suspending() : Preempting());
  PlannerWorld& world = racks.world;
  REQUIRE(racks.Try() == std::vector<std::string>{"a-0-0", "a-1-0"});
  const absl::Duration patience = PlannerWorld::Options().gather_timeout;
  CHECK(racks.AskedWithin(patience + 2 * kMaxVictimPause) == kB);
  world.Take<PodMark>();
  world.Pass(kLandsWithin);
  for (const PodMark& one : world.Take<PodMark>()) CHECK(TakesBack(one));
  CHECK(world.Take<JobWrite>().empty());
  CHECK(racks.IsRepaired());
}

TEST_CASE("Evictions: one that was begun since it was not ready ends where all of it is") {
  ReadyWorld world;
  world.Wait(kStart + absl::Seconds(2));
  for (const PodDelete& one : world.Take<PodDelete>())
    world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
  const auto marks = world.Take<PodMark>();
  REQUIRE(marks.size() == 1);
  world.planner().OnPodDelete(world.now(), marks[0].pod.uid, marks[0].attempt, kWebhook);
  world.AllReady();
  const auto back = world.Take<PodMark>();
  REQUIRE(back.size() == 1);
  CHECK(TakesBack(back[0]));
  CHECK(world.Told().empty());
  world.planner().OnPodDelete(world.now(), back[0].pod.uid, back[0].attempt, absl::OkStatus());
  world.Wait(absl::Minutes(20));
  for (const PodMark& one : world.Take<PodMark>()) CHECK(TakesBack(one));
  CHECK(world.Take<PodDelete>().empty());
}

// Marks are answered by a fault.
int MarksWithin(AnewWorld& world, absl::Duration time) {
  int marks = 0;
  for (const absl::Time end = world.now() + time; world.now() < end;) {
    world.Pass(absl::Seconds(1));
    for (const PodMark& one : world.Take<PodMark>()) {
      world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, kWebhook);
      marks += TakesBack(one) ? 0 : 1;
    }
  }
  return marks;
}

TEST_CASE("Evictions: one that does not come on ends by itself where nobody has gone") {
  AnewWorld world(MakeNodes(1, 2, 3));
  world.RunJob(kTrain);
  world.Lose(kTrain, 2);
  world.Wait(kRestartTimeout + absl::Seconds(2));
  for (const PodDelete& one : world.Take<PodDelete>())
    world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
  CHECK(MarksWithin(world, absl::Minutes(1)) > 0);
  MarksWithin(world, kUnheardFor);
  CHECK(MarksWithin(world, absl::Minutes(1)) == 0);
  CHECK(world.Report("team/train").reason.find("evicted as a whole") == std::string::npos);
}

TEST_CASE("Evictions: a first one that is refused after a doubt may land still, for a while") {
  Beneficiary racks;
  PlannerWorld& world = racks.world;
  racks.TryAndMark();
  const PodDelete first = racks.Evict();
  racks.Tell(first, kWebhook);
  world.Pass(kEvictionRetry);
  racks.Tell(racks.Evict(), kBudget);
  CHECK(world.Take<PodMark>().empty());
  SECTION("it does") {
    const PodFacts pods[] = {racks.BoundPod(racks.a, 0), racks.BoundPod(racks.a, 1)};
    world.ShowTerminating(pods[pods[0].uid == first.pod.uid ? 0 : 1]);
    world.Pass(kEvictionRetry);
    const PodDelete next = racks.Evict();
    CHECK(next.pod.uid != first.pod.uid);
    racks.Tell(next, kBudget);
    CHECK(racks.Evict().how == PodDelete::How::kForce);
  }
  SECTION("it does not") {
    world.Pass(kLandsWithin);
    racks.Tell(racks.Evict(), kBudget);
    CHECK(TakesBack(racks.Mark()));
    CHECK(racks.Try() == kB);
  }
  SECTION("it does not, and nobody needs it any more") {
    world.Pass(kEvictionRetry);
    racks.Tell(racks.Evict(), kWebhook);
    racks.DeleteHigh();
    world.Pass(kEvictionRetry);
    CHECK(world.Take<PodDelete>().empty());
    world.Pass(kLandsWithin);
    CHECK(TakesBack(racks.Mark()));
    CHECK(world.Take<PodDelete>().empty());
  }
}

TEST_CASE("Evictions: a mark on a gang that runs whole is no word that somebody has gone") {
  Beneficiary racks;
  PlannerWorld& world = racks.world;
  const PodMark mark = racks.TryAndMark();
  std::vector<PodFacts> pods;
  for (int i = 0; i < 2; ++i) {
    PodFacts& pod = pods.emplace_back(racks.BoundPod(racks.a, i));
    SetWord(pod.annotations, kPlanAnnotation, "a.1");
    if (pod.uid == mark.pod.uid) SetWord(pod.annotations, kEvictedForAnnotation, "team/high");
  }
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 2));
  for (const PodFacts& pod : pods) world.Show(pod);
  world.Sync();
  const PodDelete first = racks.Evict();
  CHECK(first.how == PodDelete::How::kEvict);
  CHECK(first.pod.uid != mark.pod.uid);
  racks.Tell(first, kBudget);  // what the other one sent may land still
  CHECK(world.Take<PodDelete>().empty());
  world.Pass(kLandsWithin);
  racks.Tell(racks.Evict(), kBudget);
  CHECK(TakesBack(racks.Mark()));
  CHECK(world.Take<PodDelete>().empty());
}

TEST_CASE("Evictions: what may be neither evicted nor deleted is tried both ways, in turn") {
  Beneficiary racks;
  PlannerWorld& world = racks.world;
  racks.TryAndMark();
  racks.Tell(racks.Evict());
  for (int round = 0; round < 3; ++round) {
    const PodDelete evicts = racks.Evict();
    CHECK(evicts.how == PodDelete::How::kEvict);
    racks.Tell(evicts, kDenied);
    const PodDelete forced = racks.Evict();
    CHECK(forced.how == PodDelete::How::kForce);
    racks.Tell(forced, kDenied);
    CHECK(world.Take<PodDelete>().empty());
    world.Pass(kEvictionRetry);
  }
}

TEST_CASE("Evictions: what cannot go is no room that comes: another set gives way") {
  Beneficiary racks;
  PlannerWorld& world = racks.world;
  racks.TryAndMark();
  const PodDelete first = racks.Evict();
  racks.Tell(first);
  const PodFacts pods[] = {racks.BoundPod(racks.a, 0), racks.BoundPod(racks.a, 1)};
  world.Delete(pods[pods[0].uid == first.pod.uid ? 0 : 1]);
  const absl::Duration patience = PlannerWorld::Options().gather_timeout;
  CHECK(racks.AskedWithin(kUnheardFor + 2 * patience + 2 * kMaxVictimPause) == kB);
}

TEST_CASE("Evictions: one gang has so many open ones at the most, with those that are repeated") {
  AnewWorld world(MakeNodes(1, 2, 38));
  const JobSpec large{.name = "large", .size = 300, .gpus = 1, .place = "rack=pack!"};
  world.RunJob(large);
  const std::vector<std::string> nodes = world.Nodes("team/large");
  world.DeleteNode(nodes[0]);
  for (int i = 0; i < large.size; ++i) {
    if (nodes[static_cast<size_t>(i)] != nodes[0]) continue;
    world.Delete(world.On(JobPod(large, i), nodes[0]));
    world.Show(JobPod(large, i, 1));
  }
  world.ForgetEffects();
  size_t sent = 0;
  for (int i = 0; i < 600 && sent == 0; ++i) {
    world.Pass(absl::Seconds(1));
    sent = world.Take<PodDelete>().size();
  }
  CHECK(sent == kEvictionsOfOne);
  world.Pass(absl::Seconds(1));
  CHECK(world.Take<PodDelete>().empty());
}

}  // namespace
}  // namespace gangplan::evictions_test
