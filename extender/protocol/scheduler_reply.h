// The four replies, and their bytes: keys exactly as Go names them, every pointer and map present
// (null when unused), byte-stable for equal contents. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/protocol/scheduler_request.h"

namespace gangplan {

// One text for a set of rejected nodes.
struct RejectedNodes {
  std::vector<std::string_view> names;
  std::string text;
};

struct FilterReply {
  // Indices into the offered nodes, ascending.
  std::vector<int32_t> passed;
  std::vector<RejectedNodes> failed;        // preemption might help
  std::vector<RejectedNodes> unresolvable;  // nothing that the scheduler does can help
  std::string error;                        // not empty: the scheduler retries by itself
};

struct HostScore {
  std::string_view host;
  int64_t score = 0;  // 0 to 10
};

struct PreemptReplyNode {
  std::string_view node;
  std::vector<std::string_view> victim_uids;
  int64_t pdb_violations = 0;
};

// `offered` is the request's node list (null when the request had none): it decides which of the
// two list forms is answered, and supplies names and objects.
std::string EncodeFilterReply(const FilterReply& reply, const OfferedNodes* offered);
std::string EncodePrioritizeReply(const std::vector<HostScore>& scores);
std::string EncodeBindReply(std::string_view error);
std::string EncodePreemptReply(const std::vector<PreemptReplyNode>& nodes);

}  // namespace gangplan
