#include "extender/server/wire.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

#include "tests/support/catch.h"
#include "topology/base/check.h"

namespace gangplan::wire_test {
namespace {

// A wire and its peer's end, which any thread may use.
struct Peer {
  explicit Peer(WireLimits limits = {}) : ends(Ends()), stream(ends[0]), wire(stream, limits) {}
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  static std::array<int, 2> Ends() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    return ends;
  }
  void Send(const std::string& text) {
    GANGPLAN_CHECK(::send(ends[1], text.data(), text.size(), 0) ==
                   static_cast<ssize_t>(text.size()));
  }
  void EndSending() { ::shutdown(ends[1], SHUT_WR); }
  std::string ReadAll(size_t size) {
    std::string text(size, '\0');
    GANGPLAN_CHECK(::recv(ends[1], text.data(), size, MSG_WAITALL) == static_cast<ssize_t>(size));
    return text;
  }
  std::string WireReads(size_t size) {
    std::string text(size, '\0');
    const ssize_t n = wire.Read(text.data(), size);
    return n < 0 ? "(fault)" : text.substr(0, static_cast<size_t>(n));
  }

  std::array<int, 2> ends;
  PlainStream stream;
  Wire wire;
};

TEST_CASE("bytes beyond one request are kept for the next") {
  Peer peer;
  peer.Send("onetwo");
  REQUIRE(peer.wire.WaitForRequest());
  CHECK(peer.WireReads(3) == "one");
  REQUIRE(peer.wire.WaitForRequest());
  CHECK(peer.WireReads(10) == "two");
  CHECK(peer.wire.fault() == WireFault::kNone);
}

TEST_CASE("a peer that ends between requests is gone, one that ends within a request too") {
  Peer peer;
  peer.Send("part");
  peer.EndSending();
  REQUIRE(peer.wire.WaitForRequest());
  CHECK(peer.WireReads(10) == "part");
  CHECK(peer.WireReads(10) == "(fault)");
  CHECK(peer.wire.fault() == WireFault::kPeerGone);
  CHECK_FALSE(peer.wire.WaitForRequest());

  Peer idle;
  idle.EndSending();
  CHECK_FALSE(idle.wire.WaitForRequest());
  CHECK(idle.wire.fault() == WireFault::kPeerGone);
}

TEST_CASE("an idle peer and a slow sender are given up at their limits") {
  WireLimits none;
  none.keep_alive = absl::ZeroDuration();
  Peer idle(none);
  CHECK_FALSE(idle.wire.WaitForRequest());
  CHECK(idle.wire.fault() == WireFault::kTooSlow);

  WireLimits slow;
  slow.request = absl::ZeroDuration();
  Peer sender(slow);
  sender.Send("POST");
  REQUIRE(sender.wire.WaitForRequest());
  CHECK(sender.WireReads(10) == "POST");
  CHECK(sender.WireReads(10) == "(fault)");
  CHECK(sender.wire.fault() == WireFault::kTooSlow);
}

// Bytes that the wire hands out until a fault, when `text` is sent.
size_t TakenOf(Peer& peer, const std::string& text) {
  std::thread sender([&] {
    peer.Send(text);
    peer.EndSending();
  });
  REQUIRE(peer.wire.WaitForRequest());
  size_t taken = 0;
  char buffer[1000];
  for (ssize_t n = 0; n >= 0; n = peer.wire.Read(buffer, sizeof(buffer))) {
    taken += static_cast<size_t>(n);
  }
  peer.wire.Linger();
  sender.join();
  return taken;
}

std::string LinesOf(size_t size) {
  std::string lines(size, 'x');
  for (size_t i = 63; i < size; i += 64) lines[i] = '\n';
  return lines;
}

TEST_CASE("the head's limit is exact") {
  Peer at_limit;
  CHECK(TakenOf(at_limit, LinesOf(kMaxHeadBytes)) == kMaxHeadBytes);
  CHECK(at_limit.wire.fault() == WireFault::kPeerGone);
  Peer beyond;
  CHECK(TakenOf(beyond, LinesOf(kMaxHeadBytes + 1)) == kMaxHeadBytes);
  CHECK(beyond.wire.fault() == WireFault::kHeadTooLong);
}

TEST_CASE("a line's limit in the head is exact, its end counted in") {
  const std::string first = "first\n";
  const std::string line = std::string(kMaxHeadLineBytes - 1, 'x') + "\n";
  Peer at_limit;
  const std::string good = first + line + line;
  CHECK(TakenOf(at_limit, good) == good.size());
  CHECK(at_limit.wire.fault() == WireFault::kPeerGone);
  Peer beyond;
  CHECK(TakenOf(beyond, first + "x" + line) == first.size() + kMaxHeadLineBytes);
  CHECK(beyond.wire.fault() == WireFault::kHeadTooLong);
}

TEST_CASE("the head's limits end with the head") {
  Peer peer;
  std::thread sender([&peer] { peer.Send(std::string(kMaxHeadBytes + 1, 'x')); });
  REQUIRE(peer.wire.WaitForRequest());
  peer.wire.EndHead();
  for (size_t taken = 0; taken < kMaxHeadBytes + 1;) taken += peer.WireReads(1000).size();
  CHECK(peer.wire.fault() == WireFault::kNone);
  sender.join();
}

TEST_CASE("small writes are one send, large ones keep their order") {
  Peer peer;
  peer.wire.Write("head ", 5);
  peer.wire.Write("body", 4);
  char byte = 0;
  CHECK(::recv(peer.ends[1], &byte, 1, MSG_DONTWAIT) == -1);  // not before Flush
  REQUIRE(peer.wire.Flush());
  CHECK(peer.ReadAll(9) == "head body");

  const std::string large(300'000, 'y');
  std::string read;
  std::thread reader([&] { read = peer.ReadAll(5 + large.size()); });
  peer.wire.Write("head ", 5);
  CHECK(peer.wire.Write(large.data(), large.size()) == static_cast<ssize_t>(large.size()));
  reader.join();
  CHECK(read == "head " + large);
}

TEST_CASE("what was written goes out before the wire waits for more") {
  Peer peer;
  peer.Send("a");
  REQUIRE(peer.wire.WaitForRequest());
  CHECK(peer.WireReads(1) == "a");
  peer.wire.Write("continue", 8);
  std::thread client([&peer] {
    if (peer.ReadAll(8) == "continue") peer.Send("b");
  });
  CHECK(peer.WireReads(1) == "b");
  client.join();
}

TEST_CASE("a peer that takes nothing is given up") {
  WireLimits limits;
  limits.write = absl::ZeroDuration();
  Peer peer(limits);
  const std::string large(8 << 20, 'z');
  CHECK(peer.wire.Write(large.data(), large.size()) == -1);
  CHECK(peer.wire.fault() == WireFault::kPeerGone);
}

TEST_CASE("a reply has its time as a whole, and the next one has its own") {
  WireLimits limits;
  limits.write = absl::Hours(1);
  limits.reply = absl::ZeroDuration();
  Peer peer(limits);
  for (int i = 0; i < 2; ++i) {
    peer.Send("ask");
    REQUIRE(peer.wire.WaitForRequest());
    CHECK(peer.WireReads(10) == "ask");
    peer.wire.Write("reply", 5);
    CHECK(peer.wire.Flush());
    CHECK(peer.ReadAll(5) == "reply");
  }
  const std::string large(8 << 20, 'z');
  CHECK(peer.wire.Write(large.data(), large.size()) == -1);
  CHECK(peer.wire.fault() == WireFault::kPeerGone);
}

TEST_CASE("a lingering close delivers the reply to a peer that is still sending") {
  Peer peer;
  std::thread client([&peer] {
    peer.Send(std::string(1 << 20, 'x'));  // blocks until it is read away
    peer.EndSending();
  });
  peer.wire.Write("refused", 7);
  peer.wire.Linger();
  client.join();
  CHECK(peer.ReadAll(7) == "refused");
}

}  // namespace
}  // namespace gangplan::wire_test
