// Groups that ConfigMaps of Sakkara's users describe: who is a member, what is waited for, and how
// ranks follow the distance.
#include "extender/cluster/annotations.h"
#include "fmt/format.h"
#include "tests/support/sakkara_world.h"
#include "tests/support/sentences.h"

namespace gangplan::sakkara_test {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("Sakkara: a pod waits for its group's ConfigMap and is woken by it") {
  SakkaraWorld world;
  world.Show(RingPod("a"));
  CHECK(world.Refusal(RingPod("a")) == Sentence("no ConfigMap of the group", "ring", "ring"));
  world.Tell(RingObject("1"));
  CHECK(world.StateOf("team/ring") == "Planned");
  const auto woken = world.Take<Nomination>();
  REQUIRE(woken.size() == 1);
  CHECK(woken[0].pod.name == "a");
}

TEST_CASE("Sakkara: what cannot be read is told on the object and to the waiting pods") {
  SakkaraWorld world;
  world.Show(RingPod("a"));
  world.Tell(RingObject("1", R"({"node":{"partitions":"4"}})"));
  const std::string fault = "constraints.node.partitions: expected a number, found a string";
  CHECK(world.Refusal(RingPod("a")) ==
        Sentence("ConfigMap cannot be read", "ring", "ring-object", fault));
  const auto told = world.Take<EventNote>();
  REQUIRE(told.size() == 1);
  CHECK(told[0].regarding == OwnerRef{"v1", "ConfigMap", "ring-object", "uid-ring-object"});
  CHECK(told[0].reason == "GroupRefused");
  CHECK(told[0].note == Sentence("group refused", "ring", fault));
  world.Tell(RingObject("1", R"({"node":{"partitions":"4"}})"));
  CHECK(world.Take<EventNote>().empty());
  world.Tell(RingObject("1", R"({"node":{"type":"sprad"}})"));
  CHECK(world.StateOf("team/ring") == "Planned");
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].reason == "GroupWordsIgnored");
}

TEST_CASE("Sakkara: sizes that no group has are refused") {
  for (const auto& [size, good] :
       {std::pair{"0", false}, {"-1", false}, {"1", true}, {"50000", true}, {"50001", false}}) {
    SakkaraWorld world;
    world.Tell(RingObject(size));
    world.Show(RingPod("a"));
    CHECK(world.Report("team/ring").problems.empty() == good);
  }
}

TEST_CASE("Sakkara: its words stand alone, and are not passed over when they are not read") {
  SakkaraWorld world;
  world.Tell(RingObject("1"));
  PodFacts pod = RingPod("a");
  SetWord(pod.annotations, "gangplan.io/size", "2");
  world.Show(pod);
  CHECK(world.Refusal(pod) == Sentence("Sakkara's words beside others", "ring"));
  PlannerWorld deaf;
  deaf.AddNodes(MakeNodes(1, 1, 1));
  deaf.Sync();
  deaf.Show(RingPod("a"));
  CHECK(deaf.Refusal(RingPod("a")) == Sentence("Sakkara's groups are not read", "ring"));
}

TEST_CASE("Sakkara: how long its pods run may stand on them, and on nodes that are to be empty") {
  SakkaraWorld world;
  for (const std::string& name :
       {NodeNameAt(0, 0, 0), NodeNameAt(0, 0, 1), NodeNameAt(0, 1, 0), NodeNameAt(0, 1, 1)}) {
    NodeFacts node = MakeNode(0, name[4] - '0', name.back() - '0');
    node.maintenance = absl::ToUnixSeconds(world.now() + absl::Hours(24));
    world.Put(node);
  }
  world.Tell(RingObject("2"));
  PodFacts a = RingPod("a"), b = RingPod("b");
  SetWord(a.annotations, "gangplan.io/runtime", "nonsense");
  world.Show(a);
  CHECK(world.Refusal(a).find("gangplan.io/runtime: \"nonsense\" is no time") != std::string::npos);
  SetWord(a.annotations, "gangplan.io/runtime", "10m");
  b.run.seconds = 600;
  for (const PodFacts& pod : {a, b}) world.Show(pod);
  for (const PodFacts& pod : {a, b}) CHECK_FALSE(world.Passed(pod).empty());
}

TEST_CASE("Sakkara: constraints place the group as they say at each level") {
  SakkaraWorld world;
  world.Tell(RingObject("8", R"({"rack":{"type":"spread","partitions":2},)"
                             R"("node":{"type":"pack","factor":2}})"));
  for (int i = 0; i < 8; ++i) world.Show(RingPod(fmt::format("p{}", i)));
  CHECK(world.Nodes("team/ring") == Names{"b0-r0-n0", "b0-r0-n0", "b0-r0-n0", "b0-r0-n0",
                                          "b0-r1-n0", "b0-r1-n0", "b0-r1-n0", "b0-r1-n0"});
  CHECK(world.Report("team/ring").place == "rack=spread partitions=2; node=pack factor=2");
}

