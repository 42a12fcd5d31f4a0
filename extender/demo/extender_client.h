// The scheduler's end of the extender protocol: values to requests, replies to values, over one
// kept-alive connection. For the demo, which plays kube-scheduler; replies come from ourselves, and
// what they lack is an error all the same.
//
// Thread rule: one call at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/kube/transport.h"
#include "topology/pod_facts.h"

namespace gangplan {

struct FilterAnswer {
  std::vector<std::string> passed;
  std::string reason;  // why the first of the rejected nodes was rejected
  std::string error;   // not empty: ask again later
};

struct ScoredNode {
  std::string name;
  int64_t score = 0;
};

class ExtenderClient {
 public:
  // Of a listener on this machine.
  explicit ExtenderClient(int port);

  // With nodeCacheCapable: names only.
  absl::StatusOr<FilterAnswer> Filter(const PodFacts& pod, const std::vector<std::string>& nodes);
  absl::StatusOr<std::vector<ScoredNode>> Prioritize(const PodFacts& pod,
                                                     const std::vector<std::string>& nodes);
  // The reply's Error, empty for success. Blocks for as long as the call is held.
  absl::StatusOr<std::string> Bind(const PodFacts& pod, std::string_view node);
  // What `gangplan explain` prints; `group` is namespace/name. A port of the probe listener.
  absl::StatusOr<std::string> Explain(std::string_view group);

 private:
  absl::StatusOr<std::string> Post(std::string_view verb, std::string body, absl::Duration timeout);

  const std::unique_ptr<Transport> transport_;
};

}  // namespace gangplan
