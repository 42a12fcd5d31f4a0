#include "extender/planner/solve_queue.h"

#include <vector>

#include "extender/planner/limits.h"
#include "tests/support/catch.h"

namespace gangplan::solve_queue_test {
namespace {

constexpr absl::Time kNow = absl::FromUnixSeconds(100);

std::vector<GroupId> TakeAll(SolveQueue& queue) {
  std::vector<GroupId> taken;
  while (auto group = queue.Take()) taken.push_back(*group);
  return taken;
}

}  // namespace

TEST_CASE("SolveQueue: priority, then the object's priority, then age") {
  SolveQueue queue;
  queue.Mark(1, {0, 0});
  queue.Mark(2, {0, 3});
  queue.Mark(4, {5, 0});
  queue.Mark(3, {5, 0});
  CHECK(TakeAll(queue) == std::vector<GroupId>{3, 4, 2, 1});
  CHECK(queue.empty());
}

TEST_CASE("SolveQueue: of one priority the oldest object goes first, whenever its group came") {
  SolveQueue queue;
  queue.Mark(1, {0, 0, 30});
  queue.Mark(2, {0, 0, 10});
  queue.Mark(3, {0, 0, 20});
  queue.Mark(4, {0, 0, 10});
  queue.Mark(5, {1, 0, 90});
  CHECK(TakeAll(queue) == std::vector<GroupId>{5, 2, 4, 3, 1});
}

TEST_CASE("SolveQueue: a group waits once, where it was marked last") {
  SolveQueue queue;
  queue.Mark(1, {0, 0});
  queue.Mark(2, {1, 0});
  queue.Mark(1, {2, 0});
  CHECK(TakeAll(queue) == std::vector<GroupId>{1, 2});
}

TEST_CASE("SolveQueue: a round that was cut goes on behind the last one, within its priority") {
  SolveQueue queue;
  for (GroupId group : {1, 2, 3}) queue.Mark(group, {0, 0});
  // Who is older and may gain by now goes first, so often; then the others have their turn.
  const int most = kMostOlder * (kMostTurnsBack + 1);
  for (const GroupId next : {2, 3}) {
    int taken = 0;
    for (GroupId group = 1; group == 1 && taken <= most + 1; ++taken) {
      group = *queue.Take();
      queue.Cut();
      if (group == 1) queue.Mark(1, {0, 0});
      if (group != 1) CHECK(group == next);
    }
    CHECK(taken <= most + 2);
    CHECK(taken > kMostOlder);
  }
}

TEST_CASE("SolveQueue: the circle stays where it is while older ones have their turn") {
  SolveQueue queue;
  for (GroupId group : {1, 2, 3, 4}) queue.Mark(group, {0, 0});
  for (const GroupId group : {1, 2}) {
    CHECK(queue.Take() == group);
    queue.Cut();
  }
  for (GroupId group : {1, 2}) queue.Mark(group, {0, 0});
  CHECK(TakeAll(queue) == std::vector<GroupId>{1, 2, 3, 4});
}

TEST_CASE(
    "SolveQueue: nobody starves behind one that finds room and comes again, and its friends") {
  constexpr GroupId kFriends = 300;
  constexpr GroupId kYoung = 999;
  SolveQueue queue;
  queue.Mark(kYoung, {0, 0});
  bool young = false;
  int rounds = 0;
  for (; rounds < 2 * kFriends && !young; ++rounds) {
    for (GroupId group = 1; group <= kFriends; ++group) {
      if (!queue.Waits(group)) queue.Mark(group, {0, 0});
    }
    for (int i = 0; i <= kMostOlder + 1 && !young; ++i) {
      const GroupId group = *queue.Take();
      if (group == 1) queue.NoteFound(group);
      young = group == kYoung;
    }
    queue.Cut();
  }
  CHECK(young);
}

TEST_CASE("SolveQueue: when all were asked the oldest goes first, however often that was cut") {
  SolveQueue queue;
  for (int circle = 0; circle < 3 * kMostTurnsBack; ++circle) {
    for (GroupId group : {1, 2, 3}) queue.Mark(group, {0, 0});
    CHECK(queue.Take() == 1);
    queue.Cut();
    switch (circle % 3) {
      case 0:
        CHECK(TakeAll(queue) == std::vector<GroupId>{2, 3});
        break;
      case 1:
        for (GroupId group : {2, 3}) queue.Forget(group);
        break;
      default:
        for (GroupId group : {2, 3}) queue.Pause(group, kNow);
        CHECK(queue.EndPauses(kNow).size() == 2);
    }
    REQUIRE(queue.empty());
  }
}

TEST_CASE("SolveQueue: a round that was cut before anybody was asked leaves the order as it was") {
  SolveQueue queue;
  for (GroupId group : {1, 2, 3}) queue.Mark(group, {0, 0});
  CHECK(queue.Take() == 1);
  queue.Cut();
  queue.Mark(1, {0, 0});
  queue.Cut();
  CHECK(TakeAll(queue) == std::vector<GroupId>{1, 2, 3});
  for (GroupId group : {3, 4}) queue.Mark(group, {0, 0});
  queue.Cut();
  queue.Mark(2, {0, 0});
  CHECK(TakeAll(queue) == std::vector<GroupId>{2, 3, 4});
}

TEST_CASE("SolveQueue: it turns back as often as those who are older find room") {
  SolveQueue queue;
  for (GroupId group : {1, 2, 3}) queue.Mark(group, {0, 0});
  for (int i = 0; i < 3 * kMostTurnsBack; ++i) {
    CHECK(queue.Take() == 1);
    queue.NoteFound(1);
    queue.Cut();
    queue.Mark(1, {0, 0});
  }
  CHECK(TakeAll(queue) == std::vector<GroupId>{1, 2, 3});
}

TEST_CASE("SolveQueue: room that others find does not let an older one turn back for ever") {
  SolveQueue queue;
  for (GroupId group : {1, 2}) queue.Mark(group, {0, 0});
  bool second = false;
  for (int i = 0; i <= kMostOlder * (kMostTurnsBack + 1) && !second; ++i) {
    second = queue.Take() == 2;
    queue.NoteFound(77);
    queue.Cut();
    queue.Mark(9, {5, 0});  // a greater rank, which finds room
    queue.Mark(1, {0, 0});
    CHECK(queue.Take() == 9);
    queue.NoteFound(9);
    queue.Cut();
  }
  CHECK(second);
}

TEST_CASE("SolveQueue: who is older and marked before the round is cut has its turn first") {
  SolveQueue queue;
  for (GroupId group : {1, 2, 3}) queue.Mark(group, {0, 0});
  CHECK(queue.Take() == 1);
  queue.Mark(1, {0, 0});
  queue.Cut();
  CHECK(TakeAll(queue) == std::vector<GroupId>{1, 2, 3});
}

TEST_CASE("SolveQueue: without a cut the oldest goes first again") {
  SolveQueue queue;
  for (GroupId group : {1, 2, 3}) queue.Mark(group, {0, 0});
  CHECK(queue.Take() == 1);
  queue.Mark(1, {0, 0});
  CHECK(TakeAll(queue) == std::vector<GroupId>{1, 2, 3});
}

TEST_CASE("SolveQueue: a greater priority that comes after a cut goes first") {
  SolveQueue queue;
  for (GroupId group : {1, 2, 3}) queue.Mark(group, {0, 0});
  CHECK(queue.Take() == 1);
  queue.Cut();
  queue.Mark(1, {0, 0});
  queue.Mark(9, {7, 0});
  CHECK(TakeAll(queue) == std::vector<GroupId>{9, 1, 2, 3});
}

TEST_CASE("SolveQueue: who marked a paused group is told when its pause is over") {
  SolveQueue queue;
  queue.Mark(1, {0, 0});
  queue.Pause(1, kNow);
  queue.Pause(2, kNow);
  queue.Mark(2, {0, 0});
  queue.Pause(3, kNow);  // not marked meanwhile
  CHECK(queue.EndPauses(kNow - absl::Seconds(1)).empty());
  CHECK(queue.empty());
  CHECK(queue.EndPauses(kNow) == std::vector<GroupId>{1, 2});
  CHECK(queue.empty());
  queue.Mark(3, {0, 0});
  CHECK(queue.Waits(3));
}

TEST_CASE("SolveQueue: a forgotten group does not come back with the end of its pause") {
  SolveQueue queue;
  queue.Mark(1, {0, 0});
  queue.Mark(2, {0, 0});
  queue.Pause(2, kNow);
  queue.Forget(1);
  queue.Forget(2);
  CHECK(queue.EndPauses(kNow).empty());
  CHECK(queue.empty());
}

}  // namespace gangplan::solve_queue_test
