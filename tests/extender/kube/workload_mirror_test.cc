#include "event_text.h"
#include "extender/kube/mirror.h"
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
  auto mirror = MakeWorkloadMirror({.all = 3, .in_namespace = 2});
  CHECK(List(*mirror, {Workload("a", 1), Workload("b", 1), Workload("c", 1)}).size() == 2);
  CHECK(mirror->TakeWarnings().size() == 1);
  CHECK_FALSE(mirror->WantsList());
  CHECK(Watch(*mirror, Type::kAdded, Workload("d", 2, "other")).size() == 1);
  CHECK(Watch(*mirror, Type::kAdded, Workload("e", 3, "third")).empty());
  CHECK(mirror->TakeWarnings().size() == 1);
  CHECK(Watch(*mirror, Type::kDeleted, Workload("a", 4)).size() == 1);
  CHECK(mirror->WantsList());
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
