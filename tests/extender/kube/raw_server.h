// A server on a free port of the loopback that answers each request with bytes as a test has them:
// what no library would send. Each connection takes one request without a body and is closed after
// the answer.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace gangplan {

class RawServer {
 public:
  // Each answer is `answer`; what the client does not take any more is not sent.
  explicit RawServer(std::string answer);
  // Or what this makes of the head of a request; it is called by the server's thread.
  explicit RawServer(std::function<std::string(std::string_view head)> answer);
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  int port() const { return port_; }

 private:
  void Serve();

  const std::function<std::string(std::string_view)> answer_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

}  // namespace gangplan
