#include "algorithms/explain.h"

#include "topology/base/text.h"

namespace gangplan {

std::string ShortReason(const Tree& tree, const PlacementRequest& request,
                        const PlacementResult& result, std::string_view what) {
  if (result.outcome == Outcome::kPlaced) return {};
  if (result.outcome == Outcome::kInvalid) return fmt::format("{}: invalid: {}", what, result.problem);
  bool never = result.outcome == Outcome::kImpossible;
  int32_t members = request.pod_sets.front().count;
  std::string text = fmt::format("{}: {}", what, never ? "impossible: " : "");
  if (result.deciding_level >= 0) {
    const std::string& level = tree.level(result.deciding_level).name;
    text += fmt::format("{} members must share one {}; ", members, level);
    return text + (never ? fmt::format("the largest holds {} when it is empty", result.most_when_empty)
                         : fmt::format("no {} has room for all of them now", level));
  }
  return text + (never ? fmt::format("{} members; the empty cluster holds {}", members,
                                     result.most_when_empty)
                       : fmt::format("there is no room for all {} members now", members));
}

std::string EvidenceText(const Tree& tree, const PlacementRequest& request,
                         const std::vector<LevelEvidence>& evidence) {
  std::string text;
  size_t standing = request.fixed.size();
  if (standing > 0) text += fmt::format("  {} members stand already\n", standing);
  for (const LevelEvidence& entry : evidence) {
    const std::string& level = tree.level(entry.level).name;
    if (entry.best_domain < 0) {
      text += fmt::format("  {}: the topology has none\n", level);
      continue;
    }
    std::string missing =
        entry.hard && entry.best_fit < entry.needed
            ? fmt::format(", {} short of the {} needed", entry.needed - entry.best_fit, entry.needed)
            : std::string();
    text += fmt::format("  {}{}: nearest is {} with room for {}{}; when empty, {} holds {}\n", level,
                        entry.hard ? " (required)" : "", tree.Path(entry.level, entry.best_domain),
                        entry.best_fit, missing, tree.Path(entry.level, entry.empty_domain),
                        entry.empty_fit);
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace gangplan
