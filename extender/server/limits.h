// What the server takes from outside, each tested at its value and one beyond. The limits of the
// bodies' contents are the decoder's.
#pragma once

#include <cstddef>

#include "absl/time/time.h"
#include "extender/protocol/limits.h"

namespace gangplan {

// What the decoder takes: 5,000 whole Node objects are 48 MB; names only are 0.2 MB.
inline constexpr size_t kMaxBodyBytes = kMaxRequestBytes;
// Bodies of all requests of a listener that are here: two of the largest. Those of up to
// kFreeBodyBytes do not count (a bind call's has some 300): with all connections they are 43 MB.
inline constexpr size_t kMaxBodiesBytes = 2 * kMaxBodyBytes;
inline constexpr size_t kFreeBodyBytes = size_t{4} << 10;
// Request line and headers together, and each of them: below what the HTTP library, where it has
// such limits, drops without a word. (It refuses a request line or header above 8,192 bytes.)
inline constexpr size_t kMaxHeadBytes = size_t{64} << 10;
inline constexpr size_t kMaxHeadLineBytes = size_t{16} << 10;
// Open connections of a listener that says nothing else, each with a thread.
inline constexpr int kMaxConnections = 4096;
// Connections that were ended for new ones and whose threads are on their way out; how long a new
// one waits for the thread of one of them.
inline constexpr int kMaxLeaving = 64;
inline constexpr absl::Duration kLeavingPatience = absl::Seconds(1);
// Replies with events of a route at once, each with a connection; one to which nothing is sent for
// so long is sent a sign.
inline constexpr int kMaxEventStreams = 16;
// Addresses whose calls of a route that may take long are known apart.
inline constexpr size_t kMaxLongPeers = 1024;
inline constexpr absl::Duration kEventSign = absl::Seconds(15);
// HTTP/2: bytes that a peer may send of one request, and of all on a connection, before we have
// taken those that came; they are taken as they come.
inline constexpr unsigned kHttp2StreamWindow = 1u << 20;
inline constexpr int kHttp2Window = 16 << 20;
// Frames of ours that wait for a peer that does not read; beyond them nothing more of it is read.
inline constexpr size_t kMostHttp2Frames = 16'384;
// Threads that stay when their connections are gone: a gang in bind opens a connection for each
// member, and the next gang does so again.
inline constexpr int kSpareThreads = 512;
// A peer that is gone without a word, its node with it, is noticed: asked after so much silence,
// then every so often, and given up when it has answered nothing for so long.
inline constexpr absl::Duration kPeerSilence = absl::Seconds(20);
inline constexpr absl::Duration kPeerAskedEvery = absl::Seconds(10);
inline constexpr absl::Duration kPeerLost = absl::Seconds(60);
// Connections that the kernel completes before we accept them.
inline constexpr int kListenBacklog = 4096;
// Descriptors and threads for all else: API client, files, the other listeners.
inline constexpr int kReservedDescriptors = 384;

// A kept-alive connection may be idle this long. More than the 90 s after which Go's client drops
// it, so that it is never we who close while a request is on its way.
inline constexpr absl::Duration kKeepAlive = absl::Seconds(120);
// From a connection's beginning to the end of its TLS handshake.
inline constexpr absl::Duration kHandshakeTimeout = absl::Seconds(10);
// Handshakes at once: each may take 129 KiB for what a client says first, and what comes next, its
// certificate with those above it. How long one has for itself where others wait.
inline constexpr int kMaxHandshakes = 256;
inline constexpr size_t kMaxClientChainBytes = size_t{32} << 10;
inline constexpr absl::Duration kHandshakeGrace = absl::Seconds(1);
// New certificates that could not be used are tried again after so long.
inline constexpr absl::Duration kTlsRetry = absl::Seconds(5);
// A certificate with those above it, a key, an authority.
inline constexpr size_t kMaxTlsFileBytes = size_t{1} << 20;
// From a request's first byte to its last.
inline constexpr absl::Duration kRequestTimeout = absl::Seconds(30);
// A peer that takes no byte of the reply for this long is given up, and so is one that does not
// take all of it in that time.
inline constexpr absl::Duration kWriteTimeout = absl::Seconds(10);
inline constexpr absl::Duration kReplyTimeout = absl::Seconds(60);
// A refused request's remaining bytes are read away so that the peer sees the refusal and not a
// reset: this long and this much at most.
inline constexpr absl::Duration kLingerTime = absl::Seconds(2);
inline constexpr size_t kLingerBytes = kMaxBodyBytes;

}  // namespace gangplan
