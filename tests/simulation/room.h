// Resources of the fake cluster: what pods take of nodes, and what is left of them in truth.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/simulation/api_server.h"

namespace gangplan::simulation {

struct Amounts {
  int64_t gpus = 0;
  int64_t cpu = 0;  // milli

  Amounts& operator+=(const Amounts& other);
  Amounts& operator-=(const Amounts& other);
  bool FitsIn(const Amounts& room) const { return gpus <= room.gpus && cpu <= room.cpu; }
  friend bool operator==(const Amounts&, const Amounts&) = default;
};

Amounts AmountsOf(const ResourceList& list);
Amounts Smaller(const Amounts& a, const Amounts& b);  // of each resource
Amounts Greater(const Amounts& a, const Amounts& b);
// How many pods that take `each` stand in `room`. REQUIRES: `each` takes something.
int64_t Times(const Amounts& room, const Amounts& each);

// By node; less than nothing where a node has shrunk under its pods.
std::map<std::string, Amounts> FreeRoom(const ApiServer& api);

// "b0/r1" of level 1, by the node's labels.
std::string DomainAt(const NodeFacts& node, int level);

}  // namespace gangplan::simulation
