#include "extender/kube/event_gate.h"

#include <utility>

namespace gangplan {
namespace {

// NUL cannot stand in any of the parts, so two notes never share a key.
std::string KeyOf(const EventNote& note) {
  std::string key;
  for (std::string_view part : {std::string_view(note.ns), std::string_view(note.regarding.uid),
                                std::string_view(note.regarding.name),
                                std::string_view(note.reason), std::string_view(note.note)}) {
    key.append(part);
    key.push_back('\0');
  }
  return key;
}

}  // namespace

bool EventGate::Admit(const EventNote& note, absl::Time now) {
  std::string key = KeyOf(note);
  MutexLock lock(mutex_);
  auto known = written_.find(key);
  if (known != written_.end() && now - known->second < kEventMemory) return false;
  if (!TakeToken(note.ns, now)) {
    ++dropped_;
    return false;
  }
  if (written_.size() >= kMaxRememberedEvents) Forget(now);
  written_.insert_or_assign(std::move(key), now);
  return true;
}

void EventGate::CountDropped() {
  MutexLock lock(mutex_);
  ++dropped_;
}

int64_t EventGate::TakeDropped(absl::Time now) {
  MutexLock lock(mutex_);
  if (dropped_ == told_ || now - dropped_told_ < kDropsToldEvery) return 0;
  dropped_told_ = now;
  return dropped_ - std::exchange(told_, dropped_);
}

int64_t EventGate::dropped() const {
  MutexLock lock(mutex_);
  return dropped_;
}

bool EventGate::TakeToken(const std::string& ns, absl::Time now) {
  Share own;
  if (const auto known = of_namespace_.find(ns); known != of_namespace_.end()) own = known->second;
  all_.Fill(now);
  own.bucket.Fill(now);
  const bool any = own.is_quiet(now) ? all_.owes_little(now) : all_.any(now);
  if (!any || !own.bucket.any(now)) return false;
  all_.Take();
  own.bucket.Take();
  own.wrote = now;
  of_namespace_.insert_or_assign(ns, own);
  return true;
}

// Drops what is too old to matter; the rate lets no more be young than are remembered.
static_assert(kEventMemorySeconds * kEventsPerSecond + 2 * kMaxEventBurst < kMaxRememberedEvents);
void EventGate::Forget(absl::Time now) {
  for (auto it = written_.begin(); it != written_.end();) {
    if (now - it->second >= kEventMemory) {
      written_.erase(it++);
    } else {
      ++it;
    }
  }
  absl::erase_if(of_namespace_, [now](const auto& one) {
    return one.second.bucket.full(now) && one.second.is_quiet(now);
  });
}

}  // namespace gangplan
