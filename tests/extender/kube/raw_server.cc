#include "tests/extender/kube/raw_server.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "topology/base/check.h"

namespace gangplan {
namespace {

sockaddr* AsSockaddr(sockaddr_in* address) { return reinterpret_cast<sockaddr*>(address); }

// Empty: the peer has closed before a head was whole.
std::string ReadHead(int socket) {
  std::string head;
  char buffer[4'096];
  while (head.find("\r\n\r\n") == std::string::npos) {
    const ssize_t got = ::recv(socket, buffer, sizeof buffer, 0);
    if (got <= 0) return {};
    head.append(buffer, static_cast<size_t>(got));
  }
  return head;
}

void SendAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

}  // namespace

RawServer::RawServer(std::string answer)
    : RawServer([answer = std::move(answer)](std::string_view) { return answer; }) {}

RawServer::RawServer(std::function<std::string(std::string_view)> answer)
    : answer_(std::move(answer)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  GANGPLAN_CHECK(::bind(listener_, AsSockaddr(&address), size) == 0);
  GANGPLAN_CHECK(::listen(listener_, 16) == 0);
  GANGPLAN_CHECK(::getsockname(listener_, AsSockaddr(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Serve(); });
}

RawServer::~RawServer() {
  ending_ = true;
  ::shutdown(listener_, SHUT_RDWR);
  thread_.join();
  ::close(listener_);
}

void RawServer::Serve() {
  while (!ending_) {
    const int socket = ::accept(listener_, nullptr, nullptr);
    if (socket < 0) continue;
    if (const std::string head = ReadHead(socket); !head.empty()) SendAll(socket, answer_(head));
    // The rest of the peer's bytes is taken, else what was sent might be thrown away.
    ::shutdown(socket, SHUT_WR);
    char buffer[4'096];
    while (::recv(socket, buffer, sizeof buffer, 0) > 0) {
    }
    ::close(socket);
  }
}

}  // namespace gangplan
