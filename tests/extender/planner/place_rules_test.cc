// Groups whose rules only the exact engine answers.
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "tests/support/sentences.h"

namespace gangplan::place_rules_test {

TEST_CASE("Rules beyond pack are kept, and the reason tells them") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(2, 2, 2));
  world.Sync();
  JobSpec job{.size = 4, .gpus = 4, .place = "block=spread; rack=pack!; node=pack max=1"};
  world.ShowJob(job, 0, 1);
  CHECK(world.Nodes("team/train") ==
        std::vector<std::string>{"b0-r0-n0", "b0-r0-n1", "b1-r0-n0", "b1-r0-n1"});
  JobSpec large{.name = "large", .size = 5, .gpus = 4, .place = "rack=pack!; node=spread!"};
  world.ShowJob(large, 0, 1);
  CHECK(world.Report("team/large").outcome == Outcome::kImpossible);
  CHECK(world.Report("team/large").reason == Sentence("impossible, so many fit", "large", 5,
                                                      "block=pack!; rack=pack!; node=spread!", 2));
  CHECK(world.Report("team/large").evidence ==
        "  asked: 5 members by block=pack!; rack=pack!; node=spread!\n"
        "  the first rule that fails: rack=pack!\n"
        "  nearest: 2 of 5 fit by these rules: 1 on b0/r0/b0-r0-n0, 1 on b0/r0/b0-r0-n1\n"
        "  would be placed with 3 members fewer\n"
        "  the empty cluster has a placement for 2 at most");
}

}  // namespace gangplan::place_rules_test
