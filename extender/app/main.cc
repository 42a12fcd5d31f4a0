// The command line: one command, its words, an exit code.
#include <csignal>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "extender/app/demo_command.h"
#include "extender/app/explain_command.h"
#include "extender/app/generate_command.h"
#include "extender/app/serve_command.h"
#include "fmt/format.h"
#include "topology/base/version.h"

namespace gangplan {
namespace {

constexpr std::string_view kUsage =
    "gangplan COMMAND\n"
    "\n"
    "  serve --config FILE [--check]   the extender; --check reads the file and says what is "
    "wrong\n"
    "  explain NAMESPACE/NAME          where a group stands, or why it waits\n"
    "      [--server URL] [-o json]    of a running gangplan, default http://127.0.0.1:10291\n"
    "  demo                            several gangs on an embedded cluster, over real HTTP\n"
    "  generate                        a cluster of any size as Kubernetes objects\n"
    "  version\n"
    "  help\n"
    "\n"
    "Exit codes: 0 done, 1 it did not work, 2 the words were wrong.\n";

int Print(std::FILE* file, std::string_view text, int code) {
  std::fwrite(text.data(), 1, text.size(), file);
  return code;
}

int RunCommand(std::string_view command, std::span<const std::string_view> args) {
  if (command == "serve") return RunServe(args);
  if (command == "explain") return RunExplain(args);
  if (command == "demo") return RunDemo(args);
  if (command == "generate") return RunGenerate(args);
  if (command == "version") return Print(stdout, fmt::format("gangplan {}\n", kVersion), 0);
  if (command == "help" || command == "--help" || command == "-h") return Print(stdout, kUsage, 0);
  return Print(stderr, kUsage, 2);
}

}  // namespace
}  // namespace gangplan

int main(int argc, char* argv[]) {
  std::signal(SIGPIPE, SIG_IGN);  // a peer that goes is an error of one write, not of the process
  std::vector<std::string_view> args(argv + 1, argv + argc);
  if (args.empty()) return gangplan::RunCommand("", {});
  return gangplan::RunCommand(args.front(), std::span(args).subspan(1));
}
