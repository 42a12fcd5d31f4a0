#include "extender/app/demo_command.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "extender/app/demo.h"
#include "extender/app/options.h"
#include "extender/observe/log.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr int32_t kMaxPauseMilliseconds = 60'000;

absl::StatusOr<DemoOptions> ReadWords(std::span<const std::string_view> args) {
  DemoOptions options;
  const char* no_color = std::getenv("NO_COLOR");
  options.colour = isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');
  const auto pause = [&](std::string_view text) -> absl::Status {
    GANGPLAN_ASSIGN_OR_RETURN(const int32_t milliseconds, ReadNumber("--pause", text));
    if (milliseconds < 0 || milliseconds > kMaxPauseMilliseconds) {
      return Invalid("--pause: {}; expected 0 to {} milliseconds", milliseconds,
                     kMaxPauseMilliseconds);
    }
    options.pause = absl::Milliseconds(milliseconds);
    return absl::OkStatus();
  };
  const auto plain = [&](std::string_view) {
    options.colour = false;
    return absl::OkStatus();
  };
  GANGPLAN_RETURN_IF_ERROR(
      ReadOptions(args, {{"--pause", true, pause}, {"--no-color", false, plain}}));
  return options;
}

}  // namespace

int RunDemo(std::span<const std::string_view> args) {
  const absl::StatusOr<DemoOptions> options = ReadWords(args);
  if (!options.ok()) {
    fmt::print(stderr, "gangplan demo: {}\ngangplan demo [--pause MS] [--no-color]\n",
               Message(options.status()));
    return 2;
  }
  ProcessLogger().set_level(LogLevel::kError);
  const auto print = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  };
  return PlayDemo(*options, print) ? 0 : 1;
}

}  // namespace gangplan
