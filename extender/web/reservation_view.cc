#include "extender/web/reservation_view.h"

#include "fmt/format.h"
#include "topology/base/json_text.h"
#include "topology/base/time_text.h"

namespace gangplan {
namespace {

bool WasRead(const ReservationReport& report) { return report.pods > 0; }

void WriteList(JsonText& json, std::string_view key, const std::vector<std::string>& texts) {
  json.Key(key).BeginList();
  for (const std::string& text : texts) json.Value(std::string_view(text));
  json.EndList();
}

void Write(JsonText& json, const ReservationReport& report) {
  json.Begin().Field("name", std::string_view(report.name));
  json.Field("state", std::string_view(Name(report.state)));
  json.Field("text", std::string_view(report.text));
  json.Field("problem", std::string_view(report.problem));
  if (WasRead(report)) {
    json.Field("fromUnix", absl::ToUnixSeconds(report.from));
    json.Field("untilUnix", absl::ToUnixSeconds(report.until));
    json.Field("leadSeconds", absl::ToInt64Seconds(report.lead));
    json.Field("pods", int64_t{report.pods}).Field("missing", int64_t{report.missing});
    json.Field("nodes", int64_t{report.nodes});
    if (!report.topology.empty()) json.Field("topology", std::string_view(report.topology));
    json.Field("place", std::string_view(report.place));
    json.Field("domain", std::string_view(report.domain));
    if (report.by) json.Field("expectedByUnix", *report.by);
    WriteList(json, "namespaces", report.namespaces);
    json.Field("podLabels", std::string_view(report.labels));
    WriteList(json, "gangs", report.users);
  }
  json.End();
}

std::string ForWhom(const ReservationReport& report) {
  std::string text;
  if (!report.namespaces.empty())
    text = fmt::format("gangs of namespace {}", fmt::join(report.namespaces, ", "));
  if (report.labels.empty()) return text;
  return fmt::format("{}pods with {}", text.empty() ? "" : text + ", ", report.labels);
}

}  // namespace

std::string ReservationsJson(const std::vector<ReservationReport>& reports) {
  JsonText json;
  json.Begin().Key("reservations").BeginList();
  for (const ReservationReport& report : reports) Write(json, report);
  json.EndList().End();
  return json.Take();
}

std::string ReservationsText(const std::vector<ReservationReport>& reports) {
  if (reports.empty()) return "There are no reservations.\n";
  std::string text;
  for (const ReservationReport& report : reports) {
    text += fmt::format("{}: {}\n", report.name, Name(report.state));
    if (WasRead(report)) {
      text += fmt::format("  time: {} to {}\n", UtcText(report.from), UtcText(report.until));
      text += fmt::format("  for: {}\n", ForWhom(report));
      if (!report.topology.empty()) text += fmt::format("  topology: {}\n", report.topology);
      if (!report.place.empty()) text += fmt::format("  place: {}\n", report.place);
    }
    text += fmt::format("  {}\n", report.text);
    if (!report.problem.empty() && report.problem != report.text)
      text += fmt::format("  what it says now is refused: {}\n", report.problem);
    if (!report.users.empty()) text += fmt::format("  gangs: {}\n", fmt::join(report.users, ", "));
  }
  return text;
}

}  // namespace gangplan
