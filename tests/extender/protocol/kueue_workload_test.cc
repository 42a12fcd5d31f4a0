// Kueue's Workloads and AdmissionChecks, as the API server sends them.
#include <string>
#include <string_view>

#include "extender/protocol/limits.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::kueue_workload_test {
namespace {

constexpr std::string_view kMetadata =
    R"("metadata":{"name":"w","namespace":"n","uid":"u","resourceVersion":"7",)"
    R"("ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"u-j",)"
    R"("controller":true}]})";

std::string Reserved(std::string_view more = "") {
  return fmt::format(
      R"({{{},"spec":{{"queueName":"q","podSets":[{{"name":"main"}}]}},"status":{{"conditions":[)"
      R"({{"type":"QuotaReserved","status":"True",)"
      R"("lastTransitionTime":"2027-01-15T08:00:00Z"}}{}],)"
      R"("admission":{{"clusterQueue":"c","podSetAssignments":[{{"name":"main","count":4,)"
      R"("flavors":{{"cpu":"b","memory":"a","example.com/gpu":"b"}}}}]}},)"
      R"("admissionChecks":[{{"name":"room","state":"Ready","message":"m","retryCount":2,)"
      R"("lastTransitionTime":"2027-01-15T08:00:00Z",)"
      R"("podSetUpdates":[{{"name":"main","nodeSelector":{{"b":"2","a":"1"}},)"
      R"("tolerations":[{{"key":"pool","operator":"Exists","effect":"NoSchedule"}}]}}]}},)"
      R"({{"name":"other","state":"Pending","message":""}}]}}}})",
      kMetadata, more);
}

absl::StatusOr<WorkloadFacts> Decoded(std::string text) { return DecodeWorkload(text); }

ObjectList Listed(std::string_view item, std::string_view kind) {
  std::string text = fmt::format(R"({{"metadata":{{"resourceVersion":"9"}},"items":[{}]}})", item);
  absl::StatusOr<ObjectList> list = DecodeList(text, kind);
  REQUIRE(ErrorOf(list) == "");
  return *std::move(list);
}

