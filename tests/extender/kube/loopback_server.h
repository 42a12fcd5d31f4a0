// A real HTTP server on a free port of the loopback, plain or with TLS, that answers by a function
// of the request. The path /stream sends the chunks that a test gives it, as long as the test
// wants.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "extender/kube/transport.h"
#include "test_certificates.h"

namespace gangplan {

class LoopbackServer {
 public:
  struct Seen {
    std::string method;
    std::string target;
    std::string body;
    std::multimap<std::string, std::string> headers;
    int client_port = 0;  // tells one connection from another

    std::string Header(const std::string& name) const;
  };
  using Handler = std::function<HttpResponse(const Seen&)>;

  // Plain.
  explicit LoopbackServer(Handler handler, const std::string& address = "127.0.0.1");
  // TLS; with a `client_authority` a client must show a certificate of it.
  LoopbackServer(Handler handler, const TestCertificate& certificate,
                 const TestCertificate* client_authority);
  ~LoopbackServer();

  int port() const { return port_; }
  void SendChunk(std::string chunk);
  void EndStream();

 private:
  struct Streams;
  struct Library;
  void Run(Handler handler, const std::string& address);

  std::unique_ptr<Streams> streams_;
  std::unique_ptr<Library> library_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace gangplan
