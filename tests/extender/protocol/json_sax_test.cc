#include "extender/protocol/json_sax.h"

#include <string>
#include <vector>

#include "extender/protocol/limits.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::json_sax_test {
namespace {

// A small schema with every kind of value.
struct Part {
  std::string name;
};
struct Whole {
  std::string text;
  int64_t number = 0;
  bool truth = false;
  std::vector<Part> parts;
  std::vector<Part> tolerant;
  std::vector<std::string> faults;
  std::vector<std::pair<std::string, std::string>> entries;
};

absl::Status AddEntry(Whole& whole, std::string_view key, std::string_view value) {
  if (value == "bad") return Invalid("a bad value");
  whole.entries.emplace_back(key, value);
  return absl::OkStatus();
}
absl::Status CheckPart(std::vector<Part>& parts) {
  return parts.back().name.empty() ? Invalid("name is missing") : absl::OkStatus();
}
absl::Status CheckTolerant(Whole& whole) {
  return whole.tolerant.back().name.empty() ? Invalid("no name") : absl::OkStatus();
}
void NoteFault(Whole& whole, absl::Status status) { whole.faults.push_back(Message(status)); }
void* NewTolerant(void* target, const JsonPlace&) {
  return &static_cast<Whole*>(target)->tolerant.emplace_back();
}

constexpr JsonField kPartFields[] = {{"name", json::Text<&Part::name>(5)}};
constexpr JsonShape kPart =
    json::Then<&CheckPart>(json::Appended<std::vector<Part>>(json::Object(kPartFields)));
constexpr JsonShape TolerantShape() {
  JsonShape shape = json::Object(kPartFields);
  shape.enter = &NewTolerant;
  return json::Forgiving<&NoteFault>(json::Then<&CheckTolerant>(shape));
}
constexpr JsonShape kTolerant = TolerantShape();
constexpr JsonShape kEntry = json::MapQuantityFor<&AddEntry>(5);
constexpr JsonField kWholeFields[] = {
    {"text", json::Text<&Whole::text>(5)},
    {"number", json::Integer<&Whole::number, -3, 1'000>()},
    {"truth", json::Boolean<&Whole::truth>()},
    {"parts", json::Anew<&Whole::parts>(json::Array(kPart, 3))},
    {"tolerant", json::Array(kTolerant, 10)},
    {"entries", json::Map(kEntry, 3)},
};
constexpr JsonShape kWhole = json::Object(kWholeFields);

std::string Read(std::string text, Whole& whole, std::string_view name = "") {
  return Message(ParseJson(text, 1'000, name, kWhole, &whole));
}
std::string Error(std::string text, std::string_view name = "") {
  Whole whole;
  return Read(std::move(text), whole, name);
}

TEST_CASE("Every kind of value reaches its place") {
  Whole whole;
  CHECK(Read(R"({"text":"a\u0062c","number":-3,"truth":true,"parts":[{"name":"x"},{"name":"y"}],)"
             R"("entries":{"Key":"v","n":-1e10}})",
             whole) == "");
  CHECK(whole.text == "abc");
  CHECK(whole.number == -3);
  CHECK(whole.truth);
  REQUIRE(whole.parts.size() == 2);
  CHECK(whole.parts[1].name == "y");
  CHECK(whole.entries ==
        std::vector<std::pair<std::string, std::string>>{{"Key", "v"}, {"n", "-1e10"}});
}

TEST_CASE("Numbers next to each kind of delimiter keep their digits") {
  Whole whole;
  CHECK(Read("{\"entries\":{\"a\":1,\"b\":22 ,\"c\":333}}", whole) == "");
  REQUIRE(whole.entries.size() == 3);
  CHECK(whole.entries[0].second == "1");
  CHECK(whole.entries[1].second == "22");
  CHECK(whole.entries[2].second == "333");
  CHECK(Error("{\"number\":0.000000000000001e-2147483639}") ==
        "number: expected an integer from -3 to 1000, found 0.000000000000001e-2147483639");
}

TEST_CASE("A null changes nothing") {
  Whole whole;
  CHECK(Read(R"({"text":"a","number":1,"parts":[{"name":"x"}]})", whole) == "");
  CHECK(Read(R"({"text":null,"number":null,"truth":null,"parts":null,"entries":{"a":null}})",
             whole) == "");
  CHECK(whole.text == "a");
  CHECK(whole.number == 1);
  CHECK(whole.parts.size() == 1);
  CHECK(whole.entries.empty());
}

TEST_CASE("Errors name the place") {
  CHECK(Error(R"({"parts":[{"name":"x"},{}]})") == "parts[1]: name is missing");
  CHECK(Error(R"({"parts":[{"name":"x"},{}]})", "Root") == "Root.parts[1]: name is missing");
  CHECK(Error(R"({"parts":[null,{"NAME":1}]})") ==
        "parts[1].name: expected a string, found a number");
  CHECK(Error(R"({"entries":{"a":"b","c.d":"bad"}})") == "entries.c.d: a bad value");
  CHECK(Error("[]", "Root") == "Root: expected an object, found an array");
}

TEST_CASE("An error inside of a forgiving value ends there, the rest goes on") {
  Whole whole;
  CHECK(Read(R"({"tolerant":[{"name":1,"x":[{}]},{"name":"b"},{"name":{"deep":[[]]}},{},7,)"
             R"({"name":"toolong"},{"name":"c"}],"text":"end"})",
             whole) == "");
  CHECK(whole.text == "end");
  CHECK(whole.tolerant.back().name == "c");
  CHECK(whole.faults ==
        std::vector<std::string>{"tolerant[0].name: expected a string, found a number",
                                 "tolerant[2].name: expected a string, found an object",
                                 "tolerant[3]: no name",
                                 "tolerant[4]: expected an object, found a number",
                                 "tolerant[5].name: longer than 5 bytes"});
}

TEST_CASE("After a fault the other members of a forgiving value are still read") {
  Whole whole;
  CHECK(Read(R"({"tolerant":[{"name":7,"name":"kept"}],"text":"end"})", whole) == "");
  CHECK(whole.tolerant[0].name == "kept");
  CHECK(whole.faults.size() == 1);
  CHECK(whole.text == "end");
}

TEST_CASE("Limits of texts and counts hold at their value and not beyond") {
  CHECK(Error(R"({"text":"12345"})") == "");
  CHECK(Error(R"({"text":"123456"})") == "text: longer than 5 bytes");
  CHECK(Error(R"({"entries":{"a":12345}})") == "");
  CHECK(Error(R"({"entries":{"a":123456}})") == "entries.a: longer than 5 bytes");
  CHECK(Error(R"({"parts":[{"name":"a"},{"name":"b"},{"name":"c"}]})") == "");
  CHECK(Error(R"({"parts":[{"name":"a"},{"name":"b"},{"name":"c"},null]})") ==
        "parts: more than 3 items");
  CHECK(Error(R"({"entries":{"a":"1","b":"2","a":"3"}})") == "");
  CHECK(Error(R"({"entries":{"a":"1","b":"2","a":"3","b":null}})") ==
        "entries: more than 3 entries");
  const std::string key(kMaxKeyBytes, 'k');
  CHECK(Error(R"({"entries":{")" + key + R"(":"1"}})") == "");
  CHECK(Error(R"({"entries":{")" + key + R"(k":"1"}})") ==
        "entries." + key.substr(0, 64) + "...: the key is longer than 317 bytes");
}

TEST_CASE("The text's size is limited") {
  CHECK(Error("{}" + std::string(998, ' ')) == "");
  CHECK(Error("{}" + std::string(999, ' ')) == "the text is longer than 1000 bytes: 1001");
}

TEST_CASE("The depth is limited, also in what is skipped, and deep texts do not recurse") {
  auto nested = [](size_t depth) {
    return "{\"x\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  const auto told = [](std::string text) {
    Whole whole;
    return Message(ParseJson(text, text.size(), "Root", kWhole, &whole));
  };
  CHECK(told(nested(kMaxSkippedDepth + 1)) == "");
  CHECK(told(nested(kMaxSkippedDepth + 2)) == "Root: nests deeper than 20000 levels");
  std::string deep = "{\"x\":" + std::string(1'000'000, '[');
  Whole whole;
  CHECK(Message(ParseJson(deep, deep.size(), "Root", kWhole, &whole)) ==
        "Root: nests deeper than 20000 levels");
}

TEST_CASE("What a message shows of a text is printable and short") {
  CHECK(Shown("a b~") == "a b~");
  CHECK(Shown("a\n\x7f\xc3\xa9") == "a????");
  CHECK(Shown(std::string(64, 'x')) == std::string(64, 'x'));
  CHECK(Shown(std::string(65, 'x')) == std::string(64, 'x') + "...");
}

}  // namespace
}  // namespace gangplan::json_sax_test
