#include "tests/conformance/constraint_judge.h"

#include <map>

#include "tests/conformance/sakkara_case.h"
#include "tests/support/exact_reference.h"
#include "topology/base/text.h"

namespace gangplan::conformance {
namespace {

using rapidjson::Value;

std::string IdealKey(const Value& recorded) {
  std::string key;
  for (const Value& level : recorded["levels"].GetArray()) {
    const Value& best = recorded["expect"]["ideal"][level.GetString()];
    if (best.HasMember("units"))
      key += fmt::format("{} {} ", best["units"].GetInt64(), -best["sum_squares"].GetInt64());
    else
      key += fmt::format("{} ", best["sum_squares"].GetInt64());
  }
  return key;
}

// The key of the answer's placement, or what is wrong with it.
std::string KeyOf(const SakkaraCase& given, const Value& placement) {
  const int leaf_level = given.tree.leaf_level();
  std::map<std::string, int32_t> leaves;
  for (int32_t leaf = 0; leaf < given.tree.leaf_count(); ++leaf)
    leaves[given.tree.name(leaf_level, leaf)] = leaf;
  std::vector<int32_t> members(given.tree.leaf_count(), 0), fresh;
  int32_t all = 0;
  for (const auto& [name, pods] : placement.GetObject()) {
    const auto leaf = leaves.find(name.GetString());
    if (leaf == leaves.end()) return fmt::format("{} is no node of the tree", name.GetString());
    members[leaf->second] = pods.GetInt();
    all += pods.GetInt();
  }
  fresh = members;
  for (const FixedMember& member : given.request.fixed) --fresh[member.leaf];
  for (int32_t leaf = 0; leaf < given.tree.leaf_count(); ++leaf)
    if (fresh[leaf] < 0 || fresh[leaf] > given.now.levels.back()[leaf])
      return fmt::format("{} takes {} new pods", given.tree.name(leaf_level, leaf), fresh[leaf]);
  if (all != given.request.pod_sets.front().count) return fmt::format("{} pods in all", all);
  const auto key = PlacementKeyOf(given.tree, given.request, members);
  if (!key) return "a rule is broken";
  return fmt::format("{} ", fmt::join(*key, " "));
}

}  // namespace

Verdict JudgeConstraints(const Value& recorded, const Value& answer) {
  const bool placed = answer.HasMember("feasible") && answer["feasible"].IsTrue();
  const std::string refusal = placed ? "placed" : "refused";
  const Value& feasible = recorded["expect"]["feasible"];
  if (!feasible.IsTrue()) return {"refused", refusal};
  const std::string want = recorded["expect"].HasMember("ideal") ? IdealKey(recorded) : "placed";
  if (!placed || want == "placed") return {want, refusal};
  const absl::StatusOr<SakkaraCase> given = ReadSakkaraCase(recorded);
  if (!given.ok()) return {want, Message(given.status())};
  return {want, KeyOf(*given, answer["placement"])};
}

}  // namespace gangplan::conformance
