#include "extender/cli/cluster_words.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "extender/cli/reach.h"
#include "extender/kube/kubeconfig.h"
#include "extender/kube/limits.h"
#include "topology/base/clock.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

// What stands between colons, as kubectl has it: empty ones and those named before say nothing.
std::vector<std::string> NamedFiles(std::string_view named) {
  std::vector<std::string> files;
  for (const absl::string_view file : absl::StrSplit(ToAbsl(named), ':', absl::SkipEmpty())) {
    if (std::find(files.begin(), files.end(), file) == files.end()) files.emplace_back(file);
  }
  return files;
}

std::string_view Cure(const absl::Status& why) {
  switch (ReachOf(Message(why))) {
    case Reach::kNoHost:
      return "There is no host of that name: is it the cluster's, in the kubeconfig or --server?\n";
    case Reach::kNoNameServer:
      return "No name server answers: is this machine connected?\n";
    case Reach::kNobodyListens:
      return "Nobody listens there: is the API server up, or kubectl proxy, where --server names "
             "it?\n";
    case Reach::kOther:
      break;
  }
  if (absl::IsPermissionDenied(why)) return {};
  return "Where a login of the cloud is needed: kubectl proxy, and --server "
         "http://127.0.0.1:8001\n";
}

}  // namespace

Option KubeconfigOption(ClusterWords& words) {
  return TextOption("--kubeconfig", "FILE", "of the cluster (KUBECONFIG, else ~/.kube/config)",
                    words.kubeconfig);
}

Option ApiServerOption(ClusterWords& words) {
  return TextOption("--server", "URL",
                    "instead: an API server that asks for no login, such as kubectl proxy",
                    words.server);
}

absl::Status ClusterWords::Check() const {
  if (!server.empty() && !kubeconfig.empty())
    return Invalid("--server and --kubeconfig: expected one of them");
  return server.empty() ? absl::OkStatus() : ParseServerUrl(server).status();
}

absl::StatusOr<Credentials> FindCredentials(const ClusterWords& words) {
  if (!words.server.empty()) {
    Credentials credentials;
    GANGPLAN_ASSIGN_OR_RETURN(credentials.server, ParseServerUrl(words.server));
    return credentials;
  }
  ExecBounds bounds;
  bounds.terminal = ::isatty(STDIN_FILENO) == 1;
  const auto read = [&bounds](const std::vector<std::string>& paths) {
    return LogInByKubeconfig(paths, bounds, SystemClock());
  };
  if (!words.kubeconfig.empty()) return read({words.kubeconfig});
  const std::vector<std::string> named = NamedFiles(FromEnvironment("KUBECONFIG"));
  if (named.size() > kMaxKubeconfigs)
    return Invalid("KUBECONFIG names {} files; expected {} at the most", named.size(),
                   kMaxKubeconfigs);
  if (!named.empty()) return read(named);
  absl::StatusOr<Credentials> home = read({FromEnvironment("HOME") + "/.kube/config"});
  if (!absl::IsNotFound(home.status())) return home;
  absl::StatusOr<Credentials> pod =
      InClusterCredentials([](const char* name) -> const char* { return std::getenv(name); });
  return pod.ok() ? pod : home;
}

int TellNoCredentials(std::string_view command, const ClusterWords& words, const absl::Status& why,
                      const Output& output) {
  // A login that is not ours to make is no fault of the file.
  const bool login = absl::IsUnimplemented(why) || absl::IsUnauthenticated(why);
  if (words.kubeconfig.empty() || login) return TellNoCluster(command, why, output);
  return TellWrongWords(command, Invalid("--kubeconfig: {}", Message(why)), output);
}

int TellNoCluster(std::string_view command, const absl::Status& why, const Output& output) {
  output.err(fmt::format("gangplan {}: {}\n{}", command, Message(why), Cure(why)));
  return kExitFailed;
}

}  // namespace gangplan
