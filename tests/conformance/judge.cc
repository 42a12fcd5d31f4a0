#include "tests/conformance/judge.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"
#include "tests/conformance/constraint_judge.h"
#include "tests/conformance/preemption_judge.h"
#include "tests/conformance/sakkara_judge.h"
#include "topology/base/text.h"

namespace gangplan::conformance {
namespace {

using rapidjson::Value;
using Texts = std::vector<std::string>;

constexpr std::string_view kGate = "kueue.x-k8s.io/topology";

const Value& At(const Value& object, const char* key) {
  static const Value null;
  const bool found = object.IsObject() && object.HasMember(key);
  return found ? object[key] : null;
}

std::string Lines(Texts texts, bool in_order = false) {
  if (!in_order) std::sort(texts.begin(), texts.end());
  return fmt::format("{}", fmt::join(texts, "\n"));
}

// Each element in its canonical form; what is no list is one element.
Texts Elements(const Value& list) {
  if (!list.IsArray()) return {Canonical(list)};
  Texts texts;
  for (const Value& element : list.GetArray()) texts.push_back(Canonical(element));
  return texts;
}

// A pod set's result, a failure being cut down to its kind.
std::string PlacementText(const Value& answer) {
  if (!answer.IsObject()) return Canonical(answer);
  Texts lines;
  for (const auto& [pod_set, result] : answer.GetObject()) {
    const Value& kind = At(At(result, "failure"), "kind");
    const bool failed = result.IsObject() && result.MemberCount() == 1 && !kind.IsNull();
    lines.push_back(fmt::format("{}: {}", pod_set.GetString(),
                                failed ? "failure " + Canonical(kind) : Canonical(result)));
  }
  return Lines(lines);
}

std::string PodText(const Value& pod) {
  return fmt::format("{} {} {}", Canonical(At(pod, "name")), Canonical(At(pod, "gates")),
                     Canonical(At(pod, "node_selector")));
}

std::string PodsText(const Value& pods) {
  if (!pods.IsArray()) return Canonical(pods);
  Texts lines;
  for (const Value& pod : pods.GetArray()) lines.push_back(PodText(pod));
  return Lines(lines);
}

std::string Phase(const Value& pod) { return Canonical(At(pod, "phase")); }

bool HasTopologyGate(const Value& pod) {
  const Texts gates = Elements(At(pod, "gates"));
  return std::find(gates.begin(), gates.end(), fmt::format("\"{}\"", kGate)) != gates.end();
}

Texts OtherGates(const Value& pod) {
  Texts gates = Elements(At(pod, "gates"));
  std::erase(gates, fmt::format("\"{}\"", kGate));
  return gates;
}

// What is wrong with a pod beside the selector that it got; empty: nothing.
std::string PodFault(const Value& before, const Value& after) {
  if (OtherGates(before) != OtherGates(after)) return "lost a gate of others: " + PodText(after);
  if (!HasTopologyGate(before) && PodText(before) != PodText(after))
    return "was not gated and changed: " + PodText(after);
  return "";
}

// How many living pods without the gate have each selector.
std::string SelectorCounts(const Value& recorded, const Value& pods) {
  if (!pods.IsArray()) return Canonical(pods);
  std::map<std::string, const Value*> before;
  for (const Value& pod : recorded["pods"].GetArray()) before[Canonical(pod["name"])] = &pod;
  std::map<std::string, int> counts;
  Texts lines;
  std::set<std::string> seen;
  for (const Value& pod : pods.GetArray()) {
    const std::string name = Canonical(At(pod, "name"));
    if (!before.contains(name) || !seen.insert(name).second) return "not one of each pod: " + name;
    const std::string fault = PodFault(*before[name], pod);
    if (!fault.empty()) lines.push_back(fault);
    const std::string phase = Phase(*before[name]);
    const bool alive = phase != "\"Failed\"" && phase != "\"Succeeded\"";
    if (alive && !HasTopologyGate(pod)) ++counts[Canonical(At(pod, "node_selector"))];
  }
  if (seen.size() != before.size()) return "pods are missing";
  for (const auto& [selector, count] : counts)
    lines.push_back(fmt::format("{} {}", count, selector));
  return Lines(lines);
}

Verdict JudgeUngate(const Value& recorded, const Value& answer) {
  const Value& expect = recorded["expect"];
  if (Canonical(At(expect, "compare")) == "\"exact\"")
    return {PodsText(expect["pods"]), PodsText(At(answer, "pods"))};
  Texts want;
  for (const Value& entry : expect["counts"].GetArray())
    want.push_back(
        fmt::format("{} {}", entry["count"].GetInt64(), Canonical(entry["node_selector"])));
  return {Lines(want), SelectorCounts(recorded, At(answer, "pods"))};
}

Verdict JudgeNodeFailure(const Value& recorded, const Value& answer) {
  Verdict verdict;
  for (const char* key : {"unhealthy_nodes", "pods_failed"}) {
    if (std::string_view(key) == "pods_failed" && !answer.HasMember(key)) continue;
    verdict.want += fmt::format("{}:\n{}\n", key, Lines(Elements(recorded["expect"][key])));
    verdict.got += fmt::format("{}:\n{}\n", key, Lines(Elements(At(answer, key))));
  }
  return verdict;
}

std::string ErrorsText(const Value& errors) {
  if (!errors.IsArray()) return Canonical(errors);
  Texts lines;
  for (const Value& error : errors.GetArray())
    lines.push_back(Canonical(At(error, "field")) + " " + Canonical(At(error, "type")));
  return Lines(lines);
}

Verdict JudgeValidation(const Value& recorded, const Value& answer) {
  const Value& expect = recorded["expect"];
  if (expect.HasMember("errors"))
    return {ErrorsText(expect["errors"]), ErrorsText(At(answer, "errors"))};
  if (!expect.HasMember("error")) return {Canonical(expect), Canonical(answer)};
  const Value& error = At(answer, "error");  // that it is refused counts, not how it says so
  const bool refused = error.IsString() && error.GetStringLength() > 0 && answer.MemberCount() == 1;
  return {"refused", refused ? "refused" : Canonical(answer)};
}

std::string WithSortedKeys(const Value& object) {
  std::map<std::string, std::string> members;
  for (const auto& [name, value] : object.GetObject())
    members[Canonical(name)] += members[Canonical(name)].empty() ? Canonical(value) : " twice";
  Texts texts;
  for (const auto& [name, value] : members) texts.push_back(name + ":" + value);
  return fmt::format("{{{}}}", fmt::join(texts, ","));
}

}  // namespace

std::string Canonical(const Value& value) {
  if (value.IsObject()) return WithSortedKeys(value);
  if (value.IsArray()) return fmt::format("[{}]", fmt::join(Elements(value), ","));
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  value.Accept(writer);
  return {text.GetString(), text.GetSize()};
}

Verdict Judge(std::string_view kind, const Value& recorded, const Value& answer) {
  const Value& expect = recorded["expect"];
  if (!answer.IsObject()) return {"an object", Canonical(answer)};
  if (kind == "placement") return {PlacementText(expect), PlacementText(answer)};
  if (kind == "ungate") return JudgeUngate(recorded, answer);
  if (kind == "node_failure") return JudgeNodeFailure(recorded, answer);
  if (kind == "validation") return JudgeValidation(recorded, answer);
  if (kind == "sakkara config") return JudgeConfig(expect, answer);
  if (kind == "sakkara preemption") return JudgePreemption(recorded, answer);
  if (kind == "sakkara rank") return JudgeRank(recorded, answer);
  if (kind == "sakkara placement" || kind == "sakkara repair")
    return JudgeConstraints(recorded, answer);
  return {Canonical(expect), Canonical(answer)};
}

bool IsOwnChoice(std::string_view kind, const Value& recorded) {
  if (kind == "node_failure") {
    const bool outside = Canonical(At(recorded, "kueue_only")) == "true";
    return outside || recorded["expect"]["unhealthy_nodes"].IsNull();
  }
  if (kind == "sakkara config")
    return recorded["expect"].MemberCount() == 1 && recorded["expect"].HasMember("effect");
  if (kind == "sakkara placement") return recorded["expect"]["feasible"].IsNull();
  if (kind != "placement") return false;
  const Texts tags = Elements(At(recorded, "tags"));
  return std::any_of(tags.begin(), tags.end(), [](const std::string& tag) {
    return tag == "\"count_not_multiple_of_slice\"" || tag == "\"leader_filter_differs\"" ||
           tag == "\"repair_loses_level\"";
  });
}

}  // namespace gangplan::conformance
