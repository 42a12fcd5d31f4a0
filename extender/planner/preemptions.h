// Gangs that take the room of lesser ones that run, and of lesser pods of no gang. Who has to go
// was found on a copy (Plans); from there on this class sees it through: the room of the plan that
// is free is kept at once, that of each pod that goes as it goes, so that nobody else gets it; the
// victims are asked about, all of them, and then evicted one after the other (Evictions), whole, or
// so many of its pods as it can do without; when the last pod in the way has stopped, the gang has
// its plan. Without that in its time what is kept is given back, and it is asked anew: with what
// hangs by then where it is.
//
// A restart forgets it; evictions that have begun go on, and the gang is asked again: who stops
// already counts as gone.
//
// Thread rule: the planner's.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/evictions.h"
#include "extender/planner/kept_room.h"
#include "extender/planner/plans.h"

namespace gangplan {

class Preemptions {
 public:
  // `all_jobs`: each Job is a gang, also those whose pods say nothing of one.
  Preemptions(absl::Duration patience, bool all_jobs, const Books& books, Plans& plans,
              Evictions& evictions, KeptRoom& kept)
      : patience_(patience),
        all_jobs_(all_jobs),
        books_(books),
        plans_(plans),
        evictions_(evictions),
        kept_(kept) {}

  // Of those that begin from now on.
  void SetPatience(absl::Duration patience) { patience_ = patience; }
  // One that stops is waited for as long as it may take to, and this patience; one of no gang that
  // runs may have to go. After it is noted.
  void OnPod(absl::Time now, const PodFacts& pod);
  // Of each input: begins what was found, and goes on with the rest.
  void Follow(absl::Time now);

 private:
  using Yielder = Evictions::Yielder;
  struct Preemption {
    std::vector<Yielder> victims;  // that are not all on their way out yet, in their order
    std::set<GroupId> asked;       // of these, whether they may be evicted is not known yet
    bool refused = false;          // one of them may not
    std::string against;           // what people are told of that
    bool telling = false;          // the first of them is evicted
    bool took = false;             // somebody of them has gone
    absl::Time end;
    std::string why;  // the gang would wait if nobody gave way
  };

  bool MayBegin(const Group& group, const Plans::Victims& found) const;
  bool MayTake(const Victim& victim, const Group& group) const;
  bool CanDoWithout(const Group& victim, size_t pods) const;
  bool StillGoes(const Yielder& victim, const Group& group) const;
  bool TakeVictims(const std::vector<Victim>& found, Preemption& preemption) const;
  void TakeSingles(const std::vector<Victim>& found, Preemption& preemption);
  void SpareSilent(absl::Time now, const Preemption& preemption);
  void Begin(absl::Time now, const Group& group, Plans::Victims found);
  void AwaitPods(GroupId whose, const Preemption& preemption, KeptRoom::Draft& draft) const;
  void OweRest(const Preemption& preemption, KeptRoom::Draft& draft) const;
  bool TakeRest(GroupId account, const Yielder& victim);
  void TakeNews();
  void NoteTook(GroupId id, Preemption& preemption);
  bool GoOn(absl::Time now, GroupId id, Preemption& preemption);
  void End(absl::Time now, GroupId id, Preemption& preemption);
  std::string WhyEvicted(const Yielder& who, const Group& group,
                         const Preemption& preemption) const;
  std::string WhyNobodyGoes(const Yielder& who, GroupId group, std::string_view said) const;
  std::string WhyAwaits(const Group& group, const Preemption& preemption) const;
  std::string SinglesText(const Group& group, const Preemption& preemption) const;

  absl::Duration patience_;
  const bool all_jobs_;
  const Books books_;
  Plans& plans_;
  Evictions& evictions_;
  KeptRoom& kept_;
  std::map<GroupId, Preemption> preemptions_;
};

}  // namespace gangplan
