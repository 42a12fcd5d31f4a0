// What has become of groups: their changes in order, within bounds.
#include "extender/planner/history.h"

#include <algorithm>

#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/text.h"

namespace gangplan::history_test {
namespace {

std::vector<std::string> StatesOf(const GroupHistory& history) {
  std::vector<std::string> states;
  for (const HistoryLine& line : history.lines)
    states.push_back(fmt::format("{} {}/{}", Name(line.state), line.bound, line.size));
  return states;
}

TEST_CASE("History: a gang's way from its first pod to its end, with why it waited") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  PodFacts other = ForeignPod("other", 8);
  world.ShowBound(other, "b0-r0-n0");
  const JobSpec job{.name = "train", .size = 2, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 2);
  CHECK(world.StateOf("team/train") == "Blocked");
  world.Delete(other);
  world.Pass(absl::Seconds(20));
  for (int i = 0; i < 2; ++i) world.FilterAndBind(JobPod(job, i));
  world.BindAll();
  CHECK(world.StateOf("team/train") == "Running");
  const GroupHistory history = world.planner().HistoryOf("team/train");
  REQUIRE(history.lines.size() >= 3);
  const auto waits =
      std::find_if(history.lines.begin(), history.lines.end(),
                   [](const HistoryLine& line) { return line.state == GroupState::kBlocked; });
  REQUIRE(waits != history.lines.end());
  CHECK(waits->why.find("2 members must share one rack") != std::string::npos);
  CHECK(StatesOf(history).back() == "Running 2/2");
  CHECK(history.lines.back().why == "");
  CHECK(history.lines.back().at - history.lines.front().at >= absl::Seconds(20));
  CHECK(history.dropped == 0);
  CHECK(world.planner().HistoryOf("team/other").lines.empty());
}

HistoryLine Waits(std::string why) {
  return {absl::UnixEpoch(), GroupState::kBlocked, 0, 2, std::move(why)};
}

TEST_CASE("History: the same once more is no change") {
  History history;
  history.Note("a/b", Waits("room"));
  history.Note("a/b", Waits("room"));
  CHECK(history.Of("a/b")->lines.size() == 1);
  history.Note("a/b", Waits("its turn"));
  CHECK(history.Of("a/b")->lines.size() == 2);
}

TEST_CASE("History: who waits for the same after another try has not changed") {
  History history;
  const HistoryLine anew = {absl::UnixEpoch(), GroupState::kNew, 0, 2, ""};
  history.Note("a/b", anew);
  history.Note("a/b", Waits("room"));
  history.Note("a/b", anew);
  CHECK(history.Of("a/b")->lines.size() == 3);
  history.Note("a/b", Waits("room"));
  REQUIRE(history.Of("a/b")->lines.size() == 2);
  CHECK(history.Of("a/b")->lines.back().why == "room");
  history.Note("a/b", anew);
  history.Note("a/b", Waits("its turn"));
  CHECK(history.Of("a/b")->lines.size() == 4);
  history.Note("a/b", anew);
  HistoryLine runs = Waits("its turn");  // some of it does by now
  runs.bound = 1;
  history.Note("a/b", runs);
  CHECK(history.Of("a/b")->lines.size() == 6);
}

TEST_CASE("History: a gang that waits for one reason all the time has that as one change") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 3));
  world.Sync();
  world.ShowBound(ForeignPod("stays", 8), NodeNameAt(0, 0, 0));
  // A leader and two workers of a node each: either set has room alone, both have not.
  world.ShowJob({.name = "train", .size = 3, .gpus = 8, .place = "rack=pack!", .leader_gpus = 8}, 0,
                3);
  world.Pass(absl::Seconds(1));
  for (int i = 0; i < 100; ++i) {
    const PodFacts passing = ForeignPod(fmt::format("passing-{}", i), 1);
    world.ShowBound(passing, NodeNameAt(0, 0, 1));
    world.Pass(absl::Seconds(1));
    world.Delete(passing);
    world.Pass(absl::Seconds(1));
  }
  const GroupHistory history = world.planner().HistoryOf("team/train");
  for (size_t i = 0; i < 4 && i < history.lines.size(); ++i)
    UNSCOPED_INFO(Name(history.lines[i].state) << " " << history.lines[i].why);
  CHECK(history.lines.size() <= 4);
  CHECK(history.dropped == 0);
}

TEST_CASE("History: so many lines of a group are kept, and of more the last ones") {
  History history;
  for (size_t i = 0; i < kMaxHistoryLines; ++i) history.Note("a/b", Waits(fmt::format("{}", i)));
  CHECK(history.Of("a/b")->lines.size() == kMaxHistoryLines);
  CHECK(history.Of("a/b")->dropped == 0);
  history.Note("a/b", Waits("one more"));
  CHECK(history.Of("a/b")->lines.size() == kMaxHistoryLines);
  CHECK(history.Of("a/b")->dropped == 1);
  CHECK(history.Of("a/b")->lines.front().why == "1");
  CHECK(history.Of("a/b")->lines.back().why == "one more");
}

TEST_CASE("History: so many groups are kept, and of more those that have changed last") {
  History history;
  for (size_t i = 0; i < kMaxHistoryGroups; ++i) history.Note(fmt::format("a/{}", i), Waits("x"));
  history.Note("a/0", Waits("y"));
  CHECK(history.Of("a/0") != nullptr);
  CHECK(history.Of("a/1") != nullptr);
  history.Note("a/more", Waits("x"));
  CHECK(history.Of("a/0") != nullptr);
  CHECK(history.Of("a/1") == nullptr);
  CHECK(history.Of("a/2") != nullptr);
  CHECK(history.Of("a/more") != nullptr);
}

TEST_CASE("History: a reason is kept up to its limit, in whole letters") {
  History history;
  history.Note("a/b", Waits(std::string(kMaxHistoryWhyBytes, 'x')));
  CHECK(history.Of("a/b")->lines.back().why.size() == kMaxHistoryWhyBytes);
  history.Note("a/b", Waits(std::string(kMaxHistoryWhyBytes + 1, 'y')));
  CHECK(history.Of("a/b")->lines.back().why == std::string(kMaxHistoryWhyBytes, 'y'));
  history.Note("a/b", Waits(std::string(kMaxHistoryWhyBytes - 1, 'z') + "\u00e9"));
  CHECK(history.Of("a/b")->lines.back().why == std::string(kMaxHistoryWhyBytes - 1, 'z'));
}

}  // namespace
}  // namespace gangplan::history_test
