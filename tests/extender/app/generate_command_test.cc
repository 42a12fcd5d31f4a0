#include "extender/app/generate_command.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

std::string ErrorOf(std::vector<std::string_view> args) {
  return Message(ReadGenerateWords(args).status());
}

TEST_CASE("The words of generate are read into the plan") {
  const std::vector<std::string_view> args = {"--blocks", "3",   "--racks",  "4",
                                              "--nodes",  "5",   "--gpus",   "0",
                                              "--cpu",    "64",  "--memory", "1Ti",
                                              "--preset", "gke", "--uneven", "9",
                                              "--load",   "25",  "--seed",   "18446744073709551615",
                                              "-o",       "yaml"};
  const absl::StatusOr<GenerateWords> words = ReadGenerateWords(args);
  REQUIRE(words.ok());
  const ClusterPlan& plan = words->plan;
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
  CHECK(words->yaml);
  CHECK_FALSE(words->help);
}

TEST_CASE("Wrong words of generate are named") {
  CHECK(ErrorOf({}).empty());
  CHECK(ErrorOf({"--bloks", "3"}) == "\"--bloks\" is not an option");
  CHECK(ErrorOf({"3"}) == "\"3\" is not an option");
  CHECK(ErrorOf({"--blocks"}) == "--blocks wants a value");
  CHECK(ErrorOf({"--blocks", "3", "--blocks", "3"}) == "--blocks is given twice");
  CHECK(ErrorOf({"--blocks", "3x"}) == "--blocks: \"3x\"; expected a whole number");
  CHECK(ErrorOf({"--blocks", ""}) == "--blocks: \"\"; expected a whole number");
  CHECK(ErrorOf({"--blocks", "2147483648"}) == "--blocks: \"2147483648\"; expected a whole number");
  CHECK(ErrorOf({"--seed", "-1"}) == "--seed: \"-1\"; expected a whole number");
  CHECK(ErrorOf({"-o", "xml"}) == "-o: \"xml\"; expected json or yaml");
}

TEST_CASE("A wrong word of generate is exit code 2") {
  CHECK(RunGenerate(std::vector<std::string_view>{"--load", "101"}) == 2);
}

}  // namespace
}  // namespace gangplan
