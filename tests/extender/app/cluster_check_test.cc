// What a cluster shows that is probably not as somebody wants it.
#include "extender/app/cluster_check.h"

#include <algorithm>

#include "extender/app/dry_run.h"
#include "extender/app/settings_check.h"
#include "tests/config/config_text.h"
#include "tests/support/planner_world.h"

namespace gangplan::cluster_check_test {
namespace {

Settings Levels() {
  Settings settings;
  settings.topologies = {{ThreeLevels()}};
  return settings;
}

Findings Look(ObjectList objects, const Settings& settings = Levels()) {
  Findings findings;
  DryRun(settings, std::move(objects)).Check(findings);
  return findings;
}

const Finding& About(const Findings& findings, std::string_view about) {
  const auto found = std::find_if(findings.all.begin(), findings.all.end(),
                                  [&](const Finding& one) { return one.about == about; });
  INFO(about);
  REQUIRE(found != findings.all.end());
  return *found;
}

ObjectList Nodes(int blocks, int racks, int nodes) {
  ObjectList objects;
  objects.nodes = MakeNodes(blocks, racks, nodes);
  return objects;
}

TEST_CASE("Cluster check: a cluster as it should be is ok in every line") {
  const Findings findings = Look(Nodes(2, 2, 2));
  for (const Finding& one : findings.all) {
    INFO(one.about << ": " << one.text);
    CHECK(one.health == Health::kOk);
    CHECK(one.cure == "");
  }
  CHECK(About(findings, "levels").text == "block, rack, node: on all 8 nodes");
  CHECK(About(findings, "gangs").text == "0, each of which may start");
}

TEST_CASE("Cluster check: nodes without levels are told, with the preset that they have") {
  ObjectList objects = Nodes(1, 1, 3);
  objects.nodes[2].labels = {{"kubernetes.io/hostname", "n"}};
  const Finding some = About(Look(objects), "levels");
  CHECK(some.health == Health::kWarn);
  CHECK(some.text.starts_with("1 of 3 nodes lack the label example.com/block (level block)"));
  CHECK(some.cure == "the labels of the levels on each node where gangs may go");
  for (NodeFacts& node : objects.nodes) {
    node.labels = {{"topology.kubernetes.io/region", "r"}, {"topology.kubernetes.io/zone", "z"}};
  }
  const Finding none = About(Look(objects), "levels");
  CHECK(none.health == Health::kFail);
  CHECK(none.cure.starts_with("topologies[0].preset: generic, whose labels 3 nodes have; or "));
  Settings kueue = Levels();
  kueue.topologies[0].source = TopologySource::kKueue;
  const Finding unread = About(Look(objects, kueue), "levels");
  CHECK(unread.health == Health::kFail);
  CHECK(unread.text.find("Kueue's Topology") != std::string::npos);
}

TEST_CASE("Cluster check: no preset is proposed where most nodes have the levels") {
  ObjectList objects = Nodes(1, 1, 4);
  NodeFacts other = MakeNode(0, 0, 9);
  other.name = "other";
  other.labels = {{"kubernetes.io/hostname", "other"}};
  objects.nodes.push_back(other);
  for (NodeFacts& node : objects.nodes) {
    SetLabel(node.labels, "topology.kubernetes.io/region", "r");
    SetLabel(node.labels, "topology.kubernetes.io/zone", "z");
  }
  const Finding told = About(Look(objects), "levels");
  CHECK(told.health == Health::kWarn);
  CHECK(told.cure.find("preset") == std::string::npos);
  CHECK(told.text.ends_with(" and take no members: other for one"));
}

TEST_CASE("Cluster check: nodes of the control plane without devices need no levels") {
  ObjectList objects = Nodes(1, 1, 2);
  NodeFacts control = MakeNode(0, 0, 9, 0);
  control.name = "control";
  control.labels = {{"kubernetes.io/hostname", "control"}};
  const auto looks = [&](const NodeFacts& node) {
    ObjectList more = objects;
    more.nodes.push_back(node);
    return About(Look(more), "levels");
  };
  CHECK(looks(control).health == Health::kWarn);
  NodeFacts labelled = control;
  SetLabel(labelled.labels, "node-role.kubernetes.io/control-plane", "");
  CHECK(looks(labelled).health == Health::kOk);
  CHECK(looks(labelled).text == "block, rack, node: on all 3 nodes but 1 of the control plane");
  NodeFacts tainted = control;
  tainted.taints = {{"node-role.kubernetes.io/control-plane", "", TaintEffect::kNoSchedule}};
  CHECK(looks(tainted).health == Health::kOk);
  NodeFacts with_devices = labelled;
  with_devices.allocatable = MakeNode(0, 0, 9).allocatable;
  CHECK(looks(with_devices).health == Health::kWarn);
  objects.nodes.clear();
  CHECK(looks(labelled).health == Health::kFail);
}

TEST_CASE("Cluster check: a guess is the preset of most nodes, of equals that of most levels") {
  PresetGuess guess;
  CHECK(guess.best().nodes == 0);
  const LabelSet zones = {{"topology.kubernetes.io/region", "r"},
                          {"topology.kubernetes.io/zone", "z"}};
  LabelSet layers = zones;
  for (int i = 1; i <= 4; ++i)
    SetLabel(layers, fmt::format("topology.k8s.aws/network-node-layer-{}", i), "l");
  guess.Note(layers);
  CHECK(guess.best().preset == "aws-4");
  guess.Note(zones);
  CHECK(guess.best().preset == "generic");
  CHECK(guess.best().nodes == 2);
}

TEST_CASE(
    "Cluster check: a rack under two blocks is told, racks that count in their block are not") {
  CHECK(About(Look(Nodes(3, 4, 1)), "domains").health == Health::kOk);
  const auto looks = [](int doubled) {
    ObjectList objects;
    for (int rack = 0; rack < 6; ++rack) {
      for (int node = 0; node < 2; ++node) {
        NodeFacts one = MakeNode(0, rack, node);
        SetLabel(one.labels, "example.com/block", node == 1 && rack < doubled ? "b9" : "b0");
        objects.nodes.push_back(one);
      }
    }
    return About(Look(objects), "domains");
  };
  CHECK(looks(0).health == Health::kOk);
  const Finding one = looks(1);
  CHECK(one.health == Health::kWarn);
  CHECK(one.text ==
        "rack r0 stands under several parents, which makes several of it: b0/r0 (1 "
        "node) and b9/r0 (1 node)");
  CHECK(looks(3).text.ends_with("; and 2 more such names"));
  CHECK(looks(4).health == Health::kOk);  // of six
}

TEST_CASE("Cluster check: blocks with unlike numbers of racks are as they should be") {
  ObjectList objects;
  for (int rack = 0; rack < 6; ++rack) {
    objects.nodes.push_back(MakeNode(0, rack, 0));
    if (rack < 3) objects.nodes.push_back(MakeNode(1, rack, 0));
  }
  const Finding told = About(Look(objects), "domains");
  CHECK(told.health == Health::kOk);
  CHECK(told.text == "names of rack count within their parent");
  NodeFacts wrong = MakeNode(2, 0, 1);  // of a rack of one block, under another one
  SetLabel(wrong.labels, "example.com/rack", "r5");
  SetLabel(wrong.labels, "example.com/block", "b1");
  for (int rack = 6; rack < 12; ++rack) objects.nodes.push_back(MakeNode(1, rack, 0));
  objects.nodes.push_back(wrong);
  const Finding doubled = About(Look(objects), "domains");
  INFO(doubled.text);
  CHECK(doubled.health == Health::kWarn);
}

TEST_CASE(
    "Cluster check: pods with our words and another scheduler, or with wrong words, are told") {
  ObjectList objects = Nodes(1, 1, 2);
  for (int i = 0; i < 5; ++i) {
    PodFacts pod = JobPod({.name = "lost", .size = 5, .place = "rack=pack"}, i);
    pod.scheduler_name = "default-scheduler";
    objects.pods.push_back(pod);
  }
  objects.pods[4].phase = PodPhase::kSucceeded;
  PodFacts wrong = JobPod({.name = "wrong", .size = 1, .place = "rack=pack"}, 0);
  SetLabel(wrong.annotations, "gangplan.io/palce", "rack=pack!");
  objects.pods.push_back(wrong);
  const Findings findings = Look(objects);
  const Finding& lost = About(findings, "pods");
  CHECK(lost.health == Health::kWarn);
  CHECK(lost.text ==
        "4 carry words of ours and are no members, since their schedulerName is "
        "default-scheduler: team/lost-0-0, team/lost-1-0, team/lost-2-0 and 1 more");
  CHECK(lost.cure == "schedulerName: gangplan in their template");
  const auto unread = std::find_if(findings.all.begin(), findings.all.end(), [](const auto& one) {
    return one.text.starts_with("1 carry a word that nobody reads, as gangplan.io/palce: unknown");
  });
  CHECK(unread != findings.all.end());
}

TEST_CASE("Cluster check: pods of other schedulers count where they take devices") {
  ObjectList objects = Nodes(1, 1, 1);
  PodFacts agent = ForeignPod("agent", 0), rival = ForeignPod("rival", 2);
  agent.scheduler_name = rival.scheduler_name = "default-scheduler";
  agent.node_name = rival.node_name = objects.nodes[0].name;
  agent.phase = rival.phase = PodPhase::kRunning;
  objects.pods = {agent};
  CHECK(About(Look(objects), "other schedulers").health == Health::kOk);
  objects.pods = {agent, rival};
  const Finding told = About(Look(objects), "other schedulers");
  CHECK(told.health == Health::kWarn);
  CHECK(told.text.starts_with("1 pods of default-scheduler take devices of nodes: team/rival;"));
}

// A pod of another scheduler with this much of a resource.
PodFacts Rival(std::string_view resource, std::string_view node) {
  PodFacts web = ForeignPod("web", 0);
  web.scheduler_name = "default-scheduler";
  web.requests.push_back({std::string(resource), 1});
  web.node_name = node;
  web.phase = PodPhase::kRunning;
  return web;
}

TEST_CASE("Cluster check: pods of other schedulers count on nodes where gangs may go") {
  ObjectList objects = Nodes(2, 1, 2);
  objects.pods = {Rival("example.com/gpu", NodeNameAt(1, 0, 0))};
  const auto health = [&] { return About(Look(objects), "other schedulers").health; };
  CHECK(health() == Health::kWarn);
  const auto taint = [&](std::string_view key, TaintEffect effect) {
    for (NodeFacts& node : objects.nodes) {
      node.taints.clear();
      if (node.name.starts_with("b0-")) node.taints.push_back({std::string(key), "", effect});
    }
  };
  taint("gangs", TaintEffect::kPreferNoSchedule);
  CHECK(health() == Health::kWarn);
  taint("node-role.kubernetes.io/control-plane", TaintEffect::kNoSchedule);
  CHECK(health() == Health::kWarn);
  taint("gangs", TaintEffect::kNoSchedule);
  CHECK(health() == Health::kOk);
  objects.pods.push_back(Rival("example.com/gpu", NodeNameAt(0, 0, 0)));
  objects.pods.back().uid = objects.pods.back().name = "rival";
  CHECK(health() == Health::kWarn);
  for (NodeFacts& node : objects.nodes) {
    node.taints.clear();
    if (node.name != NodeNameAt(0, 0, 1)) node.labels = {{"kubernetes.io/hostname", node.name}};
  }
  CHECK(health() == Health::kOk);
}

TEST_CASE("Cluster check: what a pod takes of a network is no device of the gangs") {
  ObjectList objects = Nodes(1, 1, 2);
  for (const char* resource : {"vpc.amazonaws.com/pod-eni", "networking.gke.io.networks/default",
                               "devices.kubevirt.io/kvm", "kubernetes.io/batch-cpu", "cpu"}) {
    INFO(resource);
    objects.pods = {Rival(resource, NodeNameAt(0, 0, 0))};
    CHECK(About(Look(objects), "other schedulers").health == Health::kOk);
  }
}

TEST_CASE("Cluster check: what is told twice is counted once, and nothing after the end") {
  ClusterSigns signs{Settings()};
  const auto pods = [](std::string_view name) {
    PodFacts pod = ForeignPod(name, 1);
    pod.scheduler_name = "other";
    pod.node_name = "n";
    return std::vector<ClusterEvent>{pod, pod};
  };
  signs.Note(pods("a"));
  signs.Note(pods("a"));
  signs.Close();
  signs.Note(pods("b"));
  Findings findings;
  signs.Tell(findings);
  CHECK(About(findings, "other schedulers").text.starts_with("1 pods of other take"));
}

// Of the first `ours` nodes.
Settings InPool(ObjectList& objects, size_t ours) {
  for (size_t i = 0; i < objects.nodes.size(); ++i)
    SetLabel(objects.nodes[i].labels, "pool", i < ours ? "a" : "b");
  Settings settings = Levels();
  settings.nodes.labels = {{"pool", SelectorOperator::kIn, {"a"}}};
  return settings;
}

TEST_CASE("Cluster check: which nodes are ours is told, and that none is") {
  ObjectList objects = Nodes(2, 1, 2);
  objects.nodes[3].labels.clear();
  const Settings some = InPool(objects, 3);
  const Finding told = About(Look(objects, some), "nodes");
  CHECK(told.health == Health::kOk);
  CHECK(told.text == "3 of 4 are this scheduler's (pool=a)");
  // One that is not ours lacks no level.
  CHECK(About(Look(objects, some), "levels").text == "block, rack, node: on all 3 nodes");
  const Settings none = InPool(objects, 0);
  const Finding fails = About(Look(objects, none), "nodes");
  CHECK(fails.health == Health::kFail);
  CHECK(fails.text == "none of 4 nodes is this scheduler's (pool=a)");
  CHECK(fails.cure == "these labels on its nodes, or another selector (nodes)");
}

TEST_CASE("Cluster check: pods of another pair are told where they stand on our nodes") {
  ObjectList objects = Nodes(2, 1, 2);
  const Settings settings = InPool(objects, 2);
  PodFacts pod = Rival("example.com/gpu", objects.nodes[2].name);
  SetWord(pod.annotations, "gangplan.io/plan", "train.1");
  objects.pods = {pod};
  const auto pairs = [&](const Settings& of) {
    const Findings findings = Look(objects, of);
    return std::count_if(findings.all.begin(), findings.all.end(),
                         [](const Finding& one) { return one.about == "other pairs"; });
  };
  CHECK(pairs(settings) == 0);
  // Its words are that one's, and so are its devices.
  CHECK(About(Look(objects, settings), "pods").health == Health::kOk);
  CHECK(About(Look(objects, settings), "other schedulers").health == Health::kOk);
  objects.pods[0].node_name = objects.nodes[1].name;
  REQUIRE(pairs(settings) == 1);
  const Finding told = About(Look(objects, settings), "other pairs");
  CHECK(told.health == Health::kWarn);
  CHECK(told.text == fmt::format("1 pods that the Gangplan of {} has placed stand on {} of this "
                                 "one: {}/{}",
                                 pod.scheduler_name, objects.nodes[1].name, pod.ns, pod.name));
  // Whoever says nothing of nodes claims all of them.
  objects.pods[0].node_name = objects.nodes[2].name;
  CHECK(pairs(Levels()) == 1);
}

TEST_CASE("Cluster check: a maintenance that is no time is told") {
  ObjectList objects = Nodes(1, 1, 2);
  objects.nodes[0].maintenance = 1'796'104'800;
  const Findings none = Look(objects);
  CHECK(std::none_of(none.all.begin(), none.all.end(),
                     [](const Finding& one) { return one.about == "maintenance"; }));
  objects.nodes[1].maintenance = kMaintenanceUnread;
  const Finding told = About(Look(objects), "maintenance");
  CHECK(told.health == Health::kWarn);
  CHECK(told.text ==
        "gangplan.io/maintenance of " + NodeNameAt(0, 0, 1) + " is no time, so no gang goes there");
  CHECK(told.cure == "a time such as 2026-12-01T06:00Z, or no such annotation");
}

TEST_CASE("Cluster check: gangs that can never start are counted, and one of them told") {
  ObjectList objects = Nodes(1, 1, 2);
  const JobSpec large{.name = "large", .size = 3, .gpus = 8, .place = "rack=pack!"};
  const JobSpec good{.name = "good", .size = 2, .gpus = 8, .place = "rack=pack!"};
  const JobSpec odd{.name = "odd", .size = 2, .gpus = 1, .place = "rack=stack"};
  const JobSpec late{.name = "late", .size = 3, .gpus = 8, .place = "rack=pack! | after 1m: any"};
  for (const JobSpec& job : {good, large, odd, late}) {
    objects.owners.push_back(JobOwner(job));
    for (int i = 0; i < job.size; ++i) objects.pods.push_back(JobPod(job, i));
  }
  CHECK(About(Look(objects), "gangs")
            .text.starts_with("2 of 4 can never start as they are, team/large for one: "));
}

TEST_CASE("Cluster check: a gang that waits for room alone is none that can never start") {
  ObjectList objects = Nodes(1, 1, 2);
  PodFacts full = ForeignPod("full", 8);
  full.scheduler_name = "gangplan";
  full.node_name = NodeNameAt(0, 0, 0);
  full.phase = PodPhase::kRunning;
  objects.pods = {full};
  for (int i = 0; i < 3; ++i) {
    PodFacts pod = ForeignPod(fmt::format("g-{}", i), 8);
    pod.scheduler_name = "gangplan";
    SetWord(pod.annotations, "gangplan.io/group", "g");
    SetWord(pod.annotations, "gangplan.io/size", "2");
    SetWord(pod.annotations, "gangplan.io/place", "rack=pack!");
    if (i == 2) SetWord(pod.annotations, "gangplan.io/palce", "x");  // one more than it needs
    objects.pods.push_back(pod);
  }
  ObjectList roomy = objects;
  roomy.pods.erase(roomy.pods.begin());
  CHECK(About(Look(roomy), "gangs").health == Health::kOk);
  CHECK(About(Look(objects), "gangs").health == Health::kOk);
  objects.pods.erase(objects.pods.begin() + 1);  // now the wrong one is needed
  const Finding told = About(Look(objects), "gangs");
  CHECK(told.health == Health::kWarn);
  CHECK(told.text.find("gangplan.io/palce") != std::string::npos);
}

TEST_CASE("Settings check: times that contradict each other are told, at the limit and beyond it") {
  const auto worst = [](std::string_view text) {
    Findings findings;
    CheckSettings(MustRead(text), findings);
    return findings.all.back();
  };
  CHECK(worst("").health == Health::kOk);
  CHECK(worst("gang: {gatherTimeout: 585s}\n").health == Health::kOk);
  const Finding gather = worst("gang: {gatherTimeout: 586s}\n");
  CHECK(gather.health == Health::kWarn);
  CHECK(
      gather.text.starts_with("gang.gatherTimeout is 9m46s, but a bind call is answered after "
                              "9m45s of server.bindTimeout's 10m"));
  CHECK(worst("gang: {gatherTimeout: 586s, startWhen: first-member}\n").health == Health::kOk);
  CHECK(worst("repair: {after: 299s}\n").health == Health::kOk);
  CHECK(worst("repair: {after: 300s}\n").cure ==
        "repair.after of less than 5m, or 0s to leave it "
        "to Kubernetes");
}

}  // namespace
}  // namespace gangplan::cluster_check_test
