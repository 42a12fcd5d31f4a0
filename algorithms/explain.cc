#include "algorithms/explain.h"

#include <algorithm>
#include <span>

#include "algorithms/exact/words.h"
#include "algorithms/members.h"
#include "algorithms/packs.h"
#include "algorithms/pod_sets.h"
#include "algorithms/problem.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// "64 members", "64 members in slices of 4 that share one node"
std::string AskedText(const Tree& tree, const PlacementRequest& request) {
  std::string text = MembersText(request.pod_sets.front().count);
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
  const std::string asked = AskedText(tree, request);
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
  const std::string asked = AskedText(tree, request);
  const int hard = HardLevel(request);
  // What leads them finds no room beside them.
  const bool all = request.fixed.empty() && most >= MembersToPlace(request);
  if (hard < 0)
    return fmt::format("{}; the empty cluster holds {}", asked,
                       all ? "not all of them" : fmt::format("{}", most));
  const std::string& level = tree.level(hard).name;
  std::string text = fmt::format("{} must share one {}; ", asked, level);
  if (all) return text + fmt::format("no {} holds all of them when it is empty", level);
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

// "pod set workers, beside 1 of leader" where there are several; empty where there is one.
std::string SetText(const PlacementRequest& request, size_t pod_set) {
  if (request.pod_sets.size() == 1) return {};
  std::string text = fmt::format("pod set {}", request.pod_sets[pod_set].name);
  const int32_t partner = PartnerOf(request, pod_set);
  if (partner < 0) return text;
  const PodSetRequest& other = request.pod_sets[partner];
  return text + fmt::format(", beside {} of {}", other.count, other.name);
}

// Of a pod set that has to join its partner, of which members stand; empty for others.
std::string JoinText(const Tree& tree, const PlacementRequest& request,
                     const PlacementResult& result) {
  const auto pod_set = static_cast<size_t>(result.deciding_pod_set);
  const int32_t partner = PartnerOf(request, pod_set);
  if (partner < 0) return {};
  const PlacementRequest only = OnlyPodSet(request, pod_set);
  const PlacementRequest other = OnlyPodSet(request, static_cast<size_t>(partner));
  const int32_t domain = BoundDomain(tree, other);
  if (domain < 0 || !only.fixed.empty() || HardLevel(only) != HardLevel(other)) return {};
  std::string text =
      fmt::format("pod set {}: {} must join {} of {} in {}, which ", request.pod_sets[pod_set].name,
                  AskedText(tree, only), other.fixed.size(), request.pod_sets[partner].name,
                  tree.Path(HardLevel(other), domain));
  if (result.outcome == Outcome::kWait) return text + "has no room for all of them now";
  return text + fmt::format("holds {} when it is empty", result.most_when_empty);
}

std::string OneEvidenceText(const Tree& tree, const PlacementRequest& request,
                            std::span<const LevelEvidence> evidence) {
  std::string text = fmt::format("asked: room for {}", MembersText(MembersToPlace(request)));
  if (HardLevel(request) >= 0)
    text += fmt::format(" in one {}", tree.level(HardLevel(request)).name);
  if (!request.fixed.empty()) {
    std::string standing = MembersText(static_cast<int32_t>(request.fixed.size()));
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

// Empty: every node has a place.
std::string UnplacedText(const Tree& tree) {
  if (tree.unplaced().empty()) return {};
  const UnplacedNode& first = tree.unplaced().front();
  const size_t others = tree.unplaced().size() - 1;
  return fmt::format("\n  not in the topology: {}{}; it lacks the label {}", first.name,
                     others == 0 ? "" : fmt::format(" and {} more", others), first.missing_label);
}

// Told by its rules and what they leave; all else by rooms of domains.
bool InRules(const PlacementRequest& request) {
  return request.strategy == Strategy::kExact && !AsksForOneDomain(request);
}

}  // namespace

std::string ShortReason(const Tree& tree, const PlacementRequest& request,
                        const PlacementResult& result, std::string_view what) {
  if (result.outcome == Outcome::kPlaced) return {};
  if (result.outcome == Outcome::kInvalid)
    return fmt::format("{}: invalid: {}", what, result.problem);
  if (!result.problem.empty()) return fmt::format("{}: {}", what, result.problem);
  if (InRules(request) || !result.proven)
    return fmt::format("{}: {}", what, exact::VerdictText(tree, request, result));
  const bool wait = result.outcome == Outcome::kWait;
  std::string text = JoinText(tree, request, result);
  if (text.empty()) {
    const auto pod_set = static_cast<size_t>(result.deciding_pod_set);
    const PlacementRequest only = OnlyPodSet(request, pod_set);
    text = SetText(request, pod_set);
    if (!text.empty()) text += ": ";
    text += wait ? WaitText(tree, only) : ImpossibleText(tree, only, result.most_when_empty);
  }
  return fmt::format("{}: {}{}", what, wait ? "" : "impossible: ", text);
}

std::string EvidenceText(const Tree& tree, const PlacementRequest& request,
                         const std::vector<LevelEvidence>& evidence) {
  if (evidence.empty()) return "  " + RequestProblem(tree, request);
  std::string text;
  for (auto begin = evidence.begin(); begin != evidence.end();) {
    const auto end = std::find_if(begin, evidence.end(), [&](const LevelEvidence& entry) {
      return entry.pod_set != begin->pod_set;
    });
    const auto pod_set = static_cast<size_t>(begin->pod_set);
    const std::string set = SetText(request, pod_set);
    text += fmt::format("{}  {}{}{}", text.empty() ? "" : "\n", set, set.empty() ? "" : ": ",
                        OneEvidenceText(tree, OnlyPodSet(request, pod_set), {begin, end}));
    begin = end;
  }
  return text;
}

std::string EvidenceText(const PlacementView& now, const PlacementView& empty,
                         const PlacementRequest& request, const Budget& budget) {
  const std::string problem = RequestProblem(*now.tree, request);
  const std::string text = InRules(request) && problem.empty()
                               ? exact::WhyText(now, empty, request, budget)
                               : EvidenceText(*now.tree, request, Explain(now, empty, request));
  return text + UnplacedText(*now.tree);
}

}  // namespace gangplan
