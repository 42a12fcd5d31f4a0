#include "extender/app/held_calls.h"

#include <utility>

#include "topology/base/text.h"

namespace gangplan {

absl::StatusOr<std::future<std::string>> HeldCalls::Open(CallId call) {
  MutexLock lock(mutex_);
  if (calls_.size() < static_cast<size_t>(limit_)) return calls_[call].get_future();
  return absl::ResourceExhaustedError(ToAbsl(fmt::format(
      "gangplan holds {} bind calls, as many as it may at once (server.maxHeldCalls: {}); raise it "
      "together with server.maxConnections, or let fewer members wait at once",
      calls_.size(), limit_)));
}

void HeldCalls::Forget(CallId call) {
  MutexLock lock(mutex_);
  calls_.erase(call);
}

void HeldCalls::Answer(CallId call, std::string error) {
  MutexLock lock(mutex_);
  const auto found = calls_.find(call);
  if (found == calls_.end()) return;
  found->second.set_value(std::move(error));
  calls_.erase(found);
}

void HeldCalls::AnswerAll(std::string_view error) {
  MutexLock lock(mutex_);
  for (auto& [call, answer] : calls_) answer.set_value(std::string(error));
  calls_.clear();
}

}  // namespace gangplan
