// One command of the program, and how a command line becomes one: `gangplan NAME WORDS...`. What
// the help tells comes from the same table that is read. Exit codes: 0 done, 1 it did not work, 2
// the words were wrong.
//
// Thread rule: one thread.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "extender/cli/options.h"

namespace gangplan {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitWrongWords = 2;

// Where a command prints. False: it takes no more.
struct Output {
  std::function<bool(std::string_view)> out;
  std::function<bool(std::string_view)> err;
};

struct Command {
  std::string name;
  std::string summary;  // one line, among the other commands
  std::string about;    // more of it, for its own help; lines with their ends
  Options options;
  // Called when the options have been read; returns the exit code.
  std::function<int(const Output&)> run;
  std::string also = {};  // another name of it; empty: it has none
};

// "gangplan NAME: why", and where the help is; kExitWrongWords. For what only a command can judge.
int TellWrongWords(std::string_view command, const absl::Status& why, const Output& output);

// "gangplan NAME: why"; kExitFailed. For what did not work.
int TellFailed(std::string_view command, const absl::Status& why, const Output& output);

// Runs one of `commands`, or tells the help: `help`, `help NAME`, `--help` and `-h` anywhere; with
// `--version` anywhere the command `version`.
int RunCommandLine(const std::vector<Command>& commands, std::span<const std::string_view> args,
                   const Output& output);

}  // namespace gangplan
