#include "extender/observe/log.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

extern char** environ;

namespace gangplan::log_test {
namespace {

class SetClock : public Clock {
 public:
  absl::Time Now() const override { return now; }
  absl::Time now = absl::FromUnixMillis(1'767'323'045'678);  // 2026-01-02T03:04:05.678Z
};

struct Lines {
  Logger::Sink sink() {
    return [this](std::string_view line) { lines.emplace_back(line); };
  }
  std::vector<std::string> lines;
};

TEST_CASE("a line is one JSON object with time, level, message and fields in their order") {
  SetClock clock;
  Lines lines;
  Logger logger(clock, lines.sink());
  const std::string owned = "n\"1\"";
  logger.Log(LogLevel::kWarn, "node lost",
             {{"node", owned},
              {"pods", 3},
              {"age", 0.5},
              {"ready", false},
              {"zone", "a"},
              {"bytes", size_t{1} << 40}});
  REQUIRE(lines.lines.size() == 1);
  CHECK(lines.lines[0] ==
        R"({"time":"2026-01-02T03:04:05.678Z","level":"warn","message":"node lost",)"
        R"("node":"n\"1\"","pods":3,"age":0.5,"ready":false,"zone":"a","bytes":1099511627776})"
        "\n");
}

TEST_CASE("lines below the level are not written") {
  SetClock clock;
  Lines lines;
  Logger logger(clock, lines.sink(), LogLevel::kWarn);
  logger.Log(LogLevel::kDebug, "d");
  logger.Log(LogLevel::kInfo, "i");
  CHECK(lines.lines.empty());
  logger.Log(LogLevel::kWarn, "w");
  logger.Log(LogLevel::kError, "e");
  CHECK(lines.lines.size() == 2);
  logger.set_level(LogLevel::kDebug);
  logger.Log(LogLevel::kDebug, "d");
  CHECK(lines.lines.size() == 3);
}

TEST_CASE("levels are read by their exact names") {
  CHECK(ParseLogLevel("debug") == LogLevel::kDebug);
  CHECK(ParseLogLevel("info") == LogLevel::kInfo);
  CHECK(ParseLogLevel("warn") == LogLevel::kWarn);
  CHECK(ParseLogLevel("error") == LogLevel::kError);
  for (const char* bad : {"", "Info", "warning", "info "}) CHECK_FALSE(ParseLogLevel(bad));
}

TEST_CASE("fractions that JSON cannot say are null") {
  SetClock clock;
  Lines lines;
  Logger logger(clock, lines.sink());
  logger.Log(LogLevel::kInfo, "m",
             {{"a", std::nan("")}, {"b", std::numeric_limits<double>::infinity()}});
  CHECK(lines.lines[0].find(R"("a":null,"b":null})") != std::string::npos);
}

TEST_CASE("a repeated message is written once an interval and tells how many were left out") {
  SetClock clock;
  Lines lines;
  Logger logger(clock, lines.sink());
  RepeatedLog repeated(absl::Seconds(10), logger);
  for (int i = 0; i < 5; ++i) repeated.Log(LogLevel::kWarn, "again", {{"i", i}});
  REQUIRE(lines.lines.size() == 1);
  CHECK(lines.lines[0].find(R"("i":0})") != std::string::npos);
  clock.now += absl::Seconds(10) - absl::Nanoseconds(1);
  repeated.Log(LogLevel::kWarn, "again");
  CHECK(lines.lines.size() == 1);
  clock.now += absl::Nanoseconds(1);
  repeated.Log(LogLevel::kWarn, "again", {{"i", 6}});
  REQUIRE(lines.lines.size() == 2);
  CHECK(lines.lines[1].find(R"("i":6,"suppressed":5})") != std::string::npos);
  clock.now += absl::Seconds(10);
  repeated.Log(LogLevel::kWarn, "again");
  CHECK(lines.lines[2].find("suppressed") == std::string::npos);
}

TEST_CASE("lines of several threads do not mix") {
  SetClock clock;
  Lines lines;
  Logger logger(clock, lines.sink());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&logger] {
      for (int i = 0; i < 500; ++i) logger.Log(LogLevel::kInfo, "m", {{"i", i}});
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(lines.lines.size() == 2000);
  for (const std::string& line : lines.lines) {
    REQUIRE(line.front() == '{');
    REQUIRE(line.find('\n') == line.size() - 1);
  }
}

constexpr int kLastLines = 2000;  // more than a pipe holds

// Run by the next one, in a process of its own.
TEST_CASE("a process that aborts", "[.]") {
  FlushLogOnAbort();
  for (int i = 0; i < kLastLines; ++i) Log(LogLevel::kInfo, "the last words", {{"i", i}});
  std::abort();
}

TEST_CASE("what is logged before an abort is written, and the process aborts") {
  int error[2];
  REQUIRE(pipe(error) == 0);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, error[1], STDERR_FILENO);
  posix_spawn_file_actions_addclose(&files, error[0]);
  std::string words[] = {"observe_test", "a process that aborts"};
  char* const args[] = {words[0].data(), words[1].data(), nullptr};
  pid_t process = 0;
  REQUIRE(posix_spawn(&process, "/proc/self/exe", &files, nullptr, args, environ) == 0);
  posix_spawn_file_actions_destroy(&files);
  close(error[1]);
  std::string text;
  char some[4096];
  for (ssize_t got = 0; (got = read(error[0], some, sizeof some)) > 0;)
    text.append(some, static_cast<size_t>(got));
  close(error[0]);
  int status = 0;
  REQUIRE(waitpid(process, &status, 0) == process);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
  CHECK(std::count(text.begin(), text.end(), '\n') == kLastLines);
}

}  // namespace
}  // namespace gangplan::log_test
