#include "extender/api/gang_object.h"

#include <algorithm>
#include <utility>

#include "extender/api/limits.h"
#include "fmt/format.h"
#include "topology/base/age_text.h"
#include "topology/base/json_text.h"
#include "topology/base/terminal_text.h"
#include "topology/base/time_text.h"

namespace gangplan {
namespace {

constexpr std::string_view kTableVersion = "meta.k8s.io/v1";

// Of what others wrote: nothing that a terminal takes for a command.
std::string Plain(std::string_view text) { return TerminalLine(text); }

std::string PodsText(const GroupReport& report) {
  return fmt::format("{}/{}", report.bound, report.size);
}

// Why it waits, in few words; of one that runs nothing.
std::string ReasonText(const GroupReport& report) {
  std::string text(BareReason(report));
  for (const std::string& problem : report.problems) text += (text.empty() ? "" : "; ") + problem;
  if (text.empty() && report.seen < report.size && report.state != GroupState::kDone)
    text = fmt::format("{} of {} members seen", report.seen, report.size);
  return Plain(text);
}

void WriteMetadata(JsonText& json, const ListedGang& gang, int64_t version) {
  const GroupReport& report = gang.group.report;
  json.Key("metadata").Begin().Field("name", gang.name).Field("namespace", report.key.ns);
  if (!report.key.incarnation.empty()) json.Field("uid", report.key.incarnation);
  json.Field("resourceVersion", fmt::format("{}", version)).Key("creationTimestamp");
  if (report.created > 0) {
    json.Value(UtcText(absl::FromUnixSeconds(report.created)));
  } else {
    json.Null();
  }
  json.End();
}

void WriteSpec(JsonText& json, const GroupReport& report) {
  json.Key("spec").Begin().Field("kind", report.key.kind).Field("size", int64_t{report.size});
  json.Field("priority", int64_t{report.priority});
  if (!report.place.empty()) json.Field("place", report.place);
  if (!report.pod_sets.empty()) {
    json.Key("podSets").BeginList();
    for (const auto& set : report.pod_sets)
      json.Begin().Field("name", set.name).Field("size", int64_t{set.size}).End();
    json.EndList();
  }
  json.End();
}

void WriteLine(JsonText& json, const GroupReport& report) {
  if (report.line_place == 0) return;
  json.Key("line").Begin().Field("place", report.line_place).Field("of", report.line_length);
  if (report.expected_by) json.Field("expectedBy", UtcText(*report.expected_by));
  json.End();
}

// The evidence, a line each, so that `kubectl describe` shows it as lines.
void WriteEvidence(JsonText& json, std::string_view evidence) {
  if (evidence.empty()) return;
  json.Key("evidence").BeginList();
  size_t lines = 0;
  for (; !evidence.empty() && lines < kMaxToldLines; ++lines) {
    const size_t end = std::min(evidence.find('\n'), evidence.size());
    const std::string_view line = evidence.substr(0, end);
    json.Value(line.substr(std::min(line.find_first_not_of(' '), line.size())));
    evidence.remove_prefix(std::min(end + 1, evidence.size()));
  }
  if (!evidence.empty()) json.Value("more: kubectl gangplan explain");
  json.EndList();
}

void WriteStatus(JsonText& json, const ListedGang& gang, bool whole) {
  const GroupReport& report = gang.group.report;
  json.Key("status").Begin().Field("state", Name(report.state)).Field("pods", PodsText(report));
  json.Field("seen", int64_t{report.seen}).Field("inBind", int64_t{report.in_bind});
  json.Field("bound", int64_t{report.bound});
  if (!gang.group.where.empty()) json.Field("where", gang.group.where);
  if (const std::string why = ReasonText(report); !why.empty()) json.Field("reason", why);
  json.Field("outcome", Name(report.outcome));
  if (report.road != Road::kNone) json.Field("road", Name(report.road));
  if (report.deadline) json.Field("roomUntil", UtcText(*report.deadline));
  if (whole) {
    if (!report.origins.size.empty()) json.Field("sizeFrom", report.origins.size);
    if (!report.origins.ranks.empty()) json.Field("ranksFrom", report.origins.ranks);
    WriteLine(json, report);
    if (report.shape) WritePlan(json, report);
    WriteEvidence(json, report.evidence);
  }
  json.End();
}

void WriteGang(JsonText& json, const ListedGang& gang, int64_t version, bool whole) {
  json.Begin().Field("kind", "Gang").Field("apiVersion", kGroupVersion);
  WriteMetadata(json, gang, version);
  WriteSpec(json, gang.group.report);
  WriteStatus(json, gang, whole);
  json.End();
}

void WriteListMetadata(JsonText& json, const GangPage& page) {
  json.Key("metadata").Begin().Field("resourceVersion", fmt::format("{}", page.version));
  if (!page.next.empty())
    json.Field("continue", page.next).Field("remainingItemCount", page.remaining);
  json.End();
}

// As kubectl's tables have them: of priority 1 with -o wide alone.
struct Column {
  std::string_view name;
  std::string_view type;
  int64_t priority;
  std::string_view description;
};
constexpr Column kColumns[] = {
    {"Name", "string", 0, "Name of the gang in its namespace"},
    {"State", "string", 0, "Where it is in its life"},
    {"Pods", "string", 0, "How many of its pods are bound, of how many"},
    {"Where", "string", 0, "The domain that has all its pods, or room for them"},
    {"Age", "string", 0, "Since its Job, or its oldest pod, was made"},
    {"Reason", "string", 0, "Why it waits"},
    {"Kind", "string", 1, "What makes it a gang"},
    {"Seen", "integer", 1, "How many of its pods there are"},
    {"Priority", "integer", 1, "Who has more goes first"},
    {"Road", "string", 1, "How its pods wait"},
    {"Rules", "string", 1, "Where it may go"}};

void WriteColumns(JsonText& json) {
  json.Key("columnDefinitions").BeginList();
  for (const Column& column : kColumns) {
    json.Begin().Field("name", column.name).Field("type", column.type);
    json.Field("format", column.name == "Name" ? "name" : "");
    json.Field("description", column.description).Field("priority", column.priority).End();
  }
  json.EndList();
}

void WriteCells(JsonText& json, const ListedGang& gang, absl::Time now) {
  const GroupReport& report = gang.group.report;
  const absl::Duration age = now - absl::FromUnixSeconds(report.created);
  json.Key("cells").BeginList().Value(gang.name).Value(Name(report.state));
  json.Value(PodsText(report)).Value(Plain(gang.group.where));
  json.Value(report.created > 0 ? AgeText(age) : "<unknown>").Value(ReasonText(report));
  json.Value(Plain(report.key.kind)).Value(int64_t{report.seen}).Value(int64_t{report.priority});
  json.Value(Name(report.road)).Value(Plain(report.place)).EndList();
}

// In the order of the list, which is that of the two names.
bool IsAfter(std::string_view ns, std::string_view name, std::string_view last) {
  const size_t slash = last.find('/');
  return std::pair(ns, name) > std::pair(last.substr(0, slash), last.substr(slash + 1));
}

std::string_view ValueOf(const ListedGang& gang, std::string_view field) {
  if (field == "metadata.name") return gang.name;
  if (field == "metadata.namespace") return gang.group.report.key.ns;
  return Name(gang.group.report.state);
}

}  // namespace

GangPage PageOf(const GangList& list, const Question& question) {
  const auto matches = [&](const ListedGang& gang) {
    return std::all_of(question.fields.begin(), question.fields.end(), [&](const FieldTerm& term) {
      return (ValueOf(gang, term.field) == term.value) == term.equal;
    });
  };
  GangPage page;
  page.version = list.version;
  std::string last;
  for (const ListedGang& gang : list.gangs) {
    const std::string& ns = gang.group.report.key.ns;
    if (!question.access.ns.empty() && ns != question.access.ns) continue;
    if (!question.after.empty() && !IsAfter(ns, gang.name, question.after)) continue;
    if (!matches(gang)) continue;
    if (question.limit > 0 && std::ssize(page.gangs) == question.limit) {
      ++page.remaining;
      continue;
    }
    page.gangs.push_back(&gang);
    last = fmt::format("{}/{}", ns, gang.name);
  }
  if (page.remaining > 0) page.next = ContinueAfter(last);
  return page;
}

std::string GangJson(const ListedGang& gang, int64_t version, bool whole) {
  JsonText json;
  WriteGang(json, gang, version, whole);
  return json.Take();
}

std::string GangListJson(const GangPage& page) {
  JsonText json;
  json.Begin().Field("kind", "GangList").Field("apiVersion", kGroupVersion);
  WriteListMetadata(json, page);
  json.Key("items").BeginList();
  for (const ListedGang* gang : page.gangs) WriteGang(json, *gang, page.version, false);
  json.EndList().End();
  return json.Take();
}

std::string GangTableJson(const GangPage& page, std::string_view include, absl::Time now) {
  JsonText json;
  json.Begin().Field("kind", "Table").Field("apiVersion", kTableVersion);
  WriteListMetadata(json, page);
  WriteColumns(json);
  json.Key("rows").BeginList();
  for (const ListedGang* gang : page.gangs) {
    json.Begin();
    WriteCells(json, *gang, now);
    if (include != "None") json.Key("object");
    if (include == "Object") WriteGang(json, *gang, page.version, false);
    if (include == "Metadata") {
      json.Begin().Field("kind", "PartialObjectMetadata").Field("apiVersion", kTableVersion);
      WriteMetadata(json, *gang, page.version);
      json.End();
    }
    json.End();
  }
  json.EndList().End();
  return json.Take();
}

}  // namespace gangplan
