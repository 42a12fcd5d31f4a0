// The program: its words, an exit code.
#include <csignal>
#include <cstdio>
#include <vector>

#include "extender/cli/commands.h"
#include "extender/observe/log.h"

namespace {

auto Printer(std::FILE* file) {
  return [file](std::string_view text) {
    return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  };
}

}  // namespace

int main(int argc, char* argv[]) {
  std::signal(SIGPIPE, SIG_IGN);  // a peer that goes is an error of one write, not of the process
  gangplan::FlushLogOnAbort();
  const std::vector<std::string_view> args(argv + 1, argv + argc);
  const int code =
      gangplan::RunCommandLine(gangplan::AllCommands(), args, {Printer(stdout), Printer(stderr)});
  gangplan::FlushLog(absl::Seconds(1));
  return code;
}
