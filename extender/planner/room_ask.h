// What a gang asks for of nodes, in amounts: for whoever adds nodes. Pure data, and how it is read.
//
// Thread rule: AskOf the planner's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "extender/planner/books.h"
#include "topology/node_filter.h"
#include "topology/pod_affinity.h"
#include "topology/resources.h"

namespace gangplan {

struct RoomAsk {
  enum class Stand : uint8_t {
    kOpen,     // nobody has looked yet, or others come first
    kLacks,    // it waits for room, and for nothing else
    kNothing,  // it is not to be planned, or no node that comes can be its own, or somebody else
               // asks for its nodes
    kHasRoom,  // it has a plan, or runs
  };
  struct PodSet {
    std::string name;   // empty: the only one, without a name
    int32_t count = 0;  // members that lack room
    ResourceList requests;
    NodeFilter filter;
    ProfileRef profile;
  };

  Stand stand = Stand::kOpen;
  std::string ns;
  std::string incarnation;  // of its key
  std::string reason;       // why it waits
  // Who has made all of its pods, by the UID that the API server has of it; empty: nobody alone.
  std::string maker_uid;
  std::optional<OwnerRef> maker;      // that one, unless it is known to be gone
  std::optional<OwnerRef> regarding;  // whom Events about it are about
  std::vector<PodSet> pod_sets;       // with kLacks, as are those who have made them
};

// Without `regarding`. O(slots and members).
RoomAsk AskOf(const Books& books, const Group& group, const std::vector<int32_t>& wanted);

}  // namespace gangplan
