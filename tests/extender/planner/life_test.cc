#include "extender/planner/life.h"

#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "tests/support/catch.h"

namespace gangplan::life_test {

TEST_CASE("Life: every state can be reached from New") {
  std::set<GroupState> reached{GroupState::kNew};
  for (size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const LifeRow& row : LifeTable()) {
      if (reached.contains(row.state)) reached.insert(row.next);
    }
  }
  CHECK(reached.size() == kGroupStates);
}

TEST_CASE("Life: no state is the end while pods of the group come and go") {
  for (int state = 0; state < kGroupStates; ++state) {
    INFO(Name(static_cast<GroupState>(state)));
    bool way_out = false;
    for (const LifeRow& row : LifeTable()) {
      bool leaves = row.next != row.state || row.action == GroupAction::kSolve;
      way_out = way_out || (row.state == static_cast<GroupState>(state) && leaves);
    }
    CHECK(way_out);
  }
}

TEST_CASE("Life: no row stands behind one that always matches") {
  std::set<std::pair<GroupState, GroupEvent>> closed;
  std::set<std::tuple<GroupState, GroupEvent, GroupGuard>> seen;
  for (const LifeRow& row : LifeTable()) {
    INFO(Name(row.state) << ", " << Name(row.event));
    CHECK_FALSE(closed.contains({row.state, row.event}));
    CHECK(seen.insert({row.state, row.event, row.guard}).second);
    if (row.guard == GroupGuard::kAlways) closed.insert({row.state, row.event});
  }
}

TEST_CASE("Life: states with a deadline know what to do when it passes") {
  std::set<GroupState> armed;
  std::set<GroupState> timed;
  for (const LifeRow& row : LifeTable()) {
    if (row.action == GroupAction::kArmGather || row.action == GroupAction::kArmStart)
      armed.insert(row.next);
    if (row.event == GroupEvent::kTimeout) timed.insert(row.state);
  }
  for (GroupState state : armed) CHECK(timed.contains(state));
}

TEST_CASE("Life: the document holds the table") {
  std::ifstream file(GANGPLAN_SOURCE_DIR "/docs/states.md");
  REQUIRE(file.good());
  std::stringstream text;
  text << file.rdbuf();
  std::string table = LifeTableText();
  size_t at = text.str().find("| state |");
  REQUIRE(at != std::string::npos);
  CHECK(text.str().substr(at, table.size()) == table);
}

}  // namespace gangplan::life_test
