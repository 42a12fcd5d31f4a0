#include "extender/api/permissions.h"

#include <string>
#include <utility>

#include "extender/kube/access_review.h"
#include "extender/kube/bodies.h"
#include "topology/base/clock.h"

namespace gangplan {

ServerReviewer::ServerReviewer(TransportFactory& transports, size_t connections,
                               absl::Duration turn)
    : turn_(turn) {
  MutexLock lock(mutex_);
  for (size_t i = 0; i < connections; ++i) idle_.push_back(transports.Make());
}

// Null: none came free in time.
std::unique_ptr<Transport> ServerReviewer::TakeTurn() {
  MutexLock lock(mutex_);
  const absl::Time until = SystemClock().Now() + turn_;
  while (idle_.empty()) {
    const absl::Duration left = until - SystemClock().Now();
    if (left <= absl::ZeroDuration()) return nullptr;
    free_.wait_for(mutex_, absl::ToChronoMilliseconds(left + absl::Milliseconds(1)));
  }
  std::unique_ptr<Transport> transport = std::move(idle_.back());
  idle_.pop_back();
  return transport;
}

absl::StatusOr<bool> ServerReviewer::May(const User& user, const Access& access) {
  std::unique_ptr<Transport> transport = TakeTurn();
  if (transport == nullptr)
    return absl::UnavailableError("as many rights are asked for as may be at once; try again");
  absl::StatusOr<bool> may = MayDo(*transport, access, user, kReviewTimeout);
  MutexLock lock(mutex_);
  idle_.push_back(std::move(transport));
  free_.notify_one();
  return may;
}

absl::StatusOr<bool> Permissions::May(const User& user, const Access& access) {
  // Without a name the review would be of our own rights.
  if (user.name.empty()) return absl::UnauthenticatedError("nobody asks");
  const std::string question = AccessReviewBody(access, user);
  const auto ask = [&] { return reviewer_.May(user, access); };
  if (question.size() > kMaxKeptQuestionBytes) return ask();
  return recent_.Get(question, ask);
}

}  // namespace gangplan
