#include "extender/planner/solve_queue.h"

#include <vector>

#include "extender/planner/limits.h"
#include "tests/support/catch.h"

namespace gangplan {
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
  for (GroupId group : {1, 2, 3, 4}) queue.Mark(group, {0, 0});
  // Who is older and may gain by now goes first, so many times; then the others have their turn.
  for (int i = 0; i <= kMostTurnsBack; ++i) {
    CHECK(queue.Take() == 1);
    queue.Cut();
    queue.Mark(1, {0, 0});
  }
  CHECK(queue.Take() == 2);
  queue.Cut();
  queue.Mark(2, {0, 0});
  CHECK(TakeAll(queue) == std::vector<GroupId>{3, 4, 1, 2});
  // All were asked: it may turn back again.
  for (GroupId group : {1, 2}) queue.Mark(group, {0, 0});
  CHECK(queue.Take() == 1);
  queue.Cut();
  queue.Mark(1, {0, 0});
  CHECK(TakeAll(queue) == std::vector<GroupId>{1, 2});
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
  for (int i = 0; i <= kMostTurnsBack; ++i) {
    CHECK(queue.Take() == 1);
    queue.NoteFound(77);
    queue.Cut();
    queue.Mark(9, {5, 0});  // a greater rank, which finds room
    queue.Mark(1, {0, 0});
    CHECK(queue.Take() == 9);
    queue.NoteFound(9);
    queue.Cut();
  }
  CHECK(queue.Take() == 2);
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

}  // namespace gangplan
