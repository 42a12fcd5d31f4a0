#include "extender/server/connection_table.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>
#include <utility>

#include "tests/support/catch.h"

namespace gangplan {
namespace {

// Two ends of a stream; `ours` is the one in the table.
struct Pair {
  Pair() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    ours = ends[0];
    peer = ends[1];
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    ::close(ours);
    ClosePeer();
  }
  void ClosePeer() {
    if (peer >= 0) ::close(std::exchange(peer, -1));
  }
  int ours = -1;
  int peer = -1;
};

TEST_CASE("a running call whose peer closed is told, others are not") {
  ConnectionTable table;
  Pair gone, there, idle_gone;
  const int64_t a = *table.Open(gone.ours);
  const int64_t b = *table.Open(there.ours);
  const int64_t c = *table.Open(idle_gone.ours);
  const int64_t call_a = table.BeginCall(a);
  const int64_t call_b = table.BeginCall(b);
  CHECK(call_a != call_b);
  CHECK(table.ClosedCalls().empty());
  gone.ClosePeer();
  idle_gone.ClosePeer();
  CHECK(table.ClosedCalls() == std::vector<int64_t>{call_a});
  there.ClosePeer();
  CHECK(table.ClosedCalls() == std::vector<int64_t>{call_a, call_b});
  table.EndCall(a);
  CHECK(table.ClosedCalls() == std::vector<int64_t>{call_b});
  table.EndCall(b);
  for (const int64_t connection : {a, b, c}) table.Close(connection);
  CHECK(table.connections() == 0);
}

TEST_CASE("a peer is seen to go although bytes it sent before are still unread") {
  ConnectionTable table;
  Pair pair;
  const int64_t connection = *table.Open(pair.ours);
  const int64_t call = table.BeginCall(connection);
  REQUIRE(::send(pair.peer, "next", 4, 0) == 4);
  CHECK(table.ClosedCalls().empty());
  pair.ClosePeer();
  CHECK(table.ClosedCalls() == std::vector<int64_t>{call});
}

TEST_CASE("a descriptor that another connection took over is not the old call") {
  ConnectionTable table;
  int reused = -1;
  int64_t old_call = 0;
  {
    Pair first;
    reused = first.ours;
    const int64_t connection = *table.Open(first.ours);
    old_call = table.BeginCall(connection);
    first.ClosePeer();
    CHECK(table.ClosedCalls() == std::vector<int64_t>{old_call});
    table.EndCall(connection);
    table.Close(connection);
  }
  Pair second;
  REQUIRE(second.ours == reused);
  const int64_t connection = *table.Open(second.ours);
  const int64_t new_call = table.BeginCall(connection);
  CHECK(new_call != old_call);
  CHECK(table.ClosedCalls().empty());
}

TEST_CASE("call ids are unique over tables") {
  ConnectionTable one, two;
  Pair pair;
  const int64_t first = one.BeginCall(*one.Open(pair.ours));
  CHECK(two.BeginCall(*two.Open(pair.ours)) > first);
}

TEST_CASE("idle means no call, however many connections there are") {
  ConnectionTable table;
  Pair pair;
  const int64_t connection = *table.Open(pair.ours);
  CHECK(table.WaitUntilIdle(absl::ZeroDuration()));
  table.BeginCall(connection);
  CHECK_FALSE(table.WaitUntilIdle(absl::ZeroDuration()));
  CHECK(table.calls() == 1);
  std::thread ender([&] { table.EndCall(connection); });
  CHECK(table.WaitUntilIdle(absl::InfiniteDuration()));
  ender.join();
  CHECK(table.calls() == 0);
  CHECK(table.connections() == 1);
}

TEST_CASE("a shutdown ends the sockets, marks running calls and lets nobody in") {
  ConnectionTable table;
  Pair busy, idle, late;
  const int64_t call = table.BeginCall(*table.Open(busy.ours));
  table.Open(idle.ours);
  table.ShutdownAll();
  char byte = 0;
  CHECK(::recv(idle.ours, &byte, 1, 0) == 0);
  CHECK(::recv(idle.peer, &byte, 1, 0) == 0);
  CHECK(table.ClosedCalls() == std::vector<int64_t>{call});
  CHECK_FALSE(table.Open(late.ours));
}

}  // namespace
}  // namespace gangplan
