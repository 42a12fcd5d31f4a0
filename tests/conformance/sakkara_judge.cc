#include "tests/conformance/sakkara_judge.h"

#include <algorithm>
#include <map>
#include <vector>

#include "topology/base/text.h"

namespace gangplan::conformance {
namespace {

using rapidjson::Value;
using Path = std::vector<std::string>;

const Value& At(const Value& object, const Value& key) {
  static const Value null;
  if (!object.IsObject() || !object.HasMember(key)) return null;
  return object[key];
}

// What `value` says of the fields that `expect` has.
std::string SaidOf(const Value& expect, const Value& value, bool top) {
  if (!expect.IsObject()) return Canonical(value);
  std::string text;
  for (const auto& [key, wanted] : expect.GetObject()) {
    if (top && std::string_view(key.GetString()) == "effect") continue;
    text += fmt::format("{}={} ", key.GetString(), SaidOf(wanted, At(value, key), false));
  }
  return "(" + text + ")";
}

Path ReadPath(const Value& list) {
  Path path;
  for (const Value& unit : list.GetArray()) path.emplace_back(unit.GetString());
  return path;
}

// Edges from pod to pod, each below its node.
int64_t Distance(const Path& a, const Path& b) {
  size_t common = 0;
  while (common < std::min(a.size(), b.size()) && a[common] == b[common]) ++common;
  return static_cast<int64_t>(a.size() + b.size() - 2 * common) + 2;
}

std::vector<std::string> MastersOf(const Value& expect) {
  if (!expect.HasMember("any_master_of")) return {expect["master"].GetString()};
  return ReadPath(expect["any_master_of"]);
}

// How far each pod of `order` is along: its block, or its distance from the first.
std::vector<int64_t> StepsOf(const Value& recorded, const std::vector<std::string>& order) {
  std::map<std::string, int64_t> step;
  const Value& expect = recorded["expect"];
  if (expect.HasMember("rank_blocks")) {
    int64_t block = 0;
    for (const Value& pods : expect["rank_blocks"].GetArray()) {
      for (const Value& pod : pods.GetArray()) step[pod.GetString()] = block;
      ++block;
    }
  } else {
    const Value& placement = recorded["placement"];
    const Path master = ReadPath(placement[order.front().c_str()]);
    for (const auto& [pod, path] : placement.GetObject())
      step[pod.GetString()] =
          pod.GetString() == order.front() ? 0 : Distance(master, ReadPath(path));
  }
  std::vector<int64_t> steps;
  for (const std::string& pod : order) steps.push_back(step[pod]);
  return steps;
}

// The pods by rank; empty when the ranks are not 0, 1, ... over all pods.
std::vector<std::string> OrderOf(const Value& placement, const Value& ranks) {
  if (!ranks.IsObject() || ranks.MemberCount() != placement.MemberCount()) return {};
  std::vector<std::string> order(ranks.MemberCount());
  for (const auto& [pod, rank] : ranks.GetObject()) {
    const bool sound = rank.IsInt() && rank.GetInt() >= 0 && placement.HasMember(pod) &&
                       static_cast<size_t>(rank.GetInt()) < order.size() &&
                       order[static_cast<size_t>(rank.GetInt())].empty();
    if (!sound) return {};
    order[static_cast<size_t>(rank.GetInt())] = pod.GetString();
  }
  return order;
}

std::string RankFault(const Value& recorded, const Value& answer) {
  const Value empty;
  const Value& ranks = answer.HasMember("ranks") ? answer["ranks"] : empty;
  const std::vector<std::string> order = OrderOf(recorded["placement"], ranks);
  if (order.empty()) return "ranks are not 0, 1, ... over all pods";
  const std::vector<std::string> masters = MastersOf(recorded["expect"]);
  if (std::find(masters.begin(), masters.end(), order.front()) == masters.end())
    return "no master: " + order.front();
  if (answer.HasMember("master") && answer["master"].GetString() != order.front())
    return "the master has not rank 0";
  const std::vector<int64_t> steps = StepsOf(recorded, order);
  if (std::is_sorted(steps.begin(), steps.end())) return "right";
  return fmt::format("not in order: {}", fmt::join(order, " "));
}

}  // namespace

Verdict JudgeConfig(const Value& expect, const Value& answer) {
  return {SaidOf(expect, expect, true), SaidOf(expect, answer, true)};
}

Verdict JudgeRank(const Value& recorded, const Value& answer) {
  return {"right", RankFault(recorded, answer)};
}

}  // namespace gangplan::conformance
