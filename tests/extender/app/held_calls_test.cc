#include "extender/app/held_calls.h"

#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

TEST_CASE("A held call gets its answer once") {
  HeldCalls calls(2);
  auto first = calls.Open(1);
  auto second = calls.Open(2);
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  calls.Answer(2, "no");
  calls.Answer(2, "never heard");
  calls.Answer(3, "of nobody");
  CHECK(second->get() == "no");
  calls.AnswerAll("the end");
  CHECK(first->get() == "the end");
}

TEST_CASE("Beyond the limit a call is told why, and what to do") {
  HeldCalls calls(2);
  auto first = calls.Open(1);
  auto second = calls.Open(2);
  REQUIRE(second.ok());
  const auto third = calls.Open(3);
  CHECK(Message(third.status()) ==
        "gangplan holds 2 bind calls, as many as it may at once (server.maxHeldCalls: 2); raise it "
        "together with server.maxConnections, or let fewer members wait at once");
  calls.Forget(1);
  CHECK(calls.Open(3).ok());
  CHECK(!calls.Open(4).ok());
  calls.Answer(2, "");
  CHECK(calls.Open(4).ok());
}

}  // namespace
}  // namespace gangplan
