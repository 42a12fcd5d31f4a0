#include "extender/cli/snapshot_command.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "extender/cli/saved_cluster.h"
#include "extender/kube/https_transport.h"
#include "extender/kube/kubeconfig.h"
#include "topology/base/clock.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kName = "snapshot";

struct SnapshotWords {
  std::string kubeconfig;
  std::string server;
  std::string file;
  bool anonymous = false;
};

std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

// As kubectl finds it, but for a list of files, and then that of the pod that we run in.
absl::StatusOr<Credentials> FindCredentials(const SnapshotWords& words) {
  if (!words.server.empty()) {
    Credentials credentials;
    GANGPLAN_ASSIGN_OR_RETURN(credentials.server, ParseServerUrl(words.server));
    return credentials;
  }
  if (!words.kubeconfig.empty()) return ReadKubeconfig(words.kubeconfig);
  const std::string named = FromEnvironment("KUBECONFIG");
  if (named.find(':') != std::string::npos)
    return Invalid("KUBECONFIG names several files; expected one, or --kubeconfig FILE");
  if (!named.empty()) return ReadKubeconfig(named);
  absl::StatusOr<Credentials> home = ReadKubeconfig(FromEnvironment("HOME") + "/.kube/config");
  if (!absl::IsNotFound(home.status())) return home;
  absl::StatusOr<Credentials> pod =
      InClusterCredentials([](const char* name) -> const char* { return std::getenv(name); });
  return pod.ok() ? pod : home;
}

absl::Status WriteFile(const std::string& path, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr) written = std::fclose(file) == 0 && written;
  if (written) return absl::OkStatus();
  return absl::UnavailableError(ToAbsl(fmt::format("{}: {}", path, std::strerror(errno))));
}

int TellFailed(const absl::Status& why, std::string_view cure, const Output& output) {
  output.err(fmt::format("gangplan {}: {}\n{}", kName, Message(why), cure));
  return kExitFailed;
}

int RunSnapshot(const SnapshotWords& words, const Output& output) {
  constexpr std::string_view kByProxy =
      "Where a login of the cloud is needed: kubectl proxy, and --server http://127.0.0.1:8001\n";
  if (!words.server.empty() && !words.kubeconfig.empty())
    return TellWrongWords(kName, Invalid("--server and --kubeconfig: expected one of them"),
                          output);
  absl::StatusOr<Credentials> credentials = FindCredentials(words);
  if (!credentials.ok()) return TellFailed(credentials.status(), kByProxy, output);
  HttpsTransportFactory transports(*std::move(credentials), HttpsOptions{}, SystemClock());
  const absl::StatusOr<SavedCluster> saved = SaveCluster(transports, words.anonymous);
  if (!saved.ok()) {
    const bool login =
        absl::IsUnauthenticated(saved.status()) || absl::IsUnavailable(saved.status());
    return TellFailed(saved.status(), login ? kByProxy : "", output);
  }
  for (const std::string& note : saved->notes)
    output.err(fmt::format("gangplan {}: {}\n", kName, note));
  if (words.file.empty()) return output.out(saved->text) ? kExitDone : kExitFailed;
  if (const absl::Status written = WriteFile(words.file, saved->text); !written.ok())
    return TellFailed(written, "", output);
  output.err(fmt::format("{}: {} nodes, {} pods, {} owners of pods\n", words.file, saved->nodes,
                         saved->pods, saved->owners));
  return kExitDone;
}

}  // namespace

Command SnapshotCommand() {
  const auto words = std::make_shared<SnapshotWords>();
  return {std::string(kName),
          "a cluster as far as planning sees it, for plan, capacity and cluster.file",
          "No environment, no commands, no secrets. Without a cluster of its own it is that of\n"
          "kubectl, or of the pod that it runs in.\n"
          "Example: gangplan snapshot -o cluster.json\n",
          {TextOption("--kubeconfig", "FILE", "of the cluster (KUBECONFIG, else ~/.kube/config)",
                      words->kubeconfig),
           TextOption("--server", "URL",
                      "instead: an API server that asks for no login, such as "
                      "kubectl proxy",
                      words->server),
           TextOption("-o", "FILE", "where it goes (standard output)", words->file),
           SwitchOption("--anonymous",
                        "other names for nodes, pods, namespaces, owners and the "
                        "values of labels",
                        words->anonymous)},
          [words](const Output& output) { return RunSnapshot(*words, output); }};
}

}  // namespace gangplan
