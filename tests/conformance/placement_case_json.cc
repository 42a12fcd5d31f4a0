#include "fmt/format.h"
#include "tests/conformance/json_items.h"
#include "tests/conformance/placement_case.h"

namespace gangplan::conformance {
namespace {

std::string Json(const LabelSet& labels) {
  return fmt::format("{{{}}}", Joined(labels, [](const auto& label) {
                       return Quoted(label.first) + ":" + Quoted(label.second);
                     }));
}

std::string Json(const ResourceList& amounts) {
  return fmt::format("{{{}}}", Joined(amounts, [](const ResourceAmount& r) {
                       return fmt::format("{}:{}", Quoted(r.name), r.amount);
                     }));
}

const char* EffectName(TaintEffect effect) {
  if (effect == TaintEffect::kNoSchedule) return "NoSchedule";
  return effect == TaintEffect::kNoExecute ? "NoExecute" : "PreferNoSchedule";
}

std::string_view OperatorName(const Toleration& toleration) {
  if (toleration.exists) return "Exists";
  if (toleration.comparison == TaintComparison::kEqual) return "Equal";
  return toleration.comparison == TaintComparison::kLess ? "Lt" : "Gt";
}

std::string Json(const Toleration& toleration) {
  std::string out = fmt::format(R"({{"key":{},"operator":"{}","value":{})", Quoted(toleration.key),
                                OperatorName(toleration), Quoted(toleration.value));
  if (toleration.effect) out += fmt::format(R"(,"effect":"{}")", EffectName(*toleration.effect));
  return out + "}";
}

std::string Json(const std::vector<Toleration>& tolerations) {
  return fmt::format("[{}]", Joined(tolerations, [](const auto& t) { return Json(t); }));
}

std::string Json(const SelectorRequirement& requirement) {
  constexpr const char* kNames[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
  return fmt::format(R"({{"key":{},"operator":"{}","values":[{}]}})", Quoted(requirement.key),
                     kNames[static_cast<int>(requirement.op)], Joined(requirement.values, Quoted));
}

std::string Json(const NodeSelectorTerm& term) {
  const auto requirement = [](const SelectorRequirement& r) { return Json(r); };
  return fmt::format(R"({{"matchExpressions":[{}],"matchFields":[{}]}})",
                     Joined(term.labels, requirement), Joined(term.fields, requirement));
}

std::string Json(const Assignment& assignment) {
  return fmt::format(R"({{"levels":[{}],"domains":[{}]}})", Joined(assignment.levels, Quoted),
                     Joined(assignment.domains, [](const DomainCount& d) {
                       return fmt::format(R"({{"values":[{}],"count":{}}})",
                                          Joined(d.values, Quoted), d.count);
                     }));
}

std::string Json(const NodeFacts& node) {
  const auto taint = [](const Taint& t) {
    return fmt::format(R"({{"key":{},"value":{},"effect":"{}"}})", Quoted(t.key), Quoted(t.value),
                       EffectName(t.effect));
  };
  return fmt::format(
      R"({{"name":{},"labels":{},"allocatable":{},"ready":{},"unschedulable":{},"taints":[{}]}})",
      Quoted(node.name), Json(node.labels), Json(node.allocatable), node.ready, node.unschedulable,
      Joined(node.taints, taint));
}

std::string Json(const TopologyWords& words) {
  std::string out = fmt::format(R"({{"unconstrained":{})", words.unconstrained);
  if (words.required) out += R"(,"required":)" + Quoted(*words.required);
  if (words.preferred) out += R"(,"preferred":)" + Quoted(*words.preferred);
  const auto layer = [](const SliceLayer& l) {
    return fmt::format(R"({{"level":{},"size":{}}})", Quoted(l.level),
                       l.size ? fmt::format("{}", *l.size) : "null");
  };
  return out + fmt::format(R"(,"slices":[{}]}})", Joined(words.slices, layer));
}

std::string AffinityJson(const CasePodSet& pod_set) {
  const auto term = [](const NodeSelectorTerm& t) { return Json(t); };
  const auto weighted = [](const WeightedTerm& t) {
    return fmt::format(R"({{"weight":{},"preference":{}}})", t.weight, Json(t.term));
  };
  std::string out = fmt::format(R"("preferredDuringSchedulingIgnoredDuringExecution":[{}])",
                                Joined(pod_set.preferred_terms, weighted));
  if (pod_set.filter.required_terms) {
    out += fmt::format(R"(,"requiredDuringSchedulingIgnoredDuringExecution":)"
                       R"({{"nodeSelectorTerms":[{}]}})",
                       Joined(*pod_set.filter.required_terms, term));
  }
  return fmt::format(R"({{"nodeAffinity":{{{}}}}})", out);
}

std::string Json(const CasePodSet& pod_set) {
  std::string out = fmt::format(R"({{"name":{},"count":{},"requests":{},"topology":{})",
                                Quoted(pod_set.name), pod_set.count, Json(pod_set.requests),
                                pod_set.topology ? Json(*pod_set.topology) : "null");
  if (!pod_set.group.empty()) out += R"(,"group":)" + Quoted(pod_set.group);
  if (pod_set.previous_assignment)
    out += R"(,"previous_assignment":)" + Json(*pod_set.previous_assignment);
  return out + fmt::format(R"(,"node_selector":{},"tolerations":{},"affinity":{}}})",
                           Json(pod_set.filter.node_selector), Json(pod_set.filter.tolerations),
                           AffinityJson(pod_set));
}

std::string Json(const Replacement& replacement) {
  const auto admitted = [](const AdmittedPodSet& a) {
    return fmt::format(R"({{"pod_set":{},"count":{},"assignment":{}}})", Quoted(a.pod_set), a.count,
                       Json(a.assignment));
  };
  return fmt::format(R"({{"unhealthy_nodes":[{}],"owned_by_single_pod":{},"admitted":[{}]}})",
                     Joined(replacement.unhealthy_nodes, Quoted), replacement.owned_by_single_pod,
                     Joined(replacement.admitted, admitted));
}

std::string Json(const PlacementOptions& options) {
  return fmt::format(R"({{"profile":"{}","balanced_placement":{},"preferred_node_affinity":{},)"
                     R"("elastic_delta":{},"keep_assignment_for_single_pod_owner":{}}})",
                     kProfileNames[static_cast<size_t>(options.profile)],
                     options.balanced_placement, options.preferred_node_affinity,
                     options.elastic_delta, options.keep_assignment_for_single_pod_owner);
}

}  // namespace

std::string ToJson(const PlacementCase& one) {
  const auto running = [](const RunningPod& p) {
    return fmt::format(R"({{"name":{},"node":{},"phase":{},"requests":{}}})", Quoted(p.name),
                       Quoted(p.node), Quoted(p.phase), Json(p.requests));
  };
  const auto used = [](const UsedDomain& u) {
    return fmt::format(R"({{"domain":[{}],"requests":{}}})", Joined(u.domain, Quoted),
                       Json(u.requests));
  };
  std::string out = fmt::format(
      R"({{"id":{},"options":{},"levels":[{}],"node_filter_labels":{},"flavor_tolerations":{},)",
      Quoted(one.id), Json(one.options), Joined(one.levels, Quoted), Json(one.node_filter_labels),
      Json(one.flavor_tolerations));
  out += fmt::format(R"("nodes":[{}],"running_pods":[{}],"used":[{}],"pod_sets":[{}])",
                     Joined(one.nodes, [](const NodeFacts& n) { return Json(n); }),
                     Joined(one.running_pods, running), Joined(one.used, used),
                     Joined(one.pod_sets, [](const CasePodSet& p) { return Json(p); }));
  if (one.replacement) out += R"(,"replacement":)" + Json(*one.replacement);
  return out + "}";
}

}  // namespace gangplan::conformance
