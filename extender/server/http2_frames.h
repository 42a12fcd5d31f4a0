// One connection's HTTP/2 (RFC 9113) as requests and replies: bytes come in and requests come out,
// replies go in and bytes come out. The only user of the HTTP/2 library. Knows no socket, no thread
// and no clock.
//
// Invariants
// - A stream is told to the owner by its head, which is within the limits of every head, and once
//   more when it ends, whoever ended it. Between these the owner may answer it, once.
// - A request is whole when its peer has said so and its body has the length that its head tells.
// - What a peer sends is kept no longer than until a head is whole: a body goes to the owner as it
//   comes.
// - What waits to be sent because the peer does not take it is replies of ours, and no more signs
//   of the protocol than the library allows; a peer that asks for more of these is at fault.
// - Names and values of headers are as the protocol allows them, or the stream is refused by the
//   library.
//
// Example: Read(the client's first bytes) calls OnHead(1, {POST /v1/extender/bind}), OnBody(1, "{")
// and OnWhole(1); after Reply(1, {200, "{}"}), Take gives the bytes of both, and OnEnd(1) is
// called.
//
// Thread rule: one thread. The owner is called within Read and Take alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "extender/server/http_call.h"
#include "extender/server/request_rules.h"

struct nghttp2_session;

namespace gangplan {

// Whose requests they are.
class Http2Owner {
 public:
  virtual ~Http2Owner() = default;
  // A request's head is whole. `too_long`: it is beyond the limits, and only a part of it is here.
  virtual void OnHead(int32_t stream, const RequestHead& head, bool too_long) = 0;
  virtual void OnBody(int32_t stream, std::string_view bytes) = 0;
  // The request is. Not called for one that was answered or ended before.
  virtual void OnWhole(int32_t stream) = 0;
  // The stream is no more; `sent`: with its reply, of which Take has given the last byte.
  virtual void OnEnd(int32_t stream, bool sent) = 0;
};

class Http2Frames {
 public:
  // The owner outlives the result. `streams`: so many at once are offered to the peer.
  Http2Frames(Http2Owner& owner, int streams);
  ~Http2Frames();
  Http2Frames(const Http2Frames&) = delete;
  Http2Frames& operator=(const Http2Frames&) = delete;

  // False: the peer is at fault. What is left to be told to it is sent, and that is all.
  bool Read(std::string_view bytes);
  // Of a stream that has ended: nothing. What its peer has not sent of the request by the time that
  // all of the reply is out is not waited for.
  void Reply(int32_t stream, HttpReply reply);
  // Ends a stream without a reply. `untouched`: nothing of it was done, so the peer may ask again.
  void Reset(int32_t stream, bool untouched);
  // The connection takes no more streams, and the peer is told.
  void GoAway();
  // Appends what is to be sent, until `out` has at least `enough` bytes: of what there is signs of
  // the protocol and heads first, bodies then. True: all of the former, so that a stream that has
  // come so far and has not ended is not told to be untouched any more, but by Reset.
  bool Take(std::string& out, size_t enough);
  // So much is to be sent that no more should be read: the peer makes it, and does not take it.
  bool IsBehind() const;
  // Neither side has anything to say any more.
  bool IsOver() const;

 private:
  class Library;  // what it calls
  struct Stream {
    RequestHead head;
    size_t head_bytes = 0;
    bool too_long = false;
    bool head_told = false;
    bool answered = false;
    bool replied = false;       // and not reset
    bool without_body = false;  // the reply is
    HttpReply reply;
    size_t sent = 0;  // of its body
  };
  struct SessionFree {
    void operator()(nghttp2_session* session) const;
  };

  void AddHeader(Stream& stream, std::string_view name, std::string_view value);

  Http2Owner& owner_;
  std::unique_ptr<nghttp2_session, SessionFree> session_;
  absl::flat_hash_map<int32_t, std::unique_ptr<Stream>> streams_;
  bool took_body_ = false;  // lately
};

}  // namespace gangplan
