#include "extender/cli/command.h"

#include <algorithm>
#include <array>

#include "topology/base/spelling.h"
#include "topology/base/terminal_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kProgram = "gangplan";
constexpr size_t kLeastNameWidth = 10;

bool AsksForHelp(std::string_view word) { return word == "--help" || word == "-h"; }
// Of any command: the version is that of the program.
constexpr std::string_view kVersionCommand = "version";
bool AsksForVersion(std::string_view word) { return word == "--version"; }

std::string HelpOf(const std::vector<Command>& commands) {
  size_t width = kLeastNameWidth;
  for (const Command& command : commands) width = std::max(width, command.name.size() + 2);
  std::string text = fmt::format("{} COMMAND [OPTION...]\n\n", kProgram);
  const auto add = [&](std::string_view name, std::string_view summary) {
    text += fmt::format("  {:<{}}{}\n", name, width, summary);
  };
  for (const Command& command : commands) {
    add(command.name, command.summary);
    if (!command.also.empty()) add(command.also, "the same");
  }
  add("help", "this page, or that of a command: help COMMAND, COMMAND --help");
  return text + fmt::format("\nExit codes: {} done, {} it did not work, {} the words were wrong.\n",
                            kExitDone, kExitFailed, kExitWrongWords);
}

// "gangplan serve --config FILE [OPTION...]", then all there is to know.
std::string HelpOf(const Command& command) {
  std::string usage = fmt::format("{} {}", kProgram, command.name);
  bool more = false;
  for (const Option& option : command.options) {
    more = more || !option.needed;
    if (!option.needed) continue;
    const bool valued = option.name.starts_with('-') && !option.value.empty();
    usage += fmt::format(" {}{}{}", option.name, valued ? " " : "", valued ? option.value : "");
  }
  if (more) usage += " [OPTION...]";
  const std::string about =
      command.about.empty() ? std::string() : fmt::format("\n{}", command.about);
  const std::string options =
      command.options.empty() ? std::string() : fmt::format("\n{}", HelpOf(command.options));
  return fmt::format("{}: {}\n{}{}", usage, command.summary, about, options);
}

const Command* Find(const std::vector<Command>& commands, std::string_view name) {
  const auto found = std::find_if(commands.begin(), commands.end(), [&](const Command& command) {
    return command.name == name || (!command.also.empty() && command.also == name);
  });
  return found == commands.end() ? nullptr : &*found;
}

int TellUnknown(const std::vector<Command>& commands, std::string_view name, const Output& output) {
  std::vector<std::string_view> names;
  for (const Command& command : commands) {
    names.push_back(command.name);
    if (!command.also.empty()) names.push_back(command.also);
  }
  output.err(fmt::format("{}: \"{}\" is not a command{}\n({} help tells the commands)\n", kProgram,
                         Shown(name), Suggestion(name, names), kProgram));
  return kExitWrongWords;
}

int TellHelp(const std::vector<Command>& commands, std::span<const std::string_view> names,
             const Output& output) {
  if (names.empty()) return output.out(HelpOf(commands)) ? kExitDone : kExitFailed;
  const Command* command = Find(commands, names.front());
  if (command == nullptr) return TellUnknown(commands, names.front(), output);
  return output.out(HelpOf(*command)) ? kExitDone : kExitFailed;
}

}  // namespace

int TellWrongWords(std::string_view command, const absl::Status& why, const Output& output) {
  output.err(fmt::format("{0} {1}: {2}\n({0} {1} --help tells the options)\n", kProgram, command,
                         Message(why)));
  return kExitWrongWords;
}

int TellFailed(std::string_view command, const absl::Status& why, const Output& output) {
  output.err(fmt::format("{} {}: {}\n", kProgram, command, Message(why)));
  return kExitFailed;
}

int RunCommandLine(const std::vector<Command>& commands, std::span<const std::string_view> args,
                   const Output& output) {
  if (args.empty()) {
    output.err(HelpOf(commands));
    return kExitWrongWords;
  }
  // What went wrong may be in the words of a file or a server.
  const Output safe = {output.out,
                       [&output](std::string_view text) { return output.err(TerminalText(text)); }};
  const std::span<const std::string_view> words = args.subspan(1);
  const bool version = std::any_of(args.begin(), args.end(), AsksForVersion) &&
                       std::none_of(args.begin(), args.end(), AsksForHelp);
  if (version) return RunCommandLine(commands, std::array{kVersionCommand}, output);
  const std::string_view name = args.front();
  if (name == "help" || AsksForHelp(name)) return TellHelp(commands, words, output);
  const Command* command = Find(commands, name);
  if (command == nullptr) return TellUnknown(commands, name, safe);
  if (std::any_of(words.begin(), words.end(), AsksForHelp))
    return TellHelp(commands, args.subspan(0, 1), output);
  const absl::Status read = ReadOptions(words, command->options);
  if (!read.ok()) return TellWrongWords(command->name, read, safe);
  return command->run(safe);
}

}  // namespace gangplan
