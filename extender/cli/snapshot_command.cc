#include "extender/cli/snapshot_command.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

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

bool WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

// What is no file of its own, as /dev/stdout.
bool IsPlace(const std::string& path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode);
}

// Names of all that runs stand in it: its owner alone may read it. What was there stays until all
// of it is written.
absl::Status WriteFile(std::string path, std::string_view text) {
  std::error_code none;
  if (const auto of_link = std::filesystem::canonical(path, none); !none) path = of_link.string();
  const auto failed = [&](int error) {
    return absl::UnavailableError(ToAbsl(fmt::format("{}: {}", path, std::strerror(error))));
  };
  const bool at_once = IsPlace(path);
  std::string made = at_once ? path : path + ".XXXXXX";
  const int file = at_once ? open(made.c_str(), O_WRONLY | O_CLOEXEC) : mkstemp(made.data());
  if (file < 0) return failed(errno);
  bool written = WriteAll(file, text);
  int error = errno;
  if (close(file) != 0 && written) {
    written = false;
    error = errno;
  }
  if (written && (at_once || std::rename(made.c_str(), path.c_str()) == 0)) return absl::OkStatus();
  if (written) error = errno;
  if (!at_once) unlink(made.c_str());
  return failed(error);
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
