#include "config/node_section.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "config/limits.h"
#include "topology/label_key.h"

namespace gangplan {
namespace {

constexpr std::string_view kLabels = "matchLabels";
constexpr std::string_view kExpressions = "matchExpressions";
constexpr std::array<std::pair<std::string_view, SelectorOperator>, 4> kOperators = {
    {{"In", SelectorOperator::kIn},
     {"NotIn", SelectorOperator::kNotIn},
     {"Exists", SelectorOperator::kExists},
     {"DoesNotExist", SelectorOperator::kDoesNotExist}}};

bool IsLabelValue(const std::string& text) {
  const auto letter = [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); };
  const auto inner = [&](char c) { return letter(c) || c == '-' || c == '_' || c == '.'; };
  return text.empty() || (text.size() <= 63 && letter(text.front()) && letter(text.back()) &&
                          std::all_of(text.begin(), text.end(), inner));
}

void ReadLabels(Section& section, Problems& problems, NodeScope& nodes) {
  const YamlNode* labels = section.Find(kLabels);
  if (labels == nullptr) return;
  if (labels->kind != YamlNode::Kind::kMap)
    return section.Fail(kLabels, "label keys and their values expected");
  const std::string path = section.Path(kLabels);
  for (const YamlNode& label : labels->items) {
    const std::string of = fmt::format("{}.{}", path, label.key);
    const auto known =
        std::find_if(nodes.labels.begin(), nodes.labels.end(),
                     [&](const SelectorRequirement& one) { return one.key == label.key; });
    if (known != nodes.labels.end()) problems.Add(label.key_line, of, "given twice");
    if (!LabelKeyFaults(label.key).empty())
      problems.Add(label.key_line, of, "the key of a node label expected");
    if (label.kind != YamlNode::Kind::kScalar || !IsLabelValue(label.text))
      problems.Add(label.line, of, "the value of a label expected");
    nodes.labels.push_back({label.key, SelectorOperator::kIn, {label.text}});
  }
}

SelectorRequirement ReadExpression(const YamlNode& node, std::string path, Problems& problems) {
  SelectorRequirement one;
  Section section(&node, std::move(path), problems);
  section.ReadText("key", one.key);
  section.ReadWord("operator",
                   std::span<const std::pair<std::string_view, SelectorOperator>>(kOperators),
                   one.op);
  section.ReadTextList("values", 0, kMaxScopeValues, one.values);
  if (!LabelKeyFaults(one.key).empty()) section.Fail("key", "the key of a node label expected");
  if (section.Find("operator") == nullptr) {
    section.Fail("operator", "In, NotIn, Exists or DoesNotExist expected");
  } else {
    const bool listed = one.op == SelectorOperator::kIn || one.op == SelectorOperator::kNotIn;
    if (listed && one.values.empty())
      section.Fail("values", "one value at least expected with In and NotIn");
    if (!listed && !one.values.empty())
      section.Fail("values", "none expected with Exists and DoesNotExist");
  }
  if (!std::all_of(one.values.begin(), one.values.end(), IsLabelValue))
    section.Fail("values", "values of a label expected");
  section.Finish();
  return one;
}

}  // namespace

void ReadNodes(Section section, Problems& problems, NodeScope& nodes) {
  ReadLabels(section, problems, nodes);
  const YamlNode* list = section.Find(kExpressions);
  if (list != nullptr && list->kind != YamlNode::Kind::kList) {
    section.Fail(kExpressions, "a list expected, each with key, operator and values");
  } else if (list != nullptr) {
    const std::string path = section.Path(kExpressions) + "[]";
    for (const YamlNode& item : list->items)
      nodes.labels.push_back(ReadExpression(item, path, problems));
  }
  if (nodes.labels.size() > kMaxScopeRequirements) {
    section.Fail(list == nullptr ? kLabels : kExpressions,
                 fmt::format("at most {} requirements expected", kMaxScopeRequirements));
  }
  section.Finish();
}

}  // namespace gangplan
