// Credentials from a kubeconfig file, of its current context. Paths in it are relative to it. Keys
// that kubectl does not know are ignored, as it does; what it knows and we do not (exec plug-ins,
// auth providers, user names with passwords, impersonation, proxies) is refused rather than left
// out.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "extender/kube/credentials.h"

namespace gangplan {

// Errors begin with the file's name. Blocks on the file system.
absl::StatusOr<Credentials> ReadKubeconfig(const std::string& path);

// The same for text; `path` stands for the file in errors and as the place of relative paths.
absl::StatusOr<Credentials> ParseKubeconfig(std::string_view text, const std::string& path);

}  // namespace gangplan
