#include "extender/kube/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "topology/base/clock.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr int kEndLookMillis = 10;

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  ~OpenFile() { Close(); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return descriptor_; }
  void Close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

 private:
  int descriptor_;
};

// How it is started. Who asks nobody has a group of its own, so that all of it can be killed; who
// asks stays in that of the terminal, which alone may read there.
class SpawnPlan {
 public:
  SpawnPlan(int output, bool input) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    if (!input) posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    sigset_t usual, blocked;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);  // which this process ignores
    sigemptyset(&blocked);
    posix_spawnattr_setsigdefault(&attributes_, &usual);
    posix_spawnattr_setsigmask(&attributes_, &blocked);
    const int flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    const int grouped = input ? flags : flags | POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setflags(&attributes_, static_cast<short>(grouped));
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  absl::StatusOr<pid_t> Start(const ChildRun& run) const {
    pid_t child = 0;
    const int error = posix_spawnp(&child, run.words.front().c_str(), &actions_, &attributes_,
                                   Pointers(run.words).data(), Pointers(run.environment).data());
    if (error == 0) return child;
    const std::string why = std::strerror(error);
    if (error == ENOENT) return absl::NotFoundError(ToAbsl(why));
    return absl::AbortedError(ToAbsl(why));
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

absl::Status TooLong(const ChildRun& run) {
  return absl::DeadlineExceededError(
      ToAbsl(fmt::format("it has not ended within {}", absl::FormatDuration(run.within))));
}

// Until the end of its output.
absl::StatusOr<std::string> ReadAll(int pipe, const ChildRun& run, absl::Time until) {
  std::string text;
  char some[4096];
  for (;;) {
    const absl::Duration left = std::max(until - SystemClock().Now(), absl::ZeroDuration());
    pollfd waited{pipe, POLLIN, 0};
    const auto millis = absl::ToInt64Milliseconds(absl::Ceil(left, absl::Milliseconds(1)));
    const int ready = ::poll(&waited, 1, static_cast<int>(millis));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return TooLong(run);
    const ssize_t got = ::read(pipe, some, sizeof some);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(some, static_cast<size_t>(got));
    if (text.size() > run.most_bytes)
      return absl::ResourceExhaustedError(
          ToAbsl(fmt::format("it prints more than {} bytes", run.most_bytes)));
  }
}

// It stays to be taken. Looked at again and again: not every kernel and sandbox has a descriptor
// for a process.
bool EndsBy(pid_t child, absl::Time until) {
  for (;;) {
    siginfo_t ended{};
    const int looked =
        ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (looked == 0 && ended.si_pid == child) return true;
    if (SystemClock().Now() >= until) return false;
    ::poll(nullptr, 0, kEndLookMillis);
  }
}

// How it has ended.
absl::Status TakeEnd(pid_t child) {
  int end = 0;
  while (::waitpid(child, &end, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(end))
    return absl::AbortedError(ToAbsl(fmt::format("it was ended by signal {}", WTERMSIG(end))));
  const int code = WEXITSTATUS(end);
  if (code == 0) return absl::OkStatus();
  return absl::AbortedError(ToAbsl(fmt::format("it has ended with exit code {}", code)));
}

}  // namespace

absl::StatusOr<std::string> RunChild(const ChildRun& run) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return absl::AbortedError(std::strerror(errno));
  OpenFile read(ends[0]), write(ends[1]);
  const absl::Time until = SystemClock().Now() + run.within;
  GANGPLAN_ASSIGN_OR_RETURN(const pid_t child, SpawnPlan(write.get(), run.input).Start(run));
  write.Close();
  absl::StatusOr<std::string> text = ReadAll(read.get(), run, until);
  if (text.ok() && !EndsBy(child, until)) text = TooLong(run);
  if (!text.ok()) ::kill(run.input ? child : -child, SIGKILL);
  const absl::Status ended = TakeEnd(child);
  if (text.ok() && !ended.ok()) return ended;
  return text;
}

}  // namespace gangplan
