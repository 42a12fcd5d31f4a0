// What may be asked of an API server about rights. Plain data.
#pragma once

#include <string>

namespace gangplan {

// One right, as a role has it.
struct Access {
  std::string verb;
  std::string group;        // empty: the core's
  std::string resource;     // "pods"
  std::string subresource;  // "binding"; empty: the object itself
  std::string ns = {};      // empty: in all
  std::string name = {};    // empty: of all
};

// A service account; empty: whoever asks.
struct Account {
  std::string ns;
  std::string name;

  bool empty() const { return name.empty(); }
};

}  // namespace gangplan
