// The calls of one route that may take long: how many are under way, and how much of a processor
// they take together, whoever asks how often. Who asks seldom is not shut out by those who ask all
// the time: as much again, at once and of the time, is there for peers that have had no such call
// within the last second.
//
// Thread rule: any thread.
#pragma once

#include <map>
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

  // Empty: one more is under way, until End. Else why not: the caller is to try again. `peer`:
  // whoever asks, by address; empty: nobody who could ask seldom.
  std::string Begin(absl::Time now, const std::string& peer = {});
  // Its reply is out. REQUIRES: it was let in as this peer's.
  void End(const std::string& peer = {});
  // After so long, at the earliest, what was spent beyond the share is made up.
  absl::Duration Owed() const;
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
  struct Peer {
    int under_way = 0;
    absl::Time let_in;  // the last time
  };
  bool AsksSeldom(absl::Time now, const std::string& peer) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NotePeer(absl::Time now, const std::string& peer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ForgetPeers(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Fill(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int most_;
  const absl::Duration share_;
  mutable Mutex mutex_;
  int under_way_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Duration left_ ABSL_GUARDED_BY(mutex_);
  absl::Time filled_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::map<std::string, Peer> peers_ ABSL_GUARDED_BY(mutex_);  // those that do not ask seldom
  absl::Time forgot_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace gangplan
