// What admission will make of a template, and Jobs that wait while it changes.
#include "extender/planner/admission.h"

#include <string>

#include "tests/extender/planner/suspended_world.h"

namespace gangplan::admission_test {
namespace {

using Kind = AdmissionRule::Kind;

AdmissionRule Range(std::string ns, std::string name, ResourceList defaults) {
  return {Kind::kLimitRange, std::move(ns), std::move(name), std::move(defaults), {}, {}, 0, false};
}
AdmissionRule Runtime(std::string name, ResourceList overhead, LabelSet nodes = {}) {
  return {Kind::kRuntimeClass,
          "",
          std::move(name),
          std::move(overhead),
          std::move(nodes),
          {{}},
          0,
          false};
}
AdmissionRule Class(std::string name, int32_t priority, bool is_default = false) {
  return {Kind::kPriorityClass, "", std::move(name), {}, {}, {}, priority, is_default};
}

// One container that asks for nothing, in the namespace "team".
JobFacts Bare() {
  JobFacts job;
  job.owner.ns = "team";
  job.pods.emplace_back().requests = {{"pods", 1}};
  job.needs.emplace_back().containers.emplace_back();
  return job;
}

int32_t PriorityOf(const Admission& admission, const std::string& name) {
  JobFacts job = Bare();
  job.pods[0].priority = 3;
  job.needs[0].priority_class = name;
  return admission.PodOf(job, 0).priority;
}

// As the API server makes its pods.
struct AdmissionWorld : SuspendedWorld {
  void Note(const AdmissionRule& rule, bool stands = true) {
    planner().OnAdmissionRule(now(), rule, stands);
    REQUIRE(planner().BrokenInvariant() == "");
    Pass(absl::Milliseconds(50));
  }
  JobFacts WithNeeds(const JobSpec& job) const {
    JobFacts facts = Facts(job);
    ResourceList asked = facts.pods[0].requests;
    std::erase_if(asked, [](const ResourceAmount& one) { return one.name == "pods"; });
    facts.needs.emplace_back().containers.push_back(std::move(asked));
    return facts;
  }
  // Of a runtime class.
  void SeeHeavy(const std::string& name) {
    JobFacts facts = WithNeeds(Pair(name));
    facts.needs[0].runtime_class = "heavy";
    See(facts);
  }
  // So many of them, j000 and on; when the class comes all are read anew.
  void SeeAllHeavy(int jobs) {
    for (int i = 0; i < jobs; ++i) SeeHeavy(fmt::format("j{:03}", i));
    Note(Runtime("heavy", {}));
    Pass(absl::Seconds(1));
  }
};

}  // namespace

TEST_CASE("Admission: a template to which nothing applies is the pod") {
  Admission admission;
  CHECK(admission.PodOf(Bare(), 0) == Bare().pods[0]);
  admission.Note(Range("other", "l", {{"cpu", 5}}), true);
  admission.Note(Runtime("heavy", {{"cpu", 7}}), true);
  admission.Note(Class("high", 10), true);
  CHECK(admission.PodOf(Bare(), 0) == Bare().pods[0]);
}

TEST_CASE("Admission: of several LimitRanges the first by name counts for a resource") {
  Admission admission;
  CHECK(admission.Note(Range("team", "b", {{"cpu", 5}, {"memory", 6}}), true));
  CHECK(admission.Note(Range("team", "a", {{"cpu", 2}}), true));
  CHECK_FALSE(admission.Note(Range("team", "a", {{"cpu", 2}}), true));
  const ResourceList both = {{"cpu", 2}, {"memory", 6}, {"pods", 1}};
  CHECK(admission.PodOf(Bare(), 0).requests == both);
  CHECK(admission.Note(Range("team", "a", {}), false));
  CHECK_FALSE(admission.Note(Range("team", "a", {}), false));
  const ResourceList one = {{"cpu", 5}, {"memory", 6}, {"pods", 1}};
  CHECK(admission.PodOf(Bare(), 0).requests == one);
}

TEST_CASE("Admission: a RuntimeClass brings its overhead, and its nodes beside the template's") {
  Admission admission;
  JobFacts job = Bare();
  job.needs[0].runtime_class = "heavy";
  job.pods[0].filter.node_selector = {{"pool", "mine"}, {"zone", "z"}};
  CHECK(admission.PodOf(job, 0) == job.pods[0]);
  admission.Note(Runtime("heavy", {{"cpu", 7}}, {{"arch", "x"}, {"pool", "vm"}}), true);
  const PodFacts pod = admission.PodOf(job, 0);
  CHECK(pod.requests == ResourceList{{"cpu", 7}, {"pods", 1}});
  CHECK(pod.filter.node_selector == LabelSet{{"arch", "x"}, {"pool", "mine"}, {"zone", "z"}});
  CHECK(pod.filter.tolerations.size() == 1);
}

TEST_CASE("Admission: priorities are of the class, else the default one, else the template") {
  Admission admission;
  CHECK(PriorityOf(admission, "") == 3);
  CHECK(PriorityOf(admission, "high") == 3);
  admission.Note(Class("high", 10), true);
  admission.Note(Class("all", 5, true), true);
  CHECK(PriorityOf(admission, "high") == 10);
  CHECK(PriorityOf(admission, "") == 5);
  admission.Note(Class("many", 4, true), true);
  CHECK(PriorityOf(admission, "") == 4);
  admission.Note(Class("many", 4, true), false);
  admission.Note(Class("all", 5, false), true);
  CHECK(PriorityOf(admission, "") == 3);
}

TEST_CASE("Admission: a Job that waits is planned as its pods will be") {
  AdmissionWorld world;
  const JobSpec job{.name = "train", .size = 2, .gpus = 1, .place = "rack=pack!"};
  world.Note(Range("team", "l", {{"memory", 0}}));
  world.Note(Runtime("heavy", {{"example.com/gpu", 7}}));
  JobFacts facts = world.WithNeeds(job);
  facts.needs[0].runtime_class = "heavy";
  world.See(facts);
  world.Pass(absl::Milliseconds(50));
  const std::vector<std::string> nodes = world.Nodes("team/train");
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0] != nodes[1]);  // a pod and its overhead take a node
}

