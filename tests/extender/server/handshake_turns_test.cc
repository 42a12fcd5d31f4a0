#include "extender/server/handshake_turns.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "topology/base/clock.h"

namespace gangplan::handshake_turns_test {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(30);

// Connections 1, 2, ... of one line, each with a socket.
class Line {
 public:
  explicit Line(int limit, absl::Duration grace = absl::Hours(1)) : turns(limit, grace) {}
  ~Line() {
    for (const auto& [ours, peer] : sockets_) {
      ::close(ours);
      ::close(peer);
    }
  }
  int64_t Ask(const std::string& address) {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    sockets_.emplace_back(ends[0], ends[1]);
    const auto connection = static_cast<int64_t>(sockets_.size());
    turns.Ask(connection, ends[0], address);
    return connection;
  }
  bool HasTurn(int64_t connection) { return turns.Await(connection, SystemClock().Now()); }
  bool Ended(int64_t connection) const {
    char byte = 0;
    return ::recv(sockets_[static_cast<size_t>(connection - 1)].second, &byte, 1, MSG_DONTWAIT) ==
           0;
  }

  HandshakeTurns turns;

 private:
  std::vector<std::pair<int, int>> sockets_;
};

TEST_CASE("Handshakes: so many have their turn, one more waits for the end of one") {
  Line line(2);
  const int64_t first = line.Ask("a");
  const int64_t second = line.Ask("b");
  const int64_t third = line.Ask("c");
  CHECK(line.HasTurn(first));
  CHECK(line.HasTurn(second));
  CHECK_FALSE(line.HasTurn(third));
  CHECK(line.turns.running() == 2);
  line.turns.End(second);
  CHECK(line.HasTurn(third));
  CHECK(line.turns.running() == 2);
  line.turns.End(first);
  line.turns.End(third);
  CHECK(line.turns.running() == 0);
}

TEST_CASE(
    "Handshakes: the next turn goes to the address that has fewest, there to who came first") {
  Line line(2);
  std::vector<int64_t> crowd;
  for (int i = 0; i < 4; ++i) crowd.push_back(line.Ask("crowd"));
  const int64_t late = line.Ask("scheduler");
  line.turns.End(crowd[0]);
  CHECK(line.HasTurn(late));
  CHECK_FALSE(line.HasTurn(crowd[2]));
  line.turns.End(late);
  CHECK(line.HasTurn(crowd[2]));
  CHECK_FALSE(line.HasTurn(crowd[3]));
}

TEST_CASE("Handshakes: who has had its turn for long is ended for an address that has fewer") {
  Line line(2, absl::ZeroDuration());
  const int64_t silent = line.Ask("crowd");
  const int64_t other = line.Ask("crowd");
  const int64_t third = line.Ask("crowd");
  CHECK_FALSE(line.HasTurn(third));  // of the same address: it waits
  CHECK_FALSE(line.Ended(silent));
  const int64_t late = line.Ask("scheduler");
  std::thread server([&] {
    while (!line.Ended(silent)) std::this_thread::yield();
    line.turns.End(silent);
  });
  CHECK(line.turns.Await(late, SystemClock().Now() + kPatience));
  server.join();
  CHECK_FALSE(line.Ended(other));
  CHECK_FALSE(line.HasTurn(third));
}

TEST_CASE("Handshakes: a turn that has just begun is ended for nobody") {
  Line line(1);
  const int64_t first = line.Ask("crowd");
  CHECK_FALSE(line.HasTurn(line.Ask("scheduler")));
  CHECK_FALSE(line.Ended(first));
}

TEST_CASE("Handshakes: who is dropped, and who waits at the stop, waits no more") {
  Line line(1);
  line.Ask("a");
  const int64_t dropped = line.Ask("a");
  const int64_t stopped = line.Ask("a");
  const absl::Time late = SystemClock().Now() + kPatience;
  std::vector<std::future<bool>> waiting;
  for (const int64_t connection : {dropped, stopped}) {
    waiting.push_back(std::async(std::launch::async,
                                 [&, connection] { return line.turns.Await(connection, late); }));
  }
  line.turns.Drop(dropped);
  CHECK_FALSE(waiting.front().get());
  CHECK(line.Ended(dropped));
  line.turns.Stop();
  CHECK_FALSE(waiting.back().get());
  CHECK_FALSE(line.Ended(stopped));
  CHECK(SystemClock().Now() < late);
  line.turns.End(dropped);
  line.turns.End(stopped);
  CHECK(line.turns.running() == 1);
}

}  // namespace
}  // namespace gangplan::handshake_turns_test
