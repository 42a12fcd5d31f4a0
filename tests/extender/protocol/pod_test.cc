#include <string>
#include <vector>

#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"
#include "tests/support/query.h"

namespace gangplan::pod_test {
namespace {

PodFacts Pod(std::string text) {
  absl::StatusOr<PodFacts> pod = DecodePod(text);
  REQUIRE(ErrorOf(pod) == "");
  return *pod;
}

PodFacts PodWith(std::string_view rest) {
  return Pod(fmt::format(R"({{"metadata":{{"name":"p","uid":"u"}},{}}})", rest));
}

TEST_CASE("A pod that says next to nothing has the API server's defaults") {
  PodFacts expected;
  expected.name = "p";
  expected.uid = "u";
  expected.ns = "default";
  expected.scheduler_name = "default-scheduler";
  expected.requests = {{"pods", 1}};
  CHECK(Pod(R"({"metadata":{"name":"p","uid":"u"}})") == expected);
  CHECK(Pod(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","uid":"u"},"spec":{},)"
            R"("status":{}})") == expected);
}

TEST_CASE("A pod tells how long it runs, and when it has started") {
  const PodFacts pod =
      PodWith(R"("spec":{"activeDeadlineSeconds":3600,"terminationGracePeriodSeconds":5},)"
              R"("status":{"startTime":"1970-01-01T00:01:40Z"})");
  CHECK(pod.run == RunTime{100, 3'600, 5});
  CHECK(PodWith(R"("spec":{})").run == RunTime{0, 0, 30});
  // As far as anybody waits.
  for (const int64_t told : {kMaxRunSeconds, kMaxRunSeconds + 1}) {
    const std::string spec = fmt::format(R"("spec":{{"activeDeadlineSeconds":{}}})", told);
    CHECK(PodWith(spec).run.seconds == kMaxRunSeconds);
  }
  CHECK(PodWith(R"("spec":{"activeDeadlineSeconds":5})").run.seconds == 5);
  CHECK(PodWith(R"("spec":{"terminationGracePeriodSeconds":-1})").run.grace == 0);
}

TEST_CASE("A bound pod") {
  const PodFacts pod = Pod(
      R"({"kind":"Pod","metadata":{"name":"p","namespace":"n","uid":"u",)"
      R"("labels":{"b":"2","a":"1"},)"
      R"("creationTimestamp":"1970-01-01T00:01:40Z",)"
      R"("deletionTimestamp":"2026-01-01T00:00:00Z","managedFields":[{"fieldsV1":{"f:a":{}}}]},)"
      R"("spec":{"schedulerName":"s","nodeName":"node-1","priority":-7,)"
      R"("schedulingGroup":{"podGroupName":"ring"},)"
      R"("hostname":"ring-3","subdomain":"ring",)"
      R"("schedulingGates":[{"name":"g"}],"nodeSelector":{"z":"1","y":""}},)"
      R"("status":{"phase":"Running","nominatedNodeName":"node-2"}})");
  CHECK(pod.ns == "n");
  CHECK(pod.labels == LabelSet{{"a", "1"}, {"b", "2"}});
  CHECK(pod.terminating);
  CHECK(pod.created == 100);
  CHECK(pod.scheduler_name == "s");
  CHECK(pod.scheduling_group == "ring");
  CHECK(pod.host == "ring-3.ring");
  CHECK(pod.node_name == "node-1");
  CHECK(pod.nominated_node_name == "node-2");
  CHECK(pod.priority == -7);
  CHECK(pod.gated());
  CHECK(pod.phase == PodPhase::kRunning);
  CHECK(pod.filter.node_selector == LabelSet{{"y", ""}, {"z", "1"}});
}

TEST_CASE("Whether somebody applies fields of a pod") {
  const auto managed = [](std::string_view managers) {
    return Pod(
        fmt::format(R"({{"metadata":{{"name":"p","uid":"u","managedFields":{}}}}})", managers));
  };
  CHECK_FALSE(managed("[]").applied);
  CHECK_FALSE(managed(R"([{"manager":"m","operation":"Update","fieldsV1":{"f:a":{}}}])").applied);
  CHECK(managed(R"([{"operation":"Update"},{"fieldsV1":{"f:operation":{}},"operation":"Apply"}])")
            .applied);
  CHECK_FALSE(managed(R"([{"fieldsV1":{"operation":"Apply"}}])").applied);
}

TEST_CASE("Phases") {
  CHECK(PodWith(R"("status":{"phase":""})").phase == PodPhase::kPending);
  CHECK(PodWith(R"("status":{"phase":"Pending"})").phase == PodPhase::kPending);
  CHECK(PodWith(R"("status":{"phase":"Succeeded"})").phase == PodPhase::kSucceeded);
  CHECK(PodWith(R"("status":{"phase":"Failed"})").phase == PodPhase::kFailed);
  CHECK(PodWith(R"("status":{"phase":"Unknown"})").phase == PodPhase::kUnknown);
}

TEST_CASE("A pod is gated by any gate and no longer by none") {
  CHECK_FALSE(PodWith(R"("spec":{"schedulingGates":[]})").gated());
  CHECK(PodWith(R"("spec":{"schedulingGates":[{"name":"a"},{"name":"b"}]})").gated());
  CHECK_FALSE(PodWith(R"("spec":{"schedulingGates":[{"name":"a"}],"schedulingGates":[]})").gated());
}

TEST_CASE("Gates are told by whose they are") {
  const auto gates = [](std::string_view names) {
    std::string list;
    for (const std::string& name : Split(names, ' '))
      list += (list.empty() ? "" : ",") + fmt::format(R"({{"name":"{}"}})", name);
    return PodWith(fmt::format(R"("spec":{{"schedulingGates":[{}]}})", list)).gates;
  };
  CHECK(gates("gangplan.io/gang") == PodGates{.gang = true});
  CHECK(gates("kueue.x-k8s.io/topology") == PodGates{.kueue_topology = true});
  CHECK(gates("kueue.x-k8s.io/admission") == PodGates{.others = true});
  CHECK(gates("gangplan.io/gang a kueue.x-k8s.io/topology") == PodGates{true, true, true});
  CHECK(gates("gangplan.io/gang2") == PodGates{.others = true});
}

TEST_CASE("Of the annotations those about groups are kept") {
  const PodFacts pod =
      Pod(R"({"metadata":{"name":"p","uid":"u","annotations":{"z":"1","gangplan.io/size":"4",)"
          R"("kubectl.kubernetes.io/last-applied-configuration":"{}","kueue.x-k8s.io/podset":"a",)"
          R"("batch.kubernetes.io/job-completion-index":"3","batch.kubernetes.io/job-tracking":"",)"
          R"("leaderworkerset.sigs.k8s.io/size":"8","sakkara.group":"g",)"
          R"("scheduling.k8s.io/group-name":"v","gangplan.iox/":"no"}}})");
  CHECK(pod.annotations == LabelSet{{"batch.kubernetes.io/job-completion-index", "3"},
                                    {"gangplan.io/size", "4"},
                                    {"kueue.x-k8s.io/podset", "a"},
                                    {"leaderworkerset.sigs.k8s.io/size", "8"},
                                    {"sakkara.group", "g"},
                                    {"scheduling.k8s.io/group-name", "v"}});
}

TEST_CASE("Of equal labels the last one counts, and their case matters") {
  const PodFacts pod =
      Pod(R"({"metadata":{"name":"p","uid":"u","labels":{"a":"1","A":"2","a":"3"},)"
          R"("labels":{"b":"4"}}})");
  CHECK(pod.labels == LabelSet{{"A", "2"}, {"a", "3"}, {"b", "4"}});
}

TEST_CASE("The controller is the owner that says so") {
  const PodFacts pod =
      Pod(R"({"metadata":{"name":"p","uid":"u","ownerReferences":[)"
          R"({"apiVersion":"v1","kind":"Node","name":"x","uid":"1"},)"
          R"({"apiVersion":"v1","kind":"Node","name":"y","uid":"2","controller":false},)"
          R"({"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"3","controller":true}]}})");
  CHECK(pod.controller == OwnerRef{"batch/v1", "Job", "j", "3"});
  CHECK_FALSE(Pod(R"({"metadata":{"name":"p","uid":"u","ownerReferences":[{"name":"x"}]}})")
                  .controller.has_value());
}

