#include "extender/cli/completion.h"

#include <algorithm>

#include "fmt/format.h"

namespace gangplan {
namespace {

// Every command has them.
constexpr std::string_view kEverywhere = "--help --version";

std::string NamesOf(const Command& command) {
  return command.also.empty() ? command.name : fmt::format("{}|{}", command.name, command.also);
}

std::string CommandWords(const std::vector<Command>& commands) {
  std::string words = "help";
  for (const Command& command : commands) {
    words += " " + command.name;
    if (!command.also.empty()) words += " " + command.also;
  }
  return words;
}

// The value is one of some words.
bool HasWords(const Option& option) { return option.value.find('|') != std::string::npos; }

std::string WordsOf(const Option& option) {
  std::string words = option.value;
  std::replace(words.begin(), words.end(), '|', ' ');
  return words;
}

// What may follow an option that wants a value; files where it is one.
std::string ValueCase(const Command& command, const Option& option) {
  const std::string action = HasWords(option)         ? fmt::format("words='{}'", WordsOf(option))
                             : option.value == "FILE" ? "files=1"
                                                      : "none=1";
  std::string pattern;
  for (const std::string& name : {command.name, command.also}) {
    if (name.empty()) continue;
    pattern += fmt::format("{}{}:{}", pattern.empty() ? "" : "|", name, option.name);
  }
  return fmt::format("    {}) {} ;;\n", pattern, action);
}

std::string ValueCases(const std::vector<Command>& commands) {
  std::string cases;
  for (const Command& command : commands) {
    for (const Option& option : command.options) {
      if (!option.value.empty() && !option.positional()) cases += ValueCase(command, option);
    }
  }
  return cases;
}

// The options of a command, and whether its positional word is a file.
std::string OptionCases(const std::vector<Command>& commands) {
  std::string cases;
  for (const Command& command : commands) {
    std::string words(kEverywhere);
    bool files = false;
    for (const Option& option : command.options) {
      if (!option.positional()) words += " " + option.name;
      files = files || (option.positional() && option.value == "FILE");
    }
    for (const Option& option : command.options) {
      if (option.positional() && HasWords(option)) words += " " + WordsOf(option);
    }
    cases +=
        fmt::format("    {}) words='{}'{} ;;\n", NamesOf(command), words, files ? "; files=1" : "");
  }
  return cases;
}

}  // namespace

std::string BashCompletion(const std::vector<Command>& commands) {
  return fmt::format(
      "# Completes the words of gangplan in bash: source <(gangplan completion bash)\n"
      "_gangplan() {{\n"
      "  local cur=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]-}} words='' files='' "
      "none=''\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -le 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{} {}' -- \"$cur\"))\n"
      "    return\n"
      "  fi\n"
      "  case $command:${{COMP_WORDS[COMP_CWORD-1]}} in\n"
      "{}"
      "  esac\n"
      "  [ -n \"$words$files$none\" ] || case $command in\n"
      "    help) words='{}' ;;\n"
      "{}"
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
      "  if [ -n \"$files\" ]; then\n"
      "    local file\n"
      "    while IFS= read -r file; do COMPREPLY+=(\"$file\"); done < <(compgen -f -- \"$cur\")\n"
      "    compopt -o filenames 2>/dev/null\n"
      "  fi\n"
      "}}\n"
      "complete -F _gangplan gangplan\n",
      CommandWords(commands), kEverywhere, ValueCases(commands), CommandWords(commands),
      OptionCases(commands));
}

std::string ZshCompletion(const std::vector<Command>& commands) {
  return "#compdef gangplan\n"
         "autoload -U +X compinit && compinit\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         BashCompletion(commands);
}

}  // namespace gangplan
