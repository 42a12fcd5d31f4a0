// Answers that hold for a short while. Who asks the same within it gets the same answer; who asks
// while it is being found waits for that one; what fails is not kept. Beyond `most` the one that
// was found first is dropped.
//
// Thread rule: any thread. Nothing is locked while an answer is being found.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/cleanup/cleanup.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"

namespace gangplan {

template <typename Value>
class Recent {
 public:
  using Answer = absl::StatusOr<Value>;

  // `clock` outlives it.
  Recent(absl::Duration lasts, size_t most, const Clock& clock)
      : lasts_(lasts), most_(most), clock_(clock) {}

  Answer Get(const std::string& question, const std::function<Answer()>& find) {
    const auto entry = std::make_shared<Entry>();
    {
      MutexLock lock(mutex_);
      std::shared_ptr<Entry>& known = entries_[question];
      if (known != nullptr && (!known->answer || clock_.Now() < known->until)) {
        const std::shared_ptr<Entry> awaited = known;
        while (!awaited->answer) found_.wait(mutex_);
        return *awaited->answer;
      }
      known = entry;
    }
    Answer answer = absl::InternalError("no answer was found");
    {
      const absl::Cleanup tell = [&] {  // also where finding it throws: others wait for it
        MutexLock lock(mutex_);
        entry->answer = answer;
        Keep(question, entry);
        found_.notify_all();
      };
      answer = find();
    }
    return answer;
  }

  size_t size() const {  // those that are being found, too
    MutexLock lock(mutex_);
    return entries_.size();
  }

 private:
  struct Entry {
    std::optional<Answer> answer;
    absl::Time until = absl::InfinitePast();
  };

  void Keep(const std::string& question, const std::shared_ptr<Entry>& entry)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!entry->answer->ok()) return Drop(question, entry);
    entry->until = clock_.Now() + lasts_;
    order_.emplace_back(question, entry);
    const auto spent = [&] {
      return order_.size() > most_ || order_.front().second->until <= clock_.Now();
    };
    while (!order_.empty() && spent()) {
      Drop(order_.front().first, order_.front().second);
      order_.pop_front();
    }
  }
  // Unless another one has its place.
  void Drop(const std::string& question, const std::shared_ptr<Entry>& entry)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const auto it = entries_.find(question);
    if (it != entries_.end() && it->second == entry) entries_.erase(it);
  }

  const absl::Duration lasts_;
  const size_t most_;
  const Clock& clock_;
  mutable Mutex mutex_;
  std::condition_variable_any found_;
  std::map<std::string, std::shared_ptr<Entry>> entries_ ABSL_GUARDED_BY(mutex_);
  // As they were found, which is as they end.
  std::deque<std::pair<std::string, std::shared_ptr<Entry>>> order_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gangplan
