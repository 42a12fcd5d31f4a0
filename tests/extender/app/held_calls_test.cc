#include "extender/app/held_calls.h"

#include <future>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::held_calls_test {
namespace {

TEST_CASE("A held call gets its answer once") {
  HeldCalls calls(2);
  auto first = calls.Open(1, "team");
  auto second = calls.Open(2, "team");
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
  auto first = calls.Open(1, "team");
  auto second = calls.Open(2, "team");
  REQUIRE(second.ok());
  const auto third = calls.Open(3, "team");
  CHECK(Message(third.status()) ==
        "gangplan holds 2 bind calls, as many as it may at once (server.maxHeldCalls: 2); raise it "
        "together with server.maxConnections, or let fewer members wait at once");
  calls.Forget(1);
  CHECK(calls.Open(3, "team").ok());
  CHECK(!calls.Open(4, "team").ok());
  calls.Answer(2, "");
  CHECK(calls.Open(4, "team").ok());
}

// A world with so many calls of "hog", numbered from 1, and no room for more.
struct Full {
  explicit Full(int limit) : calls(limit) {
    for (CallId id = 1; id <= limit; ++id) answers.push_back(*calls.Open(id, "hog"));
  }
  HeldCalls calls;
  std::vector<std::future<std::string>> answers;
};

TEST_CASE("The last call of the namespace with the most gives way, and says so") {
  Full full(3);
  REQUIRE(!full.calls.Open(4, "calm").ok());
  REQUIRE(full.calls.GiveWayTo("calm") == CallId{3});
  full.calls.Answer(3, "closed");
  CHECK(full.answers[2].get() ==
        "gangplan holds as many bind calls as it may at once (server.maxHeldCalls: 3), and "
        "namespace hog has the most of them: this one has given way to another namespace's; let "
        "fewer members wait at once");
  REQUIRE(full.calls.Open(4, "calm").ok());
  // 2 against 1: it would have fewer than who asks.
  CHECK(full.calls.GiveWayTo("calm") == std::nullopt);
  CHECK(full.calls.GiveWayTo("hog") == std::nullopt);
  CHECK(full.calls.GiveWayTo("third") == CallId{2});
}

TEST_CASE("Two that ask at once are given two calls") {
  Full full(4);
  CHECK(full.calls.GiveWayTo("calm") == CallId{4});
  CHECK(full.calls.GiveWayTo("calm") == CallId{3});
  CHECK(full.calls.GiveWayTo("third") == CallId{2});
  CHECK(full.calls.GiveWayTo("third") == std::nullopt);
}

TEST_CASE(
    "A call that was to give way and stays is answered as any other, and may be asked again") {
  Full full(3);
  REQUIRE(full.calls.GiveWayTo("calm") == CallId{3});
  full.calls.LetStay(3);
  CHECK(full.calls.GiveWayTo("calm") == CallId{3});
  full.calls.LetStay(3);
  full.calls.Answer(3, "its own reason");
  CHECK(full.answers[2].get() == "its own reason");
  full.calls.LetStay(3);  // long gone
  CHECK(full.calls.GiveWayTo("calm") == CallId{2});
}

TEST_CASE("A call that gives way and is bound meanwhile is told that") {
  Full full(3);
  REQUIRE(full.calls.GiveWayTo("calm") == CallId{3});
  full.calls.Answer(3, "");
  CHECK(full.answers[2].get().empty());
}

}  // namespace
}  // namespace gangplan::held_calls_test
