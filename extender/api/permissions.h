// What a user may do, asked of the API server (SubjectAccessReview) and believed for a short while,
// whichever way it came out. Who asks the same at the same time waits for one review. A review that
// fails, or that gets no turn in time, is an error: nobody may do anything by it.
//
// Thread rule: any thread. Blocks on the network, for seconds at most.
#pragma once

#include <condition_variable>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/api/limits.h"
#include "extender/api/recent.h"
#include "extender/kube/access.h"
#include "extender/kube/transport.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"

namespace gangplan {

class Reviewer {
 public:
  virtual ~Reviewer() = default;
  virtual absl::StatusOr<bool> May(const User& user, const Access& access) = 0;
};

// Asks the API server, on so many connections at once.
class ServerReviewer : public Reviewer {
 public:
  explicit ServerReviewer(TransportFactory& transports, size_t connections = kReviewConnections,
                          absl::Duration turn = kReviewTurn);
  absl::StatusOr<bool> May(const User& user, const Access& access) override;

 private:
  std::unique_ptr<Transport> TakeTurn();

  const absl::Duration turn_;
  Mutex mutex_;
  std::condition_variable_any free_;
  std::vector<std::unique_ptr<Transport>> idle_ ABSL_GUARDED_BY(mutex_);
};

class Permissions {
 public:
  // Both outlive it.
  Permissions(Reviewer& reviewer, const Clock& clock)
      : reviewer_(reviewer), recent_(kReviewLasts, kMaxReviews, clock) {}

  absl::StatusOr<bool> May(const User& user, const Access& access);
  size_t kept() const { return recent_.size(); }

 private:
  Reviewer& reviewer_;
  Recent<bool> recent_;
};

}  // namespace gangplan