TEST_CASE("Sakkara: rank 0 is the master's whenever it comes") {
  for (const int at : {0, 1, 2}) {
    SakkaraWorld world;
    world.Tell(RingObject("3"));
    int worker = 0;
    for (int i = 0; i < 3; ++i)
      world.Show(RingPod(i == at ? "the-master-0" : fmt::format("w{}", worker++)));
    CHECK(world.Report("team/ring").slots[0].pod == "the-master-0");
  }
}

TEST_CASE("Sakkara: ranks rise with the distance from a master that stands") {
  SakkaraWorld world;
  world.Tell(RingObject("4"));
  PodFacts master = RingPod("master", 5);
  SetWord(master.annotations, kAssignedRankAnnotation, "0");
  SetWord(master.annotations, kPlanAnnotation, "ring.1");
  world.ShowBound(master, "b0-r1-n0");
  for (const char* name : {"a", "b", "c"}) world.Show(RingPod(name, 5));
  const Names nodes = world.Nodes("team/ring");
  CHECK(nodes[0] == "b0-r1-n0");
  CHECK(nodes[1] == "b0-r1-n1");
  CHECK(nodes[2] == "b0-r0-n0");
  CHECK(nodes[3] == "b0-r0-n1");
}

TEST_CASE("Sakkara: other words of a group that waits are read, one that is bound stays") {
  SakkaraWorld world;
  world.Tell(RingObject("2", kOneNode));
  for (const char* name : {"a", "b"}) world.Show(RingPod(name, 5));
  CHECK(world.StateOf("team/ring") == "Blocked");
  world.Tell(RingObject("2"));
  CHECK(world.StateOf("team/ring") == "Planned");
  world.Start({RingPod("a", 5), RingPod("b", 5)});
  const Names before = world.Nodes("team/ring");
  for (const BindingWrite& post : world.posts) {
    PodFacts bound = RingPod(post.pod.name, 5);
    for (const auto& [key, value] : post.annotations) SetWord(bound.annotations, key, value);
    world.ShowBound(bound, post.node);
  }
  CHECK(world.StateOf("team/ring") == "Running");
  world.Tell(RingObject("2", kOneNode));
  CHECK(world.StateOf("team/ring") == "Running");
  CHECK(world.Nodes("team/ring") == before);
  // Nor do words that nobody can read, or an object that is gone, take it from who gives way.
  for (const bool gone : {false, true}) {
    if (gone) {
      world.planner().OnGroupObjectGone(world.now(), "team", RingObject("2").name);
    } else {
      world.Tell(RingObject("2", "{"));
    }
    world.Pass(absl::Seconds(1));
    CHECK(world.StateOf("team/ring") == "Running");
    CHECK(world.Report("team/ring").bound == 2);
  }
}

TEST_CASE("Sakkara: a pod that finishes while its ConfigMap is spoiled still counts") {
  SakkaraWorld world;
  world.Tell(RingObject("1"));
  world.Show(RingPod("a"));
  world.Start({RingPod("a")});
  PodFacts bound = RingPod("a");
  for (const auto& [key, value] : world.posts[0].annotations)
    SetWord(bound.annotations, key, value);
  world.ShowBound(bound, world.posts[0].node);
  world.Tell(RingObject("1", "{"));
  world.ShowFinished(bound, world.posts[0].node);
  world.Tell(RingObject("1"));
  CHECK(world.StateOf("team/ring") == "Done");  // as after a restart: nothing is missing
}

TEST_CASE("Sakkara: of groups of one priority the greater group priority goes first") {
  SakkaraWorld world;
  world.ShowBound(ForeignPod("full-0", 8), "b0-r0-n0");
  world.ShowBound(ForeignPod("full-1", 8), "b0-r0-n1");
  world.ShowBound(ForeignPod("full-2", 8), "b0-r1-n0");
  world.ShowBound(ForeignPod("full-3", 8), "b0-r1-n1");
  for (const auto& [name, priority] : {std::pair{"low", "1"}, {"high", "9"}}) {
    ConfigMapFacts object = RingObject("1");
    object.name = name;
    SetLabel(object.data, "name", name);
    SetLabel(object.data, "priority", priority);
    world.Tell(object);
    PodFacts pod = ForeignPod(name, 8);
    SetWord(pod.labels, kSakkaraPodGroup, name);
    world.Show(pod);
  }
  world.Delete(ForeignPod("full-2", 8));
  world.Pass(absl::Milliseconds(100));
  CHECK(world.StateOf("team/high") == "Planned");
  CHECK(world.StateOf("team/low") == "Blocked");
}

TEST_CASE(
    "Sakkara: without an object the pod's own labels describe the group, if they tell its size") {
  SakkaraWorld world;
  for (const char* name : {"a", "b"}) {
    PodFacts pod = RingPod(name);
    SetWord(pod.labels, "sakkara.group.size", "2");
    SetWord(pod.labels, "sakkara.group.constraint.type.node", "spread");
    world.Show(pod);
  }
  CHECK(world.StateOf("team/ring") == "Planned");
  CHECK(world.Report("team/ring").place == "node=spread");
  world.Tell(RingObject("3"));
  CHECK(world.StateOf("team/ring") == "Gathering");
  CHECK(world.Report("team/ring").place.empty());
}

}  // namespace
}  // namespace gangplan::sakkara_test
