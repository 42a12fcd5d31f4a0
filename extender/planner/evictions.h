// Groups that give way, or start anew, are evicted here: all of one, or none of it. First every pod
// of it is asked about, by evictions that are not carried out, and with the last one whether
// disruption budgets allow all of them to go, so that a budget or a missing right is known before
// anybody is touched. Then one write decides: an owner with the
// switch is suspended, where we suspend any (no pod fails, nothing is counted against its back-off
// limit, and it has our mark, so that it is planned again); else the last of its pods is marked by
// an annotation, and each pod is evicted, that one at last. Whoever starts anew finds the mark and
// does the rest. What a budget refuses after the first pod has gone is deleted: a gang of which a
// part runs is of no use.
//
// Until somebody has gone, or may have, it can be called off, and is where nothing is heard of it:
// then it goes on as before, and its mark is taken back until none can land any more.
//
// A group that can do without some of its members may lose these alone: nothing is marked then, as
// each of them may go or stay, and what a budget refuses stays. So it is with pods of no group, of
// one namespace together, which are evicted as if they were such members (IsSingles).
//
// Thread rule: the planner's.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "extender/planner/limits.h"
#include "extender/planner/plans.h"
#include "extender/planner/timers.h"

namespace gangplan {

class Evictions {
 public:
  // `evicts`: some of those that others have begun are to be gone on with.
  Evictions(bool evicts, bool suspends, const Books& books, Plans& plans)
      : evicts_(evicts), suspends_(suspends), books_(books), plans_(plans) {}

  void SetEvicts(bool evicts) { evicts_ = evicts; }
  // One that gives way: these of its pods, which it can do without, the others stay; none: all of
  // it. Of no group: these pods, which are of one namespace.
  struct Yielder {
    GroupId group = 0;
    std::vector<PodRef> some = {};
  };
  // Numbers for pods of no group that give way together.
  GroupId NextSingles() { return SinglesFor(++singles_); }
  // Asks whether they may be evicted, and, of those of one namespace, whether together. REQUIRES:
  // each runs, and is not evicted yet.
  void Check(absl::Time now, std::string_view for_whom, std::span<const Yielder> victims);
  // Why a gang is evicted for its own good, so that it starts anew.
  enum class Cause : uint8_t {
    kNoRoom,    // for what it has lost: not where it has some by the time that all of it may go
    kNotReady,  // not all of its pods are; whoever asks cancels it when they are
  };
  // It is, as soon as it is known that all of it may be; `why` is told to its owner. REQUIRES: as
  // Check.
  void Restart(absl::Time now, GroupId group, Cause cause, std::string why);
  // Of these, those of which somebody has gone, or been suspended.
  struct Restarted {
    GroupKey key;
    Yielding::Makers makers;
  };
  std::vector<Restarted> TakeRestarted(Cause cause) {
    return std::exchange(restarted_[static_cast<size_t>(cause)], {});
  }
  // Somebody makes each of its pods anew that runs.
  bool MadeAnew(const Group& group) const;
  bool Knows(GroupId victim) const { return evictions_.contains(victim); }
  // Somebody of it has gone, or its owner is suspended.
  bool AnyGone(GroupId victim) const {
    const auto found = evictions_.find(victim);
    return found != evictions_.end() && found->second.AnyGone();
  }
  // One of them has come on since then. O(evictions).
  bool AnyCameOn(absl::Time since) const;
  // Nobody needs it any more: it ends, as soon as it is known that nobody of it has gone. Nothing
  // where somebody has: that goes on.
  void Cancel(absl::Time now, GroupId victim);
  // Of one that gives way to itself because it is not ready, where it has not come on since then.
  // False: there was no question to be cancelled.
  bool CancelRestart(absl::Time now, GroupId group,
                     absl::Time unheard_since = absl::InfiniteFuture());
  // As many writes are on their way as may be.
  bool full() const { return sent_ >= kEvictionsAtOnce; }
  // It is evicted from here on; `why` is told to its owner. REQUIRES: kMayGo was told.
  void Begin(absl::Time now, GroupId victim, std::string why);
  // Of each PodDelete and PodMark, with its number.
  void OnPodWritten(absl::Time now, std::string_view uid, int64_t attempt,
                    const absl::Status& status);
  void OnJobWritten(absl::Time now, std::string_view uid, int64_t attempt,
                    const absl::Status& status);
  // The numbers of these writes; those of others are above 0.
  static bool IsOurs(int64_t attempt) { return attempt < 0; }
  // What became of those that were asked about or are evicted.
  enum class News {
    kMayGo,    // all of it
    kRefused,  // nobody of it was touched
    kToldAll,  // each pod of it is on its way out, or its owner is suspended
  };
  // With what was said against those that were refused, where somebody said something.
  using NewsAndWhy = std::pair<News, std::string>;
  std::map<GroupId, NewsAndWhy> TakeNews() { return std::exchange(news_, {}); }
  // Of each input: whose last pod is on its way out is planned again.
  void Follow(absl::Time now);
  void Tick(absl::Time now);
  int64_t begun() const { return begun_; }  // groups, since start

