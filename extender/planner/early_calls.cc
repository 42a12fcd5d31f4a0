#include "extender/planner/early_calls.h"

#include <set>
#include <utility>

#include "topology/base/check.h"

namespace gangplan {

void EarlyCalls::Hold(EarlyCall call, absl::Time until) {
  const std::string uid = call.pod.uid;
  until_.Set(uid, until);
  GANGPLAN_CHECK(calls_.emplace(uid, std::move(call)).second);
}

std::optional<EarlyCall> EarlyCalls::Take(std::string_view uid) {
  const auto found = calls_.find(uid);
  if (found == calls_.end()) return std::nullopt;
  EarlyCall call = std::move(found->second);
  until_.Clear(found->first);
  calls_.erase(found);
  return call;
}

void EarlyCalls::Answer(std::string_view uid, std::string_view error) {
  if (const std::optional<EarlyCall> call = Take(uid))
    outbox_.Push(AnswerCall{call->id, std::string(error)});
}

void EarlyCalls::Close(const std::vector<CallId>& calls, std::string_view error) {
  if (calls_.empty()) return;
  const std::set<CallId> closed(calls.begin(), calls.end());
  std::vector<std::string> pods;
  for (const auto& [uid, call] : calls_) {
    if (closed.contains(call.id)) pods.push_back(uid);
  }
  for (const std::string& uid : pods) Answer(uid, error);
}

void EarlyCalls::AnswerAll(std::string_view error) {
  while (!calls_.empty()) Answer(std::string(calls_.begin()->first), error);
}

void EarlyCalls::Expire(absl::Time now) {
  for (const std::string& uid : until_.TakeDue(now))
    Answer(uid, "gangplan has not been shown this pod yet by its watch; it is tried again");
}

std::vector<CallId> EarlyCalls::Calls() const {
  std::vector<CallId> calls;
  for (const auto& [uid, call] : calls_) calls.push_back(call.id);
  return calls;
}

}  // namespace gangplan
