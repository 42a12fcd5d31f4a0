// A PodGroup of coscheduling (scheduling.x-k8s.io): what its status says, and what it is made from.
// Pure data.
#pragma once

#include <cstdint>
#include <string>

namespace gangplan {

// Of its pods: those with its label, whatever else they say.
struct PodGroupCounts {
  int32_t pods = 0;
  int32_t running = 0;
  int32_t succeeded = 0;
  int32_t failed = 0;
  std::string occupied_by;  // "namespace/name" of what makes them; empty: nobody knows
  friend bool operator==(const PodGroupCounts&, const PodGroupCounts&) = default;
};

struct PodGroupStatus {
  std::string phase;  // empty: nobody has told yet
  std::string occupied_by;
  int64_t running = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
  friend bool operator==(const PodGroupStatus&, const PodGroupStatus&) = default;
};

struct PodGroupFacts {
  std::string uid;
  std::string resource_version;
  int64_t min_member = 0;
  PodGroupStatus status;
  // Who else than we has written the status; empty: nobody.
  std::string other_writer;
  friend bool operator==(const PodGroupFacts&, const PodGroupFacts&) = default;
};

}  // namespace gangplan
