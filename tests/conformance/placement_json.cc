#include "fmt/format.h"
#include "tests/conformance/json_items.h"
#include "tests/conformance/placement_answer.h"

namespace gangplan::conformance {
namespace {

std::string Json(const Assignment& assignment) {
  const auto domain = [](const DomainCount& d) {
    return fmt::format(R"({{"values":[{}],"count":{}}})", Joined(d.values, Quoted), d.count);
  };
  return fmt::format(R"({{"assignment":{{"levels":[{}],"domains":[{}]}}}})",
                     Joined(assignment.levels, Quoted), Joined(assignment.domains, domain));
}

std::string Json(const ExclusionStats& stats) {
  const auto entry = [](const auto& e) { return fmt::format("{}:{}", Quoted(e.first), e.second); };
  return fmt::format(R"({{"total_nodes":{},"excluded":{{{}}}}})", stats.total_nodes,
                     Joined(stats.excluded, entry));
}

std::string Json(const LayerFit& layer) {
  return fmt::format(R"({{"level":{},"fit":{},"need":{}}})", Quoted(layer.level), layer.fit,
                     layer.need);
}

std::string Json(const Failure& failure) {
  std::string out = fmt::format(R"({{"failure":{{"kind":{})", Quoted(failure.kind));
  if (failure.level) out += fmt::format(R"(,"level":{})", Quoted(*failure.level));
  if (failure.unit) out += fmt::format(R"(,"unit":{})", Quoted(*failure.unit));
  if (failure.fit) out += fmt::format(R"(,"fit":{})", *failure.fit);
  if (failure.of) out += fmt::format(R"(,"of":{})", *failure.of);
  const auto layer = [](const LayerFit& l) { return Json(l); };
  if (!failure.layers.empty())
    out += fmt::format(R"(,"layers":[{}])", Joined(failure.layers, layer));
  if (failure.stats) out += fmt::format(R"(,"stats":{})", Json(*failure.stats));
  return out + "}}";
}

}  // namespace

std::string ToJson(const PlacementAnswer& answer) {
  const auto entry = [](const PodSetAnswer& a) {
    const std::string result = std::visit([](const auto& r) { return Json(r); }, a.result);
    return fmt::format("{}:{}", Quoted(a.pod_set), result);
  };
  return fmt::format("{{{}}}", Joined(answer, entry));
}

}  // namespace gangplan::conformance
