#include "extender/planner/ends_question.h"

#include <map>

#include "tests/support/catch.h"

namespace gangplan::ends_question_test {
namespace {

// Leaves of which each is free once all its pods have gone; the newcomer needs so many.
struct Leaves {
  std::map<int32_t, int64_t> taken;
  int64_t needs = 0;
  int asked = 0;

  VictimQuestion::Place Place() {
    return [this](const VictimQuestion::Change& change) {
      ++asked;
      for (const VictimQuestion::Freed& freed : change) taken[freed.leaf] -= freed.times;
      int64_t free = 0;
      for (const auto& [leaf, pods] : taken) {
        REQUIRE(pods >= 0);
        free += static_cast<int64_t>(pods == 0);
      }
      PlacementResult result;
      result.outcome = free >= needs ? Outcome::kPlaced : Outcome::kWait;
      return result;
    };
  }
};

TEST_CASE("the first moment at which the newcomer fits is found, whatever the order of the ends") {
  for (int64_t needs = 0; needs <= 41; ++needs) {
    EndsQuestion question;
    const size_t amounts = question.AddAmounts({1});
    Leaves leaves{{}, needs};
    for (int32_t leaf = 0; leaf < 40; ++leaf) {
      leaves.taken[leaf] = 1 + leaf % 2;
      const int64_t last = 1'000 + (leaf * 7) % 40;
      question.Add(last, leaf, amounts);
      if (leaf % 2 == 1) question.Add(last - 500, leaf, amounts);
    }
    question.Find(leaves.Place());
    INFO(needs);
    if (needs > 40) {
      CHECK_FALSE(question.by);
    } else {
      REQUIRE(question.by);
      CHECK(*question.by == (needs == 0 ? 0 : 999 + needs));
      CHECK(question.placement.outcome == Outcome::kPlaced);
    }
    CHECK(leaves.asked <= 8);
  }
}

TEST_CASE("ends of one moment count together") {
  EndsQuestion question;
  const size_t amounts = question.AddAmounts({1});
  Leaves leaves{{{0, 1}, {1, 1}, {2, 1}}, 2};
  for (int32_t leaf = 0; leaf < 3; ++leaf) question.Add(leaf < 2 ? 5 : 9, leaf, amounts);
  question.Find(leaves.Place());
  CHECK(question.by == 5);
}

}  // namespace
}  // namespace gangplan::ends_question_test
