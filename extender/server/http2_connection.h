// One accepted connection that speaks HTTP/2: many calls at once, where HTTP/1.1 has one.
// kube-scheduler keeps two idle connections to an extender, so with HTTP/1.1 under TLS each held
// bind call comes over a new one, which costs both sides a handshake.
//
// What it holds to
// - The connection's thread moves bytes and waits for no call and for no peer: each call runs on a
//   thread of its own (WorkerThreads), as a connection of HTTP/1.1 does, and counts as one
//   (ConnectionTable). Where the limit leaves none the stream is refused untouched, so that the
//   peer may ask again. The peer is never told so of a call that has begun.
// - What is refused, and in which words, is what HTTP/1.1 refuses (RouteDesk); a refusal ends its
//   stream and leaves the connection. So does a request that is not whole in its time (408), and a
//   reply that is not taken in its time.
// - A peer that takes no byte at all in its time, that breaks the protocol or asks nothing for too
//   long is left. One that may not ask any more is told to go, and its running calls are answered.
// - A call whose stream the peer ends, or whose connection ends, is among ClosedCalls.
// - `accepted` of a call is never later than its head reached this machine by more than a clock
//   tick, and what the system lets this thread wait for a processor.
//
// Thread rule: Serve on one thread. It returns when all of the connection's calls have ended.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "extender/observe/metrics.h"
#include "extender/server/byte_stream.h"
#include "extender/server/connection_table.h"
#include "extender/server/http2_frames.h"
#include "extender/server/route_desk.h"
#include "extender/server/wire.h"
#include "extender/server/worker_threads.h"
#include "topology/base/mutex.h"

namespace gangplan {

// What the connections of one listener share. All of it outlives them.
struct Http2Shared {
  RouteDesk& desk;  // whose routes neither may take long nor have events
  ConnectionTable& table;
  WorkerThreads& workers;
  Metrics& metrics;
  const WireLimits& limits;
  int max_streams;
  size_t max_bodies_bytes;  // of the table, for who is refused
};

class Http2Connection : private Http2Owner {
 public:
  // `bytes` outlives it. `connection`: of the table.
  Http2Connection(const Http2Shared& shared, ByteStream& bytes, int64_t connection);
  ~Http2Connection() override;
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;

  // Until the connection is over.
  void Serve();

 private:
  enum class Stage { kArriving, kWhole, kInRoute, kReplying };
  struct Call {
    Stage stage = Stage::kArriving;
    bool ended = false;            // its stream
    std::optional<int64_t> entry;  // of the table, once it has begun
    const Route* route = nullptr;
    HttpCall asked;                           // until it is in its route
    size_t body_bytes = 0;                    // that its head claims
    size_t kept_bytes = 0;                    // of those that came, in the table
    absl::Time due = absl::InfiniteFuture();  // of what its peer is to do
  };
  struct Ready {
    int32_t stream = 0;
    HttpReply reply;
  };
  // It has ended, and its reply is out when so many bytes are.
  struct Over {
    int32_t stream = 0;
    uint64_t out = 0;
  };

  void OnHead(int32_t stream, const RequestHead& head, bool too_long) override;
  void OnBody(int32_t stream, std::string_view bytes) override;
  void OnWhole(int32_t stream) override;
  void OnEnd(int32_t stream, bool sent) override;

  bool ReadSome();
  bool SendSome();
  bool Write(absl::Time deadline);
  void TakeReplies();
  void BeginWhole();
  bool EndLate();
  bool Await();
  absl::Time NextDue() const;
  size_t unsent() const { return out_.size() - out_begin_; }
  void Refuse(int32_t stream, const Refused& refused);
  void Answer(int32_t stream, HttpReply reply);
  void SetDue(int32_t stream, Call& call, absl::Time due);
  void Forget(int32_t stream);
  void RunRoute(int32_t stream, Call& call);
  void RefuseUntouched(int32_t stream);
  void Post(Ready ready) ABSL_LOCKS_EXCLUDED(mutex_);
  void AwaitRoutes();

  const Http2Shared shared_;
  ByteStream& bytes_;
  const int64_t connection_;
  const int news_;  // readable when a reply is ready
  Http2Frames frames_;
  absl::flat_hash_map<int32_t, Call> calls_;
  absl::btree_set<std::pair<absl::Time, int32_t>> dues_;  // those of `calls_` that are finite
  std::vector<int32_t> whole_;                            // to begin
  std::vector<int32_t> ended_now_;                        // with replies that are not out yet
  std::deque<Over> over_;                                 // likewise, the first ones first
  std::string in_;
  std::string out_;        // what is sent next
  size_t out_begin_ = 0;   // what of it is sent
  uint64_t out_sent_ = 0;  // bytes in all
  absl::Time taken_;       // the peer took some, or had nothing to take
  absl::Time empty_;       // there was nothing to read
  absl::Time came_;        // the bytes that are read now, at the latest
  absl::Time idle_since_;
  bool leaving_ = false;
  bool slept_ = false;     // since there was nothing to read
  bool has_more_ = false;  // to read or to send, of which the socket may say nothing

  Mutex mutex_;
  std::condition_variable_any all_ended_;
  std::vector<Ready> ready_ ABSL_GUARDED_BY(mutex_);
  int running_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace gangplan
