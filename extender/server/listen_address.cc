#include "extender/server/listen_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "topology/base/decimal.h"
#include "topology/base/text.h"

namespace gangplan {

namespace {

bool IsLoopbackV4(const std::string& address) {
  in_addr v4{};
  return inet_pton(AF_INET, address.c_str(), &v4) == 1 && (ntohl(v4.s_addr) >> 24) == 127;
}

bool IsLoopbackV6(const std::string& address) {
  in6_addr v6{};
  return inet_pton(AF_INET6, address.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6) != 0;
}

// ":80", or nothing.
bool IsPort(std::string_view text) {
  return text.empty() || (text.front() == ':' && ReadDecimal<uint16_t>(text.substr(1)));
}

}  // namespace

bool NamesLoopback(std::string_view host) {
  if (host.starts_with('[')) {
    const size_t end = std::min(host.find(']'), host.size() - 1);
    return IsLoopbackV6(std::string(host.substr(1, end - 1))) && IsPort(host.substr(end + 1));
  }
  const size_t end = std::min(host.find(':'), host.size());
  const std::string name(host.substr(0, end));
  return (absl::EqualsIgnoreCase(name, "localhost") || IsLoopbackV4(name)) &&
         IsPort(host.substr(end));
}

absl::Status CheckLoopback(const std::string& address) {
  if (address == "localhost" || IsLoopbackV4(address) || IsLoopbackV6(address))
    return absl::OkStatus();
  return Invalid(
      "address \"{}\": the scheduler's calls are served on loopback only (127.0.0.0/8, ::1, "
      "localhost)",
      address);
}

std::string PeerAddress(int socket) {
  sockaddr_storage peer{};
  socklen_t size = sizeof(peer);
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return {};
  if (peer.ss_family == AF_INET) {
    const in_addr& v4 = reinterpret_cast<const sockaddr_in&>(peer).sin_addr;
    return {reinterpret_cast<const char*>(&v4), sizeof(v4)};
  }
  const in6_addr& v6 = reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr;
  return {reinterpret_cast<const char*>(&v6), sizeof(v6)};
}

std::string PeerName(int socket) {
  sockaddr_storage peer{};
  socklen_t size = sizeof(peer);
  char host[NI_MAXHOST] = "";
  char port[NI_MAXSERV] = "";
  auto* const generic = reinterpret_cast<sockaddr*>(&peer);
  if (::getpeername(socket, generic, &size) != 0 ||
      ::getnameinfo(generic, size, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return {};
  }
  if (peer.ss_family == AF_INET6) return fmt::format("[{}]:{}", host, port);
  return fmt::format("{}:{}", host, port);
}

}  // namespace gangplan
