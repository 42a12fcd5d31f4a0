#include "event_text.h"
#include "extender/kube/mirror.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::workload_mirror_test {
namespace {

using Texts = std::vector<std::string>;
using Type = WatchEvent::Type;

WorkloadFacts Workload(const std::string& name, int version, const std::string& ns = "ns") {
  WorkloadFacts workload;
  workload.ns = ns;
  workload.name = name;
  workload.uid = "u-" + name;
  workload.resource_version = std::to_string(version);
  workload.quota = true;
  workload.checks = {{"room", CheckState::kPending, "", {}}};
  return workload;
}

Texts List(Mirror& mirror, std::vector<WorkloadFacts> workloads) {
  ObjectList page;
  page.workloads = std::move(workloads);
  std::vector<ClusterEvent> events;
  mirror.BeginList();
  CHECK(mirror.AddPage(std::move(page), &events).ok());
  mirror.EndList(&events);
  return TextOf(events);
}

Texts Watch(Mirror& mirror, Type type, WorkloadFacts workload) {
  WatchEvent event;
  event.type = type;
  event.name = workload.ns + "/" + workload.name;
  event.workload = std::move(workload);
  std::vector<ClusterEvent> events;
  CHECK(mirror.Apply(std::move(event), &events).ok());
  return TextOf(events);
}

TEST_CASE("Workloads are told while they have quota and a check, each version") {
  auto mirror = MakeWorkloadMirror();
  CHECK(mirror->kind() == "Workload");
  CHECK(mirror->may_be_missing());
  WorkloadFacts unchecked = Workload("b", 1);
  unchecked.checks.clear();
  CHECK(List(*mirror, {Workload("a", 1), unchecked}) == Texts{"workload ns/a 1"});
  CHECK(List(*mirror, {Workload("a", 1)}).empty());
  CHECK(Watch(*mirror, Type::kModified, Workload("a", 2)) == Texts{"workload ns/a 2"});
  WorkloadFacts lost = Workload("a", 3);
  lost.quota = false;
  CHECK(Watch(*mirror, Type::kModified, lost) == Texts{"-workload ns/a"});
  CHECK(Watch(*mirror, Type::kModified, lost).empty());
  CHECK(Watch(*mirror, Type::kModified, Workload("a", 4)) == Texts{"workload ns/a 4"});
  CHECK(Watch(*mirror, Type::kDeleted, Workload("a", 5)) == Texts{"-workload ns/a"});
  CHECK(Watch(*mirror, Type::kAdded, Workload("c", 6)) == Texts{"workload ns/c 6"});
  CHECK(List(*mirror, {}) == Texts{"-workload ns/c"});
}

TEST_CASE(
    "Workloads beyond the share of a namespace, or of all, are left out until there is room") {
  auto mirror = MakeWorkloadMirror(WorkloadUse::kChecksAndPlaces, {.all = 3, .in_namespace = 2});
  CHECK(List(*mirror, {Workload("a", 1), Workload("b", 1), Workload("c", 1)}).size() == 2);
  CHECK(mirror->TakeWarnings().size() == 1);
  CHECK_FALSE(mirror->WantsList());
  CHECK(Watch(*mirror, Type::kAdded, Workload("d", 2, "other")).size() == 1);
  CHECK(Watch(*mirror, Type::kAdded, Workload("e", 3, "third")).empty());
  CHECK(mirror->TakeWarnings().size() == 1);
  CHECK(Watch(*mirror, Type::kDeleted, Workload("a", 4)).size() == 1);
  CHECK(mirror->WantsList());
}

// On so many nodes.
WorkloadFacts Placed(const std::string& name, int version, int nodes) {
  WorkloadFacts workload = Workload(name, version);
  workload.checks.clear();
  auto& placement = workload.pod_sets.emplace_back().placement.emplace();
  placement.levels = {"kubernetes.io/hostname"};
  for (int i = 0; i < nodes; ++i) placement.domains.push_back({{fmt::format("n{}", i)}, 1});
  return workload;
}

TEST_CASE("Workloads that Kueue has placed are told without a check, too") {
  const WorkloadUse use = GENERATE(WorkloadUse::kPlaces, WorkloadUse::kChecksAndPlaces);
  auto mirror = MakeWorkloadMirror(use);
  CHECK(mirror->is_awaited() == (use == WorkloadUse::kChecksAndPlaces));
  CHECK(Watch(*mirror, Type::kAdded, Placed("a", 1, 2)) == Texts{"workload ns/a 1"});
  CHECK(Watch(*mirror, Type::kAdded, Workload("b", 1)).empty() == (use == WorkloadUse::kPlaces));
  WorkloadFacts lost = Placed("a", 2, 2);
  lost.quota = false;
  CHECK(Watch(*mirror, Type::kModified, lost) == Texts{"-workload ns/a"});
  // One that cannot be read is as good as gone, and the others go on.
  CHECK(Watch(*mirror, Type::kAdded, Placed("c", 1, 2)).size() == 1);
  WatchEvent bad;
  bad.type = Type::kModified;
  bad.name = "ns/c";
  bad.bad = absl::InvalidArgumentError("too long");
  std::vector<ClusterEvent> events;
  CHECK(mirror->Apply(bad, &events).ok());
  CHECK(TextOf(events) == Texts{"-workload ns/c"});
  CHECK(Watch(*mirror, Type::kAdded, Placed("c", 3, 2)) == Texts{"workload ns/c 3"});
}

TEST_CASE("Checks of placed Workloads are nobody's where none is answered") {
  const WorkloadUse use = GENERATE(WorkloadUse::kPlaces, WorkloadUse::kChecksAndPlaces);
  auto mirror = MakeWorkloadMirror(use);
  WorkloadFacts workload = Placed("a", 1, 2);
  workload.checks = {{"nodes", CheckState::kReady, ""}};
  WatchEvent event;
  event.type = Type::kAdded;
  event.workload = workload;
  std::vector<ClusterEvent> events;
  REQUIRE(mirror->Apply(event, &events).ok());
  REQUIRE(events.size() == 1);
  CHECK(std::get<WorkloadFacts>(events[0]).checks.empty() == (use == WorkloadUse::kPlaces));
}

TEST_CASE("Workloads' places have a share of memory, of a namespace and of all") {
  const size_t one = kBytesOfDomain + kBytesOfText + 2;
  auto mirror = MakeWorkloadMirror(
      WorkloadUse::kPlaces, kWorkloadLimits,
      {.all = 10, .in_namespace = 10, .bytes = one * 5, .bytes_in_namespace = one * 4});
  CHECK(Watch(*mirror, Type::kAdded, Placed("a", 1, 3)).size() == 1);
  CHECK(Watch(*mirror, Type::kAdded, Placed("b", 2, 2)).empty());
  CHECK(mirror->TakeWarnings().size() == 1);
  CHECK(Watch(*mirror, Type::kAdded, Placed("b", 3, 1)).size() == 1);
  // It grows beyond its share: it is gone, and comes again when it is small enough.
  CHECK(Watch(*mirror, Type::kModified, Placed("a", 4, 4)) == Texts{"-workload ns/a"});
  CHECK(Watch(*mirror, Type::kModified, Placed("a", 5, 3)) == Texts{"workload ns/a 5"});
  CHECK(Watch(*mirror, Type::kDeleted, Placed("a", 6, 3)).size() == 1);
  CHECK(Watch(*mirror, Type::kModified, Placed("b", 7, 4)) == Texts{"workload ns/b 7"});
}

TEST_CASE("Workloads' places beyond their share are left out, and the checks stay") {
  const size_t one = kBytesOfDomain + kBytesOfText + 2;
  auto mirror = MakeWorkloadMirror(
      WorkloadUse::kChecksAndPlaces, {.all = 2, .in_namespace = 2},
      {.all = 3, .in_namespace = 2, .bytes = one * 9, .bytes_in_namespace = one * 8});
  CHECK(Watch(*mirror, Type::kAdded, Placed("a", 1, 1)).size() == 1);
  CHECK(Watch(*mirror, Type::kAdded, Placed("b", 1, 1)).size() == 1);
  CHECK(Watch(*mirror, Type::kAdded, Placed("c", 1, 1)).empty());
  CHECK(mirror->TakeWarnings().size() == 1);
  // A check has a share of its own.
  const auto told = [&](int version, int nodes) {
    WorkloadFacts checked = Placed("d", version, nodes);
    checked.checks = Workload("d", 1).checks;
    WatchEvent event;
    event.type = Type::kModified;
    event.workload = checked;
    std::vector<ClusterEvent> events;
    CHECK(mirror->Apply(std::move(event), &events).ok());
    REQUIRE(events.size() == 1);
    const auto* workload = std::get_if<WorkloadFacts>(&events[0]);
    REQUIRE(workload != nullptr);
    CHECK(workload->checks == checked.checks);
    return workload->placed();
  };
  CHECK_FALSE(told(1, 1));
  CHECK(Watch(*mirror, Type::kDeleted, Placed("a", 2, 1)).size() == 1);
  CHECK(mirror->WantsList());
  CHECK(told(2, 7));
  CHECK_FALSE(told(3, 8));
  CHECK(told(4, 7));
}

TEST_CASE("Workloads whose place cannot be read are told of once a list") {
  auto mirror = MakeWorkloadMirror(WorkloadUse::kChecksAndPlaces);
  WorkloadFacts bad = Workload("a", 1);
  bad.unplaced = "topologyAssignment of pod set main: no";
  CHECK(Watch(*mirror, Type::kAdded, bad) == Texts{"workload ns/a 1"});
  CHECK(mirror->TakeWarnings() ==
        Texts{"Workload ns/a: topologyAssignment of pod set main: no; its room counts as free, as "
              "that of others like it"});
  bad.resource_version = "2";
  CHECK(Watch(*mirror, Type::kModified, bad).size() == 1);
  CHECK(mirror->TakeWarnings().empty());
}

TEST_CASE("AdmissionChecks are told whoever runs them") {
  auto mirror = MakeAdmissionCheckMirror();
  CHECK(mirror->kind() == "AdmissionCheck");
  CHECK(mirror->may_be_missing());
  WatchEvent event;
  event.type = Type::kAdded;
  event.check.name = "room";
  std::vector<ClusterEvent> events;
  CHECK(mirror->Apply(event, &events).ok());
  event.type = Type::kDeleted;
  CHECK(mirror->Apply(event, &events).ok());
  CHECK(TextOf(events) == Texts{"check room", "-check room"});
}

}  // namespace
}  // namespace gangplan::workload_mirror_test
