#include "extender/app/views.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/strings/numbers.h"
#include "extender/app/group_turns.h"
#include "extender/app/limits.h"
#include "extender/app/node_turns.h"
#include "extender/app/topology_gaps.h"
#include "extender/observe/log.h"
#include "extender/planner/solve_task.h"
#include "extender/web/advice_view.h"
#include "extender/web/reservation_view.h"
#include "topology/base/json_text.h"
#include "topology/base/text.h"
#include "topology/model.h"
#include "topology/object_name.h"
#include "topology/tree.h"

namespace gangplan {
namespace {

constexpr std::string_view kGroup = "groups/";
constexpr std::string_view kExplain = "explain/";
constexpr std::string_view kList = "list/";
constexpr std::string_view kHistory = "history/";
constexpr std::string_view kPod = "pod/";
constexpr std::string_view kNumber = "id/";
constexpr size_t kNone = std::string_view::npos;

// Some members may have nodes.
bool HasPlaces(const GroupReport& report) {
  return report.bound > 0 ||
         (report.state != GroupState::kNew && report.state != GroupState::kBlocked &&
          report.state != GroupState::kDone);
}

InfoHandler::Answer Text(int status, std::string text) {
  return {status, std::move(text), "text/plain; charset=utf-8"};
}

InfoHandler::Answer Error(int status, const std::string& what, bool text) {
  if (text) return Text(status, what + "\n");
  return {status, JsonText().Begin().Field("error", what).End().Take()};
}

std::string Seconds(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(duration, absl::Seconds(1)));
}

// Who stands before it, or holds its room, may be of a namespace that the reader must not see.
void HideOthers(GroupReport& report) {
  const bool own = report.line_first.starts_with(report.key.ns + "/");
  if (!report.line_first.empty() && !own) report.line_first = "of another namespace";
  if (report.advice) HideOthers(*report.advice, report.key.ns);
}

struct Sizes {
  PlannerStats stats;
  int64_t nodes = 0;
  int64_t foreign = 0;
  int64_t unplaced = 0;
  int64_t levels = 0;
};

Sizes SizesOf(Planner& planner) {
  const Model& model = planner.model();
  Sizes sizes{planner.Stats(), model.node_count(), model.foreign_count(), UnplacedIn(model), 0};
  if (!planner.levels_known()) return sizes;
  for (size_t i = 0; i < model.topologies().size(); ++i) {
    const Tree& tree = model.tree(static_cast<TopologyIndex>(i));
    sizes.levels = std::max<int64_t>(sizes.levels, tree.level_count());
  }
  return sizes;
}

}  // namespace

std::string Views::WhyNotAlive() {
  const absl::Duration silence = ticker_.Silence();
  if (silence >= kStuck)
    return fmt::format("the planner has done nothing for {}", Seconds(silence));
  const absl::Duration solving = solving_ ? solving_() : absl::ZeroDuration();
  if (solving < kQuestionStuck) return {};
  return fmt::format("one question has been worked on for {}", Seconds(solving));
}

std::string Views::WhyNotReady() {
  if (draining_) return "gangplan is stopping";
  if (std::string why = planner_.WhyNotReady(); !why.empty()) return why;
  const WatchSign oldest = cluster_.OldestWatch(Watched::kNodesAndPods);
  if (oldest.age <= kStaleWatch) return {};
  return fmt::format("nothing was heard of {} for {}", oldest.of, Seconds(oldest.age));
}

