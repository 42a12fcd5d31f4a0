#include "extender/planner/round.h"

#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::round_test {

TEST_CASE("Round: what was done beside the model and by it counts") {
  Model model(std::vector<ScopedTopology>{{ThreeLevels()}});
  Round round(model, 10);
  round.Begin();
  CHECK_FALSE(round.IsOver());
  round.Spend(9);
  CHECK_FALSE(round.IsOver());
  round.spent() += 1;
  CHECK(round.IsOver());
  round.SetMost(1'000'000);
  CHECK(round.IsOver());  // of the rounds after this one
  round.Begin();
  CHECK_FALSE(round.IsOver());
  const int64_t before = round.Done();
  REQUIRE(model.UpsertNode(MakeNode(0, 0, 0, 8)).ok());
  model.MakeTrees();
  CHECK(round.Done() > before);
}

TEST_CASE("Round: a look and a solve are owed once, until the next one begins") {
  const Model model(std::vector<ScopedTopology>{{ThreeLevels()}});
  Round round(model, 0);
  round.Begin();
  CHECK_FALSE(round.owes_solve());
  round.Owe();
  CHECK(round.owes_solve());
  CHECK(round.TakeOwedLook());
  CHECK_FALSE(round.TakeOwedLook());
  round.TakeOwedSolve();
  CHECK_FALSE(round.owes_solve());
  round.Owe();
  round.Begin();
  CHECK_FALSE(round.TakeOwedLook());
}

TEST_CASE("Round: a solve that is owed makes way for a copy every other time") {
  const Model model(std::vector<ScopedTopology>{{ThreeLevels()}});
  Round round(model, 0);
  round.PutOffSolve();  // none is owed
  for (int i = 0; i < 3; ++i) {
    round.Begin();
    round.Owe();
    round.PutOffSolve();
    CHECK_FALSE(round.owes_solve());
    round.PutOffSolve();  // another copy
    CHECK_FALSE(round.owes_solve());
    round.Begin();
    round.Owe();
    round.PutOffSolve();
    CHECK(round.owes_solve());
  }
}

}  // namespace gangplan::round_test