 private:
  enum class State {
    kChecking,
    kMayGo,
    kSuspending,
    kMarking,
    kUnmarking,  // nobody of it has gone, and it goes on: its mark is taken back
    kFirst,      // the first pod is to be evicted
    kEvicting,   // the others
    kEnding,     // all are on their way out
  };
  struct Eviction {
    State state = State::kChecking;
    std::string for_whom;
    bool anew = false;             // it gives way to itself
    Cause cause = Cause::kNoRoom;  // of such a one
    std::string why;
    std::vector<PodRef> pods;         // that run, the marked one last
    std::vector<std::string> beside;  // of its namespace, pods of others that go for the same
    // Of pods of no gang that may go: one may be gone before its eviction is answered.
    std::map<std::string, int32_t, std::less<>> priorities;
    size_t next = 0;                           // of these, the first that was not sent yet
    std::set<std::string, std::less<>> told;   // ... of which nothing more is to be done
    bool some = false;                         // these alone: the group goes on
    bool marks = false;                        // the last one is marked
    std::string against;                       // what was said against it, when it was refused
    bool unwanted = false;                     // it ends if nobody of it has gone
    bool doubted = false;                      // nobody knows what the last write has come to
    size_t sent = 0;                           // writes that are on their way
    absl::Time look = absl::InfiniteFuture();  // when all should have stopped
    absl::Time heard = absl::InfinitePast();   // it was begun, or has come on
    // Until then a write of which nobody has heard may land: an eviction, and the mark.
    absl::Time lands = absl::InfinitePast();
    absl::Time mark_lands = absl::InfinitePast();

    // Nobody of these was sent or told yet.
    void Restart(std::vector<PodRef> all) {
      pods = std::move(all);
      told.clear();
      next = 0;
    }
    void ComesOn(absl::Time now) {
      heard = now;
      doubted = false;
    }
    bool begun() const { return state > State::kMayGo; }
    // Nobody of it has gone, as far as anybody knows.
    bool MayEnd() const {
      return state == State::kSuspending || state == State::kMarking || state == State::kFirst;
    }
    bool AnyGone() const { return state == State::kEvicting || state == State::kEnding; }
    // An eviction was sent, and nobody has heard of it.
    bool in_doubt() const { return lands != absl::InfinitePast(); }
    bool EndsSome() const { return some && state == State::kEnding; }
    std::vector<PodRef>::iterator Find(std::string_view uid) {
      return std::find_if(pods.begin(), pods.end(),
                          [&](const PodRef& pod) { return pod.uid == uid; });
    }
  };
  struct Write {
    GroupId victim = 0;
    int64_t attempt = 0;  // 0: it is to be sent again
  };

  // A mark that may not be taken back, of a gang that goes on.
  struct Owed {
    PodRef pod;
    int64_t attempt = 0;  // 0: none is on its way
  };