TEST_CASE("Admission: a Job whose class is missing is told so, and planned when it is there") {
  AdmissionWorld world;
  JobFacts facts = world.WithNeeds(Pair());
  facts.needs[0].priority_class = "urgent";
  facts.needs[0].runtime_class = "heavy";
  world.See(facts);
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0].note, EndsWith("waits suspended for gangplan: there is no PriorityClass "
                                     "urgent"));
  world.Note(Class("urgent", 1));
  CHECK_THAT(world.Take<EventNote>().at(0).note, EndsWith("there is no RuntimeClass heavy"));
  CHECK(world.Take<JobWrite>().empty());
  world.Note(Runtime("heavy", {}));
  CHECK(world.Written().job.uid == Pair().Uid());
}

TEST_CASE("Admission: what it follows changes while Jobs wait") {
  AdmissionWorld world;
  const JobSpec first = Pair("first");
  const JobSpec second = Pair("second");
  for (const JobSpec& job : {first, second}) world.Run(job);
  JobFacts low = world.WithNeeds(Pair("low"));
  JobFacts high = world.WithNeeds(Pair("high"));
  high.needs[0].priority_class = "urgent";
  world.Note(Class("urgent", 0));
  world.See(low);
  world.See(high);
  world.Note(Class("urgent", 100));
  world.Take<JobWrite>();
  for (int i = 0; i < 2; ++i) world.Delete(JobPod(first, i));
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Written().job.uid == Pair("high").Uid());
  for (int i = 0; i < 2; ++i) world.Delete(JobPod(second, i));
  world.Note(Class("urgent", -1));
  CHECK(world.Written().job.uid == Pair("low").Uid());
}

TEST_CASE("Admission: many Jobs that wait are looked at again some at a time") {
  AdmissionWorld world;
  const int jobs = static_cast<int>(kForetoldAtOnce) + 1;
  world.SeeAllHeavy(jobs);
  world.planner().OnAdmissionRule(world.now(), Runtime("heavy", {{"cpu", 1'000'000}}), true);
  CHECK(world.planner().busy());
  world.Pass(absl::Milliseconds(5));
  CHECK(world.planner().busy());
  for (int i = 0; i < 200 && world.planner().busy(); ++i) world.Pass(absl::Milliseconds(5));
  CHECK_FALSE(world.planner().busy());
  int impossible = 0;
  for (int i = 0; i < jobs; ++i) {
    const GroupReport report = world.Report(fmt::format("team/j{:03}", i));
    impossible += static_cast<int>(report.outcome == Outcome::kImpossible);
  }
  CHECK(impossible == jobs - 2);  // two have been started
}

TEST_CASE("Admission: a Job that comes meanwhile takes nobody's turn to be looked at again") {
  AdmissionWorld world;
  const int jobs = static_cast<int>(kForetoldAtOnce) + 1;
  world.SeeAllHeavy(jobs);
  world.planner().OnAdmissionRule(world.now(), Runtime("heavy", {{"cpu", 1'000'000}}), true);
  world.Pass(absl::Milliseconds(5));
  world.SeeHeavy(fmt::format("j{:03}a", jobs - 2));
  for (int i = 0; i < 200 && world.planner().busy(); ++i) world.Pass(absl::Milliseconds(5));
  CHECK(world.Report(fmt::format("team/j{:03}", jobs - 1)).outcome == Outcome::kImpossible);
}

TEST_CASE("Admission: rules that change again and again keep nobody from being looked at") {
  AdmissionWorld world;
  const int jobs = 2 * static_cast<int>(kForetoldAtOnce) + 1;
  world.SeeAllHeavy(jobs);
  for (int i = 0; i < 8; ++i) {
    const int64_t cpu = 1'000'000 + i % 2;
    world.planner().OnAdmissionRule(world.now(), Runtime("heavy", {{"cpu", cpu}}), true);
    world.Pass(absl::Milliseconds(5));
  }
  CHECK(world.Report(fmt::format("team/j{:03}", jobs - 1)).outcome == Outcome::kImpossible);
}

}  // namespace gangplan::admission_test
