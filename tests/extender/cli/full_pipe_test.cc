// The program beside a standard error that nobody reads, and what signals do to it.
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "fmt/format.h"
#include "tests/extender/kube/scratch_file.h"
#include "tests/extender/server/loopback_client.h"
#include "tests/support/catch.h"
#include "topology/base/clock.h"

extern char** environ;

namespace gangplan::full_pipe_test {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(20);

// Free a moment ago: the log, which would tell the port of our choice, is not read here.
int FreePort() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  REQUIRE(bind(listener, generic, size) == 0);
  REQUIRE(getsockname(listener, generic, &size) == 0);
  close(listener);
  return ntohs(address.sin_port);
}

// `gangplan serve` whose standard error is a full pipe; its end shows as that of its output.
class Served {
 public:
  explicit Served(const std::string& config) {
    REQUIRE(pipe2(error_, O_CLOEXEC | O_NONBLOCK) == 0);
    REQUIRE(pipe2(output_, O_CLOEXEC) == 0);
    while (write(error_[1], " ", 1) == 1) {
    }
    REQUIRE(fcntl(error_[1], F_SETFL, 0) == 0);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, output_[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, error_[1], STDERR_FILENO);
    std::string words[] = {"gangplan", "serve", "--config", config};
    char* const args[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(),
                          nullptr};
    REQUIRE(posix_spawn(&process_, GANGPLAN_PROGRAM, &files, nullptr, args, environ) == 0);
    posix_spawn_file_actions_destroy(&files);
    close(output_[1]);
  }
  ~Served() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    for (int file : {error_[0], error_[1], output_[0]}) close(file);
  }
  void Tell(int signal) const { kill(process_, signal); }
  // Its exit code after `signal`; -1: it did not end.
  int End(int signal) {
    kill(process_, signal);
    pollfd entry{output_[0], POLLIN, 0};
    if (poll(&entry, 1, static_cast<int>(absl::ToInt64Milliseconds(kPatience))) != 1) return -1;
    int status = -1;
    waitpid(std::exchange(process_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  int error_[2] = {-1, -1};
  int output_[2] = {-1, -1};
  pid_t process_ = 0;
};

struct Configured {
  const int port = FreePort();
  const ScratchFile cluster{
      R"({"kind":"List","apiVersion":"v1","items":[{"kind":"Node","apiVersion":"v1",)"
      R"("metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"1"}}}]})"};
  const ScratchFile config{
      fmt::format("apiVersion: gangplan.io/v1alpha1\nkind: ExtenderConfiguration\n"
                  "cluster: {{source: file, file: {}}}\nserver: {{port: 0, probePort: {}}}\n",
                  cluster.path(), port)};

  bool IsReady() const {
    const absl::Time end = SystemClock().Now() + kPatience;
    while (SystemClock().Now() < end) {
      if (LoopbackClient(port).Call(GetText("/readyz")).status == 200) return true;
    }
    return false;
  }
};

TEST_CASE("A full standard error keeps the program from nothing") {
  const Configured configured;
  Served served(configured.config.path());
  CHECK(configured.IsReady());
  CHECK(served.End(SIGTERM) == 0);
}

TEST_CASE("SIGHUP ends nothing: the configuration is read again") {
  const Configured configured;
  Served served(configured.config.path());
  CHECK(configured.IsReady());
  served.Tell(SIGHUP);
  CHECK(configured.IsReady());
  CHECK(served.End(SIGTERM) == 0);
}

}  // namespace
}  // namespace gangplan::full_pipe_test
