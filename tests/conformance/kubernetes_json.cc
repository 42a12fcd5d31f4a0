#include "tests/conformance/kubernetes_json.h"

#include <algorithm>

namespace gangplan::conformance {
namespace {

TaintEffect ReadEffect(const JsonCursor& json) {
  const std::string text = json.Text();
  if (text == "NoSchedule") return TaintEffect::kNoSchedule;
  if (text == "PreferNoSchedule") return TaintEffect::kPreferNoSchedule;
  if (text != "NoExecute") json.Expected("NoSchedule, PreferNoSchedule or NoExecute");
  return TaintEffect::kNoExecute;
}

}  // namespace

LabelSet ReadLabels(const JsonCursor& json) {
  LabelSet labels;
  json.ForEachMember([&](std::string key, const JsonCursor& value) {
    labels.emplace_back(std::move(key), value.Text());
  });
  std::sort(labels.begin(), labels.end());
  return labels;
}

std::vector<Taint> ReadTaints(const JsonCursor& owner, std::string_view key) {
  std::vector<Taint> taints;
  owner.ForEachIn(key, [&](const JsonCursor& taint) {
    taints.push_back(
        {taint.At("key").Text(), taint.TextOr("value", ""), ReadEffect(taint.At("effect"))});
  });
  return taints;
}

Toleration ReadToleration(const JsonCursor& json) {
  Toleration toleration;
  toleration.key = json.TextOr("key", "");
  const std::string op = json.TextOr("operator", "Equal");
  toleration.exists = op == "Exists";
  if (op == "Lt") toleration.comparison = TaintComparison::kLess;
  if (op == "Gt") toleration.comparison = TaintComparison::kGreater;
  if (op != "Exists" && op != "Equal" && op != "Lt" && op != "Gt")
    json.At("operator").Expected("Exists, Equal, Lt or Gt");
  toleration.value = json.TextOr("value", "");
  if (json.Has("effect") && !json.TextOr("effect", "").empty())
    toleration.effect = ReadEffect(json.At("effect"));
  return toleration;
}

std::vector<Toleration> ReadTolerations(const JsonCursor& owner, std::string_view key) {
  std::vector<Toleration> tolerations;
  owner.ForEachIn(key, [&](const JsonCursor& t) { tolerations.push_back(ReadToleration(t)); });
  return tolerations;
}

}  // namespace gangplan::conformance
