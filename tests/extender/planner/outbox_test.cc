#include "extender/planner/outbox.h"

#include <string>
#include <vector>

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

// What people are told when it becomes active, and cleared by that.
std::vector<std::string> ToldBy(Outbox& outbox, absl::Time now) {
  outbox.SetNow(now);
  outbox.SetActive(true);
  std::vector<std::string> told;
  for (const Effect& effect : outbox.Take()) told.push_back(std::get<EventNote>(effect).note);
  outbox.SetActive(false);
  return told;
}

void Note(Outbox& outbox, absl::Time now, size_t number) {
  outbox.SetNow(now);
  EventNote note;
  note.note = std::to_string(number);
  outbox.Push(std::move(note));
}

}  // namespace

TEST_CASE("Outbox: who takes over tells what the other one may not have told, and nothing old") {
  Outbox outbox;
  const absl::Time start = absl::UnixEpoch();
  for (size_t i = 0; i <= kMaxUntold; ++i) Note(outbox, start + i * absl::Hours(1), i);
  CHECK(ToldBy(outbox, start + kMaxUntold * absl::Hours(1) + absl::Seconds(15)) ==
        std::vector<std::string>{std::to_string(kMaxUntold)});
  Note(outbox, start, 1);
  Note(outbox, start + absl::Seconds(1), 2);
  CHECK(ToldBy(outbox, start + kUntoldLast) == std::vector<std::string>{"2"});
}

TEST_CASE("Outbox: of too many the newest are told") {
  Outbox outbox;
  for (size_t i = 0; i < kMaxUntold + 2; ++i) Note(outbox, absl::UnixEpoch(), i);
  const std::vector<std::string> told = ToldBy(outbox, absl::UnixEpoch());
  REQUIRE(told.size() == kMaxUntold);
  CHECK(told.front() == "2");
  CHECK(told.back() == std::to_string(kMaxUntold + 1));
}

TEST_CASE("Outbox: what was to be told before there was a time is told") {
  Outbox outbox;
  outbox.Push(EventNote());
  CHECK(ToldBy(outbox, absl::UnixEpoch()).size() == 1);
}

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
