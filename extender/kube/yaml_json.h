// YAML text as the JSON that it means, for Kubernetes objects and kubeconfigs. Pure; any thread.
#pragma once

#include <string>

#include "extender/kube/limits.h"
#include "topology/base/yaml_tree.h"

namespace gangplan {

// What kubectl writes and reads.
inline constexpr YamlRules kKubernetesYaml = {kMaxClusterFileBytes, kMaxYamlDepth, kMaxYamlNodes,
                                              true, false};

// Plain scalars become null, true, false and numbers where YAML 1.2 and JSON agree on them, else
// text.
std::string ToJson(const YamlNode& value);

}  // namespace gangplan
