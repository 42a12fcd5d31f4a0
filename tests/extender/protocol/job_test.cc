// Jobs that wait, with their templates: one, in a list, and on a line of a watch.

#include <string>

#include "extender/protocol/limits.h"
#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::job_test {
namespace {

constexpr std::string_view kWords =
    R"("metadata":{"name":"j","namespace":"n","uid":"u","resourceVersion":"7",)"
    R"("labels":{"gangplan.io/suspended":""},)"
    R"("annotations":{"gangplan.io/group":"g","other.example/word":"x"}})";
constexpr std::string_view kTemplate =
    R"("metadata":{"name":"ignored","labels":{"job-name":"j","app":"a"},)"
    R"("annotations":{"gangplan.io/place":"p","other.example/word":"x"}},)"
    R"("spec":{"schedulerName":"gangplan","priority":5,"nodeSelector":{"pool":"a"},)"
    R"("schedulingGates":[{"name":"wait"}],)"
    R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
    R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"In","values":["v"]}]}]},)"
    R"("preferredDuringSchedulingIgnoredDuringExecution":[{"weight":3,"preference":)"
    R"({"matchExpressions":[{"key":"z","operator":"Exists"}]}}]}},)"
    R"("containers":[{"name":"c","resources":{"limits":{"cpu":"2"}}}]})";

std::string JobText(std::string_view spec, std::string_view rest = "") {
  return fmt::format(R"({{{},"spec":{{{}}}{}}})", kWords, spec, rest);
}
std::string WholeJob() {
  return JobText(
      fmt::format(R"("parallelism":4,"completions":6,"suspend":true,"template":{{{}}})", kTemplate),
      R"(,"status":{"succeeded":1})");
}

JobFacts Job(std::string text) {
  absl::StatusOr<JobFacts> job = DecodeJob(text);
  INFO(ErrorOf(job));
  REQUIRE(job.ok());
  return *std::move(job);
}
std::string ErrorOfJob(std::string text) { return ErrorOf(DecodeJob(text)); }

ObjectList List(std::string text, std::string_view kind = "Job") {
  absl::StatusOr<ObjectList> list = DecodeList(text, kind);
  INFO(ErrorOf(list));
  REQUIRE(list.ok());
  return *std::move(list);
}

WatchEvent Event(std::string text) {
  absl::StatusOr<WatchEvent> event = DecodeWatchEvent(text, "Job");
  INFO(ErrorOf(event));
  REQUIRE(event.ok());
  return *std::move(event);
}

TEST_CASE("A Job has an owner's facts, also where it leaves out its kind") {
  const JobFacts job = Job(WholeJob());
  CHECK(job.owner.ref == OwnerRef{"batch/v1", "Job", "j", "u"});
  CHECK(job.owner.ns == "n");
  CHECK(job.owner.size == 4);
  CHECK(job.owner.left == 5);
  CHECK(job.owner.labels == LabelSet{{"gangplan.io/suspended", ""}});
  CHECK(job.owner.annotations == LabelSet{{"gangplan.io/group", "g"}});
  CHECK(job.resource_version == "7");
  CHECK(job.suspended);
  CHECK_FALSE(job.terminating);
  CHECK_FALSE(job.finished);
}

