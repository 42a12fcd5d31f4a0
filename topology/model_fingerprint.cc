// Model::Fingerprint: everything that two models of equal contents must agree on, in an order that
// does not depend on indices or history.
#include <algorithm>

#include "fmt/format.h"
#include "topology/model_state.h"

namespace gangplan {
namespace {

std::string Decimal(WideAmount amount) { return fmt::format("{}", amount); }

std::string AmountsText(const NodeRecord& record, const ResourceTable& resources) {
  std::vector<std::string> parts;
  for (const NodeAmount& amount : record.amounts) {
    if (amount.blank()) continue;
    parts.push_back(fmt::format(" {}={}-{}-{}", resources.name(amount.resource), amount.allocatable,
                                Decimal(amount.used), Decimal(amount.held)));
  }
  std::sort(parts.begin(), parts.end());
  return fmt::format("{}", fmt::join(parts, ""));
}

std::string CountsText(const FitCounts& counts) {
  std::string text;
  for (const std::vector<int32_t>& level : counts.levels)
    text += fmt::format(" [{}]", fmt::join(level, ","));
  return text;
}

std::string DemandText(const ResourceList& demand) {
  std::string text;
  for (const ResourceAmount& part : demand) text += fmt::format(" {}={}", part.name, part.amount);
  return text;
}

}  // namespace

std::string Model::Fingerprint() const {
  const State& s = *state_;
  std::vector<std::string> lines;
  for (NodeIndex node = 0; node < s.nodes.size(); ++node) {
    const NodeRecord& record = s.nodes.at(node);
    if (!record.exists && !record.foreign && record.pods == 0 && record.holds == 0) continue;
    lines.push_back(fmt::format("node {} exists={}{} pods={} holds={}{}\n", record.facts.name,
                                record.exists, record.foreign ? " foreign" : "", record.pods,
                                record.holds, AmountsText(record, s.resources)));
  }
  s.pods.VisitAll([&](std::string_view uid, const PodRecord& pod) {
    lines.push_back(fmt::format("pod {} on {}:{}\n", uid, NodeName(pod.node),
                                DemandText(s.demands.list(pod.demand))));
  });
  for (ShapeId shape : s.shapes.WithUsers()) {
    lines.push_back(fmt::format("shape{} of {}: now{} empty{}\n", DemandText(demand(shape)),
                                TopologyOf(shape), CountsText(Counts(shape)),
                                CountsText(EmptyCounts(shape))));
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (size_t topology = 0; topology < s.topologies.size(); ++topology) {
    const Tree& fresh = tree(static_cast<TopologyIndex>(topology));
    for (int level = 0; level < fresh.level_count(); ++level) {
      for (int32_t i = 0; i < fresh.size(level); ++i)
        text += fmt::format("topology {} level {} {}\n", topology, level, fresh.Path(level, i));
    }
    for (const UnplacedNode& node : fresh.unplaced())
      text += fmt::format("unplaced {} lacks {}\n", node.name, node.missing_label);
  }
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace gangplan
