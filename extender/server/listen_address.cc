#include "extender/server/listen_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "topology/base/text.h"

namespace gangplan {

absl::Status CheckLoopback(const std::string& address) {
  in_addr v4{};
  in6_addr v6{};
  const bool loopback =
      address == "localhost" ||
      (inet_pton(AF_INET, address.c_str(), &v4) == 1 && (ntohl(v4.s_addr) >> 24) == 127) ||
      (inet_pton(AF_INET6, address.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6) != 0);
  if (loopback) return absl::OkStatus();
  return Invalid(
      "address \"{}\": the scheduler's calls are served on loopback only (127.0.0.0/8, ::1, "
      "localhost)",
      address);
}

}  // namespace gangplan