void Views::Publish() {
  const Sizes sizes = planner_.Take(TurnFor::kReport, SizesOf);
  for (int i = 0; i < kGroupStates; ++i)
    metrics_.SetGroups(Name(static_cast<GroupState>(i)), sizes.stats.groups[i]);
  for (int i = 1; i < kRoads; ++i)  // the first one is nobody's who waits
    metrics_.SetRoad(Name(static_cast<Road>(i)), sizes.stats.roads[i]);
  const ReservationCounts& reserved = sizes.stats.reservations;
  for (int i = 0; i < kReservationStates; ++i)
    metrics_.SetReservations(Name(static_cast<ReservationState>(i)), reserved.reservations[i]);
  metrics_.SetReservedPods("there", reserved.there);
  metrics_.SetReservedPods("missing", reserved.missing);
  metrics_.SetHeldSlots(sizes.stats.held_slots);
  metrics_.SetHeldBindCalls(sizes.stats.held_calls);
  metrics_.SetWaitingPodsRejected(sizes.stats.rejected_pods);
  const absl::Time now = clock_.Now();
  const auto waited = [&](std::optional<absl::Time> since) { return now - since.value_or(now); };
  metrics_.SetLongestWait("free", waited(sizes.stats.waits_with_room));
  metrics_.SetLongestWait("short", waited(sizes.stats.waits_without));
  metrics_.SetFaultyPods(sizes.stats.faulty_pods);
  for (const auto& [reason, pods] : sizes.stats.without_group)
    metrics_.SetPodsWithoutGroup(reason, pods);
  metrics_.SetRefusedClaims(sizes.stats.refused_claims);
  metrics_.SetRefusedSuspensions(sizes.stats.refused_suspensions);
  metrics_.SetEvictedGroups(sizes.stats.evicted_groups);
  metrics_.SetNodes(sizes.nodes);
  metrics_.SetForeignNodes(sizes.foreign);
  metrics_.SetUnplacedNodes(sizes.unplaced);
  metrics_.SetTopologyLevels(sizes.levels);
  metrics_.SetActs(cluster_.WhyNotActing(absl::ZeroDuration()).empty());
  metrics_.SetWatchAge(cluster_.OldestWatch(Watched::kAll).age);
  metrics_.SetDroppedLogLines(DroppedLogLines());
  metrics_.SetDroppedEvents(cluster_.DroppedEvents());
}

std::string Views::Metrics() {
  const auto text = scraped_.Get("", [this]() -> absl::StatusOr<std::string> {
    Publish();
    room_.Refresh();
    return metrics_.Text();
  });
  return text.value_or(std::string());
}

std::vector<ReservationReport> Views::Reservations() {
  return planner_.Take(TurnFor::kReport,
                       [](Planner& planner) { return planner.ListReservations(); });
}

std::vector<GroupReport> Views::AllGroups() {
  std::vector<GroupReport> groups;
  EachGroups(planner_, [&](std::vector<GroupReport> some) {
    std::move(some.begin(), some.end(), std::back_inserter(groups));
  });
  return groups;
}

// Node by node, as the tree stands at first: a node that comes later is not told, one that goes
// before its turn is left out, and what each one uses is of its own turn.
TopologyView Views::WholeTopology() {
  const std::vector<std::shared_ptr<const Tree>> trees = TreesNow(planner_);
  TopologyView view;
  view.resource = ShownResource(planner_, trees);
  for (const auto& tree : trees) {
    view.topologies.push_back({tree->topology().name, {}});
    for (int level = 0; level < tree->level_count(); ++level)
      view.topologies.back().levels.push_back(tree->level(level).name);
    view.unplaced.insert(view.unplaced.end(), tree->unplaced().begin(), tree->unplaced().end());
    AddNodes(*tree, trees.size() > 1 ? tree->topology().name + "/" : std::string(), view);
  }
  for (std::string& name : NodesInNone(planner_)) view.unplaced.push_back({std::move(name), ""});
  return view;
}

// `head`: of their paths.
void Views::AddNodes(const Tree& tree, const std::string& head, TopologyView& view) {
  const size_t before = view.nodes.size();
  std::vector<int32_t> leaves;
  leaves.reserve(static_cast<size_t>(tree.leaf_count()));
  view.nodes.reserve(before + leaves.capacity());
  const auto read = [&](const Model& model, const NodeFacts& facts, NodeIndex node, int32_t leaf) {
    const ResourceUse use = model.Use(node, view.resource);
    leaves.push_back(leaf);
    view.nodes.push_back(
        {"", "", facts.ready && !facts.unschedulable, use.allocatable, use.used, use.held});
    return true;
  };
  EachNode(planner_, tree, read);
  for (size_t i = 0; i < leaves.size(); ++i) {
    view.nodes[before + i].name = tree.name(tree.leaf_level(), leaves[i]);
    view.nodes[before + i].path = head + tree.Path(tree.leaf_level(), leaves[i]);
  }
}