TEST_CASE("When a Job was made is told in seconds, and what is no time is not told") {
  const auto made = [](std::string_view told) {
    return Job(fmt::format(R"({{"metadata":{{"name":"j","uid":"u","creationTimestamp":{}}}}})",
                           told))
        .owner.created;
  };
  CHECK(made(R"("1970-01-02T00:00:01Z")") == 86'401);
  CHECK(made(R"("1970-01-01T02:00:00+01:00")") == 3'600);
  CHECK(made("null") == 0);
  CHECK(made(R"("")") == 0);
  CHECK(made(R"("yesterday")") == 0);
  CHECK(made(R"("1960-01-01T00:00:00Z")") == 0);
}

TEST_CASE("What a Job leaves out is as the API server has it") {
  const JobFacts job = Job(R"({"metadata":{"name":"j","uid":"u","deletionTimestamp":"now"}})");
  CHECK(job.owner.ns == "default");
  CHECK(job.owner.size == 1);
  CHECK_FALSE(job.owner.left);
  CHECK(job.owner.created == 0);
  CHECK_FALSE(job.suspended);
  CHECK(job.terminating);
}

TEST_CASE("A Job is finished by its conditions, and not by what is not True") {
  const auto finished = [](std::string_view conditions) {
    return Job(JobText("", fmt::format(R"(,"status":{{"conditions":[{}]}})", conditions))).finished;
  };
  for (const char* type : {"Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"}) {
    CHECK(finished(fmt::format(R"({{"type":"Suspended","status":"True"}},)"
                               R"({{"type":"{}","status":"True","reason":"r"}})",
                               type)));
    CHECK_FALSE(finished(fmt::format(R"({{"type":"{}","status":"False"}})", type)));
    CHECK_FALSE(finished(fmt::format(R"({{"type":"{}"}})", type)));
  }
  CHECK_FALSE(finished(R"({"type":"Suspended","status":"True"})"));
  CHECK_FALSE(finished(""));
}

TEST_CASE("Since when a Job is suspended its controller tells") {
  const auto since = [](std::string_view status, std::string_view time) {
    return Job(JobText("", fmt::format(R"(,"status":{{"conditions":[{{"type":"Suspended",)"
                                       R"("status":"{}","lastTransitionTime":"{}"}}]}})",
                                       status, time)))
        .suspended_since;
  };
  CHECK(Job(JobText("", "")).suspended_since == 0);
  CHECK(since("True", "1970-01-12T13:46:40Z") == 1'000'000);
  CHECK(since("False", "1970-01-12T13:46:40Z") == 0);
  CHECK(since("True", "lately") == 0);
}

TEST_CASE("What a Job ran before is stopped when its controller has seen to it") {
  const auto stopped = [](std::string_view status) {
    return Job(JobText("", fmt::format(R"(,"status":{{{}}})", status))).stopped;
  };
  constexpr std::string_view kTrue = R"("conditions":[{"type":"Suspended","status":"True"}])";
  constexpr std::string_view kFalse = R"("conditions":[{"type":"Suspended","status":"False"}])";
  constexpr std::string_view kTime = R"("startTime":"2026-01-02T03:04:05Z")";
  CHECK(stopped(""));
  CHECK(stopped(R"("succeeded":1)"));
  CHECK(stopped(kTrue));
  // Older API servers leave the time where it is.
  CHECK(stopped(fmt::format("{},{}", kTrue, kTime)));
  CHECK_FALSE(stopped(kFalse));
  CHECK_FALSE(stopped(kTime));
  CHECK_FALSE(stopped(fmt::format(R"({},"active":1)", kTrue)));
  CHECK(stopped(fmt::format(R"({},"active":0)", kTrue)));
}

TEST_CASE("The template is a pod that the Job would make") {
  const PodFacts pod = Job(WholeJob()).pods.at(0);
  CHECK(pod.fault.empty());
  CHECK(pod.uid.empty());
  CHECK(pod.ns == "n");
  CHECK(pod.name == "j");
  CHECK(pod.controller == OwnerRef{"batch/v1", "Job", "j", "u"});
  CHECK(pod.labels == LabelSet{{"app", "a"}, {"job-name", "j"}});
  CHECK(pod.annotations == LabelSet{{"gangplan.io/place", "p"}});
  CHECK(pod.scheduler_name == "gangplan");
  CHECK(pod.priority == 5);
  CHECK(pod.gated());
  CHECK_FALSE(pod.terminating);
  CHECK(pod.requests == ResourceList{{"cpu", 2000}, {"pods", 1}});
  CHECK(pod.filter.node_selector == LabelSet{{"pool", "a"}});
  REQUIRE(pod.filter.required_terms);
  CHECK(pod.filter.required_terms->front().labels ==
        std::vector<SelectorRequirement>{{"k", SelectorOperator::kIn, {"v"}}});
  REQUIRE(pod.preferred_terms.size() == 1);
  CHECK(pod.preferred_terms[0].weight == 3);
}

TEST_CASE("A template's words are those that the same pod would have") {
  std::string text = fmt::format("{{{}}}", kTemplate);
  text.replace(text.find(R"("name":"ignored")"), 16, R"("name":"j","namespace":"n","uid":"p")");
  absl::StatusOr<PodFacts> made = DecodePod(text);
  REQUIRE(made.ok());
  PodFacts pod = Job(WholeJob()).pods.at(0);
  pod.uid = "p";
  pod.controller.reset();
  CHECK(pod == *made);
}

TEST_CASE("Defaults of a template, and a priority class that is only a name") {
  const PodFacts pod =
      Job(JobText(R"("template":{"spec":{"priorityClassName":"high","containers":[{}]}})"))
          .pods.at(0);
  CHECK(pod.fault.empty());
  CHECK(pod.scheduler_name == "default-scheduler");
  CHECK(pod.priority == 0);
  CHECK(pod.requests == ResourceList{{"pods", 1}});
}

TEST_CASE("A template that cannot be read is told with its place, beside a Job that can") {
  struct Case {
    std::string_view pod_template;
    std::string_view fault;
  };
  for (const Case& one : {
           Case{R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"-1"}}}]}})",
                "spec.template.spec.containers[0].resources.requests.cpu: must not be negative: "
                "-1"},
           Case{R"({"metadata":{"labels":7},"spec":{"containers":[{}]}})",
                "spec.template.metadata.labels: expected an object, found a number"},
           Case{"7", "spec.template: expected an object, found a number"},
           Case{R"({"spec":{}})", "spec.template: spec.containers is missing"},
           Case{"null", "spec.template: spec.containers is missing"},
       }) {
    const std::string spec =
        fmt::format(R"("parallelism":3,"suspend":true,"template":{})", one.pod_template);
    for (const JobFacts& job :
         {Job(JobText(spec)), List(fmt::format(R"({{"items":[{}]}})", JobText(spec))).jobs.at(0),
          *Event(fmt::format(R"({{"type":"ADDED","object":{}}})", JobText(spec))).job}) {
      CHECK(job.pods.at(0).fault == one.fault);
      CHECK(job.pods.at(0).name == "j");
      CHECK(job.owner.size == 3);
      CHECK(job.suspended);
    }
  }
}

