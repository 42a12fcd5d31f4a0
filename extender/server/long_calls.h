// The calls of one route that may take long: how many are under way, and how much of a processor
// they take together, whoever asks how often.
//
// Thread rule: any thread.
#pragma once

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"

namespace gangplan {

class LongCalls {
 public:
  // `most` at once. `share`: of each second, that one processor may be busy with them, four
  // seconds' worth of which may be saved up; infinite: as long as they like.
  LongCalls(int most, absl::Duration share);

  // Empty: one more is under way, until End. Else why not: the caller is to try again.
  std::string Begin(absl::Time now);
  // Its reply is out.
  void End();
  // The processor's time that it took. Beyond what is left: those after it wait until it is made
  // up.
  void NoteSpent(absl::Duration time);

  // Notes what the thread spends while it lives.
  class Spending {
   public:
    explicit Spending(LongCalls& calls) : calls_(calls) {}
    ~Spending() { calls_.NoteSpent(ThreadCpuTime() - start_); }
    Spending(const Spending&) = delete;
    Spending& operator=(const Spending&) = delete;

   private:
    LongCalls& calls_;
    const absl::Duration start_ = ThreadCpuTime();
  };

 private:
  void Fill(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int most_;
  const absl::Duration share_;
  Mutex mutex_;
  int under_way_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Duration left_ ABSL_GUARDED_BY(mutex_);
  absl::Time filled_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace gangplan
