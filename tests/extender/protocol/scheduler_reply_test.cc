#include "extender/protocol/scheduler_reply.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "tests/support/catch.h"

namespace gangplan::scheduler_reply_test {
namespace {

OfferedNodes Names(std::vector<std::string_view> names) {
  OfferedNodes offered;
  offered.names = std::move(names);
  return offered;
}

TEST_CASE("A filter reply with names") {
  const OfferedNodes offered = Names({"b", "a", "c"});
  FilterReply reply;
  reply.passed = {1};
  reply.unresolvable.push_back({{"c", "b"}, "waits"});
  CHECK(EncodeFilterReply(reply, &offered) ==
        R"({"Nodes":null,"NodeNames":["a"],"FailedNodes":{},)"
        R"("FailedAndUnresolvableNodes":{"b":"waits","c":"waits"},"Error":""})");
}

TEST_CASE("A filter reply with whole nodes gives back their bytes") {
  OfferedNodes offered = Names({"a", "b", "c"});
  offered.full_objects = true;
  offered.items = {R"({ "x":1 })", "{\"y\":\"\xff\"}", "{}"};
  FilterReply reply;
  reply.passed = {0, 1};
  reply.failed.push_back({{"c"}, "full"});
  CHECK(EncodeFilterReply(reply, &offered) ==
        "{\"Nodes\":{\"metadata\":{},\"items\":[{ \"x\":1 },{\"y\":\"\xff\"}]},\"NodeNames\":null,"
        "\"FailedNodes\":{\"c\":\"full\"},\"FailedAndUnresolvableNodes\":{},\"Error\":\"\"}");
}

TEST_CASE("A filter reply that passes no node has an empty list, not a null one") {
  const OfferedNodes names = Names({"a"});
  CHECK(EncodeFilterReply({}, &names) == R"({"Nodes":null,"NodeNames":[],"FailedNodes":{},)"
                                         R"("FailedAndUnresolvableNodes":{},"Error":""})");
  OfferedNodes objects;
  objects.full_objects = true;
  CHECK(EncodeFilterReply({}, &objects) ==
        R"({"Nodes":{"metadata":{},"items":[]},"NodeNames":null,"FailedNodes":{},)"
        R"("FailedAndUnresolvableNodes":{},"Error":""})");
}

TEST_CASE("A filter reply without a list, or with an error, has both lists null") {
  const std::string expected = R"({"Nodes":null,"NodeNames":null,"FailedNodes":{},)"
                               R"("FailedAndUnresolvableNodes":{},"Error":")";
  CHECK(EncodeFilterReply({}, nullptr) == expected + "\"}");
  const OfferedNodes offered = Names({"a"});
  FilterReply reply;
  reply.error = "not \"ready\"";
  CHECK(EncodeFilterReply(reply, &offered) == expected + R"(not \"ready\""})");
  CHECK(EncodeFilterReply(reply, nullptr) == expected + R"(not \"ready\""})");
}

TEST_CASE("Names and texts are escaped") {
  const OfferedNodes offered = Names({"a\"b"});
  FilterReply reply;
  reply.passed = {0};
  reply.failed.push_back({{"x\n\xff"}, "a > b"});
  CHECK(EncodeFilterReply(reply, &offered) ==
        R"({"Nodes":null,"NodeNames":["a\"b"],"FailedNodes":{"x\n\ufffd":"a \u003e b"},)"
        R"("FailedAndUnresolvableNodes":{},"Error":""})");
}

TEST_CASE("Of a name that is rejected twice the first text is told") {
  FilterReply reply;
  reply.failed.push_back({{"b", "a"}, "1"});
  reply.failed.push_back({{"a", "c", "c"}, "2"});
  CHECK(EncodeFilterReply(reply, nullptr) ==
        R"({"Nodes":null,"NodeNames":null,"FailedNodes":{"a":"1","b":"1","c":"2"},)"
        R"("FailedAndUnresolvableNodes":{},"Error":""})");
}

// All orders of names that differ early, late, in length, and by bytes beyond ASCII.
TEST_CASE("Rejected nodes are ordered by the bytes of their names") {
  std::vector<std::string_view> names = {"rack-",          "rack-1",      "rack-12345678a",
                                         "rack-12345678b", "rack-\u00e9", "rack-2"};
  const std::string expected =
      "{\"Nodes\":null,\"NodeNames\":null,\"FailedNodes\":{\"rack-\":\"t\",\"rack-1\":\"t\","
      "\"rack-12345678a\":\"t\",\"rack-12345678b\":\"t\",\"rack-2\":\"t\",\"rack-\u00e9\":\"t\"},"
      "\"FailedAndUnresolvableNodes\":{},\"Error\":\"\"}";
  std::sort(names.begin(), names.end());
  do {
    FilterReply reply;
    reply.failed.push_back({names, "t"});
    REQUIRE(EncodeFilterReply(reply, nullptr) == expected);
  } while (std::next_permutation(names.begin(), names.end()));
}

TEST_CASE("Thousands of rejected nodes are ordered as a plain sort would") {
  std::vector<std::string> names;
  for (int i = 0; i < 5'000; ++i) names.push_back(fmt::format("pool-{}", (i * 7'919) % 5'000));
  FilterReply reply;
  reply.unresolvable.push_back({{names.begin(), names.end()}, "t"});
  std::string expected = R"({"Nodes":null,"NodeNames":null,"FailedNodes":{},)"
                         R"("FailedAndUnresolvableNodes":{)";
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  for (const std::string& name : sorted) expected += fmt::format("\"{}\":\"t\",", name);
  expected.back() = '}';
  const bool equal = EncodeFilterReply(reply, nullptr) == expected + R"(,"Error":""})";
  CHECK(equal);
}

TEST_CASE("A prioritize reply is a bare list") {
  CHECK(EncodePrioritizeReply({}) == "[]");
  CHECK(EncodePrioritizeReply({{"a", 10}, {"b\"", 0}, {"c", -3}}) ==
        R"([{"Host":"a","Score":10},{"Host":"b\"","Score":0},{"Host":"c","Score":-3}])");
}

TEST_CASE("A bind reply") {
  CHECK(EncodeBindReply("") == R"({"Error":""})");
  CHECK(EncodeBindReply("no <room>") == R"({"Error":"no \u003croom\u003e"})");
}

TEST_CASE("A preempt reply has its nodes in order, its victims as given") {
  CHECK(EncodePreemptReply({}) == R"({"NodeNameToMetaVictims":{}})");
  CHECK(EncodePreemptReply({{"b", {"2", "1"}, 3}, {"a", {}, 0}}) ==
        R"({"NodeNameToMetaVictims":{"a":{"Pods":[],"NumPDBViolations":0},)"
        R"("b":{"Pods":[{"UID":"2"},{"UID":"1"}],"NumPDBViolations":3}}})");
  CHECK(EncodePreemptReply({{"a", {"1"}, 0}, {"a", {"2"}, 0}}) ==
        R"({"NodeNameToMetaVictims":{"a":{"Pods":[{"UID":"1"}],"NumPDBViolations":0}}})");
}

}  // namespace
}  // namespace gangplan::scheduler_reply_test
