#include "extender/web/view.h"

#include <algorithm>
#include <set>

#include "extender/web/advice_view.h"
#include "fmt/format.h"
#include "topology/base/json_text.h"

namespace gangplan {
namespace {

void WriteSlots(JsonText& json, const GroupReport& report) {
  json.Key("slots").BeginList();
  for (const auto& slot : report.slots) {
    json.Begin();
    if (!slot.pod_set.empty()) json.Field("podSet", std::string_view(slot.pod_set));
    json.Field("rank", int64_t{slot.rank}).Field("state", std::string_view(slot.state));
    json.Field("pod", std::string_view(slot.pod)).Field("node", std::string_view(slot.node));
    json.Field("domain", std::string_view(slot.domain)).End();
  }
  json.EndList();
}

void WritePodSets(JsonText& json, const GroupReport& report) {
  json.Key("podSets").BeginList();
  for (const auto& set : report.pod_sets) {
    json.Begin().Field("name", std::string_view(set.name)).Field("size", int64_t{set.size});
    json.Field("seen", int64_t{set.seen}).Field("bound", int64_t{set.bound});
    json.Field("place", std::string_view(set.place)).End();
  }
  json.EndList();
}

void WriteLine(JsonText& json, const GroupReport& report) {
  json.Key("line").Begin();
  json.Field("place", report.line_place).Field("of", report.line_length);
  if (!report.line_first.empty()) json.Field("first", std::string_view(report.line_first));
  if (!report.reservation.empty()) json.Field("reservation", std::string_view(report.reservation));
  if (report.expected_by) json.Field("expectedByUnix", absl::ToUnixSeconds(*report.expected_by));
  json.End();
}

// "  plan: 64 pods in b0/r1 on 8 nodes, 2 steps apart at most; no plan is better"
std::string PlanText(const GroupReport& report) {
  const PlanShape& shape = *report.shape;
  std::string text = fmt::format("  plan: {}", ShapeText(shape));
  if (shape.distance > 0) text += fmt::format(", {} steps apart at most", shape.distance);
  if (report.quality) text += fmt::format("; {}", QualityText(*report.quality, shape));
  return text + "\n";
}

std::string LineText(const GroupReport& report) {
  std::string text = fmt::format("  line: place {} of {}", report.line_place, report.line_length);
  if (!report.line_first.empty()) text += fmt::format("; the first is gang {}", report.line_first);
  if (!report.reservation.empty()) text += fmt::format("; {}", report.reservation);
  return text + "\n";
}

// `where`: of a list's line; null: of none.
void WriteGroup(JsonText& json, const GroupReport& report, bool whole,
                const std::string* where = nullptr) {
  json.Begin().Field("name", std::string_view(report.name));
  if (whole && report.id != 0) json.Field("id", report.id);
  json.Field("kind", std::string_view(report.key.kind));
  json.Field("uid", std::string_view(report.key.incarnation));
  json.Field("state", Name(report.state))
      .Field("road", Name(report.road))
      .Field("size", int64_t{report.size});
  json.Field("priority", int64_t{report.priority});
  if (report.created > 0) json.Field("createdUnix", report.created);
  json.Field("place", std::string_view(report.place));
  json.Field("engine", std::string_view(report.engine));
  json.Field("engineWhy", std::string_view(report.engine_why)).Field("seen", int64_t{report.seen});
  json.Field("inBind", int64_t{report.in_bind}).Field("bound", int64_t{report.bound});
  json.Field("outcome", Name(report.outcome));
  if (report.rungs_left) json.Field("rungsLeft", true);
  json.Field("reason", std::string_view(report.reason));
  if (!report.spares.empty()) json.Field("spares", std::string_view(report.spares));
  if (!report.pod_sets.empty()) WritePodSets(json, report);
  if (report.deadline) json.Field("deadlineUnix", absl::ToUnixSeconds(*report.deadline));
  json.Key("problems").BeginList();
  for (const std::string& problem : report.problems) json.Value(std::string_view(problem));
  json.EndList();
  if (where != nullptr)
    json.Field("where", std::string_view(*where)).Field("why", BareReason(report));
  if (whole) {
    json.Field("sizeFrom", std::string_view(report.origins.size));
    json.Field("ranksFrom", std::string_view(report.origins.ranks));
    if (report.line_place > 0) WriteLine(json, report);
    if (report.nice > 0) json.Field("nice", int64_t{report.nice});
    if (!report.share.empty()) json.Field("share", std::string_view(report.share));
    json.Field("evidence", std::string_view(report.evidence));
    if (report.advice) WriteAdvice(json.Key("advice"), *report.advice);
    if (!report.in_topology.empty()) json.Field("inTopology", std::string_view(report.in_topology));
    if (!report.topology.empty()) json.Field("topology", std::string_view(report.topology));
    if (report.shape) WritePlan(json, report);
    WriteSlots(json, report);
  }
  json.End();
}

// "0-7" for ranks of one pod set that follow each other on one node.
std::string PlacementText(const GroupReport& report) {
  std::string text;
  size_t width = 0;
  for (const auto& set : report.pod_sets) width = std::max(width, set.name.size() + 1);
  for (size_t i = 0; i < report.slots.size();) {
    size_t end = i + 1;
    const auto& first = report.slots[i];
    while (end < report.slots.size() && report.slots[end].pod_set == first.pod_set &&
           report.slots[end].domain == first.domain && report.slots[end].state == first.state)
      ++end;
    std::string ranks = end == i + 1 ? fmt::format("{}", first.rank)
                                     : fmt::format("{}-{}", first.rank, report.slots[end - 1].rank);
    text += fmt::format("  {:<{}}rank {:<9} {:<9} {}\n", first.pod_set, width, ranks, first.state,
                        first.domain.empty() ? "(no node)" : first.domain);
    i = end;
  }
  return text;
}

// "gang NAME: " and, of several topologies, "gang NAME in topology ITS-NAME: " are taken away.
std::string_view WithoutWhose(std::string_view reason, std::string_view name) {
  constexpr std::string_view kIn = " in topology ", kEnd = ": ";
  const std::string whose = fmt::format("gang {}", name);
  if (!reason.starts_with(whose)) return reason;
  std::string_view rest = reason.substr(whose.size());
  if (rest.starts_with(kIn)) rest.remove_prefix(std::min(rest.find(kEnd), rest.size()));
  return rest.starts_with(kEnd) ? rest.substr(kEnd.size()) : reason;
}

// The names at the head of both paths, without the '/' behind them.
std::string_view Shared(std::string_view a, std::string_view b) {
  size_t end = 0;
  for (size_t i = 0; i <= std::min(a.size(), b.size()); ++i) {
    const bool a_ends = i == a.size() || a[i] == '/';
    const bool b_ends = i == b.size() || b[i] == '/';
    if (a_ends && b_ends) end = i;
    if (i == a.size() || i == b.size() || a[i] != b[i]) break;
  }
  return a.substr(0, end);
}

}  // namespace

void WritePlan(JsonText& json, const GroupReport& report) {
  const PlanShape& shape = *report.shape;
  json.Key("plan").Begin().Field("domain", std::string_view(shape.domain));
  json.Field("nodes", int64_t{shape.nodes}).Field("distance", int64_t{shape.distance});
  json.Key("levels").BeginList();
  for (const PlanShape::Level& level : shape.levels) {
    json.Begin().Field("name", std::string_view(level.name));
    json.Field("domains", int64_t{level.domains}).Field("crossed", level.domains > 1).End();
  }
  json.EndList();
  if (report.quality) {
    json.Field("best", report.quality->best);
    json.Field("gap", QualityText(*report.quality, shape));
  }
  json.End();
}

std::string_view BareReason(std::string_view reason, std::string_view name, Outcome outcome) {
  reason = WithoutWhose(reason, name);
  const std::string how = fmt::format("{}: ", Name(outcome));
  if (reason.starts_with(how)) reason.remove_prefix(how.size());
  return reason;
}
std::string_view BareReason(const GroupReport& report) {
  return BareReason(report.reason, report.name, report.outcome);
}

std::string GroupJson(const GroupReport& report) {
  JsonText json;
  WriteGroup(json, report, true);
  return json.Take();
}

std::string GroupsJson(const std::vector<GroupReport>& reports) {
  JsonText json;
  json.Begin().Key("groups").BeginList();
  for (const GroupReport& report : reports) WriteGroup(json, report, false);
  json.EndList().End();
  return json.Take();
}

std::string ListJson(const std::vector<ListedGroup>& groups) {
  JsonText json;
  json.Begin().Key("groups").BeginList();
  for (const ListedGroup& group : groups) WriteGroup(json, group.report, false, &group.where);
  json.EndList().End();
  return json.Take();
}

std::string WhereText(const GroupReport& report) {
  std::set<std::string_view> nodes, tops;
  std::string_view common;
  for (const auto& slot : report.slots) {
    if (slot.domain.empty()) continue;
    const std::string_view domain = slot.domain;
    common = nodes.empty() ? domain : Shared(common, domain);
    nodes.insert(domain);
    tops.insert(domain.substr(0, domain.find('/')));
  }
  if (nodes.empty()) return {};
  if (nodes.size() == 1) return std::string(common);
  std::string text(common);
  if (common.empty()) {
    constexpr size_t kMostTops = 3;
    const std::vector<std::string_view> first(
        tops.begin(), std::next(tops.begin(), std::min<ptrdiff_t>(kMostTops, std::ssize(tops))));
    text = fmt::format("{}", fmt::join(first, ", "));
    if (tops.size() > kMostTops) text += fmt::format(" and {} more", tops.size() - kMostTops);
  }
  return text + fmt::format(" ({} nodes)", nodes.size());
}

std::string GroupText(const GroupReport& report, absl::Time now) {
  std::string text = fmt::format("{} {}: {}; {} of {} members seen, {} in bind, {} bound\n",
                                 report.key.kind, report.name, Name(report.state), report.seen,
                                 report.size, report.in_bind, report.bound);
  for (const auto& set : report.pod_sets) {
    text += fmt::format("  pod set {}: {} of {} members seen, {} bound\n", set.name, set.seen,
                        set.size, set.bound);
  }
  if (!report.origins.size.empty()) {
    const std::string& ranks = report.origins.ranks;
    text += fmt::format("  size by {}; ranks by {}\n", report.origins.size,
                        ranks.empty() ? "nobody" : ranks);
  }
  text += fmt::format("  place: {}\n",
                      report.place.empty() ? "no rule, as close as there is room" : report.place);
  if (!report.spares.empty()) text += fmt::format("  spares: {}\n", report.spares);
  if (!report.engine.empty())
    text += fmt::format("  engine {}: {}\n", report.engine, report.engine_why);
  if (const std::string_view meaning = Meaning(report.road); !meaning.empty())
    text += fmt::format("  road {}: {}\n", Name(report.road), meaning);
  if (report.deadline && report.road != Road::kReleased) {
    text += fmt::format("  its room is given back in {} s unless it has started\n",
                        std::max<int64_t>(0, absl::ToInt64Seconds(*report.deadline - now)));
  }
  if (report.shape) text += PlanText(report);
  if (report.line_place > 0) text += LineText(report);
  if (report.nice > 0)
    text +=
        fmt::format("  nice: {}; after all others of its priority that are less so\n", report.nice);
  if (!report.share.empty())
    text += fmt::format(
        "  share: {}; of one priority the gangs of whoever has least come first "
        "(queue.fairness: namespace)\n",
        report.share);
  if (!report.in_topology.empty()) text += fmt::format("  in topology: {}\n", report.in_topology);
  if (!report.topology.empty()) text += fmt::format("  topology: {}\n", report.topology);
  for (const std::string& problem : report.problems)
    text += fmt::format("  not a member: {}\n", problem);
  if (!report.reason.empty()) {
    text += fmt::format("  {}: {}\n", Name(report.outcome), BareReason(report));
    if (!report.evidence.empty()) text += report.evidence + "\n";
    if (report.advice) text += AdviceText(*report.advice);
    if (report.bound == 0) return text;
  }
  return text + PlacementText(report);
}

std::string HistoryJson(std::string_view name, const GroupHistory& history) {
  JsonText json;
  json.Begin().Field("name", name).Field("dropped", history.dropped).Key("lines").BeginList();
  for (const HistoryLine& line : history.lines) {
    std::string_view why = line.why;
    for (Outcome outcome : {Outcome::kWait, Outcome::kImpossible, Outcome::kInvalid})
      why = BareReason(why, name, outcome);
    json.Begin().Field("at", absl::FormatTime(absl::RFC3339_sec, line.at, absl::UTCTimeZone()));
    json.Field("state", Name(line.state)).Field("bound", int64_t{line.bound});
    json.Field("size", int64_t{line.size}).Field("why", why).End();
  }
  json.EndList().End();
  return json.Take();
}

namespace {

void WriteLevels(JsonText& json, const TopologyView::Named& topology) {
  json.Field("name", std::string_view(topology.name)).Key("levels").BeginList();
  for (const std::string& level : topology.levels) json.Value(std::string_view(level));
  json.EndList();
}

}  // namespace

std::string TopologyJson(const TopologyView& view) {
  JsonText json;
  json.Begin();
  if (view.topologies.size() == 1) WriteLevels(json, view.topologies.front());
  if (view.topologies.size() > 1) {
    json.Key("topologies").BeginList();
    for (const TopologyView::Named& one : view.topologies) {
      json.Begin();
      WriteLevels(json, one);
      json.End();
    }
    json.EndList();
  }
  json.Field("resource", std::string_view(view.resource)).Key("nodes").BeginList();
  for (const NodeView& node : view.nodes) {
    json.Begin().Field("path", std::string_view(node.path)).Field("usable", node.usable);
    json.Field("capacity", node.capacity).Field("used", node.used).Field("held", node.held).End();
  }
  json.EndList().Key("unplaced").BeginList();
  for (const UnplacedNode& node : view.unplaced) {
    json.Begin().Field("name", std::string_view(node.name));
    json.Field("missingLabel", std::string_view(node.missing_label)).End();
  }
  json.EndList().End();
  return json.Take();
}

}  // namespace gangplan
