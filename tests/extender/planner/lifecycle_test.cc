#include "extender/planner/lifecycle.h"

#include "tests/extender/planner/one_group.h"
#include "tests/support/catch.h"

namespace gangplan::lifecycle_test {
namespace {

using Done = std::vector<std::pair<GroupId, GroupAction>>;

// Every solve finds a plan; what was carried out is kept.
class FoundAlways : public LifeActions {
 public:
  explicit FoundAlways(Lifecycle& lifecycle) : lifecycle_(lifecycle) {}

  void Carry(absl::Time, Group& group, GroupAction action) override {
    CHECK_FALSE(inside_);
    inside_ = true;
    done.emplace_back(group.id(), action);
    if (action == GroupAction::kSolve) lifecycle_.Fire(group.id(), GroupEvent::kPlanFound);
    inside_ = false;
  }

  Done done;

 private:
  Lifecycle& lifecycle_;
  bool inside_ = false;
};

struct Lives {
  // A group of two with its first pod.
  Group& Add(std::string_view name) {
    JobSpec job = {.name = std::string(name), .size = 2};
    const PodFacts pod = JobPod(job, 0);
    Group& group = **groups.GroupFor(SpecOf(job, pod), pod);
    AddMember(group, job, 0);
    return group;
  }
  void Run() { lifecycle.Run(absl::UnixEpoch(), actions); }

  GroupBook groups{ClaimLimits()};
  Lifecycle lifecycle{groups, false};
  FoundAlways actions{lifecycle};
};

}  // namespace

TEST_CASE("Lifecycle: what an action fires is run after it, behind what waits already") {
  Lives lives;
  const Group& a = lives.Add("a");
  const Group& b = lives.Add("b");
  for (const Group* group : {&a, &b})
    lives.lifecycle.Fire(group->id(), GroupEvent::kMembersChanged);
  lives.Run();
  CHECK(lives.actions.done == Done{{a.id(), GroupAction::kSolve},
                                   {b.id(), GroupAction::kSolve},
                                   {a.id(), GroupAction::kArmGather},
                                   {b.id(), GroupAction::kArmGather}});
  CHECK(a.state() == GroupState::kGathering);
}

TEST_CASE("Lifecycle: an event without a row changes nothing") {
  Lives lives;
  const Group& group = lives.Add("a");
  lives.lifecycle.Fire(group.id(), GroupEvent::kSlotLost);
  lives.Run();
  CHECK(lives.actions.done.empty());
  CHECK(group.state() == GroupState::kNew);
}

TEST_CASE("Lifecycle: groups that are gone or stale stay as they are") {
  Lives lives;
  Group& stale = lives.Add("stale");
  stale.MakeStale("its words have changed");
  const GroupId gone = lives.Add("gone").id();
  lives.groups.Erase(gone);
  for (GroupId id : {stale.id(), gone}) lives.lifecycle.Fire(id, GroupEvent::kMembersChanged);
  lives.Run();
  CHECK(lives.actions.done.empty());
  CHECK(stale.state() == GroupState::kNew);
}

TEST_CASE("Lifecycle: touched are those with an event or a touch, once") {
  Lives lives;
  lives.lifecycle.Fire(3, GroupEvent::kAsked);
  lives.lifecycle.Touch(2);
  lives.lifecycle.Touch(3);
  CHECK(lives.lifecycle.TakeTouched() == std::set<GroupId>{2, 3});
  CHECK(lives.lifecycle.TakeTouched().empty());
}

TEST_CASE("Lifecycle: guards are the group's own words") {
  const JobSpec job = {.size = 2};
  const auto group = MakeGroup(job, 1);
  const Lives lives;
  const auto holds = [&](GroupGuard guard) { return lives.lifecycle.Holds(*group, guard); };
  CHECK(holds(GroupGuard::kIncomplete));
  CHECK(holds(GroupGuard::kNotStarted));
  AddMember(*group, job, 1);
  CHECK(holds(GroupGuard::kComplete));
  CHECK_FALSE(holds(GroupGuard::kFruitless));
  group->CountFruitless();
  CHECK_FALSE(holds(GroupGuard::kFruitless));
  group->CountFruitless();
  CHECK(holds(GroupGuard::kFruitless));
}

TEST_CASE("Lifecycle: all were asked for when all are there, or when it may start without some") {
  const auto group = MakeGroup({.size = 2}, 1);
  Lives lives;
  const Lifecycle starts_incomplete(lives.groups, true);
  CHECK_FALSE(starts_incomplete.Holds(*group, GroupGuard::kAllAsked));
  group->SetAsked(JobPod({.size = 2}, 0).uid, absl::UnixEpoch());
  CHECK(starts_incomplete.Holds(*group, GroupGuard::kAllAsked));
  CHECK_FALSE(lives.lifecycle.Holds(*group, GroupGuard::kAllAsked));
}

TEST_CASE("Lifecycle: of a group that is gone nothing is to be told") {
  GroupBook groups{ClaimLimits()};
  Lifecycle life(groups, false);
  life.Touch(1);
  life.Touch(2);
  life.Forget(1, false);
  CHECK(life.TakeTouched() == std::set<GroupId>{2});
}

}  // namespace gangplan::lifecycle_test