TEST_CASE("A template with a node is told as such, and stands nowhere") {
  const PodFacts pod =
      Job(JobText(R"("template":{"spec":{"nodeName":"n1","containers":[{}]}})")).pods.at(0);
  CHECK(pod.fault == "spec.template.spec.nodeName: is set; expected the scheduler to choose");
  CHECK(pod.node_name.empty());
}

TEST_CASE("A template that asks too much of nodes is told as such, with a node or without") {
  std::string requirements = R"({"key":"k","operator":"Exists"})";
  for (size_t i = 1; i < kMaxRequirements; ++i)
    requirements += R"(,{"key":"k","operator":"Exists"})";
  const std::string term = fmt::format(R"({{"matchExpressions":[{}]}})", requirements);
  const auto fault = [&](std::string_view node) {
    return Job(JobText(fmt::format(
                   R"("template":{{"spec":{{{}"containers":[{{}}],"affinity":{{"nodeAffinity":)"
                   R"({{"requiredDuringSchedulingIgnoredDuringExecution":)"
                   R"({{"nodeSelectorTerms":[{},{},{}]}}}}}}}}}})",
                   node, term, term, term)))
        .pods.at(0)
        .fault;
  };
  CHECK(fault("") ==
        "spec.template: spec.affinity.nodeAffinity: more than 512 requirements in all its terms");
  CHECK(fault(R"("nodeName":"n1",)") ==
        "spec.template.spec.nodeName: is set; expected the scheduler to choose");
}

