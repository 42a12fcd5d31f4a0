// What is refused of Sakkara's ConfigMaps, by exact error.
#include <algorithm>

#include "extender/protocol/sakkara_group.h"
#include "extender/protocol/sakkara_topology.h"
#include "tests/extender/protocol/bad_input_table.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::sakkara_bad_values_test {
namespace {

std::string ErrorFor(const std::string& key, const std::string& value) {
  if (key == "constraints") return ErrorOf(ReadSakkaraGroup({{key, value}, {"size", "2"}}));
  LabelSet data = {{key, value}};
  if (key != "tree") data.emplace_back("tree", R"({"rack-0":{"node-0":{}}})");
  return ErrorOf(ReadSakkaraTopology(data));
}

TEST_CASE("Each bad value of Sakkara's objects is refused with its exact error") {
  const std::vector<BadInput> table =
      ReadBadInputs("tests/extender/protocol/sakkara_bad_values.txt");
  REQUIRE(table.size() >= 50);
  for (const BadInput& bad : table) {
    INFO(bad.decoder << ' ' << bad.text);
    REQUIRE(!bad.error.empty());
    CHECK(ErrorFor(bad.decoder, bad.text) == bad.error);
  }
}

TEST_CASE("An empty value of Sakkara's objects is no JSON, also where the key may be missing") {
  for (const char* key : {"tree", "level-names", "resource-names", "constraints"})
    CHECK(ErrorFor(key, "") == std::string(key) + ": invalid JSON at byte 0: there is no value");
}

TEST_CASE("What must be there in Sakkara's objects is asked for by its key") {
  CHECK(ErrorOf(ReadSakkaraTopology({{"name", "t"}})) ==
        "tree is missing: expected nested JSON objects, a node being an empty one");
  CHECK(ErrorOf(ReadSakkaraGroup({{"name", "a"}, {"size", "2"}})) ==
        "constraints is missing: expected a JSON object of levels, {} for pack everywhere");
}

}  // namespace
}  // namespace gangplan::sakkara_bad_values_test
