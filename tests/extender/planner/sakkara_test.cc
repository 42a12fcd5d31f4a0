// Groups that ConfigMaps of Sakkara's users describe: who is a member, what is waited for, how
// ranks follow the distance, and what is written back.
#include "extender/protocol/sakkara_words.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan {
namespace {

using Names = std::vector<std::string>;

PlannerOptions SakkaraOptions() {
  PlannerOptions options = PlannerWorld::Options();
  options.sakkara_groups = true;
  return options;
}

ConfigMapFacts RingObject(std::string_view size, std::string_view constraints = "{}") {
  ConfigMapFacts facts;
  facts.ns = "team";
  facts.name = "ring-object";
  facts.uid = "uid-ring-object";
  facts.labels = {{std::string(kSakkaraGroupLabel), ""}};
  facts.data = {
      {"constraints", std::string(constraints)}, {"name", "ring"}, {"size", std::string(size)}};
  return facts;
}

// Two pods of 5 GPUs have no such place.
constexpr std::string_view kOneNode =
    R"({"rack":{"type":"pack","hard":true},"node":{"type":"pack","hard":true}})";

PodFacts RingPod(std::string_view name, int64_t gpus = 1) {
  PodFacts pod = ForeignPod(name, gpus);
  SetWord(pod.labels, kSakkaraPodGroup, "ring");
  return pod;
}

// One block of two racks of two nodes with 8 GPUs each.
struct SakkaraWorld : PlannerWorld {
  SakkaraWorld() : PlannerWorld(SakkaraOptions()) {
    AddNodes(MakeNodes(1, 2, 2));
    Sync();
  }
  void Tell(ConfigMapFacts object) {
    planner().OnGroupObject(now(), std::move(object));
    REQUIRE(planner().BrokenInvariant() == "");
  }
  void Start(const std::vector<PodFacts>& pods) {
    for (const PodFacts& pod : pods) FilterAndBind(pod);
    posts = Take<PostBinding>();
    for (const PostBinding& post : posts) Settle(post, Settled::kBound);
  }
  // What the ConfigMap is told, as the watch shows it back; empty: nothing.
  LabelSet Written(ConfigMapFacts& object) {
    const auto writes = Take<WriteResults>();
    for (const WriteResults& write : writes) {
      planner().OnResultsWritten(now(), write.group, false);
      PatchLabels(object.data, write.data);
    }
    if (!writes.empty()) Tell(object);
    return writes.empty() ? LabelSet{} : object.data;
  }
  std::vector<PostBinding> posts;
};

std::string ValueOf(const LabelSet& set, std::string_view key) {
  const std::string* value = FindLabel(set, key);
  return value == nullptr ? "(none)" : *value;
}

TEST_CASE("Sakkara: a pod waits for its group's ConfigMap and is woken by it") {
  SakkaraWorld world;
  world.Show(RingPod("a"));
  CHECK(world.Refusal(RingPod("a")) ==
        "gang team/ring: invalid: sakkara.group.name: namespace team has no ConfigMap with the "
        "label sakkara.group whose data have the name \"ring\"");
  world.Tell(RingObject("1"));
  CHECK(world.StateOf("team/ring") == "Planned");
  const auto woken = world.Take<NominatePod>();
  REQUIRE(woken.size() == 1);
  CHECK(woken[0].pod.name == "a");
}

TEST_CASE("Sakkara: what cannot be read is told on the object and to the waiting pods") {
  SakkaraWorld world;
  world.Show(RingPod("a"));
  world.Tell(RingObject("1", R"({"node":{"partitions":"4"}})"));
  const std::string fault = "constraints.node.partitions: expected a number, found a string";
  CHECK(world.Refusal(RingPod("a")) == "gang team/ring: invalid: ConfigMap ring-object: " + fault);
  const auto told = world.Take<TellOwner>();
  REQUIRE(told.size() == 1);
  CHECK(told[0].regarding == OwnerRef{"v1", "ConfigMap", "ring-object", "uid-ring-object"});
  CHECK(told[0].reason == "GroupRefused");
  CHECK(told[0].note == "group ring is refused: " + fault);
  world.Tell(RingObject("1", R"({"node":{"partitions":"4"}})"));
  CHECK(world.Take<TellOwner>().empty());
  world.Tell(RingObject("1", R"({"node":{"type":"sprad"}})"));
  CHECK(world.StateOf("team/ring") == "Planned");
  const auto notes = world.Take<TellOwner>();
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
  CHECK(world.Refusal(pod) ==
        "gang team/ring: invalid: sakkara.group.name: stands beside words of gangplan.io or of "
        "Kueue; expected one or the other");
  PlannerWorld deaf;
  deaf.AddNodes(MakeNodes(1, 1, 1));
  deaf.Sync();
  deaf.Show(RingPod("a"));
  CHECK(deaf.Refusal(RingPod("a")) ==
        "gang team/ring: invalid: sakkara.group.name: Sakkara's groups are not read; expected "
        "groups.sakkara: true in Gangplan's configuration");
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
  SetWord(master.annotations, kAssignedRankWord, "0");
  SetWord(master.annotations, kPlanWord, "ring.1");
  world.ShowBound(master, "b0-r1-n0");
  for (const char* name : {"a", "b", "c"}) world.Show(RingPod(name, 5));
  const Names nodes = world.Nodes("team/ring");
  CHECK(nodes[0] == "b0-r1-n0");
  CHECK(nodes[1] == "b0-r1-n1");
  CHECK(nodes[2] == "b0-r0-n0");
  CHECK(nodes[3] == "b0-r0-n1");
}

TEST_CASE("Sakkara: results are written a second after the group has settled, labels at once") {
  SakkaraWorld world;
  ConfigMapFacts object = RingObject("2");
  world.Tell(object);
  const std::vector<PodFacts> pods = {RingPod("master"), RingPod("w")};
  for (const PodFacts& pod : pods) world.Show(pod);
  world.Start(pods);
  REQUIRE(world.posts.size() == 2);
  CHECK(world.posts[0].labels == LabelSet{{"sakkara.member.rank", "0"},
                                          {"sakkara.member.retries", "0"},
                                          {"sakkara.member.status", "Bound"}});
  for (size_t i = 0; i < pods.size(); ++i) {
    PodFacts shown = pods[i];
    if (i == 0)
      shown.labels.insert(shown.labels.end(), world.posts[0].labels.begin(),
                          world.posts[0].labels.end());
    std::sort(shown.labels.begin(), shown.labels.end());
    world.ShowBound(shown, world.posts[i].node);
  }
  world.Pass(absl::Milliseconds(100));
  world.Pass(absl::Milliseconds(900));
  CHECK(world.Take<WriteResults>().empty());
  world.Pass(absl::Milliseconds(200));
  const auto labels = world.Take<WriteMemberLabels>();
  REQUIRE(labels.size() == 1);  // the first one's Binding has brought them
  CHECK(labels[0].pod.name == "w");
  const LabelSet data = world.Written(object);
  CHECK(ValueOf(data, "status") == "Bound");
  CHECK(ValueOf(data, "rank") == "[(master,0) (w,1)]");
  CHECK(ValueOf(data, "placement") ==
        R"({"root":{"b0":{"r0":{"b0-r0-n0":{"master":{},"w":{}}}}}})");
  CHECK(ValueOf(data, "schedBeginTime") == "1970-01-12T13:46:40Z");
  CHECK(ValueOf(data, "schedTotalTimeMilli") == "0");
  CHECK(ValueOf(data, "schedSolverTimeMilli") == "0");
  world.Pass(absl::Minutes(5));
  CHECK(world.Take<WriteResults>().empty());
}

TEST_CASE("Sakkara: results that somebody undoes are written again, more and more slowly") {
  SakkaraWorld world;
  const ConfigMapFacts clean = RingObject("1");
  world.Tell(clean);
  world.Show(RingPod("a"));
  world.Start({RingPod("a")});
  world.ShowBound(RingPod("a"), world.posts[0].node);
  int writes = 0;
  for (int second = 0; second < 300; ++second) {
    world.Pass(absl::Seconds(1));
    const auto written = world.Take<WriteResults>();
    for (const WriteMemberLabels& labels : world.Take<WriteMemberLabels>())
      world.planner().OnResultsWritten(world.now(), labels.group, false);
    writes += static_cast<int>(written.size());
    if (written.empty()) continue;
    world.planner().OnResultsWritten(world.now(), written[0].group, false);
    world.Tell(clean);  // without the results
  }
  CHECK(writes >= 8);
  CHECK(writes <= 11);
}

TEST_CASE("Sakkara: a write that fails is tried again, one of a group that is gone is not") {
  SakkaraWorld world;
  world.Tell(RingObject("1"));
  world.Show(RingPod("a"));
  world.Pass(absl::Milliseconds(10));
  world.Pass(absl::Seconds(2));
  auto writes = world.Take<WriteResults>();
  REQUIRE(writes.size() == 1);
  CHECK(writes[0].uid == "uid-ring-object");
  world.Pass(absl::Minutes(5));
  CHECK(world.Take<WriteResults>().empty());  // the first one is still on its way
  world.planner().OnResultsWritten(world.now(), writes[0].group, true);
  world.Pass(absl::Seconds(3));
  writes = world.Take<WriteResults>();
  REQUIRE(writes.size() == 1);
  world.Delete(RingPod("a"));
  world.planner().OnResultsWritten(world.now(), writes[0].group, true);
  world.Pass(absl::Seconds(10));
  CHECK(world.Take<WriteResults>().empty());
}

TEST_CASE("Sakkara: a group without room is Failed, one without its members Waiting") {
  SakkaraWorld world;
  ConfigMapFacts object = RingObject("2", kOneNode);
  world.Tell(object);
  world.Show(RingPod("a", 5));
  world.Pass(absl::Milliseconds(10));
  world.Pass(absl::Seconds(1));
  CHECK(ValueOf(world.Written(object), "status") == "Waiting");
  world.Show(RingPod("b", 5));
  world.Pass(absl::Milliseconds(10));
  world.Pass(absl::Seconds(1));
  const LabelSet data = world.Written(object);
  CHECK(ValueOf(data, "status") == "Failed");
  CHECK(ValueOf(data, "placement") == "(none)");
  const auto told = world.Take<TellOwner>();
  REQUIRE_FALSE(told.empty());  // bare pods: the object hears why
  CHECK(told.back().regarding.name == "ring-object");
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
  for (const PostBinding& post : world.posts) {
    PodFacts bound = RingPod(post.pod.name, 5);
    for (const auto& [key, value] : post.annotations) SetWord(bound.annotations, key, value);
    world.ShowBound(bound, post.node);
  }
  CHECK(world.StateOf("team/ring") == "Running");
  world.Tell(RingObject("2", kOneNode));
  CHECK(world.StateOf("team/ring") == "Running");
  CHECK(world.Nodes("team/ring") == before);
}

TEST_CASE("Sakkara: after a restart what was written before is kept") {
  SakkaraWorld world;
  ConfigMapFacts object = RingObject("1");
  SetLabel(object.data, "status", "Bound");
  SetLabel(object.data, "schedBeginTime", "2024-07-02T14:53:58Z");
  SetLabel(object.data, "schedTotalTimeMilli", "77");
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Tell(object);
  PodFacts bound = RingPod("a");
  SetWord(bound.annotations, kAssignedRankWord, "0");
  SetWord(bound.labels, "sakkara.member.rank", "0");
  SetWord(bound.labels, "sakkara.member.retries", "3");
  SetWord(bound.labels, "sakkara.member.status", "Bound");
  world.ShowBound(bound, "b0-r0-n1");
  world.Sync();
  CHECK(world.StateOf("team/ring") == "Running");
  world.Pass(absl::Seconds(2));
  CHECK(world.Take<WriteMemberLabels>().empty());
  const LabelSet data = world.Written(object);
  CHECK(ValueOf(data, "rank") == "[(a,0)]");
  CHECK(ValueOf(data, "schedBeginTime") == "2024-07-02T14:53:58Z");
  CHECK(ValueOf(data, "schedTotalTimeMilli") == "77");
}

TEST_CASE("Sakkara: where the pods were stays written when they finish") {
  SakkaraWorld world;
  ConfigMapFacts object = RingObject("2");
  world.Tell(object);
  for (const char* name : {"a", "b"}) world.Show(RingPod(name));
  world.Start({RingPod("a"), RingPod("b")});
  const std::string node = world.posts[0].node;
  for (const char* name : {"a", "b"}) world.ShowBound(RingPod(name), node);
  world.Pass(absl::Milliseconds(10));
  world.Pass(absl::Seconds(1));
  const LabelSet written = world.Written(object);
  CHECK(ValueOf(written, "rank") == "[(b,0) (a,1)]");
  for (const char* name : {"a", "b"}) {
    world.ShowFinished(RingPod(name), node);
    world.Pass(absl::Seconds(2));
    world.Pass(absl::Seconds(2));
    CHECK(world.Written(object).empty());
  }
  CHECK(world.StateOf("team/ring") == "Done");
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
  CHECK(world.StateOf("team/ring") == "Running");  // as after a restart: nothing is missing
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
}  // namespace gangplan
