#include "extender/cli/completion_command.h"

#include <memory>

#include "extender/cli/commands.h"
#include "extender/cli/completion.h"

namespace gangplan {

Command CompletionCommand() {
  const auto shell = std::make_shared<size_t>(0);
  Option word = Needed(WordOption("SHELL", {"bash", "zsh"}, "bash or zsh", *shell));
  const auto run = [shell](const Output& output) {
    const std::vector<Command> commands = AllCommands();
    const std::string script = *shell == 0 ? BashCompletion(commands) : ZshCompletion(commands);
    return output.out(script) ? kExitDone : kExitFailed;
  };
  return {"completion",
          "a script that completes the words of gangplan in a shell",
          "Example: source <(gangplan completion bash)\n",
          {std::move(word)},
          run};
}

}  // namespace gangplan
