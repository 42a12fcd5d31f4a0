#include "extender/cli/drain_command.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "extender/cli/drain.h"
#include "extender/cli/form.h"
#include "extender/cli/table.h"
#include "extender/cli/world_words.h"
#include "extender/observe/log.h"
#include "topology/base/json_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/terminal_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kDrain = "drain";

struct DrainWords {
  std::string what;
  WorldWords world;
  bool dry_run = false;
  Form form = Form::kText;
};

absl::StatusOr<Drain> Look(const DrainWords& words, const Settings& settings,
                           const ReadCluster& read) {
  ProcessLogger().set_level(LogLevel::kError);  // they would tell of their starts
  DryRun run(settings, read.objects, read.at);
  const std::string why = run.WhyNotReady();
  if (!why.empty()) return Invalid("{}: {}", NameOf(words.world), why);
  GANGPLAN_ASSIGN_OR_RETURN(std::set<std::string> nodes, NodesOf(run, words.what));
  return DrainOf(settings, read.objects, run, std::move(nodes));
}

bool AllFit(const Drain& drain) {
  return std::all_of(drain.gangs.begin(), drain.gangs.end(),
                     [](const DrainedGang& one) { return one.fits; });
}

std::string DrainText(const Drain& drain) {
  const auto counted = [](int64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::string text =
      fmt::format("{}: {} hit, {}\n", counted(std::ssize(drain.nodes), "node"),
                  counted(std::ssize(drain.gangs), "gang"), counted(drain.others, "other pod"));
  if (drain.gangs.empty()) return text;
  std::vector<TableRow> rows = {{{"GANG"}, {"LOSES"}, {"NOW"}, {"THEN"}}};
  for (const DrainedGang& one : drain.gangs) {
    rows.push_back({{TerminalLine(one.gang.name)},
                    {fmt::format("{}/{}", one.loses, one.members)},
                    {TerminalLine(one.gang.before.text)},
                    {TerminalLine(one.gang.after.text)}});
  }
  return text + TableText(rows, false);
}

std::string DrainJson(const Drain& drain) {
  JsonText json;
  json.Begin().Key("nodes").BeginList();
  for (const std::string& node : drain.nodes) json.Value(node);
  json.EndList().Field("others", drain.others).Key("gangs").BeginList();
  for (const DrainedGang& one : drain.gangs) {
    json.Begin().Field("name", one.gang.name).Field("loses", one.loses);
    json.Field("members", one.members).Field("fits", one.fits);
    WritePlace(json, "before", one.gang.before);
    WritePlace(json, "after", one.gang.after);
    json.End();
  }
  json.EndList().End();
  return json.Take();
}

int RunDrain(const DrainWords& words, const Output& output) {
  if (!words.dry_run) {
    return TellWrongWords(
        kDrain, Invalid("--dry-run is missing: it only looks; kubectl drain NODE does it"), output);
  }
  const absl::StatusOr<Settings> settings = SettingsOf(words.world.config);
  if (!settings.ok()) return TellWrongWords(kDrain, settings.status(), output);
  const absl::StatusOr<ReadCluster> read = ReadWorld(words.world);
  if (!read.ok()) return TellNoWorld(kDrain, read.status(), output);
  TellNotes(kDrain, read->notes, output);
  TellNotes(kDrain, DefaultsNotes(words.world.config, read->objects), output);
  const absl::StatusOr<Drain> drain = Look(words, *settings, *read);
  if (!drain.ok()) return TellWrongWords(kDrain, drain.status(), output);
  const std::string text =
      IsForPrograms(words.form) ? ForPrograms(words.form, DrainJson(*drain)) : DrainText(*drain);
  return output.out(text) && AllFit(*drain) ? kExitDone : kExitFailed;
}

}  // namespace

Command DrainCommand() {
  const auto words = std::make_shared<DrainWords>();
  return {std::string(kDrain), "which gangs lose members when nodes are emptied, and where they go",
          "NODE|DOMAIN: the name of a node, or the path of a domain or node as explain tells it.\n"
          "Exit codes: 0 all have room elsewhere, 1 some would wait or are not told, 2 the words "
          "were\nwrong, 4 the cluster was not reached.\n"
          "Examples: gangplan drain block-1/rack-2 --dry-run\n"
          "          gangplan drain block-1/rack-2 --dry-run --snapshot cluster.json\n",
          WorldOptions(words->world,
                       {Needed(TextOption("NODE|DOMAIN", "", "what is emptied", words->what)),
                        SwitchOption("--dry-run", "only looks, and must be said", words->dry_run),
                        FormOption(words->form, "as text")}),
          [words](const Output& output) { return RunDrain(*words, output); }};
}

}  // namespace gangplan
