#include "event_text.h"
#include "extender/kube/mirror.h"
#include "tests/support/catch.h"

namespace gangplan::admission_mirror_test {
namespace {

using Kind = AdmissionRule::Kind;
using Texts = std::vector<std::string>;

AdmissionRule Rule(Kind kind, std::string ns, std::string name, int32_t priority = 0) {
  return {kind, std::move(ns), std::move(name), {}, {}, {}, priority, false};
}

Texts List(Mirror& mirror, std::vector<AdmissionRule> rules) {
  ObjectList page;
  page.rules = std::move(rules);
  std::vector<ClusterEvent> events;
  mirror.BeginList();
  CHECK(mirror.AddPage(std::move(page), &events).ok());
  mirror.EndList(&events);
  return TextOf(events);
}

TEST_CASE("what admission follows is listed where the API server has it") {
  const auto ranges = MakeAdmissionMirror(Kind::kLimitRange);
  CHECK(ranges->kind() == "LimitRange");
  CHECK(ranges->path() == "/api/v1/limitranges");
  CHECK(ranges->rights() == "limitranges: list, watch");
  CHECK(MakeAdmissionMirror(Kind::kRuntimeClass)->path() == "/apis/node.k8s.io/v1/runtimeclasses");
  CHECK(MakeAdmissionMirror(Kind::kPriorityClass)->path() ==
        "/apis/scheduling.k8s.io/v1/priorityclasses");
}

TEST_CASE("a rule of admission is told when it is another, and when it is gone") {
  const auto mirror = MakeAdmissionMirror(Kind::kLimitRange);
  const AdmissionRule a = Rule(Kind::kLimitRange, "n", "a");
  const AdmissionRule b = Rule(Kind::kLimitRange, "m", "a");
  CHECK(List(*mirror, {a, b}) == Texts{"rule n/a", "rule m/a"});
  CHECK(List(*mirror, {a, b}).empty());
  CHECK(List(*mirror, {a}) == Texts{"-rule m/a"});
  WatchEvent event;
  event.type = WatchEvent::Type::kDeleted;
  event.rule = a;
  std::vector<ClusterEvent> events;
  CHECK(mirror->Apply(std::move(event), &events).ok());
  CHECK(TextOf(events) == Texts{"-rule n/a"});
}

TEST_CASE("those beyond the limit are left out, and seen when there is room") {
  const auto mirror = MakeAdmissionMirror(Kind::kPriorityClass, 2);
  const AdmissionRule a = Rule(Kind::kPriorityClass, "", "a");
  const AdmissionRule b = Rule(Kind::kPriorityClass, "", "b");
  const AdmissionRule c = Rule(Kind::kPriorityClass, "", "c");
  CHECK(List(*mirror, {a, b}) == Texts{"rule a", "rule b"});
  CHECK(mirror->TakeWarnings().empty());
  CHECK(List(*mirror, {a, b, c}).empty());
  CHECK_FALSE(mirror->TakeWarnings().empty());
  CHECK_FALSE(mirror->WantsList());
  CHECK(List(*mirror, {b, c}) == Texts{"-rule a"});
  CHECK(mirror->WantsList());
  CHECK(List(*mirror, {b, c}) == Texts{"rule c"});
}

}  // namespace
}  // namespace gangplan::admission_mirror_test
