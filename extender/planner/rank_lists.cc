#include "extender/planner/rank_lists.h"

#include <algorithm>
#include <utility>

#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "extender/planner/results.h"
#include "extender/protocol/rank_list_words.h"
#include "topology/base/text.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

std::string GangOf(const ConfigMapFacts& object) {
  const std::string* gang = FindLabel(object.labels, kRankListLabel);
  return NameInNamespace(object.ns, gang == nullptr ? "" : *gang);
}

std::string TooBigText(const std::vector<std::string>& keys, int32_t ranks) {
  std::string names;
  for (const std::string& key : keys) names += (names.empty() ? "" : " and ") + key;
  return fmt::format("{} of {} ranks: a ConfigMap does not hold as much", names, ranks);
}

}  // namespace

void RankLists::OnObject(absl::Time now, const ConfigMapFacts& object, bool stands) {
  const std::string name = NameInNamespace(object.ns, object.name);
  const auto found = objects_.find(name);
  if (!stands) {
    if (found == objects_.end()) return;
    Unlist(name, found->second.gang);
    due_.Clear(name);
    objects_.erase(found);
    return;
  }
  Entry& entry = found == objects_.end() ? objects_[name] : found->second;
  std::string gang = GangOf(object);
  if (gang != entry.gang || object.uid != entry.object.uid) {
    if (!entry.gang.empty()) Unlist(name, entry.gang);
    by_gang_[gang].insert(name);
    const bool open = entry.open && object.uid == entry.object.uid;
    entry = {};
    entry.gang = std::move(gang);
    entry.open = open;
  }
  entry.object = {object.ns, object.name, object.uid};
  entry.has = ReadListedData(object.data);
  Look(now + Results::DelayAfter(entry.tries), name, entry);
}

void RankLists::Unlist(const std::string& name, const std::string& gang) {
  const auto listed = by_gang_.find(gang);
  if (listed == by_gang_.end()) return;
  listed->second.erase(name);
  if (listed->second.empty()) by_gang_.erase(listed);
}

void RankLists::Look(absl::Time when, const std::string& name, Entry& entry) {
  entry.news = true;
  if (!entry.open) due_.SetEarlier(name, std::max(when, entry.rests));
}

void RankLists::Touch(absl::Time now, std::string_view gang) {
  const auto listed = by_gang_.find(gang);
  if (listed == by_gang_.end()) return;
  for (const std::string& name : listed->second) {
    Entry& entry = objects_.at(name);
    entry.tries = 0;
    Look(now, name, entry);
  }
}

std::optional<RankLists::Due> RankLists::TakeDue(absl::Time now, const Find& find) {
  const std::vector<std::string> due = due_.TakeDue(now, 1);
  if (due.empty()) return std::nullopt;
  Entry& entry = objects_.at(due.front());
  entry.news = false;
  const Found found = find(entry.gang);
  if (!found.unread) return Tell(now, entry, found.gang);
  Look(now + kMaxResultsAfter, due.front(), entry);
  return Due();
}

// Nothing: it stays as it is.
std::optional<RankListData> RankLists::Lacking(const Entry& entry,
                                               const std::optional<Gang>& gang) const {
  const std::string list_of = ListOf(scheduler_, entry.gang, gang ? gang->incarnation : "");
  const bool listed = gang && !gang->by_rank.empty();
  if (!listed && !MayRemove(scheduler_, entry.has)) return std::nullopt;
  if (gang && gang->ending && entry.has.list_of == list_of) return std::nullopt;
  return MakeRankList(list_of, gang ? gang->by_rank : std::vector<ListedRank>(), entry.has);
}

RankLists::Due RankLists::Tell(absl::Time now, Entry& entry, const std::optional<Gang>& gang) {
  const ConfigMapRef& object = entry.object;
  Due due;
  due.size = gang ? gang->size : 0;
  std::optional<RankListData> list = Lacking(entry, gang);
  if (!list) return due;
  if (due.size > kMaxListedRanks)
    list->too_big = {std::string(kHostfileKey), std::string(kPlacementKey)};
  if (!list->changes.empty()) {
    due.write = DataWrite{object, std::move(list->changes)};
    entry.open = true;
    entry.rests = now + kResultsAfter;
    ++entry.tries;
  }
  std::string told = list->too_big.empty() ? "" : TooBigText(list->too_big, due.size);
  if (!told.empty() && told != entry.told) {
    due.note = EventNote{object.ns,   OwnerRef{"v1", "ConfigMap", object.name, object.uid},
                         true,        kRanksTooBig,
                         kPlanAction, told};
  }
  if (!told.empty()) entry.told = std::move(told);
  return due;
}

void RankLists::OnWritten(absl::Time now, const ConfigMapRef& object, bool again) {
  const std::string name = NameInNamespace(object.ns, object.name);
  const auto found = objects_.find(name);
  if (found == objects_.end() || found->second.object.uid != object.uid) return;
  Entry& entry = found->second;
  entry.open = false;
  if (again || entry.news) Look(now + Results::DelayAfter(entry.tries), name, entry);
}

}  // namespace gangplan
