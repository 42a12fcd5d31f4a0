// Resources that no Node lists and every node has all the same: how "one pod a node" is said in
// amounts, so that pods, holds and gangs exclude each other by the same sums as with any other
// resource. Each node has kWholeNode of each. Their names have a blank, which a name of Kubernetes
// never has, and are what people read: "host port 8080/TCP". Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fmt/format.h"

namespace gangplan {

// Who takes all of it excludes everybody else; who takes 1 only those who take all. More pods than
// this fit on no node.
inline constexpr int64_t kWholeNode = 1'000;

inline bool IsImplied(std::string_view resource) {
  return resource.find(' ') != std::string_view::npos;
}
// What every node has of it.
inline int64_t ImpliedAmount(std::string_view resource) {
  return IsImplied(resource) ? kWholeNode : 0;
}

// A pod that listens on all addresses of the node takes the whole port. One that listens on some
// address takes 1 of the port and the whole port of that address.
inline std::string HostPort(int32_t port, std::string_view protocol) {
  return fmt::format("host port {}/{}", port, protocol);
}
inline std::string HostPort(int32_t port, std::string_view protocol, std::string_view address) {
  return fmt::format("host port {}/{} of {}", port, protocol, address);
}

// One whose anti-affinity selects itself takes the whole node of such pods.
inline std::string ApartFrom(std::string_view selector) {
  return fmt::format("pod anti-affinity to {}", selector);
}

}  // namespace gangplan
