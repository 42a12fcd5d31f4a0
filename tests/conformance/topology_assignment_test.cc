#include "tests/conformance/topology_assignment.h"

#include <random>

#include "extender/protocol/limits.h"
#include "tests/extender/protocol/bad_input_table.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"
#include "tests/support/rounds.h"

namespace gangplan::topology_assignment_test {
namespace {

constexpr auto kSmallest = AssignmentSlices::kSmallest;
constexpr auto kByHostname = AssignmentSlices::kByHostname;

TopologyAssignment Hosts(const std::vector<std::pair<std::string, int32_t>>& hosts) {
  TopologyAssignment assignment{{"kubernetes.io/hostname"}, {}};
  for (const auto& [host, count] : hosts) assignment.domains.push_back({{host}, count});
  return assignment;
}

std::string Compact(const TopologyAssignment& assignment, AssignmentSlices slices) {
  const auto text = EncodeCompactAssignment(assignment, slices);
  REQUIRE(ErrorOf(text) == "");
  return *text;
}

// The only slice of an assignment of one level.
std::string Values(const std::vector<std::string>& values) {
  TopologyAssignment assignment{{"rack"}, {}};
  for (const std::string& value : values) assignment.domains.push_back({{value}, 1});
  const std::string text = Compact(assignment, kSmallest);
  const size_t begin = text.find("valuesPerLevel\":[") + 17;
  return text.substr(begin, text.find("],\"podCounts") - begin);
}

void CheckRoundTrip(const TopologyAssignment& assignment) {
  for (AssignmentSlices slices : {kSmallest, kByHostname}) {
    std::string text = Compact(assignment, slices);
    const auto read = DecodeCompactAssignment(text);
    REQUIRE(ErrorOf(read) == "");
    CHECK(*read == assignment);
  }
  auto plain = EncodePlainAssignment(assignment);
  REQUIRE(ErrorOf(plain) == "");
  const auto read = DecodePlainAssignment(*plain);
  REQUIRE(ErrorOf(read) == "");
  CHECK(*read == assignment);
}

TEST_CASE("Assignments: each bad text is refused with its exact error") {
  const std::vector<BadInput> table = ReadBadInputs("tests/conformance/bad_assignments.txt");
  REQUIRE(table.size() >= 17);
  for (BadInput bad : table) {
    INFO(bad.decoder << ' ' << bad.text);
    const bool compact = bad.decoder == "compact";
    CHECK(ErrorOf(compact ? DecodeCompactAssignment(bad.text) : DecodePlainAssignment(bad.text)) ==
          bad.error);
  }
}

TEST_CASE("Compact: the empty assignment has levels only") {
  CHECK(Compact({{"a", "b"}, {}}, kSmallest) == R"({"levels":["a","b"]})");
}

TEST_CASE("Compact: one value for all, or what is between prefix and suffix") {
  CHECK(Values({"a"}) == R"({"universal":"a"})");
  CHECK(Values({"a", "a"}) == R"({"universal":"a"})");
  CHECK(Values({"", ""}) == R"({"universal":""})");
  CHECK(Values({"a1z", "a2z"}) ==
        R"({"individual":{"prefix":"a","suffix":"z","roots":["1","2"]}})");
  CHECK(Values({"x", "y"}) == R"({"individual":{"roots":["x","y"]}})");
  CHECK(Values({"ab", "a"}) == R"({"individual":{"prefix":"a","roots":["b",""]}})");
}

TEST_CASE("Compact: where prefix and suffix overlap the prefix gives way") {
  CHECK(Values({"xyx", "xyxyx"}) == R"({"individual":{"suffix":"xyx","roots":["","xy"]}})");
  CHECK(Values({"aa", "aaa"}) == R"({"individual":{"suffix":"aa","roots":["","a"]}})");
}

TEST_CASE("Compact: counts are one number when they are equal") {
  CHECK_THAT(Compact(Hosts({{"a", 2}, {"b", 2}}), kSmallest),
             ContainsText(R"("podCounts":{"universal":2})"));
  CHECK_THAT(Compact(Hosts({{"a", 2}, {"b", 3}}), kSmallest),
             ContainsText(R"("podCounts":{"individual":[2,3]})"));
}

size_t SlicesOf(const std::string& text) {
  size_t count = 0;
  for (size_t at = text.find("domainCount"); at != std::string::npos;
       at = text.find("domainCount", at + 1))
    ++count;
  return count;
}

TEST_CASE("Compact: neighbours share a slice by the longest prefix that two hosts have") {
  const auto slices = [](const std::vector<std::string>& hosts) {
    TopologyAssignment assignment = Hosts({});
    for (const std::string& host : hosts) assignment.domains.push_back({{host}, 1});
    return SlicesOf(Compact(assignment, kByHostname));
  };
  CHECK(slices({"p-a-1", "p-a-2", "p-b-1", "p-b-2"}) == 2);
  CHECK(slices({"p-a-1", "p-b-1", "p-a-2", "p-b-2"}) == 4);  // the order is kept
  CHECK(slices({"p-a-1", "p-a-2", "p-b-1"}) == 2);           // p-b- is there once: p- for it
  CHECK(slices({"a-1", "b-1", "c-1"}) == 1);                 // no prefix is there twice
  CHECK(slices({"a-", "a-", "b"}) == 1);                     // a dash at the end ends no prefix
}

TEST_CASE("Compact: without a host name level, prefixes cut nothing") {
  TopologyAssignment assignment{{"rack"}, {{{"p-a-1"}, 1}, {{"p-a-2"}, 1}, {{"p-b-1"}, 1}}};
  CHECK(SlicesOf(Compact(assignment, kByHostname)) == 1);
}

TEST_CASE("Compact: the shorter text of both is chosen") {
  const TopologyAssignment few = Hosts({{"p-a-1", 1}, {"p-a-2", 1}, {"p-b-1", 2}, {"p-b-2", 2}});
  CHECK(SlicesOf(Compact(few, kByHostname)) == 2);
  CHECK(SlicesOf(Compact(few, kSmallest)) == 1);
  TopologyAssignment many = Hosts({});
  for (const std::string pool : {"a", "b"}) {
    for (int i = 0; i < 50; ++i)
      many.domains.push_back({{fmt::format("pool-with-a-long-name-{}-node-{}", pool, i)}, 1});
  }
  CHECK(SlicesOf(Compact(many, kSmallest)) == 2);
}

TEST_CASE("Compact: prefixes get shorter until the slices are few enough") {
  TopologyAssignment assignment = Hosts({});
  for (int pool = 0; pool < 1'001; ++pool) {
    for (int node = 0; node < 2; ++node)
      assignment.domains.push_back({{fmt::format("p-{}-{}", pool, node)}, 1});
  }
  CHECK(SlicesOf(Compact(assignment, kByHostname)) == 1);
  assignment.domains.resize(2'000);
  CHECK(SlicesOf(Compact(assignment, kByHostname)) == 1'000);
}

TEST_CASE("Assignments read the same again, compact and plain") {
  CheckRoundTrip({{"a"}, {}});
  CheckRoundTrip(Hosts({{"x\"y", 1}, {"a\x1f\x7f", 2'147'483'647}}));
  constexpr uint32_t kSeed = 1;
  INFO("seed " << kSeed);
  std::mt19937 random(kSeed);
  const auto pick = [&](uint32_t below) { return random() % below; };
  for (int round = 0; round < Rounds(300); ++round) {
    TopologyAssignment assignment{{"block", "kubernetes.io/hostname"}, {}};
    for (uint32_t i = pick(12); i > 0; --i) {
      std::string host;
      for (uint32_t length = pick(6); length > 0; --length) host += "ab-"[pick(3)];
      assignment.domains.push_back(
          {{fmt::format("b{}", pick(2)), host}, static_cast<int32_t>(pick(3)) + 1});
    }
    CheckRoundTrip(assignment);
  }
}

TEST_CASE("Assignments that the format does not hold are not written") {
  const auto errors = [](const TopologyAssignment& assignment) {
    const std::string compact = ErrorOf(EncodeCompactAssignment(assignment, kSmallest));
    CHECK(compact == ErrorOf(EncodePlainAssignment(assignment)));
    return compact;
  };
  CHECK(errors({{}, {}}) == "levels: expected 1 to 16, found 0");
  CHECK(errors({std::vector<std::string>(16, "a"), {}}) == "");
  CHECK(errors({std::vector<std::string>(17, "a"), {}}) == "levels: expected 1 to 16, found 17");
  CHECK(errors({{"a", "b"}, {{{"x"}, 1}}}) ==
        "domains[0].values: expected 2, one a level, found 1");
  CHECK(errors({{"a"}, {{{"x"}, 1}, {{"y"}, 0}}}) ==
        "domains[1].count: expected at least 1, found 0");
  CHECK(errors({{"a\x7f"}, {{{"\x7f"}, 1}}}) == "");
  CHECK(errors({{"a\x80"}, {}}) == "levels: expected ASCII");
  CHECK(errors({{"a"}, {{{"x"}, 1}, {{"\u00e4"}, 1}}}) == "domains[1].values: expected ASCII");
}

TEST_CASE("A slice takes 100,000 domains, the plain form no more") {
  TopologyAssignment assignment{{"rack"}, {kMaxDomainsPerSlice, AssignedDomain{{"x"}, 1}}};
  CHECK(SlicesOf(Compact(assignment, kSmallest)) == 1);
  CHECK(ErrorOf(EncodePlainAssignment(assignment)) == "");
  assignment.domains.push_back({{"x"}, 1});
  std::string text = Compact(assignment, kSmallest);
  CHECK(SlicesOf(text) == 2);
  CHECK(ErrorOf(EncodePlainAssignment(assignment)) ==
        "domains: expected at most 100000, found 100001");
  CHECK(ErrorOf(DecodeCompactAssignment(text)) == "slices: more than 100000 domains");
}

std::string Slices(size_t count, size_t domains) {
  std::string slices;
  for (size_t i = 0; i < count; ++i) {
    slices += fmt::format(R"({}{{"domainCount":{},"valuesPerLevel":[{{"universal":"x"}}],)"
                          R"("podCounts":{{"universal":1}}}})",
                          i > 0 ? "," : "", domains);
  }
  return fmt::format(R"({{"levels":["a"],"slices":[{}]}})", slices);
}

std::string Refusal(std::string text) { return ErrorOf(DecodeCompactAssignment(text)); }

TEST_CASE("Limits of reading a compact assignment") {
  CHECK(Refusal(Slices(1'000, 100)) == "");
  CHECK(Refusal(Slices(1'001, 1)) == "slices: more than 1000 items");
  CHECK(Refusal(Slices(1'000, 101)) == "slices: more than 100000 domains");
  CHECK(Refusal(Slices(1, 100'000)) == "");
  CHECK(Refusal(Slices(1, 100'001)) ==
        "slices[0].domainCount: expected an integer from 1 to 100000, found 100001");
}

TEST_CASE("Assignments that are not ASCII are not read") {
  std::string compact = R"({"levels":["\u00e4"]})";
  CHECK(ErrorOf(DecodeCompactAssignment(compact)) == "levels: expected ASCII");
  std::string plain = R"({"levels":["a"],"domains":[{"values":["\u00e4"],"count":1}]})";
  CHECK(ErrorOf(DecodePlainAssignment(plain)) == "domains[0].values: expected ASCII");
}

}  // namespace
}  // namespace gangplan::topology_assignment_test
