// What the scheduler asks with and what it is answered, as values: see Planner's verbs.
// Plain data; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gangplan {

// The nodes that the scheduler offers: views, valid during the call only.
using Offer = std::vector<std::string_view>;

// One of: pass `passed`, and reject the others; or reject every node for one reason; or an error.
struct FilterDecision {
  std::vector<int32_t> passed;    // indices into the offer, ascending
  std::vector<int32_t> rejected;  // likewise; all unresolvable
  std::string text;               // of the rejected ones
  std::vector<int32_t> outside;   // likewise, since they are not ours
  std::string outside_text;
  std::string error;          // not empty: nothing else counts
  bool owner_unread = false;  // it is that the pod's owner is being read
  // Instead of both lists: the names of nodes that are kept from a pod that is nobody's member,
  // among others that were not offered. Split makes the lists of it.
  std::optional<std::vector<std::string>> kept;
};
// O(offer). No part of the planner: what takes long for many names is done outside of the lock.
void Split(FilterDecision& decision, const Offer& offer);

struct BindDecision {
  bool held = false;  // the answer comes as AnswerCall
  std::string error;  // when not held
};

struct PreemptCandidate {
  std::string_view node;
  std::vector<std::string_view> victims;
};

}  // namespace gangplan
