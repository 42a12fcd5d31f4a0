// A client that speaks HTTP/2 under TLS, for the tests of the server: streams by their numbers, and
// what came of each. Blocking; a guard of half a minute turns what never comes into an end.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nghttp2/nghttp2.h"
#include "tests/extender/server/tls_world.h"

namespace gangplan {

struct Http2Reply {
  int status = 0;
  std::string body;
  bool ended = false;
  uint32_t error = 0;  // with which it ended; 0: none
};

using Http2Headers = std::vector<std::pair<std::string, std::string>>;

struct Http2Ask {
  std::string path = "/echo";
  std::string body = {};
  std::string method = "POST";
  Http2Headers more = {};
  bool has_length = true;
  bool is_whole = true;     // or its end never comes
  std::string length = {};  // what is claimed; empty: the body's
};

class Http2Client {
 public:
  // `window`: of each stream, what the server may send before it is taken.
  explicit Http2Client(const TlsWorld& world, uint32_t window = 1 << 20);
  ~Http2Client();
  Http2Client(const Http2Client&) = delete;
  Http2Client& operator=(const Http2Client&) = delete;

  // The stream's number, once its bytes are out as far as the server takes them.
  int32_t Send(const Http2Ask& ask);
  // As it is when it has ended, or the connection has.
  Http2Reply Await(int32_t stream);
  Http2Reply Call(const Http2Ask& ask) { return Await(Send(ask)); }
  std::string Echo(const std::string& word) { return Call({.body = word}).body; }
  void Reset(int32_t stream);
  // What is said until Uncork goes out at once then.
  void Cork() { corked_ = true; }
  void Uncork();
  // The server has told it to go, or has gone.
  bool IsToldToGo();
  bool is_http2() const { return is_http2_; }
  uint32_t streams() const;  // as many as the server lets it have
  TlsClient& bytes() { return tls_; }

 private:
  struct Body {
    std::string left;
    bool is_whole = true;
  };
  struct SessionFree {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  };

  void Flush();
  bool ReadMore();

  TlsClient tls_;
  bool is_http2_ = false;
  bool gone_ = false;
  bool corked_ = false;
  std::string kept_;  // while it is
  bool told_to_go_ = false;
  std::map<int32_t, Http2Reply> replies_;
  std::map<int32_t, std::unique_ptr<Body>> bodies_;
  std::unique_ptr<nghttp2_session, SessionFree> session_;
};

}  // namespace gangplan
