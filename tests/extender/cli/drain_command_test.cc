// `gangplan drain --dry-run`: who is hit, and where they would go.
#include "extender/cli/drain_command.h"

#include "extender/cli/commands.h"
#include "extender/cli/drain.h"
#include "extender/observe/log.h"
#include "tests/extender/cli/bare_gang.h"
#include "tests/extender/cli/told.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/text.h"

namespace gangplan::drain_command_test {
namespace {

constexpr const char* kGangs = GANGPLAN_SOURCE_DIR "/examples/gangs.json";

Told Run(const std::vector<std::string_view>& args) { return RunOf(AllCommands(), args); }

void Add(ObjectList& objects, const JobSpec& job, const std::vector<std::string>& nodes) {
  objects.owners.push_back(JobOwner(job));
  for (int i = 0; i < job.size; ++i) {
    PodFacts pod = JobPod(job, i);
    pod.node_name = nodes[static_cast<size_t>(i)];
    pod.phase = PodPhase::kRunning;
    objects.pods.push_back(std::move(pod));
  }
}

Drain DrainOf(const ObjectList& objects, std::string_view what,
              absl::Time now = absl::InfinitePast()) {
  ProcessLogger().set_level(LogLevel::kError);
  DryRun run(Levels(), objects, now);
  return DrainOf(Levels(), objects, run, NodesOf(run, what).value());
}

TEST_CASE("drain: only the members on the nodes go, to where the rest of their gang lets them") {
  ObjectList objects;
  objects.nodes = MakeNodes(2, 1, 3);
  Add(objects, {.name = "whole", .size = 2, .gpus = 8, .place = "rack=pack!"},
      {"b0-r0-n0", "b0-r0-n1"});
  Add(objects, {.name = "other", .size = 1, .gpus = 8, .place = "rack=pack!"}, {"b1-r0-n0"});
  PodFacts foreign = ForeignPod("foreign", 1);
  foreign.node_name = "b0-r0-n1";
  foreign.phase = PodPhase::kRunning;
  objects.pods.push_back(foreign);
  const Drain drain = DrainOf(objects, "b0-r0-n1");
  CHECK(drain.nodes == std::set<std::string>{"b0-r0-n1"});
  CHECK(drain.others == 1);
  REQUIRE(drain.gangs.size() == 1);
  CHECK(drain.gangs[0].gang.name == "team/whole");
  CHECK(drain.gangs[0].loses == 1);
  CHECK(drain.gangs[0].members == 2);
  CHECK(drain.gangs[0].fits);
  CHECK(drain.gangs[0].gang.after.nodes == std::vector<std::string>{"b0-r0-n0", "b0-r0-n2"});
}

TEST_CASE("drain: a domain of several topologies is meant with its topology's name, or without") {
  ProcessLogger().set_level(LogLevel::kError);
  Settings settings = Levels();
  TopologySettings rings = settings.topologies[0];
  settings.topologies[0].name = "racks";
  rings.name = "rings";
  rings.nodes = {{{"net", SelectorOperator::kIn, {"rings"}}}};
  settings.topologies.push_back(rings);
  ObjectList objects;
  objects.nodes = MakeNodes(2, 1, 2);
  for (NodeFacts& node : objects.nodes)
    if (DomainOf(node.name, 0) == "b1") SetLabel(node.labels, "net", "rings");
  DryRun run(settings, objects);
  const std::set<std::string> ring = {"b1-r0-n0", "b1-r0-n1"};
  CHECK(NodesOf(run, "rings/b1").value() == ring);
  CHECK(NodesOf(run, "b1/r0").value() == ring);
  CHECK(NodesOf(run, "rings/b1/r0/b1-r0-n1").value() == std::set<std::string>{"b1-r0-n1"});
  const absl::Status wrong = NodesOf(run, "racks/b1").status();
  CHECK(Message(wrong).find("is neither a node nor the path of a domain") != std::string::npos);
}

TEST_CASE("drain: a gang that must share a rack waits where its rack has no other room") {
  ObjectList objects;
  objects.nodes = MakeNodes(2, 1, 2);
  Add(objects, {.name = "whole", .size = 2, .gpus = 8, .place = "rack=pack!"},
      {"b0-r0-n0", "b0-r0-n1"});
  const Drain one = DrainOf(objects, "b0-r0-n1");
  REQUIRE(one.gangs.size() == 1);
  CHECK_FALSE(one.gangs[0].fits);
  CHECK(one.gangs[0].gang.after.nodes == std::vector<std::string>{"b0-r0-n0"});
  const Drain all = DrainOf(objects, "b0/r0");
  CHECK(all.nodes.size() == 2);
  REQUIRE(all.gangs.size() == 1);
  CHECK(all.gangs[0].fits);
  CHECK(all.gangs[0].gang.after.nodes == std::vector<std::string>{"b1-r0-n0", "b1-r0-n1"});
}

TEST_CASE("drain: whoever goes waits from then on, however long its pod has been there") {
  ObjectList objects;
  objects.nodes = MakeNodes(1, 2, 2);
  Add(objects, {.name = "low", .size = 2, .gpus = 8, .place = "rack=pack! | after 10m: any"},
      {"b0-r0-n0", "b0-r0-n1"});
  for (PodFacts& pod : objects.pods) pod.created = 1'000;
  for (const absl::Duration later : {absl::ZeroDuration(), absl::Hours(2)}) {
    const Drain drain = DrainOf(objects, "b0-r0-n1", absl::FromUnixSeconds(1'000) + later);
    REQUIRE(drain.gangs.size() == 1);
    INFO(drain.gangs[0].gang.after.text);
    CHECK_FALSE(drain.gangs[0].fits);
    CHECK(drain.gangs[0].gang.after.text.find("after 10m of waiting") != std::string::npos);
  }
}

TEST_CASE("drain: a gang that is bound nowhere loses nothing, wherever it is planned") {
  ObjectList objects;
  objects.nodes = MakeNodes(2, 1, 2);
  for (int i = 0; i < 2; ++i) objects.pods.push_back(Bare("wait", i, 2, ""));
  CHECK(DrainOf(objects, "b0").gangs.empty());
  CHECK(DrainOf(objects, "b1").gangs.empty());
}

TEST_CASE("drain: pods that are going, that have finished and of DaemonSets are no others") {
  ObjectList objects;
  objects.nodes = MakeNodes(1, 1, 3);
  for (int i = 0; i < 3; ++i) objects.pods.push_back(Bare("term", i, 3, NodeNameAt(0, 0, i)));
  objects.pods[0].terminating = true;
  PodFacts agent = ForeignPod("agent", 0);
  agent.node_name = NodeNameAt(0, 0, 0);
  agent.phase = PodPhase::kRunning;
  agent.controller = OwnerRef{"apps/v1", "DaemonSet", "agent", "u-agent"};
  objects.pods.push_back(agent);
  CHECK(DrainOf(objects, "b0-r0-n0").others == 0);
  objects.pods.back().controller->kind = "ReplicaSet";
  CHECK(DrainOf(objects, "b0-r0-n0").others == 1);
  objects.pods.back().phase = PodPhase::kSucceeded;
  CHECK(DrainOf(objects, "b0-r0-n0").others == 0);
}

TEST_CASE("drain: a Job of which two have succeeded lacks none where the others have room") {
  ObjectList objects;
  objects.nodes = MakeNodes(2, 1, 4);
  const JobSpec job{.name = "j", .size = 4, .gpus = 8, .place = "block=pack!", .left = 2};
  Add(objects, job, {"b0-r0-n0", "b0-r0-n1", "b0-r0-n2", "b0-r0-n3"});
  objects.pods[0].phase = objects.pods[1].phase = PodPhase::kSucceeded;
  const Drain drain = DrainOf(objects, "b0-r0-n3");
  REQUIRE(drain.gangs.size() == 1);
  CHECK(drain.gangs[0].fits);
  CHECK(drain.gangs[0].members == 2);
  CHECK(drain.gangs[0].gang.after.nodes.size() == 2);
  CHECK(drain.gangs[0].gang.after.text.find(" of ") == std::string::npos);
}

TEST_CASE("drain: where a gang goes that loses all of its members and was not whole is not told") {
  ObjectList objects;
  objects.nodes = MakeNodes(2, 1, 4);
  for (int i = 0; i < 3; ++i) objects.pods.push_back(Bare("fin", i, 3, NodeNameAt(0, 0, i)));
  objects.pods[2].phase = PodPhase::kSucceeded;
  const Drain one = DrainOf(objects, "b0-r0-n0");
  REQUIRE(one.gangs.size() == 1);
  CHECK(one.gangs[0].fits);
  const Drain all = DrainOf(objects, "b0");
  REQUIRE(all.gangs.size() == 1);
  CHECK(all.gangs[0].loses == 2);
  CHECK_FALSE(all.gangs[0].fits);
  CHECK(all.gangs[0].gang.after.text == "not told: not whole, or grown");
}

TEST_CASE("drain: of two gangs of one name each loses its own") {
  ObjectList objects;
  objects.nodes = MakeNodes(3, 1, 2);
  const JobSpec job{.name = "t", .size = 2, .gpus = 8, .place = "rack=pack!"};
  Add(objects, job, {"b0-r0-n0", "b0-r0-n1"});
  for (int i = 0; i < 2; ++i) objects.pods.push_back(Bare("t", i, 2, NodeNameAt(1, 0, i)));
  const Drain drain = DrainOf(objects, "b1");
  REQUIRE(drain.gangs.size() == 1);
  CHECK(drain.gangs[0].gang.key.kind == "group");
  CHECK(drain.gangs[0].loses == 2);
  CHECK(drain.others == 0);
}

TEST_CASE("drain: a node is found by its whole path, as explain and map tell it") {
  const auto nodes = [](std::string_view what) {
    ObjectList objects;
    objects.nodes = MakeNodes(2, 2, 2);
    DryRun run(Levels(), objects);
    return NodesOf(run, what);
  };
  CHECK(nodes("b1/r0/b1-r0-n1").value() == std::set<std::string>{"b1-r0-n1"});
  CHECK_FALSE(nodes("b1/r1/b1-r0-n1").ok());
  CHECK_FALSE(nodes("b1/r0/").ok());
}

TEST_CASE("drain: what is printed, exit codes, and wrong words") {
  const Told told = Run({"drain", "block-1/rack-2", "--dry-run", "--snapshot", kGangs});
  CHECK(told.err == "");
  CHECK(told.code == kExitDone);
  CHECK(told.out.starts_with("2 nodes: 1 gang hit, 0 other pods\nGANG "));
  CHECK(told.out.find("\nml/finetune  1/2 ") != std::string::npos);
  CHECK(Run({"drain", "block-1/rack-2/b1-r2-n1", "--dry-run", "--snapshot", kGangs}).code ==
        kExitDone);
  const Told none = Run({"drain", "b1-r1-n1", "--dry-run", "--snapshot", kGangs});
  CHECK(none == Told{kExitDone, "1 node: 0 gangs hit, 0 other pods\n", ""});
  const Told json = Run({"drain", "b1-r1-n1", "--dry-run", "--snapshot", kGangs, "-o", "json"});
  CHECK(json.out == "{\"nodes\":[\"b1-r1-n1\"],\"others\":0,\"gangs\":[]}\n");
  const Told waits = Run({"drain", "block-2", "--dry-run", "--snapshot", kGangs});
  CHECK(waits.code == kExitFailed);
  CHECK(waits.out.find("ml/evaluate  2/2 ") != std::string::npos);
  const auto wrong = [](const std::vector<std::string_view>& args) {
    const Told one = Run(args);
    CHECK(one.code == kExitWrongWords);
    CHECK(one.out == "");
    return one.err.substr(0, one.err.find('\n'));
  };
  CHECK(wrong({"drain", "b1-r1-n1", "--snapshot", kGangs}) ==
        "gangplan drain: --dry-run is missing: it only looks; kubectl drain NODE does it");
  CHECK(
      wrong({"drain", "block-1/rak-2", "--dry-run", "--snapshot", kGangs}) ==
      "gangplan drain: \"block-1/rak-2\" is neither a node nor the path of a domain; did you mean "
      "\"block-1/rack-2\"?");
  CHECK(wrong({"drain", "nothing", "--dry-run", "--snapshot", kGangs})
            .ends_with(" is neither a node nor the path of a domain; expected as block-2/rack-2"));
  CHECK(wrong({"drain", "x", "--dry-run", "--snapshot", "/no/such"})
            .starts_with("gangplan drain: --snapshot: /no/such: "));
  CHECK(wrong({"drain", "--dry-run", "--snapshot", kGangs}) ==
        "gangplan drain: NODE|DOMAIN is missing");
  CHECK(wrong({"drain", "x", "--dry-run", "--snapshot", "s", "--server", "http://127.0.0.1:1"}) ==
        "gangplan drain: --snapshot, and a cluster: expected one of them");
}

}  // namespace
}  // namespace gangplan::drain_command_test
