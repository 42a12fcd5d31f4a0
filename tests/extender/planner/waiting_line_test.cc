#include "extender/planner/waiting_line.h"

#include <vector>

#include "tests/support/catch.h"

namespace gangplan::waiting_line_test {
namespace {

using Place = WaitingLine::Place;
using Uids = std::vector<std::string>;

Uids TakeAll(WaitingLine& line) {
  Uids uids;
  while (auto uid = line.Take()) uids.push_back(*uid);
  return uids;
}

}  // namespace

TEST_CASE("WaitingLine: priority, then creation, then name and UID, however they come") {
  const std::vector<Place> places = {{-5, 30, "team/a", "1"}, {0, 10, "team/z", "2"},
                                     {0, 20, "team/b", "3"},  {0, 20, "team/b", "4"},
                                     {0, 20, "team/c", "0"},  {7, 1, "team/a", "5"}};
  for (size_t first = 0; first < places.size(); ++first) {
    WaitingLine line;
    for (size_t i = 0; i < places.size(); ++i) line.Add(places[(first + i) % places.size()]);
    CHECK(TakeAll(line) == Uids{"1", "2", "3", "4", "0", "5"});
    CHECK(line.empty());
  }
}

TEST_CASE("WaitingLine: who is parked has no turn until there is a place in its namespace") {
  WaitingLine line;
  for (int i = 0; i < 4; ++i) {
    line.Park({0, i, "a/job", std::to_string(i)});
    line.Park({0, i + 10, "b/job", std::to_string(i + 10)});
  }
  CHECK(line.empty());
  const auto room = [](size_t in_a, size_t in_b) {
    return [=](std::string_view ns) { return ns == "a" ? in_a : in_b; };
  };
  line.Unpark(0, room(4, 4));
  CHECK(line.empty());
  line.Unpark(100, room(1, 2));
  CHECK(TakeAll(line) == Uids{"0", "10", "11"});
  // The oldest of all, where all together are bounded.
  line.Unpark(2, room(1, 2));
  CHECK(TakeAll(line) == Uids{"1", "12"});
  line.Drop({0, 2, "a/job", "2"});
  line.Unpark(100, room(4, 4));
  CHECK(TakeAll(line) == Uids{"3", "13"});
  CHECK_FALSE(line.AnyParked());
}

}  // namespace gangplan::waiting_line_test
