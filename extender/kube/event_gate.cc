#include "extender/kube/event_gate.h"

#include <algorithm>

#include "extender/kube/limits.h"

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
  if (!TakeToken(now)) return false;
  if (written_.size() >= kMaxRememberedEvents) Forget(now);
  written_.insert_or_assign(std::move(key), now);
  return true;
}

// A bucket of kMaxEventBurst tokens, kept as the time at which the next token would be free if the
// bucket had been drained: each token taken moves it on by one interval.
bool EventGate::TakeToken(absl::Time now) {
  const absl::Duration interval = absl::Seconds(1) / kEventsPerSecond;
  next_free_ = std::max(next_free_, now - interval * kMaxEventBurst);
  if (next_free_ + interval > now) return false;
  next_free_ += interval;
  return true;
}

// Drops what is too old to matter; the rate lets no more be young than are remembered.
static_assert(kEventMemorySeconds * kEventsPerSecond + kMaxEventBurst < kMaxRememberedEvents);
void EventGate::Forget(absl::Time now) {
  for (auto it = written_.begin(); it != written_.end();) {
    if (now - it->second >= kEventMemory) {
      written_.erase(it++);
    } else {
      ++it;
    }
  }
}

}  // namespace gangplan
