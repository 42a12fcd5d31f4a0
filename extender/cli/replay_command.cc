#include "extender/cli/replay_command.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "extender/app/dry_run.h"
#include "extender/cli/form.h"
#include "extender/cli/replay.h"
#include "extender/cli/table.h"
#include "extender/cli/world_words.h"
#include "extender/kube/cluster_file.h"
#include "extender/observe/log.h"
#include "topology/base/json_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/terminal_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kReplay = "replay";

struct ReplayWords {
  std::string snapshot;
  std::string config;
  std::string from;
  Form form = Form::kText;
};

// Of all gangs, with their slots. Errors say what the cluster lacks.
absl::StatusOr<std::vector<GroupReport>> GangsOf(const Settings& settings, ObjectList objects,
                                                 const std::string& file) {
  DryRun run(settings, std::move(objects));
  if (const std::string why = run.WhyNotReady(); !why.empty()) return Invalid("{}: {}", file, why);
  return run.Gangs();
}

absl::StatusOr<std::vector<ReplayedGang>> Replay(const ReplayWords& words, const Output& output) {
  GANGPLAN_ASSIGN_OR_RETURN(const Settings settings, SettingsOf(words.config));
  Settings old = settings;
  if (!words.from.empty()) {
    GANGPLAN_ASSIGN_OR_RETURN(old, SettingsOf(words.from));
  }
  const absl::StatusOr<ObjectList> saved = ReadClusterFile(words.snapshot);
  if (!saved.ok()) return UnreadFile("SNAPSHOT", saved.status(), kSavedCluster);
  TellNotes(kReplay, DefaultsNotes(words.config, *saved), output);
  ProcessLogger().set_level(LogLevel::kError);  // they would tell of their starts
  absl::StatusOr<std::vector<GroupReport>> before = GangsOf(old, *saved, words.snapshot);
  if (!before.ok()) return before.status();
  ObjectList unplaced = Unplaced(*saved, *before);
  if (!words.from.empty()) before = GangsOf(old, unplaced, words.snapshot);
  if (!before.ok()) return before.status();
  GANGPLAN_ASSIGN_OR_RETURN(const std::vector<GroupReport> after,
                            GangsOf(settings, std::move(unplaced), words.snapshot));
  return CompareGangs(*before, after);
}

int64_t Differ(const std::vector<ReplayedGang>& gangs) {
  return std::count_if(gangs.begin(), gangs.end(), [](const auto& gang) { return gang.differs(); });
}

int64_t Stay(const std::vector<ReplayedGang>& gangs) {
  return std::count_if(gangs.begin(), gangs.end(), [](const auto& gang) { return gang.stays; });
}

std::string ReplayText(const std::vector<ReplayedGang>& gangs, bool all) {
  const int64_t differ = Differ(gangs);
  std::string text = fmt::format("{} of {} gangs differ", differ, gangs.size());
  if (const int64_t stay = Stay(gangs); stay > 0)
    text += fmt::format("; {} stay{}: not whole, or grown", stay, stay == 1 ? "s" : "");
  text += '\n';
  std::vector<TableRow> rows = {{{"GANG"}, {""}, {"BEFORE"}, {"AFTER"}}};
  if (!all) rows[0].erase(rows[0].begin() + 1);
  for (const ReplayedGang& gang : gangs) {
    if (!all && !gang.differs()) continue;
    TableRow& row = rows.emplace_back(TableRow{{TerminalLine(gang.name)}});
    if (all) row.push_back({gang.differs() ? "differs" : gang.stays ? "stays" : "same"});
    row.push_back({TerminalLine(gang.before.text)});
    row.push_back({TerminalLine(gang.after.text)});
  }
  return rows.size() == 1 ? text : text + TableText(rows, false);
}

std::string ReplayJson(const std::vector<ReplayedGang>& gangs) {
  JsonText json;
  json.Begin().Field("differ", Differ(gangs)).Key("gangs").BeginList();
  for (const ReplayedGang& gang : gangs) {
    json.Begin().Field("name", gang.name).Field("kind", gang.key.kind);
    json.Field("differs", gang.differs());
    WritePlace(json, "before", gang.before);
    WritePlace(json, "after", gang.after);
    json.Field("stays", gang.stays).End();
  }
  json.EndList().Field("stay", Stay(gangs)).End();
  return json.Take();
}

int RunReplay(const ReplayWords& words, const Output& output) {
  const absl::StatusOr<std::vector<ReplayedGang>> gangs = Replay(words, output);
  if (!gangs.ok()) return TellWrongWords(kReplay, gangs.status(), output);
  const std::string text = IsForPrograms(words.form)
                               ? ForPrograms(words.form, ReplayJson(*gangs))
                               : ReplayText(*gangs, words.form == Form::kWide);
  if (!output.out(text)) return kExitFailed;
  return Differ(*gangs) > 0 ? kExitDiffers : kExitDone;
}

}  // namespace

Command ReplayCommand() {
  const auto words = std::make_shared<ReplayWords>();
  return {
      std::string(kReplay),
      "the gangs of a saved cluster placed anew, by another configuration",
      "Exit codes: 0 no gang differs, 2 the words were wrong, 3 some do.\n"
      "Example: gangplan replay cluster.json --config new.yaml\n",
      {Needed(TextOption("SNAPSHOT", "FILE", "the cluster: gangplan snapshot", words->snapshot)),
       TextOption("--config", "FILE", "by which they are placed anew (the defaults)",
                  words->config),
       TextOption("--from", "FILE",
                  "compared with what this configuration makes of them (where they stand)",
                  words->from),
       FormOption(words->form, "also those that do not differ")},
      [words](const Output& output) { return RunReplay(*words, output); }};
}

}  // namespace gangplan
