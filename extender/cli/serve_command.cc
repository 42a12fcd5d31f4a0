#include "extender/cli/serve_command.h"

#include <memory>

#include "config/reader.h"
#include "extender/app/serve.h"
#include "extender/observe/log.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

struct ServeWords {
  std::string config;
  bool check = false;
};

int RunServe(const ServeWords& words, const Output& output) {
  const absl::StatusOr<Settings> settings = ReadSettingsFile(words.config);
  if (!settings.ok()) {
    output.err(Message(settings.status()) + "\n");
    return kExitWrongWords;
  }
  if (words.check) return output.out(words.config + ": good\n") ? kExitDone : kExitFailed;
  ProcessLogger().set_level(static_cast<LogLevel>(settings->log_level));
  const absl::Status status = Serve(*settings);
  if (!status.ok()) Log(LogLevel::kError, Message(status));
  return status.ok() ? kExitDone : kExitFailed;
}

}  // namespace

Command ServeCommand() {
  const auto words = std::make_shared<ServeWords>();
  return {"serve",
          "the extender, until SIGTERM or SIGINT",
          "",
          {Needed(TextOption("--config", "FILE",
                             "the configuration, as docs/configuration.md has it", words->config)),
           SwitchOption("--check", "only reads the file and says what is wrong", words->check)},
          [words](const Output& output) { return RunServe(*words, output); }};
}

}  // namespace gangplan
