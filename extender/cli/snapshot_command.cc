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

// So that who could read the file before may read the new one. Of another owner where that is not
// allowed: then nobody of its group may, who may be others.
void TakeAfter(int file, const struct stat& before) {
  mode_t mode = before.st_mode & 0777;
  const bool same = fchown(file, before.st_uid, before.st_gid) == 0 ||
                    fchown(file, static_cast<uid_t>(-1), before.st_gid) == 0;
  if (!same) mode &= 0707;
  fchmod(file, mode);
}

// The errno of what has failed, or 0. With `before` the file is made as that one.
int WriteAndClose(int file, std::string_view text, const struct stat* before) {
  int error = WriteAll(file, text) ? 0 : errno;
  if (error == 0 && before != nullptr) TakeAfter(file, *before);
  if (close(file) != 0 && error == 0) error = errno;
  return error;
}

// Into what is there, which is lost where it fails.
int WriteInPlace(const std::string& path, std::string_view text) {
  const int file = open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  return file < 0 ? errno : WriteAndClose(file, text, nullptr);
}

// What was there stays until all of it is written. A new file is its owner's alone.
int WriteBeside(const std::string& path, std::string_view text, const struct stat* before) {
  std::string made = path + ".XXXXXX";
  const int file = mkstemp(made.data());
  if (file < 0) return errno;
  int error = WriteAndClose(file, text, before);
  if (error == 0 && std::rename(made.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) unlink(made.c_str());
  return error;
}

// A folder that may not be written, or a file that is a mount of its own.
bool NoneBeside(int error) {
  return error == EACCES || error == EROFS || error == EBUSY || error == EXDEV || error == EPERM;
}

// Where a link leads, also to a file that is not there yet. The system itself follows no more.
std::string TargetOf(std::string path) {
  constexpr int kMostLinks = 40;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code none;
    const std::filesystem::path to = std::filesystem::read_symlink(path, none);
    if (none) break;
    path = (std::filesystem::path(path).parent_path() / to).string();
  }
  return path;
}

// Names of all that runs stand in it: a new file is for its owner's eyes, one that is there keeps
// its mode and its owner. What is no file of its own, as /dev/stdout, is written as it is.
absl::Status WriteFile(const std::string& named, std::string_view text) {
  struct stat before = {};
  const bool there = stat(named.c_str(), &before) == 0;
  const bool loop = !there && errno == ELOOP;
  const bool place = there && !S_ISREG(before.st_mode);
  const std::string path = place || loop ? named : TargetOf(named);
  int error = loop    ? ELOOP
              : place ? WriteInPlace(path, text)
                      : WriteBeside(path, text, there ? &before : nullptr);
  if (there && !place && NoneBeside(error)) error = WriteInPlace(path, text);
  if (error == 0) return absl::OkStatus();
  return absl::UnavailableError(ToAbsl(fmt::format("{}: {}", path, std::strerror(error))));
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
