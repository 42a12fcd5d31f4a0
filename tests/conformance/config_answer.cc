// How Sakkara's topology and group objects are read.
#include <algorithm>
#include <array>

#include "extender/protocol/sakkara_group.h"
#include "extender/protocol/sakkara_topology.h"
#include "extender/protocol/sakkara_words.h"
#include "tests/conformance/handlers.h"
#include "tests/conformance/json_cursor.h"
#include "topology/base/json_text.h"
#include "topology/base/text.h"

namespace gangplan::conformance {
namespace {

constexpr std::string_view kNamespace = "<namespace>";

LabelSet ReadTexts(const JsonCursor& json) {
  LabelSet set;
  json.ForEachMember(
      [&](const std::string& key, const JsonCursor& text) { set.emplace_back(key, text.Text()); });
  std::sort(set.begin(), set.end());
  return set;
}

std::string Refused(const absl::Status& status) {
  return JsonText().Begin().Field("accepted", false).Field("reason", Message(status)).End().Take();
}

std::string TopologyAnswer(const absl::StatusOr<SakkaraTopology>& topology) {
  if (!topology.ok()) return Refused(topology.status());
  JsonText json;
  json.Begin().Field("accepted", true).Field("name", topology->name);
  json.Key("resources").BeginList();
  for (const std::string& resource : topology->resources) json.Value(resource);
  json.EndList().Key("levels_bottom_up").BeginList();
  const std::vector<std::string>& names = topology->level_names;
  std::for_each(names.rbegin(), names.rend(), [&](const std::string& name) { json.Value(name); });
  const auto height = static_cast<int64_t>(topology->levels.size());
  json.EndList().Field("height", height).Key("unnamed_levels").BeginList();
  for (int64_t number = 0; number < height; ++number)
    if (!topology->levels[static_cast<size_t>(height - 1 - number)].named) json.Value(number);
  json.EndList();
  if (!topology->root_name.empty()) json.Field("root_is_named", topology->root_name);
  json.Key("problems").BeginList();
  for (const SakkaraProblem& problem : topology->problems)
    json.Value(problem.name + ": " + problem.text);
  return json.EndList().End().Take();
}

std::string NodeLabelsAnswer(const JsonCursor& json) {
  std::vector<NodeFacts> nodes;
  json.At("nodes").ForEachMember([&](std::string name, const JsonCursor& labels) {
    nodes.emplace_back().name = std::move(name);
    nodes.back().labels = ReadTexts(labels);
  });
  std::vector<const NodeFacts*> pointers;
  pointers.reserve(nodes.size());
  for (const NodeFacts& node : nodes) pointers.push_back(&node);
  return TopologyAnswer(ReadSakkaraNodeLabels(pointers));
}

// An object that is deleted is not taken either.
std::string TopologyObjectAnswer(const JsonCursor& json) {
  ConfigMapFacts object;
  object.ns = json.BoolOr("namespace_matches", false) ? "ours" : "another";
  if (json.Has("labels")) object.labels = ReadTexts(json.At("labels"));
  const bool deleted = json.TextOr("event", "") == "delete";
  const bool taken = !deleted && IsSakkaraTopology(object, "ours");
  return JsonText().Begin().Field("taken", taken).End().Take();
}

void WriteRule(JsonText& json, const SakkaraRule& rule) {
  json.Begin().Field("affinity", rule.spread ? "spread" : "pack").Field("hard", rule.hard);
  if (rule.range)
    json.Key("range").BeginList().Value(rule.range->min).Value(rule.range->max).EndList();
  if (rule.partitions) json.Field("partitions", *rule.partitions);
  json.Field("factor", rule.factor).Field("factor_used", rule.factor_used()).End();
}

std::string GroupAnswer(const absl::StatusOr<SakkaraGroup>& group) {
  if (!group.ok()) return Refused(group.status());
  constexpr std::array<std::string_view, 6> kFields = {"accepted", "key",   "size",
                                                       "priority", "notes", "every_level"};
  JsonText json;
  json.Begin().Field("accepted", true).Field("key", SakkaraGroupKey(kNamespace, group->name));
  json.Field("size", group->size).Field("priority", group->priority);
  for (const auto& [level, rule] : group->rules) {
    if (std::find(kFields.begin(), kFields.end(), level) != kFields.end()) continue;
    WriteRule(json.Key(level), rule);
  }
  WriteRule(json.Key("every_level"), SakkaraRuleOf({}, ""));
  json.Key("notes").BeginList();
  for (const std::string& note : group->notes) json.Value(note);
  return json.EndList().End().Take();
}

std::string AnswerByWhat(const JsonCursor& json) {
  const std::string what = json.At("what").Text();
  if (what == "topology") return TopologyAnswer(ReadSakkaraTopology(ReadTexts(json.At("data"))));
  if (what == "node-labels") return NodeLabelsAnswer(json);
  if (what == "topology-object") return TopologyObjectAnswer(json);
  if (what == "group") return GroupAnswer(ReadSakkaraGroup(ReadTexts(json.At("data"))));
  json.At("what").Expected("topology, node-labels, topology-object or group");
  return {};
}

}  // namespace

absl::StatusOr<std::string> AnswerConfig(const rapidjson::Value& json) {
  absl::Status error;
  std::string answer = AnswerByWhat(JsonCursor(json, "case", error));
  if (!error.ok()) return error;
  return answer;
}

}  // namespace gangplan::conformance
