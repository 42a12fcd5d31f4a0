// What may be asked of an API server about rights. Plain data.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gangplan {

// One right, as a role has it.
struct Access {
  std::string verb;
  std::string group;         // empty: the core's
  std::string resource;      // "pods"
  std::string subresource;   // "binding"; empty: the object itself
  std::string ns = {};       // empty: in all
  std::string name = {};     // empty: of all
  std::string version = {};  // of the group; empty: of any
};

// A service account; empty: whoever asks.
struct Account {
  std::string ns;
  std::string name;

  bool empty() const { return name.empty(); }
};

// Somebody whom an API server has authenticated; without a name: whoever asks.
struct User {
  std::string name;
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::vector<std::pair<std::string, std::vector<std::string>>> extra = {};
};

}  // namespace gangplan
