// The parts of a kubeconfig by which people log in, and how its values are read. Internal to this
// room. Pure but for the certificate of the cluster; any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "extender/kube/credentials.h"
#include "extender/kube/exec_login.h"
#include "topology/base/yaml_tree.h"

namespace gangplan {

// The text at `key`; empty when it is missing or null.
absl::StatusOr<std::string> TextAt(const YamlNode& map, std::string_view key);
absl::StatusOr<bool> BoolAt(const YamlNode& map, std::string_view key);
// A path as it is meant in the file at `config_path`.
std::string Beside(const std::string& config_path, const std::string& file);

// ExecPlugin::cluster of a plug-in that wants to be told of it (ClusterInfo).
inline constexpr std::string_view kAsked = "asked";
// `exec` of a user. Errors name the line and the key.
absl::StatusOr<ExecPlugin> ExecPluginOf(const YamlNode& exec, const std::string& path);
// What a plug-in is told of the cluster, as JSON.
absl::StatusOr<std::string> ClusterInfo(const YamlNode& cluster, const Credentials& credentials);

// The id-token of the auth provider `oidc`. Unauthenticated: it has expired by then. Unimplemented:
// another provider.
absl::StatusOr<std::string> IdTokenOf(const YamlNode& provider, absl::Time now);

}  // namespace gangplan
