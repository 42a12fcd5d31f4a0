// Random cases: the engine answers as the reference model does, its placements are valid, and the
// order in which a cluster is told does not matter.
#include <functional>

#include "fmt/format.h"
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

// Odd seeds are answered with Kueue's defects, even ones without.
void CheckCases(int cases, const Solver& solve) {
  for (int i = 0; i < cases; ++i) {
    const uint64_t seed = kFirstSeed + static_cast<uint64_t>(i);
    const Compatibility compatibility =
        seed % 2 == 0 ? Compatibility::kFixed : Compatibility::kExact;
    const PlacementCase one = random_tas::RandomCase(seed);
    const PlacementAnswer answer = solve(one, compatibility);
    INFO(ToJson(one));
    REQUIRE(ToJson(answer) == ToJson(tas_reference::ReferenceAnswer(one, compatibility)));
    REQUIRE(tas_validity::Fault(one, answer, compatibility) == "");
    const PlacementCase other_order = random_tas::Shuffled(one, seed);
    REQUIRE(ToJson(answer) == ToJson(solve(other_order, compatibility)));
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
