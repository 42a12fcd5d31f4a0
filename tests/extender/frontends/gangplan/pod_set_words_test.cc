#include "extender/frontends/gangplan/pod_set_words.h"

#include "extender/frontends/limits.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::pod_set_words_test {
namespace {

std::string Refusal(std::string_view text) { return Message(ParsePodSets(text).status()); }

// "s0=1,s1=1,..."
std::string Sets(size_t sets) {
  std::string text;
  for (size_t i = 0; i < sets; ++i) text += fmt::format("{}s{}=1", i == 0 ? "" : ",", i);
  return text;
}

TEST_CASE("Pod sets are listed with their counts") {
  const auto sets = ParsePodSets("leader=1,workers=8");
  REQUIRE(sets.ok());
  CHECK(*sets == std::vector<PodSetCount>{{"leader", 1}, {"workers", 8}});
  CHECK(MembersOf(*sets) == 9);
  CHECK(PodSetsText(*sets) == "leader=1,workers=8");
  CHECK(PodSetNames(*sets) == "leader, workers");
  CHECK(PodSetsText({{"", 4}}) == "4 members");
  CHECK(*ParsePodSets(" a = 1 ,\tb=2 ") == std::vector<PodSetCount>{{"a", 1}, {"b", 2}});
}

TEST_CASE("A list of pod sets that cannot be read says where and why") {
  CHECK(Refusal("") == "gangplan.io/pod-sets: \"\": expected NAME=COUNT");
  CHECK(Refusal("leader=1,") == "gangplan.io/pod-sets: \"\": expected NAME=COUNT");
  CHECK(Refusal("leader") == "gangplan.io/pod-sets: \"leader\": expected NAME=COUNT");
  CHECK(Refusal("=1") ==
        "gangplan.io/pod-sets: \"\": expected a name of 1 to 63 letters, digits, '-', '_' or '.'");
  CHECK(
      Refusal("a b=1") ==
      "gangplan.io/pod-sets: \"a b\": expected a name of 1 to 63 letters, digits, '-', '_' or '.'");
  CHECK(Refusal("a=1,b=2,a=3") == "gangplan.io/pod-sets: pod set \"a\" is listed twice");
  CHECK(Refusal("a=0") ==
        "gangplan.io/pod-sets: a: \"0\": expected a whole number from 1 to 50000");
  CHECK(
      Refusal("a=99999999999999999999") ==
      "gangplan.io/pod-sets: a: \"99999999999999999999\": expected a whole number from 1 to 50000");
  CHECK(Refusal("a=+1") ==
        "gangplan.io/pod-sets: a: \"+1\": expected a whole number from 1 to 50000");
}

TEST_CASE("The limits of a list of pod sets") {
  CHECK(ParsePodSets(Sets(kMaxPodSets)).ok());
  CHECK(Refusal(Sets(kMaxPodSets + 1)) == "gangplan.io/pod-sets: expected at most 16 pod sets");
  CHECK(ParsePodSets(fmt::format("a={},b=1", kMaxGroupSize - 1)).ok());
  CHECK(Refusal(fmt::format("a={},b=1", kMaxGroupSize)) ==
        "gangplan.io/pod-sets: 50001 members in all, expected at most 50000");
  CHECK(ParsePodSets(std::string(kMaxPodSetNameBytes, 'n') + "=1").ok());
  CHECK_THAT(Refusal(std::string(kMaxPodSetNameBytes + 1, 'n') + "=1"),
             StartsWith("gangplan.io/pod-sets: \"nnnn"));
  const std::string longest = "a=1" + std::string(kMaxWordBytes - 3, ' ');
  CHECK(ParsePodSets(longest).ok());
  CHECK(Refusal(longest + " ") == "gangplan.io/pod-sets: longer than 4096 bytes");
}

}  // namespace
}  // namespace gangplan::pod_set_words_test