TEST_CASE("Workloads: quota, pod sets and checks are read") {
  const absl::StatusOr<WorkloadFacts> read = Decoded(Reserved());
  REQUIRE(ErrorOf(read) == "");
  const WorkloadFacts& facts = *read;
  CHECK(facts.ns == "n");
  CHECK(facts.name == "w");
  CHECK(facts.uid == "u");
  CHECK(facts.resource_version == "7");
  REQUIRE(facts.owner);
  CHECK(*facts.owner == OwnerRef{"batch/v1", "Job", "j", "u-j"});
  CHECK(facts.quota);
  CHECK(facts.quota_since == 1'800'000'000);
  REQUIRE(facts.pod_sets.size() == 1);
  CHECK(facts.pod_sets[0] == WorkloadFacts::PodSet{"main", 4, {"a", "b"}});
  REQUIRE(facts.checks.size() == 2);
  REQUIRE(facts.checks[0].updates.size() == 1);
  const WorkloadFacts::Update& update = facts.checks[0].updates[0];
  REQUIRE(update.tolerations.size() == 1);
  CHECK(update.tolerations[0].key == "pool");
  CHECK(update.tolerations[0].effect == TaintEffect::kNoSchedule);
  CHECK(facts.checks[0] ==
        WorkloadFacts::Check{"room",
                             CheckState::kReady,
                             "m",
                             {{"main", {{"a", "1"}, {"b", "2"}}, update.tolerations}}});
  CHECK(facts.checks[1].state == CheckState::kPending);
}

// As Kueue makes them of a group of pods, of a LeaderWorkerSet or of a StatefulSet.
TEST_CASE("Workloads: the first one speaks for many owners of which none controls it") {
  const auto owned = [](size_t owners) {
    std::string refs;
    for (size_t i = 0; i < owners; ++i) {
      refs += fmt::format(R"({}{{"apiVersion":"v1","kind":"Pod","name":"p{}","uid":"u-p{}"}})",
                          i == 0 ? "" : ",", i, i);
    }
    return Decoded(fmt::format(
        R"({{"metadata":{{"name":"w","namespace":"n","uid":"u","ownerReferences":[{}]}}}})", refs));
  };
  CHECK(owned(0)->owner == std::nullopt);
  CHECK(owned(2)->owner == OwnerRef{"v1", "Pod", "p0", "u-p0"});
  CHECK(owned(kMaxWorkloadOwners)->owner == OwnerRef{"v1", "Pod", "p0", "u-p0"});
  CHECK(ErrorOf(owned(kMaxWorkloadOwners + 1)).find("ownerReferences") != std::string::npos);
}

TEST_CASE("Workloads: one that is evicted, finished or on its way out has no quota") {
  for (const char* type : {"Evicted", "Finished"}) {
    const std::string more = fmt::format(R"(,{{"type":"{}","status":"True"}})", type);
    CHECK_FALSE(Decoded(Reserved(more))->quota);
    const std::string over = fmt::format(R"(,{{"type":"{}","status":"False"}})", type);
    CHECK(Decoded(Reserved(over))->quota);
  }
  CHECK_FALSE(Decoded(fmt::format("{{{}}}", kMetadata))->quota);
}

TEST_CASE("Workloads: in lists and watches, a bad one is named and the others go on") {
  const ObjectList list =
      Listed(Reserved() + R"(,{"metadata":{"name":"x","namespace":"n","uid":"v"},"status":)"
                          R"({"admissionChecks":[{"name":"a","state":"Odd"}]}})",
             "Workload");
  REQUIRE(list.workloads.size() == 1);
  CHECK(list.workloads[0].name == "w");
  REQUIRE(list.bad.size() == 1);
  CHECK(list.bad[0].name == "n/x");
  CHECK(list.resource_version == "9");
  std::string line = fmt::format(R"({{"type":"MODIFIED","object":{}}})", Reserved());
  const absl::StatusOr<WatchEvent> event = DecodeWatchEvent(line, "Workload");
  REQUIRE(ErrorOf(event) == "");
  CHECK(event->type == WatchEvent::Type::kModified);
  CHECK(event->workload.checks.size() == 2);
  CHECK(event->name == "n/w");
  std::string error =
      R"({"type":"ERROR","object":{"kind":"Status","status":"Failure","message":"old",)"
      R"("code":410}})";
  const absl::StatusOr<WatchEvent> expired = DecodeWatchEvent(error, "Workload");
  REQUIRE(ErrorOf(expired) == "");
  CHECK(expired->error_code == 410);
}

TEST_CASE("Workloads: pod sets and checks have limits") {
  const auto with = [](size_t sets, size_t checks) {
    std::string assigned, told;
    for (size_t i = 0; i < sets; ++i)
      assigned += fmt::format(R"({}{{"name":"s{}","count":1}})", i == 0 ? "" : ",", i);
    for (size_t i = 0; i < checks; ++i)
      told += fmt::format(R"({}{{"name":"c{}","state":"Pending"}})", i == 0 ? "" : ",", i);
    return Decoded(fmt::format(
        R"({{{},"status":{{"admission":{{"podSetAssignments":[{}]}},"admissionChecks":[{}]}}}})",
        kMetadata, assigned, told));
  };
  CHECK(with(kMaxWorkloadPodSets, kMaxWorkloadChecks).ok());
  CHECK_FALSE(with(kMaxWorkloadPodSets + 1, 1).ok());
  CHECK_FALSE(with(1, kMaxWorkloadChecks + 1).ok());
}

TEST_CASE("AdmissionChecks: who runs them, and whether that is said") {
  const auto checked = [](std::string_view more) {
    const ObjectList list = Listed(
        fmt::format(R"({{"metadata":{{"name":"room","uid":"u"}},{}}})", more), "AdmissionCheck");
    REQUIRE(list.checks.size() == 1);
    return list.checks[0];
  };
  const AdmissionCheckFacts plain = checked(R"("spec":{"controllerName":"gangplan.io/room"})");
  CHECK(plain.name == "room");
  CHECK(plain.uid == "u");
  CHECK(plain.IsOurs());
  CHECK(plain.MayBeActive());
  CHECK(plain.active == std::nullopt);
  const AdmissionCheckFacts active = checked(
      R"("spec":{"controllerName":"x","parameters":{"apiGroup":"g","kind":"k","name":"p"}},)"
      R"("status":{"conditions":[{"type":"Active","status":"True"}]})");
  CHECK_FALSE(active.IsOurs());
  CHECK_FALSE(active.MayBeActive());
  CHECK(active.active == true);
}

TEST_CASE("ResourceFlavors: their nodes and tolerations are what Kueue adds to pods") {
  const ObjectList list =
      Listed(R"({"metadata":{"name":"fast"},"spec":{"nodeLabels":{"pool":"fast"},)"
             R"("tolerations":[{"key":"gpu","operator":"Exists"}],"topologyName":"t"}})",
             "ResourceFlavor");
  REQUIRE(list.rules.size() == 1);
  CHECK(list.rules[0].kind == AdmissionRule::Kind::kResourceFlavor);
  CHECK(list.rules[0].name == "fast");
  CHECK(list.rules[0].node_selector == LabelSet{{"pool", "fast"}});
  CHECK(list.rules[0].tolerations.size() == 1);
}

// ---- where Kueue itself has placed it

// With this as the topologyAssignment of its four pods.
std::string PlacedText(std::string_view assignment) {
  return fmt::format(
      R"({{{},"spec":{{"podSets":[{{"name":"main","count":4,"template":{{"metadata":)"
      R"({{"annotations":{{"gangplan.io/place":"rack","other":"x"}}}},"spec":)"
      R"({{"schedulerName":"gangplan","containers":[{{"name":"c","resources":{{"requests":)"
      R"({{"cpu":"1","example.com/more":"2"}}}}}}]}}}}}}]}},"status":{{"conditions":[)"
      R"({{"type":"QuotaReserved","status":"True"}},{{"type":"Admitted","status":"True"}}],)"
      R"("reclaimablePods":[{{"name":"main","count":1}}],)"
      R"("admission":{{"clusterQueue":"c","podSetAssignments":[{{"name":"main","count":4,)"
      R"("resourceUsage":{{"cpu":"6","memory":"4Gi"}},"topologyAssignment":{}}}]}}}}}})",
      kMetadata, assignment);
}
absl::StatusOr<WorkloadFacts> PlacedBy(std::string_view assignment) {
  return Decoded(PlacedText(assignment));
}

WorkloadFacts::Placement PlacementBy(std::string_view assignment) {
  const absl::StatusOr<WorkloadFacts> read = PlacedBy(assignment);
  REQUIRE(ErrorOf(read) == "");
  REQUIRE(read->placed());
  return *read->pod_sets.front().placement;
}

TEST_CASE(
    "Workloads: what Kueue has placed tells what each of its pods takes, and whose they are") {
  const absl::StatusOr<WorkloadFacts> read =
      PlacedBy(R"({"levels":["kubernetes.io/hostname"],"domains":[{"values":["n"],"count":4}]})");
  REQUIRE(ErrorOf(read) == "");
  CHECK(read->admitted);
  const WorkloadFacts::PodSet& set = read->pod_sets.front();
  CHECK(set.each ==
        ResourceList{
            {"cpu", 1'500}, {"example.com/more", 2}, {"memory", int64_t{1} << 30}, {"pods", 1}});
  CHECK(set.all == 4);
  CHECK(set.reclaimable == 1);
  CHECK(set.pod.scheduler_name == "gangplan");
  CHECK(set.pod.annotations == LabelSet{{"gangplan.io/place", "rack"}});
}

// What is asked for then is not what is there.
TEST_CASE("Workloads: of one that may be admitted in part nobody knows how many pods it has") {
  std::string text =
      PlacedText(R"({"levels":["kubernetes.io/hostname"],"domains":[{"values":["n"],"count":4}]})");
  text.insert(text.find(R"("count":4)"), R"("minCount":2,)");
  const absl::StatusOr<WorkloadFacts> read = Decoded(std::move(text));
  REQUIRE(ErrorOf(read) == "");
  CHECK(read->pod_sets.front().all == 0);
}

TEST_CASE("Workloads: a place is read in both versions, down to the node where that is told") {
  const WorkloadFacts::Placement racks{{"b", "r"}, {{{"x", "p1s"}, 4}, {{"x", "p2s"}, 2}}};
  CHECK(PlacementBy(R"({"levels":["b","r"],"domains":[{"values":["x","p2s"],"count":2},)"
                    R"({"values":["x","p1s"],"count":3},{"values":["x","p1s"],"count":1}]})") ==
        racks);
  CHECK(PlacementBy(R"({"levels":["b","r"],"slices":[{"domainCount":2,"valuesPerLevel":[)"
                    R"({"universal":"x"},{"individual":{"prefix":"p","suffix":"s",)"
                    R"("roots":["1","2"]}}],"podCounts":{"individual":[4,2]}}]})") == racks);
  CHECK(PlacementBy(R"({"levels":["b","kubernetes.io/hostname"],"slices":[{"domainCount":1,)"
                    R"("valuesPerLevel":[{"universal":"x"},{"universal":"n1"}],)"
                    R"("podCounts":{"universal":3}},{"domainCount":1,"valuesPerLevel":[)"
                    R"({"universal":"x"},{"individual":{"roots":["n0"]}}],)"
                    R"("podCounts":{"universal":1}}]})") ==
        WorkloadFacts::Placement{{"kubernetes.io/hostname"}, {{{"n0"}, 1}, {{"n1"}, 3}}});
}

// The pods of the one before are this one's, and say that they are that one's.
TEST_CASE("Workloads: the place of what an elastic Job has grown to is not taken") {
  const auto placed = [](std::string_view slice) {
    std::string text = PlacedText(R"({"levels":["b"],"domains":[{"values":["x"],"count":1}]})");
    const std::string more = fmt::format(
        R"("annotations":{{"a/b":"c","kueue.x-k8s.io/workload-slice-name":"{}"}},)", slice);
    text.insert(text.find(R"("name":"w")"), more);
    const absl::StatusOr<WorkloadFacts> workload = Decoded(text);
    REQUIRE(workload.ok());
    REQUIRE(workload->pod_sets.size() == 1);
    return workload->pod_sets[0].placement.has_value();
  };
  CHECK(placed("w"));
  CHECK_FALSE(placed("w-before"));
}

TEST_CASE("Workloads: a place that cannot be read leaves the rest as it is") {
  const auto refused = [](std::string_view assignment) {
    const absl::StatusOr<WorkloadFacts> read = PlacedBy(assignment);
    REQUIRE(ErrorOf(read) == "");
    CHECK(read->unplaced.empty() == read->placed());
    return !read->placed();
  };
  CHECK(refused(R"({"levels":[],"domains":[]})"));
  CHECK(refused(R"({"levels":["a","b"],"domains":[{"values":["x"],"count":1}]})"));
  const auto slice = [](std::string_view count, std::string_view values, std::string_view pods) {
    return fmt::format(R"({{"levels":["a"],"slices":[{{"domainCount":{},"valuesPerLevel":[{}],)"
                       R"("podCounts":{}}}]}})",
                       count, values, pods);
  };
  constexpr std::string_view kTwo = R"({"individual":{"roots":["1","2"]}})";
  CHECK_FALSE(refused(slice("2", kTwo, R"({"universal":1})")));
  CHECK(refused(slice("3", kTwo, R"({"universal":1})")));
  CHECK(refused(slice("2", kTwo, R"({"individual":[1]})")));
  CHECK(refused(slice("2", kTwo, R"({"individual":[1,0]})")));
  CHECK(refused(slice("2", kTwo, R"({"universal":1,"individual":[1,1]})")));
  CHECK(refused(slice("2", kTwo, "{}")));
  CHECK(refused(
      slice("2", R"({"universal":"x","individual":{"roots":["1","2"]}})", R"({"universal":1})")));
  CHECK(refused(slice("2", "{}", R"({"universal":1})")));
  CHECK(refused(slice("0", kTwo, R"({"universal":1})")));
  CHECK(refused(slice("2", "", R"({"universal":1})")));
}

TEST_CASE("Workloads: a few bytes make no more domains than there may be") {
  const auto many = [](size_t domains) {
    return PlacedBy(fmt::format(
        R"({{"levels":["a"],"slices":[{{"domainCount":{},"valuesPerLevel":[{{"universal":"x"}}],)"
        R"("podCounts":{{"universal":2147483647}}}}]}})",
        domains));
  };
  const absl::StatusOr<WorkloadFacts> most = many(kMaxWorkloadDomains);
  REQUIRE(ErrorOf(most) == "");
  REQUIRE(most->pod_sets.front().placement->domains.size() == 1);
  CHECK(most->pod_sets.front().placement->domains.front().count == 2'147'483'647);
  for (const size_t beyond : {kMaxWorkloadDomains + 1, size_t{2'147'483'647}}) {
    const absl::StatusOr<WorkloadFacts> read = many(beyond);
    REQUIRE(ErrorOf(read) == "");
    CHECK_FALSE(read->placed());
    CHECK(read->unplaced == "topologyAssignment of pod set main: more than 16384 domains");
  }
}

TEST_CASE("Workloads: a check is read whatever Kueue's place is made of") {
  const auto read = [](std::string_view spec, std::string_view reclaimable, std::string_view usage,
                       std::string_view assignment) {
    return Decoded(fmt::format(
        R"({{{},"spec":{{"podSets":{}}},"status":{{"conditions":[{{"type":"QuotaReserved",)"
        R"("status":"True"}}],"reclaimablePods":{},"admissionChecks":[{{"name":"room",)"
        R"("state":"Pending"}}],"admission":{{"clusterQueue":"c","podSetAssignments":[)"
        R"({{"name":"main","count":4,"resourceUsage":{},"topologyAssignment":{}}}]}}}}}})",
        kMetadata, spec, reclaimable, usage, assignment));
  };
  constexpr std::string_view kPlace =
      R"({"levels":["kubernetes.io/hostname"],"domains":[{"values":["n"],"count":4}]})";
  const auto unplaced = [&](std::string_view spec, std::string_view reclaimable,
                            std::string_view usage, std::string_view assignment) {
    const absl::StatusOr<WorkloadFacts> workload = read(spec, reclaimable, usage, assignment);
    REQUIRE(ErrorOf(workload) == "");
    CHECK(workload->checks.size() == 1);
    CHECK(workload->pod_sets.size() == 1);
    return !workload->placed() && !workload->unplaced.empty();
  };
  const auto repeated = [](std::string_view one, size_t times) {
    std::vector<std::string_view> all(times, one);
    return fmt::format("[{}]", fmt::join(all, ","));
  };
  CHECK_FALSE(unplaced("[]", "[]", "{}", kPlace));
  CHECK(unplaced(repeated(R"({"name":"main"})", kMaxWorkloadPodSets + 1), "[]", "{}", kPlace));
  CHECK(unplaced("7", "[]", "{}", kPlace));
  CHECK(unplaced("[]", R"([{"name":"main","count":-1}])", "{}", kPlace));
  CHECK(unplaced("[]", "[]", R"({"cpu":"many"})", kPlace));
  CHECK(unplaced("[]", "[]", "{}", "7"));
  CHECK(unplaced("[]", "[]", "{}", R"({"levels":7})"));
  CHECK(unplaced("[]", "[]", "{}",
                 fmt::format(R"({{"levels":{},"domains":[]}})", repeated(R"("l")", 100))));
  CHECK(unplaced(
      "[]", "[]", "{}",
      fmt::format(R"({{"levels":["a"],"slices":{}}})", repeated("{}", kMaxWorkloadSlices + 1))));
  // Where nothing is placed none of it matters.
  const absl::StatusOr<WorkloadFacts> plain = read("7", "7", "{}", "null");
  REQUIRE(ErrorOf(plain) == "");
  CHECK(plain->unplaced.empty());
}

}  // namespace
}  // namespace gangplan::kueue_workload_test
