// Groups that ConfigMaps describe: what a change of an object comes to, and what it is to be told.
#include "extender/frontends/sakkara/groups.h"

#include "tests/support/catch.h"
#include "tests/support/sakkara_world.h"

namespace gangplan::groups_test {
namespace {

const GroupKey kRing = {"sakkara", "team", "ring", ""};

GroupStanding Standing(GroupPhase phase) {
  return {.key = kRing, .phase = phase, .size = 2, .plans = 1};
}

// "Waiting": the status that the object is to be told.
std::string Status(const GroupObjects& objects, const GroupStanding& group) {
  const ResultWrites writes = objects.FindResults(group);
  if (!writes.object) return "(nothing)";
  for (const auto& [key, value] : writes.object->data) {
    if (key == "status") return value.value_or("(removed)");
  }
  return "(as it was)";
}

}  // namespace

TEST_CASE("Groups of objects: a change says who is to be read anew, and what its author hears") {
  const auto objects = MakeSakkaraGroups();
  ObjectChange change = objects->Put(RingObject("2"));
  CHECK(change.reread == std::vector<GroupKey>{kRing});
  CHECK(change.group == kRing);
  CHECK_FALSE(change.note);
  CHECK(objects->Put(RingObject("2")).reread.empty());
  change = objects->Put(RingObject("2", "[]"));
  REQUIRE(change.note);
  CHECK(change.note->reason == "GroupRefused");
  CHECK(change.note->regarding.name == "ring-object");
  CHECK(change.note->note.starts_with("group ring is refused: constraints"));
  CHECK_FALSE(objects->Put(RingObject("2", "[]")).note);  // it has heard that
  CHECK(objects->ObjectOf(kRing)->uid == "uid-ring-object");
  CHECK_FALSE(objects->ObjectOf({"Job", "team", "ring", "uid"}));
  CHECK(objects->Erase("team", "ring-object").reread == std::vector<GroupKey>{kRing});
  CHECK_FALSE(objects->ObjectOf(kRing));
}

TEST_CASE("Groups of objects: one more object that tells of the same group counts for nothing") {
  const auto objects = MakeSakkaraGroups();
  objects->Put(RingObject("2"));
  ConfigMapFacts second = RingObject("3");
  second.name = "z";
  const ObjectChange change = objects->Put(second);
  CHECK(change.reread.empty());
  REQUIRE(change.note);
  CHECK(change.note->reason == "GroupWordsIgnored");
  CHECK(change.note->note ==
        "counts for nothing: ConfigMap ring-object tells of group ring already");
}

TEST_CASE("Groups of objects: each phase has a status of Sakkara's") {
  const auto objects = MakeSakkaraGroups();
  CHECK(Status(*objects, Standing(GroupPhase::kWaiting)) == "(nothing)");
  objects->Put(RingObject("2"));
  CHECK(Status(*objects, Standing(GroupPhase::kWaiting)) == "Waiting");
  CHECK(Status(*objects, Standing(GroupPhase::kNotPlaced)) == "Failed");
  CHECK(Status(*objects, Standing(GroupPhase::kPlanned)) == "Assigned");
  CHECK(Status(*objects, Standing(GroupPhase::kBinding)) == "Permitted");
  CHECK(Status(*objects, Standing(GroupPhase::kStarted)) == "Bound");
  // A restart finds a group that lacks a pod: what the object says of it stays true.
  ConfigMapFacts bound = RingObject("2");
  SetLabel(bound.data, "status", "Bound");
  objects->Put(bound);
  CHECK(Status(*objects, Standing(GroupPhase::kBinding)) == "(nothing)");
  GroupStanding begun = Standing(GroupPhase::kBinding);
  begun.begin = absl::UnixEpoch();
  CHECK(Status(*objects, begun) == "Permitted");
}

TEST_CASE("Groups of objects: members are told what their labels lack") {
  const auto objects = MakeSakkaraGroups();
  const LabelSet none;
  const LabelSet of_before = {{"sakkara.member.rank", "1"},
                              {"sakkara.member.retries", "3"},
                              {"sakkara.member.status", "Bound"}};
  GroupStanding group = Standing(GroupPhase::kStarted);
  group.members = {{{"team", "a", "ua"}, 0, true, {"n0"}, &none},
                   {{"team", "b", "ub"}, 1, true, {"n1"}, &of_before}};
  ResultWrites writes = objects->FindResults(group);
  CHECK_FALSE(writes.object);  // none describes it
  REQUIRE(writes.members.size() == 1);
  CHECK(writes.members[0].pod.uid == "ua");
  CHECK(writes.members[0].labels.size() == 3);
  group.begin = absl::UnixEpoch();  // how often it was planned is known: once
  writes = objects->FindResults(group);
  REQUIRE(writes.members.size() == 2);
  CHECK(writes.members[1].labels == LabelPatch{{"sakkara.member.retries", "0"}});
  group.members[1].bound = false;  // it has succeeded
  CHECK(objects->FindResults(group).members.size() == 1);
}

TEST_CASE("Groups of objects: places are told when every rank has its pod") {
  const auto objects = MakeSakkaraGroups();
  objects->Put(RingObject("2"));
  const LabelSet none;
  GroupStanding group = Standing(GroupPhase::kStarted);
  group.members = {{{"team", "b", "ub"}, 1, true, {"r0", "n1"}, &none}};
  const auto rank = [&] {
    LabelSet data = RingObject("2").data;
    PatchLabels(data, objects->FindResults(group).object->data);
    return ValueOf(data, "rank");
  };
  CHECK(rank() == "(none)");
  group.members.push_back({{"team", "a", "ua"}, 0, false, {"n0"}, &none});
  CHECK(rank() == "[(a,0) (b,1)]");
  group.members[0].rank = 0;  // a replacement beside one that has succeeded
  CHECK(rank() == "(none)");
  for (const int32_t none_of_them : {-1, 2}) {  // nobody knows it any more, or there are fewer now
    group.members[0].rank = 1;
    group.members[1].rank = none_of_them;
    CHECK(rank() == "(none)");
  }
}

TEST_CASE("Groups of objects: how the places of all ranks lie in the tree is told with them") {
  const auto objects = MakeSakkaraGroups();
  objects->Put(RingObject("2"));
  const LabelSet none;
  GroupStanding group = Standing(GroupPhase::kStarted);
  group.levels = {"zone", "rack", "node"};
  group.quality = "no plan is better";
  group.members = {{{"team", "a", "ua"}, 0, true, {"z", "r0", "n0"}, &none}};
  const auto data = [&] {
    LabelSet all = RingObject("2").data;
    PatchLabels(all, objects->FindResults(group).object->data);
    return all;
  };
  CHECK(ValueOf(data(), "placementDistance") == "(none)");
  // The same name in another domain is another node.
  group.members.push_back({{"team", "b", "ub"}, 1, false, {"z", "r1", "n0"}, &none});
  CHECK(ValueOf(data(), "placementDistance") == "4");
  CHECK(ValueOf(data(), "placementLevels") == R"({"zone":1,"rack":2,"node":2})");
  CHECK(ValueOf(data(), "placementGap") == "no plan is better");
  group.members[1].path = {"n7"};  // it has no place in the tree
  CHECK(ValueOf(data(), "placementLevels") == "(none)");
}

}  // namespace gangplan::groups_test
