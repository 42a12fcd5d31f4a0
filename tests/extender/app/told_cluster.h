// A cluster that does nothing, and keeps the Events that it was told.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stub_cluster.h"

namespace gangplan {

class ToldCluster : public StubCluster {
 public:
  void Emit(EventNote note) override { told.push_back(std::move(note)); }
  std::string WhyNotActing(absl::Duration) const override { return acts ? "" : "another one"; }

  std::vector<EventNote> told;
  bool acts = true;
};

}  // namespace gangplan
