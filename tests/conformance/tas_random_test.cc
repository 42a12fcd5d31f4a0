// Random cases: the engine answers as the reference model does, its placements are valid, and the
// order in which a cluster is told does not matter.
#include <cstdio>
#include <functional>

#include "tests/conformance/placement_answer.h"
#include "tests/support/catch.h"
#include "tests/support/random_tas/random_case.h"
#include "tests/support/rounds.h"
#include "tests/support/tas_reference/reference.h"
#include "tests/support/tas_validity.h"

namespace gangplan::conformance {
namespace {

constexpr uint64_t kFirstSeed = 20261121;

// Checked builds are many times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kCases = 1000;
constexpr int kManyCases = 10000;
#else
constexpr int kCases = 10000;
constexpr int kManyCases = 100000;
#endif

using Solver = std::function<PlacementAnswer(const PlacementCase&, Compatibility)>;

// Ends the test with the case as JSON, by itself on a line.
void Fail(const PlacementCase& one, const char* what, const std::string& want,
          const std::string& got) {
  std::fprintf(stderr, "%s: %s\nwant %s\ngot  %s\n", what, ToJson(one).c_str(), want.c_str(),
               got.c_str());
  INFO(one.id);
  FAIL(what);
}

void CheckCase(const PlacementCase& one, uint64_t seed, Compatibility compatibility,
               const Solver& solve) {
  const PlacementAnswer answer = solve(one, compatibility);
  const std::string got = ToJson(answer);
  const std::string want = ToJson(tas_reference::ReferenceAnswer(one, compatibility));
  if (got != want) Fail(one, "another answer than the reference's", want, got);
  const std::string fault = tas_validity::Fault(one, answer, compatibility);
  if (!fault.empty()) Fail(one, "not valid", fault, got);
  const std::string shuffled = ToJson(solve(random_tas::Shuffled(one, seed), compatibility));
  if (shuffled != got) Fail(one, "another answer to another order", got, shuffled);
}

void CheckCases(int cases, const Solver& solve) {
  for (int i = 0; i < cases; ++i) {
    const uint64_t seed = kFirstSeed + static_cast<uint64_t>(i);
    const PlacementCase one = random_tas::RandomCase(seed);
    CheckCase(one, seed, Compatibility::kExact, solve);
    CheckCase(one, seed, Compatibility::kFixed, solve);
  }
  CHECK(cases > 0);
}

TEST_CASE("A case survives the way to JSON and back") {
  for (int i = 0; i < Rounds(200); ++i) {
    const std::string text = ToJson(random_tas::RandomCase(kFirstSeed + static_cast<uint64_t>(i)));
    rapidjson::Document json;
    json.Parse(text.data(), text.size());
    const absl::StatusOr<PlacementCase> again = ReadPlacementCase(json);
    REQUIRE(again.ok());
    REQUIRE(ToJson(*again) == text);
  }
}

TEST_CASE("The reference model places validly, in whatever order the cluster is told") {
  CheckCases(Rounds(kCases / 5), tas_reference::ReferenceAnswer);
}

TEST_CASE("The engine places random cases as the reference model does") {
  CheckCases(Rounds(kCases), Answer);
}

TEST_CASE("The engine places many random cases as the reference model does", "[.long]") {
  CheckCases(kManyCases, Answer);
}

}  // namespace
}  // namespace gangplan::conformance
