#include "extender/cli/demo_command.h"

#include <memory>

#include "extender/cli/terminal_text.h"
#include "extender/demo/demo.h"
#include "extender/observe/log.h"

namespace gangplan {
namespace {

constexpr int32_t kMaxPauseMilliseconds = 60'000;

struct DemoWords {
  int32_t pause = 0;
  bool plain = false;
};

int RunDemo(const DemoWords& words, const Output& output) {
  ProcessLogger().set_level(LogLevel::kError);
  const DemoOptions options{absl::Milliseconds(words.pause), !words.plain && MayColour()};
  return PlayDemo(options, [&output](std::string_view text) { output.out(text); }) ? kExitDone
                                                                                   : kExitFailed;
}

}  // namespace

Command DemoCommand() {
  const auto words = std::make_shared<DemoWords>();
  return {"demo",
          "four gangs on an embedded cluster, over real HTTP; checks what it prints",
          "",
          {NumberOption("--pause", "MS", "milliseconds after each part, for people who watch (0)",
                        words->pause, 0, kMaxPauseMilliseconds),
           SwitchOption("--no-color", "as NO_COLOR in the environment: no colours", words->plain)},
          [words](const Output& output) { return RunDemo(*words, output); }};
}

}  // namespace gangplan