TEST_CASE("Tolerations") {
  const PodFacts pod =
      PodWith(R"("spec":{"tolerations":[{"operator":"Exists"},{"key":"a","operator":"Exists",)"
              R"("effect":"NoSchedule"},{"key":"b","value":"v","effect":"PreferNoSchedule"},)"
              R"({"key":"c","operator":"Equal","value":"w","effect":"","tolerationSeconds":3},)"
              R"({"key":"d","operator":"","effect":"NoExecute"},{"key":"e","operator":"Lt",)"
              R"("value":"3"},{"key":"f","operator":"Gt","value":"4"}]})");
  CHECK(pod.filter.tolerations ==
        std::vector<Toleration>{{"", true, "", std::nullopt},
                                {"a", true, "", TaintEffect::kNoSchedule},
                                {"b", false, "v", TaintEffect::kPreferNoSchedule},
                                {"c", false, "w", std::nullopt},
                                {"d", false, "", TaintEffect::kNoExecute},
                                {"e", false, "3", std::nullopt, TaintComparison::kLess},
                                {"f", false, "4", std::nullopt, TaintComparison::kGreater}});
}

TEST_CASE("Required node affinity, while the preferred one is none of ours") {
  const PodFacts pod =
      PodWith(R"("spec":{"affinity":{"podAffinity":{"x":[1]},"nodeAffinity":{)"
              R"("preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"preference":{}}],)"
              R"("requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)"
              R"({"matchExpressions":[{"key":"a","operator":"In","values":["1","2"]},)"
              R"({"key":"b","operator":"NotIn","values":["3"]},{"key":"c","operator":"Exists"},)"
              R"({"key":"d","operator":"DoesNotExist","values":[]}]},)"
              R"({"matchExpressions":[{"key":"e","operator":"Gt","values":["5"]},)"
              R"({"key":"f","operator":"Lt","values":["6"]}],"matchFields":[)"
              R"({"key":"metadata.name","operator":"In","values":["n1"]}]},{}]}}}})");
  REQUIRE(pod.filter.required_terms.has_value());
  using Op = SelectorOperator;
  const std::vector<NodeSelectorTerm> expected = {
      {{{"a", Op::kIn, {"1", "2"}},
        {"b", Op::kNotIn, {"3"}},
        {"c", Op::kExists, {}},
        {"d", Op::kDoesNotExist, {}}},
       {}},
      {{{"e", Op::kGt, {"5"}}, {"f", Op::kLt, {"6"}}}, {{"metadata.name", Op::kIn, {"n1"}}}},
      {},
  };
  CHECK(*pod.filter.required_terms == expected);
}

