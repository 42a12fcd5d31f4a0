// A plain HTTP client over loopback sockets for tests and benches: sends exactly the bytes it is
// given and reads replies one at a time. Blocking; a guard of half a minute turns a reply that
// never comes into an empty one. One thread each.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace gangplan {

struct ClientReply {
  int status = 0;  // 0: the connection ended, or the reply was malformed
  std::map<std::string, std::string> headers;
  std::string body;
};

// The bytes of a request with Content-Length and Content-Type: application/json.
std::string PostText(std::string_view path, std::string_view body,
                     std::string_view more_headers = "");
std::string GetText(std::string_view path, std::string_view more_headers = "");

class LoopbackClient {
 public:
  explicit LoopbackClient(int port, const char* from = nullptr);  // nullptr: any address
  ~LoopbackClient() { Close(); }
  LoopbackClient(LoopbackClient&& other) noexcept;
  LoopbackClient& operator=(LoopbackClient&&) = delete;

  // All bytes are handed to the kernel; false when the peer is gone.
  bool Send(std::string_view bytes);
  // `has_body`: false for the reply to a HEAD.
  ClientReply Receive(bool has_body = true);
  ClientReply Call(std::string_view bytes) { return Send(bytes) ? Receive() : ClientReply{}; }
  // The server has ended the connection and no byte of a reply is left.
  bool EndedByServer();
  void EndSending();
  void Close();
  int socket() const { return socket_; }

 private:
  bool ReadMore();

  int socket_ = -1;
  std::string in_;
};

}  // namespace gangplan
