// The ConfigMaps that are told where the pods of a gang are (gangplan.io/ranks-of): whole, once the
// place of every member is known, and taken away while it is not, so that whoever mounts their keys
// starts with the list of his own gang, or waits for it. Some while after something has changed,
// never on the road of a call, and again with growing pauses while writes do not go through or
// others undo them.
//
// Invariant: of an object one write at most is on its way. What is written depends on the order of
// the calls only.
// Thread rule: the planner's.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "extender/cluster/requests.h"
#include "extender/frontends/gangplan/rank_list.h"
#include "extender/planner/timers.h"
#include "topology/base/text_map.h"
#include "topology/config_map_facts.h"

namespace gangplan {

// Members of gangs whose lists one tick looks at, and what a list counts for beside them.
inline constexpr int64_t kListedATick = 2'000;
inline constexpr int64_t kListWork = 50;

class RankLists {
 public:
  // A gang as it stands: its pods by rank, none while one of them has no place.
  struct Gang {
    std::string incarnation;
    int32_t size = 0;
    std::vector<ListedRank> by_rank;
    bool ending = false;  // a pod of it has succeeded: its list stays as it is
  };
  struct Found {
    std::optional<Gang> gang;  // nothing: there is no such one
    bool unread = false;       // ... that is known: pods of it wait for their owner to be read
  };
  using Find = std::function<Found(std::string_view name)>;  // "namespace/name"

  // What is to be written, and what the object's author is told.
  struct Due {
    std::optional<DataWrite> write;
    std::optional<EventNote> note;
    int32_t size = 0;  // of the gang
  };

  // `scheduler`: ours, whose lists nobody else takes away.
  explicit RankLists(std::string scheduler) : scheduler_(std::move(scheduler)) {}

  // As the watch shows it, or that it is gone.
  void OnObject(absl::Time now, const ConfigMapFacts& object, bool stands);
  // The gang of that name, "namespace/name", is otherwise than before from `now` on. O(log
  // objects).
  void Touch(absl::Time now, std::string_view gang);
  // Of the first object that is due; nothing: none is. Each write comes back by OnWritten. O(size
  // of the gang), so that a tick takes one.
  std::optional<Due> TakeDue(absl::Time now, const Find& find);
  // `again`: it has not gone through, but may do so.
  void OnWritten(absl::Time now, const ConfigMapRef& object, bool again);

 private:
  struct Entry {
    ConfigMapRef object;
    ListedData has;
    std::string gang;
    int tries = 0;                            // since its gang has changed
    bool open = false;                        // a write is on its way
    bool news = false;                        // since that
    absl::Time rests = absl::InfinitePast();  // it is not written again before
    std::string told;                         // to its author
  };

  void Look(absl::Time when, const std::string& name, Entry& entry);
  void Unlist(const std::string& name, const std::string& gang);
  std::optional<RankListData> Lacking(const Entry& entry, const std::optional<Gang>& gang) const;
  Due Tell(absl::Time now, Entry& entry, const std::optional<Gang>& gang);

  const std::string scheduler_;
  TextMap<Entry> objects_;  // by "namespace/name"; never walked
  std::map<std::string, std::set<std::string>, std::less<>> by_gang_;
  Timers<std::string> due_;
};

}  // namespace gangplan
