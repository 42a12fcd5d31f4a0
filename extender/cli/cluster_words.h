// What commands that ask an API server have in common: which one, and who asks.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "extender/cli/command.h"
#include "extender/cli/options.h"
#include "extender/kube/credentials.h"

namespace gangplan {

struct ClusterWords {
  std::string kubeconfig;
  std::string server;

  bool any() const { return !kubeconfig.empty() || !server.empty(); }
  // One of them, and a URL that is one.
  absl::Status Check() const;
};
Option KubeconfigOption(ClusterWords& words);
Option ApiServerOption(ClusterWords& words);

// As kubectl finds them, but for a list of files, and then those of the pod that we run in.
// REQUIRES: Check is OK.
absl::StatusOr<Credentials> FindCredentials(const ClusterWords& words);

// That FindCredentials has found none. kExitWrongWords of a --kubeconfig that cannot be read, else
// as TellNoCluster.
int TellNoCredentials(std::string_view command, const ClusterWords& words, const absl::Status& why,
                      const Output& output);

// "gangplan COMMAND: why", with what to do where a login is needed. kExitFailed.
int TellNoCluster(std::string_view command, const absl::Status& why, const Output& output);

}  // namespace gangplan
