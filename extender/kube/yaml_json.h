// YAML text as the JSON that it means, for Kubernetes objects and kubeconfigs. Pure; any thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "extender/kube/limits.h"
#include "topology/base/yaml_tree.h"

namespace gangplan {

// What kubectl writes and reads.
inline constexpr YamlRules kKubernetesYaml = {kMaxClusterFileBytes, kMaxYamlDepth, kMaxYamlNodes,
                                              true, false};

// For a text of which aliases may make no more than it says itself, a few times over.
constexpr YamlRules YamlRulesFor(std::string_view text) {
  constexpr size_t kFree = 100'000;
  YamlRules rules = kKubernetesYaml;
  rules.max_nodes = std::min(kMaxYamlNodes, kFree + 2 * text.size());
  return rules;
}

// Plain scalars become null, true, false and numbers where YAML 1.2 and JSON agree on them, else
// text.
std::string ToJson(const YamlNode& value);

}  // namespace gangplan
