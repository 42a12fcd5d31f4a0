#include "extender/planner/named_room.h"

#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::named_room_test {

// Something of it was to be fitted still.
TEST_CASE("NamedRoom: what a node has let go is not lifted") {
  Ledger ledger{std::vector<ScopedTopology>{{ThreeLevels()}}};
  const GroupBook groups(ClaimLimits{});
  NamedRoom named(ledger, groups);
  for (const NodeFacts& node : MakeNodes(1, 1, 2)) REQUIRE(ledger.PutNode(node).ok());
  const GroupId account = NamedFor(1);
  ReservationWords words;
  words.from = absl::FromUnixSeconds(100);
  words.until = absl::FromUnixSeconds(200);
  words.count = 2;
  words.requests = {{"example.com/gpu", 8}};
  named.Put(account, "evening", words);
  named.Place(account, {{0, 1}, {1, 1}});
  named.Fit();
  REQUIRE(ledger.HoldCount(account) == 2);
  NodeFacts closed = MakeNode(0, 0, 0);
  closed.ready = false;
  REQUIRE(ledger.PutNode(closed).ok());
  ledger.ShedNode(0);
  REQUIRE(ledger.HoldCount(account) == 1);
  named.LiftAt({account}, {0, 1});
  CHECK(ledger.HoldCount(account) == 0);
  named.FitAt({0, 1});
  CHECK(ledger.HoldCount(account) == 1);
  CHECK(named.Find(account)->missing == 1);
}

}  // namespace gangplan::named_room_test
