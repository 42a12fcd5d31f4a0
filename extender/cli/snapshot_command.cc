#include "extender/cli/snapshot_command.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "extender/cli/cluster_words.h"
#include "extender/cli/saved_cluster.h"
#include "extender/kube/https_transport.h"
#include "topology/base/clock.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kSnapshot = "snapshot";

struct SnapshotWords {
  ClusterWords cluster;
  std::string file;
  bool anonymous = false;
};

absl::Status WriteFile(const std::string& path, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr) written = std::fclose(file) == 0 && written;
  if (written) return absl::OkStatus();
  return absl::UnavailableError(ToAbsl(fmt::format("{}: {}", path, std::strerror(errno))));
}

int RunSnapshot(const SnapshotWords& words, const Output& output) {
  if (const absl::Status good = words.cluster.Check(); !good.ok())
    return TellWrongWords(kSnapshot, good, output);
  absl::StatusOr<Credentials> credentials = FindCredentials(words.cluster);
  if (!credentials.ok())
    return TellNoCredentials(kSnapshot, words.cluster, credentials.status(), output);
  HttpsTransportFactory transports(*std::move(credentials), HttpsOptions{}, SystemClock());
  const absl::StatusOr<SavedCluster> saved = SaveCluster(transports, words.anonymous);
  if (!saved.ok()) return TellNoCluster(kSnapshot, saved.status(), output);
  for (const std::string& note : saved->notes)
    output.err(fmt::format("gangplan {}: {}\n", kSnapshot, note));
  if (words.file.empty()) return output.out(saved->text) ? kExitDone : kExitFailed;
  if (const absl::Status written = WriteFile(words.file, saved->text); !written.ok())
    return TellFailed(kSnapshot, written, output);
  output.err(fmt::format("{}: {} nodes, {} pods, {} owners of pods\n", words.file, saved->nodes,
                         saved->pods, saved->owners));
  return kExitDone;
}

}  // namespace

Command SnapshotCommand() {
  const auto words = std::make_shared<SnapshotWords>();
  return {std::string(kSnapshot),
          "a cluster as far as planning sees it, for plan, capacity and cluster.file",
          "No environment, no commands, no secrets. Without a cluster of its own it is that of\n"
          "kubectl, or of the pod that it runs in.\n"
          "Example: gangplan snapshot -o cluster.json\n",
          {KubeconfigOption(words->cluster), ApiServerOption(words->cluster),
           TextOption("-o", "FILE", "where it goes (standard output)", words->file),
           SwitchOption("--anonymous",
                        "other names for nodes, pods, namespaces, owners and the "
                        "values of labels",
                        words->anonymous)},
          [words](const Output& output) { return RunSnapshot(*words, output); }};
}

}  // namespace gangplan