  static bool IsDue(const Group& group, Cause cause);
  std::vector<PodRef> PodsOf(const Group& group) const;
  std::string NamespaceOf(GroupId victim, const Eviction& eviction) const;
  bool HasSwitch(const Group& group) const;
  void AskAll(absl::Time now, GroupId victim, Eviction eviction);
  void MayGo(absl::Time now, GroupId victim, Eviction& eviction);
  void Drop(GroupId victim);
  void ForgetWrites(GroupId victim, Eviction& eviction);
  void LetGo(absl::Time now, GroupId victim, Eviction& eviction, bool spares);
  void SparePods(absl::Time now, GroupId victim, std::string_view uid, const absl::Status& status);
  void EndSilent(absl::Time now);
  void Stop(Group& group, const Eviction& eviction);
  void ByPods(absl::Time now, GroupId victim, Eviction& eviction);
  void ToldAll(absl::Time now, GroupId victim, Eviction& eviction);
  Write* Next(absl::Time now, GroupId victim, const std::string& uid);
  void Suspend(absl::Time now, GroupId victim, Eviction& eviction);
  void Mark(absl::Time now, GroupId victim, Eviction& eviction, bool marks);
  void Evict(absl::Time now, GroupId victim, const PodRef& pod, PodDelete::How how);
  bool HasStopped(std::string_view uid) const;
  void SendSome(absl::Time now, GroupId victim, Eviction& eviction);
  Eviction* Answered(std::string_view uid, int64_t attempt, GroupId* victim);
  void Unmarked(absl::Time now, GroupId victim, Eviction& eviction, const absl::Status& status);
  void OweUnmark(absl::Time now, GroupId victim, Eviction& eviction, const absl::Status& status);
  void SendOwed(absl::Time now);
  void OwedWritten(absl::Time now, std::string_view uid, int64_t attempt,
                   const absl::Status& status);
  void Retry(absl::Time now, GroupId victim, std::string_view uid);
  void Again(absl::Time now, const std::string& uid);
  void Tried(absl::Time now, GroupId victim, Eviction& eviction, std::string_view uid,
             const absl::Status& status);
  void Marked(absl::Time now, GroupId victim, Eviction& eviction, const absl::Status& status);
  void Evicted(absl::Time now, GroupId victim, Eviction& eviction, std::string_view uid,
               const absl::Status& status);
  void Refused(absl::Time now, GroupId victim, Eviction& eviction, std::string_view uid,
               const absl::Status& status);
  void Force(absl::Time now, GroupId victim, Eviction& eviction, std::string_view uid);
  void SendAgain(absl::Time now, GroupId victim, Eviction& eviction, const PodRef& pod);
  void Tell(GroupId victim, const Eviction& eviction);
  void TellSingle(const Eviction& eviction, std::string_view uid);
  void NoteGivenUp(GroupId victim, const Eviction& eviction);
  void Resume(absl::Time now);
  GroupId HeirOf(const Eviction& eviction) const;
  void Inherit(GroupId victim, GroupId heir);
  void LookAgain(absl::Time now, GroupId victim, Eviction& eviction);

  bool evicts_;
  const bool suspends_;
  const Books books_;
  Plans& plans_;
  std::map<GroupId, Eviction> evictions_;
  std::map<std::string, Write, std::less<>> writes_;  // that are open, by UID of pod or owner
  size_t sent_ = 0;                                   // ... and on their way
  Timers<std::string> due_;                           // of writes_, those that are to be sent again
  std::map<std::string, Owed, std::less<>> owed_;     // by UID
  Timers<std::string> owed_due_;                      // ... that are to be taken back then
  std::set<std::string, std::less<>> forced_;
  std::map<GroupId, NewsAndWhy> news_;
  std::array<std::vector<Restarted>, 2> restarted_;  // by cause
  int64_t attempts_ = 0;
  int64_t singles_ = 0;
  int64_t begun_ = 0;
};

}  // namespace gangplan
