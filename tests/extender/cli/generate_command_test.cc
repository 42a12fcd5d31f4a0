#include "extender/cli/generate_command.h"

#include "tests/extender/cli/told.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::generate_command_test {
namespace {

Told Run(std::vector<std::string_view> args) {
  args.insert(args.begin(), "generate");
  return RunOf({GenerateCommand()}, args);
}

TEST_CASE("The words of generate are read into the plan") {
  const std::vector<std::string_view> args = {"--blocks", "3",   "--racks",  "4",
                                              "--nodes",  "5",   "--gpus",   "0",
                                              "--cpu",    "64",  "--memory", "1Ti",
                                              "--preset", "gke", "--uneven", "9",
                                              "--load",   "25",  "--seed",   "18446744073709551615",
                                              "-o",       "yaml"};
  GenerateWords words;
  REQUIRE(ReadOptions(args, GenerateOptions(words)).ok());
  const ClusterPlan& plan = words.plan;
  CHECK(plan.blocks == 3);
  CHECK(plan.racks == 4);
  CHECK(plan.nodes == 5);
  CHECK(plan.gpus == 0);
  CHECK(plan.cpu == "64");
  CHECK(plan.memory == "1Ti");
  CHECK(plan.preset == "gke");
  CHECK(plan.uneven == uint64_t{9});
  CHECK(plan.load == 25);
  CHECK(plan.seed == UINT64_MAX);
  CHECK(words.form == 1);
}

TEST_CASE("What generate cannot make is a wrong word") {
  const Told told = Run({"--load", "101"});
  CHECK(told.code == kExitWrongWords);
  CHECK(told.out == "");
  CHECK(told.err ==
        "gangplan generate: --load: 101; expected 0 to 100\n"
        "(gangplan generate --help tells the options)\n");
}

TEST_CASE("Generate prints a cluster in either form") {
  const std::vector<std::string_view> one = {"--blocks", "1", "--racks", "1", "--nodes", "1"};
  const Told json = Run(one);
  CHECK(json.code == kExitDone);
  CHECK(json.out.starts_with(R"({"apiVersion":"v1","kind":"List","items":[)"));
  std::vector<std::string_view> args = one;
  args.insert(args.end(), {"-o", "yaml"});
  CHECK(Run(args).out.starts_with("apiVersion: v1\nkind: List\n"));
}

TEST_CASE("Generate fails where standard output takes no more") {
  std::string err;
  const auto full = [](std::string_view) { return false; };
  const auto tell = [&err](std::string_view text) { return !(err += text).empty(); };
  const std::vector<std::string_view> args = {"generate"};
  CHECK(RunCommandLine({GenerateCommand()}, args, {full, tell}) == kExitFailed);
  CHECK(err == "gangplan generate: standard output takes no more\n");
}

}  // namespace
}  // namespace gangplan::generate_command_test