TEST_CASE("A required affinity without terms is not the same as none") {
  CHECK_FALSE(
      PodWith(R"("spec":{"affinity":{"nodeAffinity":{}}})").filter.required_terms.has_value());
  const PodFacts pod = PodWith(R"("spec":{"affinity":{"nodeAffinity":{)"
                               R"("requiredDuringSchedulingIgnoredDuringExecution":{}}}})");
  REQUIRE(pod.filter.required_terms.has_value());
  CHECK(pod.filter.required_terms->empty());
}

TEST_CASE("Preferred node affinity") {
  const PodFacts pod = PodWith(
      R"("spec":{"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[)"
      R"({"weight":100,"preference":{"matchExpressions":[{"key":"a","operator":"Exists"}]}},)"
      R"({"preference":{"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]},)"
      R"("weight":1}]}}})");
  const std::vector<PreferredTerm> expected = {
      {{{{"a", SelectorOperator::kExists, {}}}, {}}, 100},
      {{{}, {{"metadata.name", SelectorOperator::kIn, {"n"}}}}, 1}};
  CHECK(pod.preferred_terms == expected);
  CHECK_FALSE(pod.filter.required_terms.has_value());
}

TEST_CASE("Labels are all kept, also those that Sakkara's users set and read") {
  const PodFacts pod =
      Pod(R"({"metadata":{"name":"p","uid":"u","labels":{"app":"x","sakkara.group.name":"g",)"
          R"("sakkara.group.size":"8","sakkara.group.constraint.type.rack":"spread",)"
          R"("sakkara.member.rank":"2","sakkara.member.status":"Bound"}}})");
  CHECK(pod.labels == LabelSet{{"app", "x"},
                               {"sakkara.group.constraint.type.rack", "spread"},
                               {"sakkara.group.name", "g"},
                               {"sakkara.group.size", "8"},
                               {"sakkara.member.rank", "2"},
                               {"sakkara.member.status", "Bound"}});
}

}  // namespace
}  // namespace gangplan::pod_test
