#include "topology/label_key.h"

#include "tests/support/catch.h"

namespace gangplan::label_key_test {
namespace {

using Texts = std::vector<std::string>;

const std::string kName =
    "expected a name of letters, digits, '-', '_' and '.', a letter or digit first and last";
const std::string kPrefix =
    "expected a DNS subdomain before \"/\": lower case letters, digits, '-' and '.'";

TEST_CASE("Label keys that are good have no fault") {
  for (const std::string key :
       {"a", "A", "7", "rack", "a-b_c.D", "kubernetes.io/hostname", "x/y", "a-b.c-d/Rack_1"}) {
    INFO(key);
    CHECK(LabelKeyFaults(key).empty());
  }
}

TEST_CASE("Label keys: each fault of a name by itself") {
  CHECK(LabelKeyFaults("-a") == Texts{kName});
  CHECK(LabelKeyFaults("a-") == Texts{kName});
  CHECK(LabelKeyFaults("a b") == Texts{kName});
  CHECK(LabelKeyFaults("") == Texts{"expected a name, found none", kName});
  CHECK(LabelKeyFaults("x/") == Texts{"expected a name, found none", kName});
  CHECK(LabelKeyFaults(std::string(63, 'a')).empty());
  CHECK(LabelKeyFaults(std::string(64, 'a')) == Texts{"expected a name of at most 63 bytes"});
}

TEST_CASE("Label keys: each fault of a prefix by itself") {
  CHECK(LabelKeyFaults("/a") == Texts{"expected a DNS subdomain before \"/\""});
  for (const std::string key : {"X/a", ".x/a", "x./a", "x..y/a", "-x/a", "x-/a", "x_y/a"}) {
    INFO(key);
    CHECK(LabelKeyFaults(key) == Texts{kPrefix});
  }
  CHECK(LabelKeyFaults(std::string(253, 'a') + "/a").empty());
  CHECK(LabelKeyFaults(std::string(254, 'a') + "/a") ==
        Texts{"expected at most 253 bytes before \"/\""});
  CHECK(LabelKeyFaults("a/b/c") == Texts{"expected one \"/\" at most, between prefix and name"});
  CHECK(LabelKeyFaults("X/-") == Texts{kPrefix, kName});
}

}  // namespace
}  // namespace gangplan::label_key_test
