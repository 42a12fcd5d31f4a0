#include "extender/app/dry_run.h"

#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/text.h"
#include "topology/model.h"

namespace gangplan::dry_run_test {
namespace {

ObjectList Cluster(int nodes) {
  ObjectList objects;
  objects.nodes = MakeNodes(1, 1, nodes);
  return objects;
}

std::vector<PodFacts> PodsOf(const JobSpec& job) {
  std::vector<PodFacts> pods;
  for (int i = 0; i < job.size; ++i) pods.push_back(JobPod(job, i));
  return pods;
}

TEST_CASE("DryRun: what waits in a saved cluster has its room before what comes") {
  const JobSpec early{.name = "early", .size = 2, .gpus = 8, .place = "rack=pack!"};
  const JobSpec late{.name = "late", .size = 2, .gpus = 8, .place = "rack=pack!"};
  ObjectList objects = Cluster(3);
  objects.owners = {JobOwner(early)};
  objects.pods = PodsOf(early);
  DryRun run(Settings(), objects);
  CHECK(run.WhyNotReady() == "");
  CHECK(run.ReportOf("team/early-1-0")->state == GroupState::kPlanned);
  CHECK_FALSE(run.ReportOf("team/late-0-0").has_value());
  run.Arrive({JobOwner(late)}, PodsOf(late));
  const std::optional<GroupReport> report = run.ReportOf("team/late-0-0");
  REQUIRE(report.has_value());
  CHECK(report->outcome == Outcome::kWait);
  CHECK(report->evidence.find("most room now in b0/r0: 1, 1 short") != std::string::npos);
  CHECK(run.Ask([](const Planner& planner) { return planner.BrokenInvariant(); }) == "");
}

TEST_CASE("DryRun: a bad pod beside a whole gang is told by doctor's line of pods") {
  const JobSpec job{.name = "train", .size = 2, .gpus = 8, .place = "rack=pack!"};
  ObjectList objects = Cluster(3);
  objects.owners = {JobOwner(job)};
  objects.pods = PodsOf(job);
  const auto told = [&] {
    Findings findings;
    DryRun(Settings(), objects).Check(findings);
    std::string text;
    for (const Finding& one : findings.all) {
      if (one.health != Health::kOk) text += fmt::format("{}: {};", one.about, one.text);
    }
    return text;
  };
  CHECK(told() == "");
  PodFacts bad = ForeignPod("bad", 1);
  SetWord(bad.annotations, "gangplan.io/place", "row=pack!");
  SetWord(bad.annotations, "gangplan.io/size", "1");
  SetWord(bad.annotations, "gangplan.io/group", "other");
  JobSpec unlike = job;
  unlike.place = "rack=pack";
  PodFacts third = JobPod(unlike, 2);
  objects.pods.push_back(third);
  CHECK(told() == "pods: members of no gang as they are: 1 unlike_gang;");
  objects.pods.push_back(bad);
  CHECK(told().starts_with(
      "pods: members of no gang as they are: 1 bad_words, 1 unlike_gang;gangs: "));
}

TEST_CASE("DryRun: levels of a live topology are those of the object in the file") {
  Settings settings;
  settings.topologies = {{{"default", {{"node", std::string(kHostnameLabel)}}}}};
  settings.topologies[0].source = TopologySource::kKueue;
  CHECK(DryRun(settings, Cluster(1)).WhyNotReady() != "");
  ObjectList objects = Cluster(2);
  objects.topologies = {{"default", {{"rack", "example.com/rack"}}}};
  DryRun run(settings, objects);
  CHECK(run.WhyNotReady() == "");
  CHECK(run.Ask([](const Planner& planner) { return planner.model().tree(0).level_count(); }) == 2);
}

TEST_CASE("DryRun: nobody gives way and nobody is released, and it comes to its end all the same") {
  const JobSpec low{.name = "low", .size = 2, .gpus = 8, .place = "rack=pack!", .priority = -1};
  const JobSpec high{.name = "high", .size = 2, .gpus = 8, .place = "rack=pack!"};
  ObjectList objects = Cluster(2);
  objects.owners = {JobOwner(low)};
  objects.pods = PodsOf(low);
  for (size_t i = 0; i < 2; ++i) {
    objects.pods[i].node_name = objects.nodes[i].name;
    objects.pods[i].phase = PodPhase::kRunning;
  }
  for (const bool verbs : {true, false}) {
    Settings settings;
    settings.preemption = Preemption::kGangs;
    settings.gates = GateUse::kGangplan;
    settings.server.verbs = verbs;
    DryRun run(settings, objects);
    std::vector<PodFacts> pods = PodsOf(high);
    for (PodFacts& pod : pods) pod.gates.gang = true;
    run.Arrive({JobOwner(high)}, pods);
    CHECK(run.ReportOf("team/high-0-0")->state == GroupState::kBlocked);
    CHECK(run.ReportOf("team/low-0-0")->state == GroupState::kRunning);
    DryRun empty(settings, Cluster(2));
    empty.Arrive({JobOwner(high)}, pods);
    const std::optional<GroupReport> report = empty.ReportOf("team/high-0-0");
    REQUIRE(report.has_value());
    CHECK(report->slots[0].node == "b0-r0-n0");
    CHECK(report->slots[1].node == "b0-r0-n1");
  }
}

TEST_CASE("DryRun: its time is that of the last thing that happened") {
  ObjectList objects = Cluster(1);
  PodFacts pod = ForeignPod("other", 1);
  pod.created = 100;
  pod.run.started = 160;
  objects.pods = {pod};
  objects.owners = {JobOwner({.name = "train"})};
  objects.owners[0].created = 40;
  CHECK(DryRun(Settings(), objects).now() == absl::FromUnixSeconds(160));
  CHECK(DryRun(Settings(), Cluster(1)).now() == absl::UnixEpoch());
  for (const int64_t at : {159, 161}) {
    CHECK(DryRun(Settings(), objects, absl::FromUnixSeconds(at)).now() ==
          absl::FromUnixSeconds(std::max<int64_t>(160, at)));
  }
}

}  // namespace
}  // namespace gangplan::dry_run_test
