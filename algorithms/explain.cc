#include "algorithms/explain.h"

#include "algorithms/pack.h"
#include "algorithms/problem.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// "64 members", "1 member"
std::string Members(int32_t count) {
  return fmt::format("{} member{}", count, count == 1 ? "" : "s");
}

// "64 members", "64 members in slices of 4 that share one node"
std::string Asked(const Tree& tree, const PlacementRequest& request) {
  std::string text = Members(request.pod_sets.front().count);
  std::string_view joint = " in";
  for (size_t level = 0; level < request.rules.size(); ++level) {
    const std::optional<LevelRule>& rule = request.rules[level];
    if (!rule || !rule->factor) continue;
    text += fmt::format("{} slices of {} that share one {}", joint, *rule->factor,
                        tree.level(static_cast<int>(level)).name);
    joint = " and";
  }
  return text;
}

// Where the members that stand bind the others to.
std::string BoundText(const Tree& tree, const PlacementRequest& request) {
  return tree.Path(HardLevel(request), BoundDomain(tree, request));
}

std::string WaitText(const Tree& tree, const PlacementRequest& request) {
  const std::string asked = Asked(tree, request);
  const int32_t need = MembersToPlace(request);
  const int hard = HardLevel(request);
  if (hard < 0 && request.fixed.empty())
    return fmt::format("there is no room for all {} now", asked);
  if (hard < 0)
    return fmt::format("{} of {} stand; there is no room for the other {} now",
                       request.fixed.size(), asked, need);
  const std::string& level = tree.level(hard).name;
  std::string text = fmt::format("{} must share one {}; ", asked, level);
  if (request.fixed.empty()) return text + fmt::format("no {} has room for all of them now", level);
  return text + fmt::format("{}, where {} of them stand, has no room for the other {} now",
                            BoundText(tree, request), request.fixed.size(), need);
}

std::string ImpossibleText(const Tree& tree, const PlacementRequest& request, int32_t most) {
  const std::string asked = Asked(tree, request);
  const int hard = HardLevel(request);
  if (hard < 0) return fmt::format("{}; the empty cluster holds {}", asked, most);
  std::string text = fmt::format("{} must share one {}; ", asked, tree.level(hard).name);
  if (request.fixed.empty())
    return text + fmt::format("the largest holds {} when it is empty", most);
  return text + fmt::format("{}, where {} of them stand, holds {} when it is empty",
                            BoundText(tree, request), request.fixed.size(), most);
}

std::string RoomText(const Tree& tree, const LevelEvidence& entry) {
  std::string text = fmt::format("most room now in {}: {}",
                                 tree.Path(entry.level, entry.best_domain), entry.best_fit);
  if (entry.best_fit < entry.needed)
    text += fmt::format(", {} short", entry.needed - entry.best_fit);
  return text + fmt::format("; when empty {} in {}", entry.empty_fit,
                            tree.Path(entry.level, entry.empty_domain));
}

}  // namespace

std::string ShortReason(const Tree& tree, const PlacementRequest& request,
                        const PlacementResult& result, std::string_view what) {
  switch (result.outcome) {
    case Outcome::kPlaced:
      return {};
    case Outcome::kInvalid:
      return fmt::format("{}: invalid: {}", what, result.problem);
    case Outcome::kWait:
      return fmt::format("{}: {}", what, WaitText(tree, request));
    case Outcome::kImpossible:
      return fmt::format("{}: impossible: {}", what,
                         ImpossibleText(tree, request, result.most_when_empty));
  }
  return {};
}

std::string EvidenceText(const Tree& tree, const PlacementRequest& request,
                         const std::vector<LevelEvidence>& evidence) {
  if (evidence.empty()) return "  " + RequestProblem(tree, request);
  std::string text = fmt::format("  asked: room for {}", Members(MembersToPlace(request)));
  if (HardLevel(request) >= 0)
    text += fmt::format(" in one {}", tree.level(HardLevel(request)).name);
  if (!request.fixed.empty()) {
    std::string standing = Members(static_cast<int32_t>(request.fixed.size()));
    text += HardLevel(request) < 0
                ? fmt::format(", beside {} that stand", standing)
                : fmt::format(", beside {} that stand in {}", standing, BoundText(tree, request));
  }
  for (const LevelEvidence& entry : evidence) {
    text +=
        fmt::format("\n  {}{}: ", tree.level(entry.level).name, entry.hard ? " (required)" : "");
    text += entry.best_domain < 0 ? "the cluster has none" : RoomText(tree, entry);
  }
  return text;
}

}  // namespace gangplan
