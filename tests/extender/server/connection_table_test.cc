#include "extender/server/connection_table.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>
#include <utility>

#include "tests/support/catch.h"

namespace gangplan::connection_table_test {
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

void End(ConnectionTable& table, int64_t connection) {
  table.EndRoute(connection);
  table.EndRequest(connection);
}

TEST_CASE("calls that a connection carries count in its place, and none of them gives way") {
  ConnectionTable table({2, 100});
  Pair first, second, third;
  const int64_t carrier = *table.Open(first.ours, "a");
  const int64_t one = *table.OpenCarried(carrier);
  CHECK(table.connections() == 1);
  const int64_t call = table.BeginCall(one);
  const int64_t idle = *table.Open(second.ours, "b");
  const int64_t two = *table.OpenCarried(carrier);  // in place of the idle one
  CHECK(table.connections() == 2);
  CHECK_FALSE(table.OpenCarried(carrier).has_value());
  CHECK_FALSE(table.Open(third.ours, "b").has_value());
  CHECK(table.ClosedCalls().empty());
  table.Abandon(one);
  CHECK(table.ClosedCalls() == std::vector<int64_t>{call});
  End(table, one);
  CHECK(table.ClosedCalls().empty());
  table.Close(one);
  table.Close(idle);
  CHECK(table.connections() == 1);
  table.Close(two);
  CHECK(table.connections() == 1);  // the connection counts again
  const int64_t last = *table.Open(third.ours, "b");
  CHECK(*table.Open(second.ours, "b") > last);  // it carries none: it has given way
  CHECK_FALSE(table.OpenCarried(carrier).has_value());
  CHECK(table.connections() == 2);
  table.Close(carrier);
  CHECK(table.connections() == 2);
}

TEST_CASE("bytes that are kept for a connection are given back one by one, or all") {
  ConnectionTable table({2, 100});
  Pair first, second;
  const int64_t a = *table.Open(first.ours, "a");
  const int64_t b = *table.Open(second.ours, "b");
  CHECK(table.KeepBytes(a, 60));
  CHECK(table.KeepBytes(a, 40));
  CHECK_FALSE(table.KeepBytes(a, 1));
  table.DropBytes(a, 41);
  CHECK(table.body_bytes() == 60);
  CHECK(table.KeepBytes(b, 50));  // and the other one is ended for it
  CHECK(table.body_bytes() == 50);
  CHECK_FALSE(table.KeepBytes(a, 5));
  table.DropBytes(a, 65);
  table.Close(a);
  CHECK(table.body_bytes() == 50);
  table.EndRequest(b);
  CHECK(table.body_bytes() == 0);
  table.Close(b);
}

TEST_CASE("a running call whose peer closed is told, others are not") {
  ConnectionTable table({100, 100});
  Pair gone, there, idle_gone;
  const int64_t a = *table.Open(gone.ours, "a");
  const int64_t b = *table.Open(there.ours, "a");
  const int64_t c = *table.Open(idle_gone.ours, "a");
  const int64_t call_a = table.BeginCall(a);
  const int64_t call_b = table.BeginCall(b);
  CHECK(call_a != call_b);
  CHECK(table.ClosedCalls().empty());
  gone.ClosePeer();
  idle_gone.ClosePeer();
  CHECK(table.ClosedCalls() == std::vector<int64_t>{call_a});
  there.ClosePeer();
  CHECK(table.ClosedCalls() == std::vector<int64_t>{call_a, call_b});
  End(table, a);
  CHECK(table.ClosedCalls() == std::vector<int64_t>{call_b});
  End(table, b);
  for (const int64_t connection : {a, b, c}) table.Close(connection);
  CHECK(table.connections() == 0);
}

TEST_CASE("a peer is seen to go although bytes it sent before are still unread") {
  ConnectionTable table({100, 100});
  Pair pair;
  const int64_t connection = *table.Open(pair.ours, "a");
  const int64_t call = table.BeginCall(connection);
  REQUIRE(::send(pair.peer, "next", 4, 0) == 4);
  CHECK(table.ClosedCalls().empty());
  pair.ClosePeer();
  CHECK(table.ClosedCalls() == std::vector<int64_t>{call});
}

TEST_CASE("a descriptor that another connection took over is not the old call") {
  ConnectionTable table({100, 100});
  int reused = -1;
  int64_t old_call = 0;
  {
    Pair first;
    reused = first.ours;
    const int64_t connection = *table.Open(first.ours, "a");
    old_call = table.BeginCall(connection);
    first.ClosePeer();
    CHECK(table.ClosedCalls() == std::vector<int64_t>{old_call});
    End(table, connection);
    table.Close(connection);
  }
  Pair second;
  REQUIRE(second.ours == reused);
  const int64_t connection = *table.Open(second.ours, "a");
  const int64_t new_call = table.BeginCall(connection);
  CHECK(new_call != old_call);
  CHECK(table.ClosedCalls().empty());
}

TEST_CASE("call ids are unique over tables") {
  ConnectionTable one({1, 1}), two({1, 1});
  Pair pair;
  const int64_t first = one.BeginCall(*one.Open(pair.ours, "a"));
  CHECK(two.BeginCall(*two.Open(pair.ours, "a")) > first);
}

TEST_CASE("idle means no call, however many connections there are") {
  ConnectionTable table({100, 100});
  Pair pair;
  const int64_t connection = *table.Open(pair.ours, "a");
  CHECK(table.WaitUntilIdle(absl::ZeroDuration()));
  table.BeginCall(connection);
  CHECK_FALSE(table.WaitUntilIdle(absl::ZeroDuration()));
  CHECK(table.calls() == 1);
  std::thread ender([&] { End(table, connection); });
  CHECK(table.WaitUntilIdle(absl::InfiniteDuration()));
  ender.join();
  CHECK(table.calls() == 0);
  CHECK(table.connections() == 1);
}

TEST_CASE("a shutdown ends the sockets, marks running calls and lets nobody in") {
  ConnectionTable table({100, 100});
  Pair busy, idle, late;
  const int64_t call = table.BeginCall(*table.Open(busy.ours, "a"));
  table.Open(idle.ours, "a");
  table.ShutdownAll();
  char byte = 0;
  CHECK(::recv(idle.ours, &byte, 1, 0) == 0);
  CHECK(::recv(idle.peer, &byte, 1, 0) == 0);
  CHECK(table.ClosedCalls() == std::vector<int64_t>{call});
  CHECK_FALSE(table.Open(late.ours, "a"));
}

bool Ended(const Pair& pair) {
  char byte = 0;
  return ::recv(pair.peer, &byte, 1, MSG_DONTWAIT) == 0;
}

TEST_CASE("beyond the limit who waits longest gives way, and not who serves a call") {
  ConnectionTable table({3, 100});
  Pair busy, first, second, third, fourth;
  table.BeginCall(*table.Open(busy.ours, "a"));
  const int64_t refreshed = *table.Open(first.ours, "a");
  table.Open(second.ours, "a");
  table.BeginCall(refreshed);
  End(table, refreshed);
  CHECK(table.connections() == 3);
  CHECK_FALSE(Ended(second));
  const int64_t served = *table.Open(third.ours, "a");
  CHECK(Ended(second));
  CHECK(table.connections() == 3);
  table.BeginCall(refreshed);
  table.BeginCall(served);
  CHECK_FALSE(table.Open(fourth.ours, "a"));
  table.EndRoute(served);  // its peer has to take the reply
  CHECK(table.Open(fourth.ours, "a"));
  CHECK(Ended(third));
  table.EndRequest(served);
  table.Close(served);
  CHECK(table.connections() == 3);
}

TEST_CASE("the address with most connections gives way first") {
  ConnectionTable table({4, 100});
  Pair quiet, one, two, three, next, last;
  table.Open(quiet.ours, "kubelet");
  for (const Pair* pair : {&one, &two, &three}) table.Open(pair->ours, "crowd");
  table.Open(next.ours, "kubelet");
  CHECK(Ended(one));
  CHECK_FALSE(Ended(quiet));
  table.Open(last.ours, "other");  // two of each: then it is the age alone
  CHECK(Ended(quiet));
}

TEST_CASE("who has not shown who it is gives way before anybody else") {
  ConnectionTable table({4, 100});
  Pair first, second, quiet, loud, louder, next;
  for (const Pair* pair : {&first, &second})
    table.Admit(*table.Open(pair->ours, "scheduler", true));
  const int64_t alone = *table.Open(quiet.ours, "scheduler", true);
  table.Open(loud.ours, "crowd", true);
  table.Open(louder.ours, "other", true);  // one stranger of each address: it is the age alone
  CHECK(Ended(quiet));
  CHECK_FALSE(table.AwaitHandshake(alone, absl::InfinitePast()));
  table.Close(alone);
  const int64_t admitted = *table.Open(next.ours, "crowd", true);
  CHECK(Ended(loud));  // of two strangers of one address
  CHECK_FALSE(Ended(louder));
  CHECK(table.AwaitHandshake(admitted, absl::InfinitePast()));
  table.Admit(admitted);
  CHECK_FALSE(Ended(first));
  CHECK(table.connections() == 4);
}

TEST_CASE("where nobody is a stranger, a new one takes the place of who waits longest") {
  ConnectionTable table({2, 100});
  Pair first, second, next, last;
  for (const Pair* pair : {&first, &second})
    table.Admit(*table.Open(pair->ours, "scheduler", true));
  table.Open(next.ours, "crowd", true);
  CHECK(Ended(first));
  table.Open(last.ours, "crowd", true);
  CHECK(Ended(next));
  CHECK_FALSE(Ended(second));
}

TEST_CASE("bytes at the limit are kept, one more ends who waits with bytes, else is refused") {
  ConnectionTable table({10, 100});
  Pair idle, slow, whole, next;
  table.Open(idle.ours, "a");
  const int64_t a = *table.Open(slow.ours, "a");
  const int64_t b = *table.Open(whole.ours, "a");
  const int64_t c = *table.Open(next.ours, "a");
  CHECK(table.KeepBytes(a, 40));
  CHECK(table.KeepBytes(b, 60));
  table.BeginCall(b);
  CHECK(table.body_bytes() == 100);
  CHECK(table.KeepBytes(c, 1));
  CHECK(Ended(slow));
  CHECK_FALSE(Ended(idle));
  CHECK(table.body_bytes() == 61);
  CHECK_FALSE(table.KeepBytes(a, 1));  // it is over
  CHECK(table.KeepBytes(c, 39));
  CHECK_FALSE(table.KeepBytes(c, 1));  // the others serve calls, or have none
  for (const int64_t connection : {a, c}) table.EndRequest(connection);
  End(table, b);
  CHECK(table.body_bytes() == 0);
  for (const int64_t connection : {a, b, c}) table.Close(connection);
  CHECK(table.connections() == 1);
}

}  // namespace
}  // namespace gangplan::connection_table_test
