// Credentials from a kubeconfig file, of its current context. Paths in it are relative to it. Keys
// that kubectl does not know are ignored, as it does; what it knows and we do not (user names with
// passwords, impersonation, proxies; for a process that serves also exec plug-ins and auth
// providers) is refused rather than left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/kube/credentials.h"
#include "extender/kube/exec_login.h"
#include "topology/base/clock.h"

namespace gangplan {

// Errors begin with the file's name. Blocks on the file system.
absl::StatusOr<Credentials> ReadKubeconfig(const std::string& path);

// The same for text; `path` stands for the file in errors and as the place of relative paths.
absl::StatusOr<Credentials> ParseKubeconfig(std::string_view text, const std::string& path);

// For a command that a person runs: also with the login of an exec plug-in, which is run where
// there are no other credentials, or with the id-token of the auth provider `oidc`, as long as it
// has not expired. Unauthenticated: no login came of them. Blocks as LogIn.
// Of several files, as kubectl reads those that KUBECONFIG names: what is said of a context, a
// cluster or a user is the first one's that has it; those that are not there are passed over.
// NotFound: none is there.
absl::StatusOr<Credentials> LogInByKubeconfig(const std::vector<std::string>& paths,
                                              const ExecBounds& bounds, const Clock& clock);

}  // namespace gangplan