// Of a pod, or an owner, of that name, in several short turns; empty: there is none.
std::string Views::GroupOf(std::string_view asked, AskedBy by) {
  GroupId after = 0;
  std::string group;
  do {
    group = planner_.Take(TurnFor::kReport, [&](Planner& planner) {
      return planner.GroupWith(asked, by, after, kMembersPerTurn);
    });
  } while (group.empty() && after != 0);
  return group;
}

// Of what is neither a group nor an owner that waits.
InfoHandler::Answer Views::Unknown(std::string_view name, const std::string& left, bool text) {
  const std::string why = planner_.WhyNotReady();
  if (!why.empty()) return Error(503, why, text);
  return Error(404, fmt::format("no group {}{}{}", name, left.empty() ? "" : "; ", left), text);
}

// In a turn of its own, which costs what a report of the group does.
std::string Views::Where(const GroupReport& listed) {
  const absl::Time now = clock_.Now();
  const bool large = listed.size > kLargeGang;
  if (large) {
    MutexLock lock(stood_mutex_);
    std::erase_if(stood_, [&](const auto& one) { return now - one.second.at >= kWhereLasts; });
    if (const auto it = stood_.find(listed.id); it != stood_.end()) return it->second.where;
  }
  const std::optional<GroupReport> whole = planner_.Take(
      TurnFor::kReport, [&listed](Planner& planner) { return planner.Report(listed.name); });
  // An older one of the name is not told by it.
  std::string where = whole && whole->key == listed.key ? WhereText(*whole) : std::string();
  if (large) {
    MutexLock lock(stood_mutex_);
    stood_[listed.id] = {where, now};
  }
  return where;
}

// Of one namespace; empty: of all.
std::vector<ListedGroup> Views::ListedOf(std::string_view ns) {
  std::vector<ListedGroup> groups;
  for (GroupReport& report : AllGroups()) {
    if (!ns.empty() && report.key.ns != ns) continue;
    std::string where = HasPlaces(report) ? Where(report) : std::string();
    groups.push_back({std::move(report), std::move(where)});
  }
  return groups;
}

std::vector<ListedGroup> Views::Listed() { return ListedOf({}); }

std::optional<GroupReport> Views::Whole(std::string_view name) {
  auto [report, question] = planner_.Take(TurnFor::kReport, [name](Planner& planner) {
    return std::pair(planner.Report(name), planner.Question(name));
  });
  if (report && question != nullptr) report->evidence = question->Evidence();
  return std::move(report);
}

InfoHandler::Answer Views::Explain(const Asked& asked) {
  if (asked.id != 0) {
    const std::string name = NameInNamespace(asked.ns, asked.name);
    auto [report, newest] = planner_.Take(TurnFor::kReport, [&](Planner& planner) {
      return std::pair(planner.Report(asked.id), planner.Report(name));
    });
    if (!report) return Unknown(name, "", true);
    // What is asked by a name is asked of the newest.
    const bool older = report->key.ns == asked.ns && newest && newest->key != report->key;
    if (older) return Told(*std::move(report), nullptr, !asked.json, &asked.ns);
  }
  return One(NameInNamespace(asked.ns, asked.name), asked.of_pod, !asked.json, &asked.ns);
}

// "NAMESPACE/NUMBER": by a name the newest is told, by its number also one before it.
InfoHandler::Answer Views::Numbered(std::string_view asked, bool text) {
  const size_t slash = asked.find('/');
  GroupId id = 0;
  std::optional<GroupReport> report;
  if (absl::SimpleAtoi(ToAbsl(asked.substr(slash + 1)), &id)) {
    report = planner_.Take(TurnFor::kReport, [id](Planner& planner) { return planner.Report(id); });
  }
  if (!report || report->key.ns != asked.substr(0, slash)) return Unknown(asked, "", text);
  return Told(*std::move(report), nullptr, text, nullptr);
}

