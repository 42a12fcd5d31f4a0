#include "tests/conformance/preemption_judge.h"

#include <algorithm>
#include <set>
#include <vector>

#include "tests/conformance/sakkara_case.h"
#include "tests/support/exact_reference.h"
#include "topology/base/text.h"

namespace gangplan::conformance {
namespace {

using rapidjson::Value;
using Names = std::multiset<std::string>;

Names NamesOf(const Value& list) {
  Names names;
  for (const Value& name : list.GetArray()) names.insert(name.GetString());
  return names;
}

// What groups other than `victims` take of resource `i` on the node.
int64_t TakenBy(const Value& running, const Names& victims, const char* node,
                rapidjson::SizeType i) {
  int64_t taken = 0;
  for (const Value& group : running.GetArray()) {
    if (victims.contains(group["name"].GetString()) || !group["nodes"].HasMember(node)) continue;
    taken += group["nodes"][node].GetInt64() * group["demand"][i].GetInt64();
  }
  return taken;
}

bool HasRoom(const Value& recorded, const Names& victims, const char* node, int64_t pods) {
  const Value& facts = recorded["nodes"][node];
  const Value& demand = recorded["demand"];
  for (rapidjson::SizeType i = 0; i < demand.Size(); ++i) {
    const int64_t used =
        facts["allocated"][i].GetInt64() + TakenBy(recorded["running"], victims, node, i);
    if (demand[i].GetInt64() > 0 &&
        used + pods * demand[i].GetInt64() > facts["capacity"][i].GetInt64())
      return false;
  }
  return !recorded.HasMember("candidates") || NamesOf(recorded["candidates"]).contains(node);
}

std::string PlacementFault(const Value& recorded, const Names& victims, const Value& placement) {
  const absl::StatusOr<SakkaraCase> given = ReadSakkaraCase(recorded);
  if (!given.ok()) return Message(given.status());
  const Tree& tree = given->tree;
  std::vector<int32_t> members(static_cast<size_t>(tree.leaf_count()), 0);
  int64_t placed = 0;
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf) {
    const char* node = tree.name(tree.leaf_level(), leaf).c_str();
    if (!placement.HasMember(node)) continue;
    members[static_cast<size_t>(leaf)] = placement[node].GetInt();
    placed += placement[node].GetInt();
    if (!HasRoom(recorded, victims, node, placement[node].GetInt()))
      return fmt::format("no room on {}", node);
  }
  if (placed != recorded["size"].GetInt64()) return fmt::format("{} placed", placed);
  return PlacementKeyOf(tree, given->request, members) ? "right" : "a rule is broken";
}

std::string Fault(const Value& recorded, const Value& answer) {
  const Value& expect = recorded["expect"];
  if (!answer.HasMember("needed") || answer["needed"] != expect["needed"]) return "needed is wrong";
  const bool possible = !expect.HasMember("possible") || expect["possible"].GetBool();
  if (possible == answer.HasMember("possible")) return "possible is wrong";
  if (!possible) return answer.MemberCount() == 2 ? "right" : "more than needed and possible";
  Names victims;
  if (answer.HasMember("victims")) victims = NamesOf(answer["victims"]);
  bool cheapest = victims.empty() && !expect["needed"].GetBool();
  if (expect.HasMember("cheapest_victim_sets")) {
    for (const Value& set : expect["cheapest_victim_sets"].GetArray())
      cheapest = cheapest || NamesOf(set) == victims;
  }
  if (!cheapest) return fmt::format("not one of the cheapest: {}", fmt::join(victims, " "));
  if (!answer.HasMember("placement")) return "no placement";
  return PlacementFault(recorded, victims, answer["placement"]);
}

}  // namespace

Verdict JudgePreemption(const Value& recorded, const Value& answer) {
  return {"right", Fault(recorded, answer)};
}

}  // namespace gangplan::conformance
