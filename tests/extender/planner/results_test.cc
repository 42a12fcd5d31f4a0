// When the objects and pods of groups are told how the groups go.
#include "extender/planner/results.h"

#include <algorithm>

#include "extender/planner/limits.h"
#include "tests/support/catch.h"

namespace gangplan::results_test {
namespace {

// Objects of which one lacks `lacking` writes until somebody has told them.
class FakeObjects final : public GroupObjects {
 public:
  ObjectChange Put(ConfigMapFacts) override { return {}; }
  ObjectChange Erase(std::string_view, std::string_view) override { return {}; }
  GroupSpec FindGroup(const PodFacts&, const Topology&) const override { return {}; }
  std::optional<OwnerRef> ObjectOf(const GroupKey&) const override { return std::nullopt; }
  ResultWrites FindResults(const GroupStanding& group) const override {
    ResultWrites writes;
    if (lacks_object) writes.object = DataWrite{{group.key.ns, group.key.name, "u"}, {}};
    for (int i = 0; i < lacking_labels; ++i) writes.members.push_back({{"ns", "p", "u"}, {}});
    if (too_big) writes.notes.push_back({"ns", {}, true, "ResultsTooBig", kPlanAction, "too big"});
    return writes;
  }
  bool lacks_object = true;
  int lacking_labels = 0;
  bool too_big = false;
};

struct Bench {
  // How many writes group `id` gets now; -1: it is not due.
  int TellDue(int64_t id) {
    const std::vector<int64_t> due = results.TakeDue(now);
    if (std::find(due.begin(), due.end(), id) == due.end()) return -1;
    effects.clear();
    results.Tell(id, {.key = {"sakkara", "ns", "ring", ""}}, objects, effects);
    return static_cast<int>(effects.size());
  }
  ResultsMark Bound(int32_t pods) const { return {GroupState::kBinding, pods, 0, 4, 1}; }

  absl::Time now = absl::FromUnixSeconds(1'000'000);
  FakeObjects objects;
  Results results;
  Effects effects;
};

}  // namespace

TEST_CASE("Results: news are told a while later and once") {
  Bench bench;
  bench.results.Look(bench.now, 7, bench.Bound(1));
  CHECK(bench.TellDue(7) == -1);
  bench.now += kResultsAfter - absl::Nanoseconds(1);
  bench.results.Look(bench.now, 7, bench.Bound(1));  // no news: it does not wait for longer
  CHECK(bench.TellDue(7) == -1);
  bench.now += absl::Nanoseconds(1);
  CHECK(bench.TellDue(7) == 1);
  REQUIRE(std::holds_alternative<WriteResults>(bench.effects[0]));
  CHECK(std::get<WriteResults>(bench.effects[0]).group == 7);
  bench.results.OnWritten(bench.now, 7, false);
  bench.now += absl::Hours(1);
  CHECK(bench.TellDue(7) == -1);
}

TEST_CASE("Results: the next write waits until none is on its way") {
  Bench bench;
  bench.objects.lacking_labels = 2;
  bench.results.Look(bench.now, 7, bench.Bound(1));
  bench.now += kResultsAfter;
  REQUIRE(bench.TellDue(7) == 3);
  bench.results.Look(bench.now, 7, bench.Bound(2));
  bench.now += kResultsAfter;
  for (int open = 3; open > 0; --open) {
    CHECK(bench.TellDue(7) == -1);
    bench.results.OnWritten(bench.now, 7, false);
  }
  CHECK(bench.TellDue(7) == 3);
}

TEST_CASE("Results: a write that fails is tried again after pauses that double up to a minute") {
  Bench bench;
  bench.results.Look(bench.now, 7, bench.Bound(1));
  bench.now += kResultsAfter;
  absl::Duration pause = kResultsAfter;
  for (int tries = 0; tries < 10; ++tries) {
    REQUIRE(bench.TellDue(7) == 1);
    bench.results.OnWritten(bench.now, 7, true);
    pause = std::min(2 * pause, kMaxResultsAfter);
    bench.now += pause - absl::Nanoseconds(1);
    CHECK(bench.TellDue(7) == -1);
    bench.now += absl::Nanoseconds(1);
  }
  // News of the group itself are not slowed down by that.
  CHECK(pause == kMaxResultsAfter);
  REQUIRE(bench.TellDue(7) == 1);
  bench.results.OnWritten(bench.now, 7, false);
  bench.results.Look(bench.now, 7, bench.Bound(2));
  bench.now += kResultsAfter;
  CHECK(bench.TellDue(7) == 1);
}

TEST_CASE("Results: an object that somebody changes is looked at again") {
  Bench bench;
  bench.objects.lacks_object = false;
  bench.results.ObjectChanged(bench.now, 7);
  bench.now += kResultsAfter;
  CHECK(bench.TellDue(7) == 0);  // it lacks nothing
  bench.results.ObjectChanged(bench.now, 7);
  bench.objects.lacks_object = true;
  bench.objects.too_big = true;
  bench.now += kResultsAfter;
  CHECK(bench.TellDue(7) == 2);
  CHECK(std::holds_alternative<EventNote>(bench.effects[0]));
}

TEST_CASE("Results: groups that are due come in the order of their ids and forgotten ones never") {
  Bench bench;
  for (int64_t id : {5, 3, 9, 4}) {
    bench.results.Look(bench.now, id, bench.Bound(1));
    bench.now += absl::Milliseconds(1);
  }
  bench.results.Forget(4);
  bench.results.Forget(8);
  bench.now += kResultsAfter;
  CHECK(bench.results.TakeDue(bench.now) == std::vector<int64_t>{3, 5, 9});
  bench.results.Forget(3);
  bench.results.OnWritten(bench.now, 3, true);
  bench.now += absl::Hours(1);
  CHECK(bench.results.TakeDue(bench.now).empty());
}

TEST_CASE("Results: what a state is called to those who are told") {
  CHECK(PhaseOf(GroupState::kNew, true) == GroupPhase::kWaiting);
  CHECK(PhaseOf(GroupState::kBlocked, false) == GroupPhase::kWaiting);
  CHECK(PhaseOf(GroupState::kBlocked, true) == GroupPhase::kNotPlaced);
  CHECK(PhaseOf(GroupState::kPlanned, true) == GroupPhase::kPlanned);
  CHECK(PhaseOf(GroupState::kBinding, true) == GroupPhase::kBinding);
  for (GroupState state : {GroupState::kRunning, GroupState::kRepairing, GroupState::kDone})
    CHECK(PhaseOf(state, false) == GroupPhase::kStarted);
}

}  // namespace gangplan::results_test