// With "pod/" before it of a pod alone, with "id/" of a gang by its number.
InfoHandler::Answer Views::OneOfAll(std::string_view asked, bool text) {
  if (asked.starts_with(kNumber) && asked.find('/', kNumber.size()) != kNone)
    return Numbered(asked.substr(kNumber.size()), text);
  const bool of_pod = asked.starts_with(kPod) && asked.find('/', kPod.size()) != kNone;
  if (of_pod) asked.remove_prefix(kPod.size());
  return One(asked, of_pod, text, nullptr);
}

// "NAMESPACE/NAME" of a group, of an owner that waits without one, of a pod, or of an owner whose
// pods name their group themselves. `ns`: the one that the reader may see; null: all.
InfoHandler::Answer Views::One(std::string_view asked, bool pod_only, bool text,
                               const std::string* ns) {
  const auto told = [&](std::string_view name) {
    return planner_.Take(TurnFor::kReport, [name](Planner& planner) {
      return std::tuple(planner.Report(name), planner.Question(name), planner.WhyLeft(name));
    });
  };
  auto [report, question, left] = told(asked);
  if (pod_only) report.reset();
  if (!report && text && !left.empty()) return Text(200, left + "\n");
  if (!report) {
    std::string group = GroupOf(asked, AskedBy::kPod);
    if (group.empty() && !pod_only) group = GroupOf(asked, AskedBy::kOwner);
    if (!group.empty()) std::tie(report, question, left) = told(group);
  }
  if (!report || (ns != nullptr && report->key.ns != *ns))
    return Unknown(asked, left, text || ns != nullptr);
  return Told(*std::move(report), question.get(), text, ns);
}

// `question`: whose answer is its evidence; null: none.
InfoHandler::Answer Views::Told(GroupReport report, SolveTask* question, bool text,
                                const std::string* ns) {
  report.topology = TopologyGaps(planner_);
  if (question != nullptr) {
    report.evidence = question->Evidence();
    report.advice = advisor_.Of(report.name);
  }
  if (ns != nullptr) HideOthers(report);
  if (text) return Text(200, GroupText(report, clock_.Now()));
  return {200, GroupJson(report)};
}

InfoHandler::Answer Views::History(std::string_view name) {
  const GroupHistory history =
      planner_.Take(TurnFor::kReport, [name](Planner& planner) { return planner.HistoryOf(name); });
  if (!history.lines.empty()) return {200, HistoryJson(name, history)};
  const std::string why = planner_.WhyNotReady();
  if (!why.empty()) return Error(503, why, false);
  return Error(404, fmt::format("no group {} since the start", name), false);
}

// How what is read of many gangs, or of all nodes, is found; null: the path is none of these.
Views::Finder Views::ReportOf(std::string_view path) {
  if (path == "groups") return [this] { return Answer{200, GroupsJson(AllGroups())}; };
  if (path == "topology") return [this] { return Answer{200, TopologyJson(WholeTopology())}; };
  if (path == "reservations")
    return [this] { return Answer{200, ReservationsJson(Reservations())}; };
  if (path == "reservations/text")
    return [this] { return Text(200, ReservationsText(Reservations())); };
  if (path == "list") return [this] { return Answer{200, ListJson(ListedOf({}))}; };
  if (!path.starts_with(kList)) return nullptr;
  return [this, ns = std::string(path.substr(kList.size()))] {
    return Answer{200, ListJson(ListedOf(ns))};
  };
}

InfoHandler::Answer Views::Info(const std::string& path) {
  if (const Finder find = ReportOf(path)) {
    const absl::StatusOr<Answer> report = reports_.Get(path, find);
    return report.ok() ? *report : Error(500, Message(report.status()), false);
  }
  std::string_view rest = path;
  if (rest.starts_with(kHistory)) return History(rest.substr(kHistory.size()));
  const bool text = rest.starts_with(kExplain);
  if (text) return OneOfAll(rest.substr(kExplain.size()), true);
  if (rest.starts_with(kGroup)) return OneOfAll(rest.substr(kGroup.size()), false);
  return Error(404,
               "expected groups, groups/NAMESPACE/NAME, groups/pod/NAMESPACE/NAME, "
               "groups/id/NAMESPACE/NUMBER, explain/ with the same three behind it, list, "
               "list/NAMESPACE, history/NAMESPACE/NAME, topology, reservations or "
               "reservations/text",
               false);
}

}  // namespace gangplan
