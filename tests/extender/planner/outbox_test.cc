#include "extender/planner/outbox.h"
#include "extender/planner/solve_task.h"

#include "tests/support/catch.h"

namespace gangplan::outbox_test {
namespace {

// One effect of each kind.
void PushAll(Outbox& outbox) {
  outbox.Push(WriteBindings());
  outbox.Push(BindingRead());
  outbox.Push(AnswerCall());
  outbox.Push(CommitReady());
  outbox.Push(Nomination());
  outbox.Push(OwnerRead());
  outbox.Push(WriteResults());
  outbox.Push(WriteRankList());
  outbox.Push(WriteMemberLabels());
  outbox.Push(EventNote());
  outbox.Push(SolveOnCopy());
  outbox.Push(ExplainGroup());
  outbox.Push(JobWrite());
  outbox.Push(PodRelease());
  outbox.Push(PodDelete());
  outbox.Push(PodMark());
  outbox.Push(PodGroupWrite());
  outbox.Push(GangChange());
}

}  // namespace

TEST_CASE("Outbox: an instance that is not active writes nothing") {
  Outbox outbox;
  PushAll(outbox);
  const Effects effects = outbox.Take();
  REQUIRE(effects.size() == 5);
  CHECK(std::holds_alternative<AnswerCall>(effects[0]));
  CHECK(std::holds_alternative<OwnerRead>(effects[1]));
  CHECK(std::holds_alternative<SolveOnCopy>(effects[2]));
  CHECK(std::holds_alternative<JobWrite>(effects[3]));    // see suspended_owners.h
  CHECK(std::holds_alternative<PodRelease>(effects[4]));  // see gates.h
}

TEST_CASE("Outbox: an active one gives every effect away once, in order") {
  Outbox outbox;
  outbox.SetActive(true);
  PushAll(outbox);
  const Effects effects = outbox.Take();
  REQUIRE(effects.size() == std::variant_size_v<Effect>);
  for (size_t i = 0; i < effects.size(); ++i) CHECK(effects[i].index() == i);
  CHECK(outbox.Take().empty());
}

}  // namespace gangplan::outbox_test
