#include "extender/planner/reports.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>

#include "extender/frontends/gangplan/words.h"
#include "extender/planner/event_reasons.h"
#include "extender/planner/least.h"
#include "extender/planner/spares.h"

namespace gangplan {
namespace {

std::string_view NameOf(SlotState state) {
  constexpr std::string_view kNames[] = {"empty", "held", "posting", "bound", "finished"};
  return kNames[static_cast<int>(state)];
}

// The engine was asked for it: the shapes are there.
bool WasAsked(const Group& group) {
  const auto& sets = group.pod_sets().sets();
  return group.Placeable() && std::all_of(sets.begin(), sets.end(), [](const PodSet& set) {
           return !set.known || set.shape >= 0;
         });
}

// "required rack"; "leader: required rack; workers: slices of 4 in one rack" where they differ. Of
// a ladder also the rung in force.
std::string WordsText(const PodSets& pod_sets) {
  if (pod_sets.empty()) return {};
  const std::vector<PodSet>& sets = pod_sets.sets();
  const auto climbs =
      std::find_if(sets.begin(), sets.end(), [](const PodSet& set) { return !set.ladder.empty(); });
  if (climbs != sets.end()) {  // the same ladder on all pod sets
    const size_t rung = std::min(pod_sets.rung(), climbs->ladder.size() - 1);
    return fmt::format("{} (in force: {})", climbs->place, climbs->ladder[rung].place);
  }
  const std::string& first = sets.front().place;
  const bool same =
      std::all_of(sets.begin(), sets.end(), [&](const PodSet& set) { return set.place == first; });
  if (same) return first;
  std::string text;
  for (const PodSet& set : sets) {
    std::string place = set.known ? set.place : "not seen yet";
    if (place.empty()) place = "no rule";
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", set.name, place);
  }
  return text;
}

// "block=pack!; of workers: rack=pack!"
std::string PlaceText(const PodSets& pod_sets) {
  std::string text = WordsText(pod_sets);
  for (const PodSet& set : pod_sets.sets()) {
    if (set.own_place.empty()) continue;
    text += fmt::format("{}of {}: {}", text.empty() ? "" : "; ", set.name, set.own_place);
  }
  if (pod_sets.relaxed()) text += " (what it has lost may go anywhere)";
  return text;
}

// One a pod set; none where there is only one without a name.
std::vector<GroupReport::PodSetReport> PodSetReports(const Group& group) {
  std::vector<GroupReport::PodSetReport> reports;
  const std::vector<PodSet>& sets = group.pod_sets().sets();
  if (sets.empty() || sets.front().name.empty()) return reports;
  for (const PodSet& set : sets) {
    const bool both = !set.place.empty() && !set.own_place.empty();
    reports.push_back({set.name, set.count, 0, 0,
                       fmt::format("{}{}{}", set.place, both ? "; its own: " : "", set.own_place)});
  }
  for (const auto& [uid, member] : group.members()) {
    if (member.live()) ++reports[static_cast<size_t>(member.pod_set)].seen;
  }
  for (int32_t i = 0; i < static_cast<int32_t>(group.slots().size()); ++i) {
    if (group.slot(i).state == SlotState::kBound)
      ++reports[static_cast<size_t>(group.pod_sets().IndexOf(i))].bound;
  }
  return reports;
}

std::string_view EventReason(const Group& group) {
  const Outcome outcome = group.verdict().outcome;
  if (group.AnyUnsound() || outcome == Outcome::kInvalid) return kGangInvalid;
  return outcome == Outcome::kImpossible ? kGangImpossible : kGangWaiting;
}

// Pods that cannot be members, so many at most, and why.
std::vector<std::string> ProblemsOf(const Group& group, size_t most) {
  std::vector<std::string> problems;
  if (!group.AnyUnsound()) return problems;
  for (const auto& [uid, member] : group.members()) {
    if (problems.size() == most) break;
    if (!member.sound())
      problems.push_back(fmt::format("pod {}: {}", member.pod.name, member.problem));
  }
  return problems;
}

// Of all slots that have one.
std::vector<NodeIndex> NodesOf(const Group& group) {
  std::vector<NodeIndex> nodes;
  for (const Slot& slot : group.slots()) {
    if (slot.node != kNoNode) nodes.push_back(slot.node);
  }
  return nodes;
}

}  // namespace

std::vector<std::pair<std::string_view, int64_t>> Reports::WithoutGroup() const {
  std::vector<std::pair<std::string_view, int64_t>> pods = {
      {"no_words", books_.pods.kin(Kin::kAlone)},
      {"owner_unread", books_.pods.kin(Kin::kWaitsForOwner)},
      {"claim_refused", books_.pods.kin(Kin::kClaimRefused)}};
  for (int i = 1; i < kMisfits; ++i) {
    int64_t count = 0;
    for (const auto& [id, group] : books_.groups.groups())
      count += group->misfits(static_cast<Misfit>(i));
    pods.emplace_back(Name(static_cast<Misfit>(i)), count);
  }
  return pods;
}

// Of so many shapes it is looked up how many pods have room now, which may count the whole tree
// anew: of those who have waited longest. What a gang with further ones waits for is not told.
constexpr size_t kMostRoomShapes = 4;

// The longest wait of each kind. O(groups log groups).
void Reports::TellWaits(PlannerStats& stats) const {
  std::vector<std::pair<absl::Time, const Group*>> waiting;
  for (const auto& [id, group] : books_.groups.groups()) {
    const Verdict& told = group->verdict();
    const bool room_alone = told.outcome == Outcome::kWait && !told.early && !told.kept_back;
    const bool blocked = group->state() == GroupState::kBlocked && group->wait().from;
    if (blocked && room_alone && WasAsked(*group))
      waiting.emplace_back(*group->wait().from, group.get());
  }
  std::sort(waiting.begin(), waiting.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::map<ShapeId, int64_t> room;
  const auto unknown = [&](const PodSet& set) {
    return set.known && room.size() == kMostRoomShapes && !room.contains(set.shape);
  };
  const auto fits = [&](const Group& group, const PodSet& set) {
    if (!set.known || unknown(set)) return true;
    const auto [entry, added] = room.try_emplace(set.shape);
    if (added && books_.ledger.model().tree(group.topology()).level_count() > 0) {
      const std::span<const int32_t> tops = books_.ledger.model().Counts(set.shape).at(0);
      entry->second = std::accumulate(tops.begin(), tops.end(), int64_t{0});
    }
    return entry->second >= set.count;
  };
  for (const auto& [from, group] : waiting) {
    const auto& sets = group->pod_sets().sets();
    const bool free =
        !group->verdict().short_in_all &&
        std::all_of(sets.begin(), sets.end(), [&](const PodSet& set) { return fits(*group, set); });
    if (free && std::any_of(sets.begin(), sets.end(), unknown)) continue;
    std::optional<absl::Time>& since = free ? stats.waits_with_room : stats.waits_without;
    if (!since) since = from;
    if (stats.waits_with_room && stats.waits_without) return;
  }
}

PlannerStats Reports::Stats() const {
  PlannerStats stats;
  stats.rejected_pods = books_.waker.rejected();
  stats.held_slots = books_.ledger.hold_count();
  stats.held_calls = static_cast<int64_t>(books_.desk.held_calls());
  stats.faulty_pods = books_.pods.faulty();
  stats.without_group = WithoutGroup();
  stats.refused_claims = books_.groups.refused();
  for (const auto& [id, group] : books_.groups.groups()) {
    ++stats.groups[static_cast<int>(group->state())];
    ++stats.roads[static_cast<int>(RoadOf(*group))];
  }
  TellWaits(stats);
  for (size_t i = 0; i < 4; ++i) stats.solves[i] = books_.placer.solves(static_cast<Outcome>(i));
  return stats;
}

Road Reports::RoadOf(const Group& group) const {
  const bool over = group.state() == GroupState::kRunning || group.state() == GroupState::kDone;
  if (over) return Road::kNone;
  if (group.start() != GroupStart::kByItself) return Road::kSuspended;
  if (group.gated() > 0) return Road::kGated;
  if (!verbs_) return group.released() > 0 ? Road::kReleased : Road::kUngated;
  if (group.holds() > 0 || group.Started()) {
    const bool sampled = books_.ledger.model().node_count() >= nominate_from_;
    return sampled ? Road::kNominated : Road::kOffered;
  }
  switch (group.answered()) {
    case WaitAnswer::kRejection:
      return Road::kRejected;
    case WaitAnswer::kError:
      return Road::kError;
    case WaitAnswer::kNone:
      break;
  }
  return Road::kUnasked;
}

GroupReport Reports::Summary(const Group& group) const {
  GroupReport report;
  report.key = group.key();
  report.name = group.name();
  report.created = group.created();
  report.state = group.state();
  report.road = RoadOf(group);
  report.priority = group.priority();
  // Without the slots of nobody that are to go.
  const int32_t whole = group.bound() + group.In(SlotState::kFinished);
  report.size = group.AllBound() ? whole : group.size();
  report.least = LeastOf(group, books_.owners);
  report.origins = group.origins();
  report.place = PlaceText(group.pod_sets());
  if (group.size() > 0) report.in_topology = group.pod_sets().sets().front().topology_name;
  report.spares = SparesText(books_, group);
  if (group.size() > 0) {
    const EngineChoice engine = books_.placer.EngineOf(group);
    report.engine = Name(engine.strategy);
    report.engine_why = engine.why;
  }
  report.outcome = group.verdict().outcome;
  report.rungs_left = group.pod_sets().RungsLeft();
  report.reason = group.verdict().reason;
  const absl::Time end = books_.ledger.EndOf(group.id());
  if (end != absl::InfiniteFuture()) report.deadline = end;
  report.seen = group.live();
  report.in_bind = group.in_bind();
  report.bound = group.bound();
  return report;
}

std::vector<GroupReport> Reports::List(GroupId after, size_t most) const {
  std::vector<GroupReport> reports;
  const auto& groups = books_.groups.groups();
  for (auto it = groups.upper_bound(after); it != groups.end() && reports.size() < most; ++it) {
    reports.push_back(Summary(*it->second));
    reports.back().id = it->first;
  }
  return reports;
}

std::string Reports::NameWith(std::string_view asked, AskedBy by, GroupId& after,
                              int64_t most) const {
  const std::string_view ns = asked.substr(0, asked.find('/'));
  const std::string_view name = asked.substr(std::min(ns.size() + 1, asked.size()));
  const auto& groups = books_.groups.groups();
  for (auto it = groups.upper_bound(after); it != groups.end(); ++it) {
    const auto& [id, group] = *it;
    if (most <= 0) return {};
    after = id;
    --most;
    if (group->key().ns != ns) continue;
    if (by == AskedBy::kOwner) {
      if (group->owner() && group->owner()->name == name) return group->name();
      continue;
    }
    const auto& members = group->members();
    most -= static_cast<int64_t>(members.size());
    if (std::any_of(members.begin(), members.end(),
                    [&](const auto& entry) { return entry.second.pod.name == name; }))
      return group->name();
  }
  after = 0;
  return {};
}

void Reports::TellLine(const Group& group, GroupReport& report) const {
  report.nice = group.nice();
  if (group.WaitsForRoom()) report.share = books_.shares.Text(group);
  const RoomLine& line = books_.lines.of(group.topology());
  report.line_place = line.PositionOf(group.id());
  if (report.line_place == 0) return;
  report.line_length = line.size();
  if (report.line_place > 1) report.line_first = books_.groups.Find(*line.head())->name();
  const RoomLine::Reservation* kept = line.reserved();
  if (kept == nullptr || kept->group != group.id()) return;
  report.reservation = kept->text;
  if (kept->by > 0) report.expected_by = absl::FromUnixSeconds(kept->by);
}

GroupReport Reports::Describe(const Group& group) const {
  GroupReport report = Summary(group);
  TellLine(group, report);
  report.pod_sets = PodSetReports(group);
  report.problems = ProblemsOf(group, group.members().size());
  const Model& model = books_.ledger.model();
  const Tree& tree = model.tree(group.topology());
  for (int32_t i = 0; i < static_cast<int32_t>(group.slots().size()); ++i) {
    const Slot& slot = group.slot(i);
    const PodSet& set = group.pod_sets().Of(i);
    GroupReport::SlotReport line{i - set.first, "", "", "", std::string(NameOf(slot.state)),
                                 set.name};
    if (const Member* member = group.At(i)) line.pod = member->pod.name;
    if (slot.node != kNoNode) {
      line.node = model.NodeName(slot.node);
      const int32_t leaf = model.LeafOfNode(group.topology(), slot.node);
      line.domain = leaf < 0 ? line.node : tree.Path(tree.leaf_level(), leaf);
    }
    report.slots.push_back(std::move(line));
  }
  const std::vector<NodeIndex> nodes = NodesOf(group);
  if (nodes.empty()) return report;
  report.shape = ShapeOf(nodes, model, group.topology());
  report.quality = group.quality();
  return report;
}

EventNote Reports::News(const Group& group, const OwnerRef& regarding, bool started) const {
  std::string note = ShapeText(ShapeOf(NodesOf(group), books_.ledger.model(), group.topology()));
  if (!started) note = "room for " + note;
  return {group.key().ns, regarding,      false, started ? kGangStarted : kGangPlanned,
          kPlanAction,    std::move(note)};
}

EventNote Reports::NiceNews(const Group& group, const OwnerRef& regarding) const {
  std::string note =
      group.nice() == 0
          ? fmt::format("gang {} stands among others of its priority by its age again",
                        group.name())
          : fmt::format(
                "gang {} comes after all others of its priority that are less nice ({}: {})",
                group.name(), kNiceWord, group.nice());
  return {group.key().ns, regarding, false, kGangReprioritized, kPlanAction, std::move(note)};
}

std::vector<int32_t> Reports::WaitsWith(const Group& group) const {
  const bool waits =
      group.verdict().outcome == Outcome::kWait || group.verdict().outcome == Outcome::kImpossible;
  if (!waits || !group.stale().empty() || !WasAsked(group)) return {};
  if (!books_.placer.FaultOf(group).empty()) return {};
  return group.WantedSlots();
}

std::shared_ptr<SolveTask> Reports::Question(const Group& group) const {
  const std::vector<int32_t> wanted = WaitsWith(group);
  return wanted.empty() ? nullptr : books_.placer.CopyOf(group, wanted);
}

void Reports::Tell(Group& group, const OwnerRef& regarding) const {
  const std::string& reason = group.verdict().reason;
  // An Event has no room for more.
  std::string problems = fmt::format("{}", fmt::join(ProblemsOf(group, kMaxToldProblems), "\n"));
  if (reason.empty() && problems.empty()) return;  // it waits no more
  EventNote note{group.key().ns, regarding, true, std::string(EventReason(group)),
                 kPlanAction,    reason};
  books_.outbox.Push(ExplainGroup{std::move(note), Question(group), std::move(problems)});
}

}  // namespace gangplan
