#include "tests/extender/server/loopback_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <utility>

#include "fmt/format.h"

namespace gangplan {

std::string PostText(std::string_view path, std::string_view body, std::string_view more_headers) {
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
      "{}\r\n{}"
      "\r\n{}",
      path, body.size(), more_headers, body);
}

std::string GetText(std::string_view path, std::string_view more_headers) {
  return fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n", path, more_headers);
}

LoopbackClient::LoopbackClient(int port, const char* from)
    : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  const timeval guard{30, 0};
  const int on = 1;
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &guard, sizeof(guard));
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (from != nullptr && (::inet_pton(AF_INET, from, &address.sin_addr) != 1 ||
                          ::bind(socket_, generic, sizeof(address)) != 0)) {
    Close();
    return;
  }
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, generic, sizeof(address)) != 0) Close();
}

LoopbackClient::LoopbackClient(LoopbackClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), in_(std::move(other.in_)) {}

bool LoopbackClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

bool LoopbackClient::ReadMore() {
  char buffer[16384];
  const ssize_t n = ::recv(socket_, buffer, sizeof(buffer), 0);
  if (n <= 0) return false;
  in_.append(buffer, static_cast<size_t>(n));
  return true;
}

ClientReply LoopbackClient::Receive(bool has_body) {
  size_t head_end = 0;
  while ((head_end = in_.find("\r\n\r\n")) == std::string::npos) {
    if (!ReadMore()) return {};
  }
  ClientReply reply;
  std::from_chars(in_.data() + 9, in_.data() + 12, reply.status);  // after "HTTP/1.1 "
  for (size_t line = in_.find("\r\n") + 2; line < head_end;) {
    const size_t end = in_.find("\r\n", line);
    const size_t colon = in_.find(": ", line);
    reply.headers[in_.substr(line, colon - line)] = in_.substr(colon + 2, end - colon - 2);
    line = end + 2;
  }
  in_.erase(0, head_end + 4);
  size_t length = 0;
  const std::string& text = reply.headers["Content-Length"];
  std::from_chars(text.data(), text.data() + text.size(), length);
  if (!has_body) return reply;
  while (in_.size() < length) {
    if (!ReadMore()) return {};
  }
  reply.body = in_.substr(0, length);
  in_.erase(0, length);
  return reply;
}

bool LoopbackClient::EndedByServer() {
  char byte = 0;
  return in_.empty() && ::recv(socket_, &byte, 1, 0) == 0;
}

void LoopbackClient::EndSending() { ::shutdown(socket_, SHUT_WR); }

void LoopbackClient::Close() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

}  // namespace gangplan
