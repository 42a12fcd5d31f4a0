#include <map>
#include <string>
#include <vector>

#include "tests/extender/protocol/bad_input_table.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::bad_input_test {
namespace {

const std::map<std::string, Decoder> kDecoders = {
    {"filter", Decoder::kFilter},       {"bind", Decoder::kBind},
    {"preempt", Decoder::kPreempt},     {"pod", Decoder::kPod},
    {"node", Decoder::kNode},           {"owner", Decoder::kOwner},
    {"list", Decoder::kList},           {"watch", Decoder::kWatch},
    {"layers", Decoder::kLayers},       {"topology", Decoder::kTopology},
    {"configmap", Decoder::kConfigMap},
};

TEST_CASE("Each bad text is refused with its exact error") {
  const std::vector<BadInput> table = ReadBadInputs("tests/extender/protocol/bad_inputs.txt");
  REQUIRE(table.size() >= 160);
  for (const BadInput& bad : table) {
    INFO(bad.decoder << ' ' << bad.text);
    REQUIRE(!bad.error.empty());
    CHECK(ErrorOf(kDecoders.at(bad.decoder), bad.text) == bad.error);
  }
}

TEST_CASE("An empty body, a NUL byte and a control character are refused by every decoder") {
  for (const auto& [name, decoder] : kDecoders) {
    INFO(name);
    CHECK(ErrorOf(decoder, "") == "invalid JSON at byte 0: there is no value");
    CHECK(ErrorOf(decoder, " \n\t ") == "invalid JSON at byte 4: there is no value");
    if (decoder == Decoder::kLayers) continue;  // the only list: it has no objects to begin with
    CHECK(ErrorOf(decoder, std::string("{}\0{}", 5)) == "invalid JSON at byte 2: a NUL byte");
    CHECK(ErrorOf(decoder, "{\"x\":\"a\x01\"}") ==
          "invalid JSON at byte 7: unknown escape, or a control character, in a string");
    CHECK(ErrorOf(decoder, "{} x") == "invalid JSON at byte 3: more text after the value");
  }
}

TEST_CASE("A text in an error is cut short and printable") {
  const std::string phase(60, 'x');
  const auto error = [](const std::string& value) {
    return ErrorOf(Decoder::kPod,
                   R"({"metadata":{"name":"p","uid":"u"},"status":{"phase":")" + value + "\"}}");
  };
  const std::string start =
      "Pod: status.phase: expected Pending, Running, Succeeded, Failed or Unknown, found '";
  CHECK(error("\\u0007\xff" + phase) == start + "??" + phase + "'");
  const std::string key(70, 'k');
  CHECK(ErrorOf(Decoder::kPod, R"({"metadata":{"labels":{")" + key + "\":1}}}") ==
        "Pod.metadata.labels." + key.substr(0, 64) + "...: expected a string, found a number");
}

}  // namespace
}  // namespace gangplan::bad_input_test
