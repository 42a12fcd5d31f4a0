#include "extender/server/handshake_turns.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "topology/base/clock.h"

namespace gangplan {
namespace {

// How often the first one of an address that waits looks for a turn that may be ended for it.
constexpr absl::Duration kLook = absl::Milliseconds(100);

}  // namespace

void HandshakeTurns::Ask(int64_t connection, int socket, const std::string& address) {
  MutexLock lock(mutex_);
  Place& place = places_[connection];
  place.socket = socket;
  place.peer = peers_.try_emplace(address).first;
  ++place.peer->second.places;
  place.peer->second.waits.insert(connection);
  if (running_ < limit_) GrantNext();
}

void HandshakeTurns::GrantNext() {
  const auto rank = [](const Peer& peer) {
    return std::pair(peer.runs.size(), *peer.waits.begin());
  };
  Peer* next = nullptr;
  for (auto& [address, peer] : peers_) {
    if (!peer.waits.empty() && (next == nullptr || rank(peer) < rank(*next))) next = &peer;
  }
  if (next == nullptr) return;
  const int64_t connection = *next->waits.begin();
  Leave(*next, connection);
  next->runs.insert(connection);
  ++running_;
  Place& place = places_.at(connection);
  place.turn = SystemClock().Now();
  place.wake.notify_all();
}

// Of an address, who came first has had its turn for longest.
void HandshakeTurns::MakeRoomFor(const Peer& asking) {
  const absl::Time before = SystemClock().Now() - grace_;
  const Peer* most = nullptr;
  for (const auto& [address, peer] : peers_) {
    if (peer.runs.size() <= asking.runs.size()) continue;
    if (places_.at(*peer.runs.begin()).turn > before) continue;
    if (most == nullptr || peer.runs.size() > most->runs.size()) most = &peer;
  }
  if (most != nullptr) EndPlace(*most->runs.begin());
}

void HandshakeTurns::EndPlace(int64_t connection) {
  Place& place = places_.at(connection);
  ::shutdown(place.socket, SHUT_RDWR);
  Leave(place.peer->second, connection);
  place.ended = true;
  place.wake.notify_all();
}

// Neither waits nor has a turn that counts; who is first in line by now has to look.
void HandshakeTurns::Leave(Peer& peer, int64_t connection) {
  peer.runs.erase(connection);
  if (peer.waits.erase(connection) == 0 || peer.waits.empty()) return;
  places_.at(*peer.waits.begin()).wake.notify_all();
}

bool HandshakeTurns::Await(int64_t connection, absl::Time deadline) {
  MutexLock lock(mutex_);
  Place& place = places_.at(connection);
  const Peer& peer = place.peer->second;
  while (!place.has_turn() && !place.ended && !stopped_) {
    const bool first = *peer.waits.begin() == connection;
    if (first) MakeRoomFor(peer);
    const absl::Duration left = deadline - SystemClock().Now();
    if (left <= absl::ZeroDuration()) return false;
    place.wake.wait_for(mutex_, absl::ToChronoNanoseconds(first ? std::min(left, kLook) : left));
  }
  return place.has_turn() && !place.ended && !stopped_;
}

void HandshakeTurns::Drop(int64_t connection) {
  MutexLock lock(mutex_);
  EndPlace(connection);
}

void HandshakeTurns::End(int64_t connection) {
  MutexLock lock(mutex_);
  const auto at = places_.find(connection);
  const Peers::iterator peer = at->second.peer;
  const bool had_turn = at->second.has_turn();
  Leave(peer->second, connection);
  places_.erase(at);
  if (--peer->second.places == 0) peers_.erase(peer);
  if (!had_turn) return;
  --running_;
  GrantNext();
}

void HandshakeTurns::Stop() {
  MutexLock lock(mutex_);
  stopped_ = true;
  for (auto& [connection, place] : places_) place.wake.notify_all();
}

int HandshakeTurns::running() const {
  MutexLock lock(mutex_);
  return running_;
}

}  // namespace gangplan
