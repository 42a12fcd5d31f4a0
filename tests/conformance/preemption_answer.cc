// Whom a newcomer evicts, with the `exact` engine.
#include "algorithms/engine.h"
#include "algorithms/victims.h"
#include "extender/planner/limits.h"
#include "tests/conformance/handlers.h"
#include "tests/conformance/json_cursor.h"
#include "tests/conformance/json_items.h"
#include "tests/conformance/sakkara_case.h"
#include "tests/support/roll_up.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan::conformance {
namespace {

struct PreemptionCase {
  SakkaraCase newcomer;
  int64_t priority = 0;
  std::vector<RunningGroup> running;
  std::vector<std::vector<Amounts>> used;  // by each group, on each leaf; empty: nothing
};

// Pods on nodes that the tree lacks take no room that counts.
void ReadRunning(const JsonCursor& json, PreemptionCase& result) {
  const Tree& tree = result.newcomer.tree;
  RunningGroup& group = result.running.emplace_back();
  group.name = json.At("name").Text();
  group.priority = json.At("priority").Integer();
  Amounts demand;
  json.At("demand").ForEach([&](const JsonCursor& one) { demand.push_back(one.Integer()); });
  const JsonCursor nodes = json.At("nodes");
  nodes.ForEachMember([&](const std::string&, const JsonCursor& pods) {
    group.pods += static_cast<int32_t>(pods.Integer());
  });
  std::vector<Amounts>& used = result.used.emplace_back(static_cast<size_t>(tree.leaf_count()));
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf) {
    const std::string& name = tree.name(tree.leaf_level(), leaf);
    if (!nodes.Has(name)) continue;
    group.leaves.push_back(leaf);
    Amounts& amounts = used[static_cast<size_t>(leaf)];
    for (const int64_t amount : demand) amounts.push_back(amount * nodes.At(name).Integer());
  }
}

absl::StatusOr<PreemptionCase> ReadPreemptionCase(const rapidjson::Value& value) {
  PreemptionCase result;
  GANGPLAN_ASSIGN_OR_RETURN(result.newcomer, ReadSakkaraCase(value));
  absl::Status error;
  const JsonCursor json(value, "case", error);
  result.priority = json.At("priority").Integer();
  json.At("running").ForEach([&](const JsonCursor& one) { ReadRunning(one, result); });
  if (!error.ok()) return error;
  return result;
}

void Subtract(Amounts& free, const Amounts& used) {
  for (size_t i = 0; i < std::min(free.size(), used.size()); ++i) free[i] -= used[i];
}

PlacementResult PlaceNewcomer(const PreemptionCase& given, std::span<const int32_t> gone) {
  std::vector<Amounts> free = given.newcomer.free;
  for (size_t group = 0; group < given.running.size(); ++group) {
    if (std::find(gone.begin(), gone.end(), static_cast<int32_t>(group)) != gone.end()) continue;
    for (size_t leaf = 0; leaf < free.size(); ++leaf) Subtract(free[leaf], given.used[group][leaf]);
  }
  PerLeaf fit;
  for (const Amounts& leaf : free) fit.push_back(PodsThatFit(leaf, given.newcomer.demand));
  const FitCounts counts = RollUpCounts(given.newcomer.tree, fit);
  PlacementView view{&given.newcomer.tree, {&counts}};
  return Place(
      view, [&] { return view; }, given.newcomer.request, Budget{kSolveSteps});
}

}  // namespace

absl::StatusOr<std::string> AnswerPreemption(const rapidjson::Value& json) {
  GANGPLAN_ASSIGN_OR_RETURN(const PreemptionCase given, ReadPreemptionCase(json));
  const VictimsRequest request{
      given.running, given.priority, HostsOf(given.newcomer.tree, given.newcomer.request), {}};
  const VictimsResult result = FindVictims(
      request, [&](std::span<const int32_t> gone) { return PlaceNewcomer(given, gone); });
  if (result.outcome == VictimsResult::Outcome::kNotDecided)
    return absl::ResourceExhaustedError("the engine's budget ended");
  if (result.outcome == VictimsResult::Outcome::kNotPossible)
    return R"({"needed":true,"possible":false})";
  const std::string placement = PlacementAsJson(given.newcomer, result.placement);
  if (result.outcome == VictimsResult::Outcome::kNotNeeded)
    return fmt::format(R"({{"needed":false,"placement":{}}})", placement);
  const std::string victims = Joined(result.victims, [&](int32_t victim) {
    return Quoted(given.running[static_cast<size_t>(victim)].name);
  });
  return fmt::format(R"({{"needed":true,"victims":[{}],"placement":{}}})", victims, placement);
}

}  // namespace gangplan::conformance
