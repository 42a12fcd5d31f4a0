#include "extender/app/held_calls.h"

#include <algorithm>
#include <utility>

#include "topology/base/text.h"

namespace gangplan {

absl::StatusOr<std::future<std::string>> HeldCalls::Open(CallId call, std::string_view ns) {
  MutexLock lock(mutex_);
  if (calls_.size() < static_cast<size_t>(limit_)) {
    Held& held = calls_[call];
    held.ns = ns;
    standing_[held.ns].insert(call);
    return held.answer.get_future();
  }
  return absl::ResourceExhaustedError(ToAbsl(fmt::format(
      "gangplan holds {} bind calls, as many as it may at once (server.maxHeldCalls: {}); raise it "
      "together with server.maxConnections, or let fewer members wait at once",
      calls_.size(), limit_)));
}

std::optional<CallId> HeldCalls::GiveWayTo(std::string_view ns) {
  MutexLock lock(mutex_);
  const auto most = std::max_element(
      standing_.begin(), standing_.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (most == standing_.end()) return std::nullopt;
  const auto own = standing_.find(ns);
  const size_t has = own == standing_.end() ? 0 : own->second.size();
  if (most->second.size() <= has + 1) return std::nullopt;
  const CallId last = *most->second.rbegin();
  most->second.erase(last);
  calls_.at(last).gives_way = true;
  return last;
}

void HeldCalls::LetStay(CallId call) {
  MutexLock lock(mutex_);
  const auto found = calls_.find(call);
  if (found == calls_.end()) return;
  found->second.gives_way = false;
  standing_[found->second.ns].insert(call);
}

void HeldCalls::Forget(CallId call) {
  MutexLock lock(mutex_);
  if (const auto found = calls_.find(call); found != calls_.end()) Erase(found);
}

void HeldCalls::Answer(CallId call, std::string error) {
  MutexLock lock(mutex_);
  const auto found = calls_.find(call);
  if (found == calls_.end()) return;
  Held& held = found->second;
  held.answer.set_value(held.gives_way && !error.empty() ? TextOf(held) : std::move(error));
  Erase(found);
}

void HeldCalls::AnswerAll(std::string_view error) {
  MutexLock lock(mutex_);
  for (auto& [call, held] : calls_) held.answer.set_value(std::string(error));
  calls_.clear();
  standing_.clear();
}

void HeldCalls::Erase(Calls::iterator call) {
  const auto own = standing_.find(call->second.ns);
  if (own != standing_.end()) {
    own->second.erase(call->first);
    if (own->second.empty()) standing_.erase(own);
  }
  calls_.erase(call);
}

std::string HeldCalls::TextOf(const Held& held) const {
  return fmt::format(
      "gangplan holds as many bind calls as it may at once (server.maxHeldCalls: {}), and "
      "namespace {} has the most of them: this one has given way to another namespace's; let fewer "
      "members wait at once",
      limit_, held.ns);
}

}  // namespace gangplan
