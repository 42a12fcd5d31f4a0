#include "extender/cli/command.h"

#include "tests/extender/cli/told.h"
#include "tests/support/catch.h"

namespace gangplan::command_test {
namespace {

struct Ran {
  std::string name;
  bool loud = false;
};

std::vector<Command> Commands(Ran& ran) {
  const auto run = [&ran](const Output& output) {
    output.out("ran with " + ran.name + "\n");
    return ran.loud ? kExitFailed : kExitDone;
  };
  return {{"start",
           "begins",
           "Begins what NAME names.\n",
           {Needed(TextOption("NAME", "", "what", ran.name)),
            SwitchOption("--loud", "with noise", ran.loud)},
           run},
          {"stop", "ends", "", {}, [](const Output&) { return kExitDone; }}};
}

Told Run(const std::vector<std::string_view>& args) {
  Ran ran;
  return RunOf(Commands(ran), args);
}

constexpr std::string_view kHelp =
    "gangplan COMMAND [OPTION...]\n\n"
    "  start     begins\n"
    "  stop      ends\n"
    "  help      this page, or that of a command: help COMMAND, COMMAND --help\n\n"
    "Exit codes: 0 done, 1 it did not work, 2 the words were wrong.\n";
constexpr std::string_view kHelpOfStart =
    "gangplan start NAME [OPTION...]: begins\n\n"
    "Begins what NAME names.\n\n"
    "  NAME                what\n"
    "  --loud              with noise\n";

TEST_CASE("A command runs with its words and tells its exit code") {
  CHECK(Run({"start", "x"}) == Told{0, "ran with x\n", ""});
  CHECK(Run({"start", "--loud", "y"}) == Told{1, "ran with y\n", ""});
  CHECK(Run({"stop"}) == Told{0, "", ""});
}

TEST_CASE("Help is asked for in every usual way") {
  for (const char* word : {"help", "--help", "-h"})
    CHECK(Run({word}) == Told{0, std::string(kHelp), ""});
  CHECK(Run({"help", "start"}) == Told{0, std::string(kHelpOfStart), ""});
  CHECK(Run({"start", "--help"}) == Told{0, std::string(kHelpOfStart), ""});
  CHECK(Run({"start", "--wrong", "-h"}) == Told{0, std::string(kHelpOfStart), ""});
  CHECK(Run({"help", "stop"}) == Told{0, "gangplan stop: ends\n", ""});
}

TEST_CASE("Wrong words end with exit code 2 and say where the help is") {
  CHECK(Run({}) == Told{2, "", std::string(kHelp)});
  CHECK(Run({"strat"}) == Told{2, "",
                               "gangplan: \"strat\" is not a command; did you mean \"start\"?\n"
                               "(gangplan help tells the commands)\n"});
  CHECK(Run({"help", "x"}).code == 2);
  CHECK(Run({"start"}) == Told{2, "",
                               "gangplan start: NAME is missing\n"
                               "(gangplan start --help tells the options)\n"});
  CHECK(Run({"stop", "--loud"}).code == 2);
}

}  // namespace
}  // namespace gangplan::command_test