TEST_CASE("What only shows when a template is whole has its place, too") {
  const std::string container = R"({"resources":{"requests":{"cpu":"9000000000000000"}}})";
  const JobFacts job = Job(JobText(
      fmt::format(R"("template":{{"spec":{{"containers":[{},{}]}}}})", container, container)));
  CHECK(job.pods.at(0).fault ==
        "spec.template: the sum of the requests of cpu does not fit in 64 bits");
}

TEST_CASE("A Job that cannot be read is an error") {
  CHECK(ErrorOfJob(R"({"metadata":{"uid":"u"}})") == "Job: metadata.name is missing");
  CHECK(ErrorOfJob(R"({"metadata":{"name":"j"}})") == "Job: metadata.uid is missing");
  CHECK(ErrorOfJob(R"({"kind":"Pod"})") == "Job: expected kind Job, found Pod");
  CHECK(ErrorOfJob(R"({"apiVersion":"batch/v2"})") ==
        "Job: expected apiVersion batch/v1, found batch/v2");
  CHECK(ErrorOfJob(JobText(R"("parallelism":"x")")) ==
        "Job.spec.parallelism: expected a number, found a string");
  CHECK(ErrorOfJob(JobText(R"("suspend":1)")) ==
        "Job.spec.suspend: expected true or false, found a number");
}

TEST_CASE("Jobs in a list, the bad ones by name and UID, and other kinds not at all") {
  const ObjectList list =
      List(fmt::format(R"({{"kind":"JobList","apiVersion":"batch/v1","metadata":)"
                       R"({{"resourceVersion":"9","continue":"t"}},"items":[{},{},{{}}]}})",
                       WholeJob(), JobText(R"("completions":-1)")));
  REQUIRE(list.jobs.size() == 1);
  CHECK(list.jobs[0].owner.ref == OwnerRef{"batch/v1", "Job", "j", "u"});
  CHECK(list.jobs[0].pods.at(0).scheduler_name == "gangplan");
  CHECK(list.resource_version == "9");
  CHECK(list.continue_token == "t");
  REQUIRE(list.bad.size() == 2);
  CHECK(list.bad[0].name == "n/j");
  CHECK(list.bad[0].uid == "u");
  CHECK(Message(list.bad[0].status) ==
        "items[1].spec.completions: expected an integer from 0 to 2147483647, found -1");
  CHECK(list.bad[1].name == "items[2]");
  CHECK(Message(list.bad[1].status) == "items[2]: metadata.name is missing");

  const ObjectList mixed = List(R"({"items":[{"kind":"Job","metadata":{"name":"j"}}]})", "Pod");
  CHECK(mixed.jobs.empty());
  CHECK(mixed.bad.empty());
}

TEST_CASE("A Job on a line of a watch") {
  const WatchEvent event = Event(fmt::format(R"({{"type":"MODIFIED","object":{}}})", WholeJob()));
  CHECK(event.type == WatchEvent::Type::kModified);
  CHECK(event.name == "n/j");
  CHECK(event.resource_version == "7");
  CHECK(event.bad.ok());
  REQUIRE(event.job);
  CHECK(*event.job == Job(WholeJob()));

  const WatchEvent bad =
      Event(R"({"type":"DELETED","object":{"spec":{"suspend":1},"metadata":{"name":"j",)"
            R"("namespace":"n","resourceVersion":"8"}}})");
  CHECK(bad.name == "n/j");
  CHECK(bad.resource_version == "8");
  CHECK(Message(bad.bad) == "object.spec.suspend: expected true or false, found a number");
  CHECK_FALSE(bad.job);

  const WatchEvent unnamed = Event(R"({"type":"ADDED","object":{"metadata":{"name":"j"}}})");
  CHECK(Message(unnamed.bad) == "object: metadata.uid is missing");
  CHECK_FALSE(unnamed.job);
}

TEST_CASE("A bookmark and an error of a watch on Jobs") {
  CHECK(Event(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"99"}}})")
            .resource_version == "99");
  const WatchEvent error =
      Event(R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},)"
            R"("status":"Failure","message":"too old","code":410}})");
  CHECK(error.error_code == 410);
  CHECK(error.error_message == "too old");
}

}  // namespace
}  // namespace gangplan::job_test
