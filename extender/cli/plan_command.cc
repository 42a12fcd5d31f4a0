#include "extender/cli/plan_command.h"

#include <algorithm>
#include <memory>

#include "extender/cli/manifest.h"
#include "extender/cli/terminal_text.h"
#include "extender/cli/world_words.h"
#include "extender/kube/limits.h"
#include "extender/kube/text_file.h"
#include "extender/web/view.h"
#include "topology/base/json_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

constexpr std::string_view kName = "plan";

struct PlanWords {
  WorldWords world;
  std::string file;
  std::string ns = "default";
  size_t form = 0;  // 0: text, 1: json
};

struct Verdict {
  int code = kExitWaits;
  std::string_view word;  // for programs
  std::string text;       // for people
};

Verdict VerdictOf(const GroupReport& report) {
  const bool placed =
      !report.slots.empty() && std::all_of(report.slots.begin(), report.slots.end(),
                                           [](const auto& slot) { return !slot.node.empty(); });
  if (placed) return {kExitDone, "fits", "fits now: " + WhereText(report)};
  const bool never = report.outcome == Outcome::kImpossible ||
                     report.outcome == Outcome::kInvalid || !report.problems.empty();
  if (never) return {kExitNever, "never", "can never start as it is"};
  return {kExitWaits, "waits", "would wait"};
}

// Why pods are of no group, as far as they tell it themselves.
std::string WhyNone(const PodFacts& pod, const Settings& settings) {
  const std::vector<std::string>& ours = settings.scheduler_names;
  if (std::find(ours.begin(), ours.end(), pod.scheduler_name) == ours.end()) {
    return fmt::format("its pods are no gang: spec.schedulerName is {}; expected {}",
                       Shown(pod.scheduler_name), fmt::join(ours, " or "));
  }
  return "its pods are no gang: no word says so; expected gangplan.io/place on the Job or its "
         "template, or another word of docs/concepts.md";
}

std::string PlanJson(const Verdict& verdict, const GroupReport& report,
                     const std::vector<std::string>& notes) {
  JsonText json;
  json.Begin().Field("verdict", verdict.word).Field("where", std::string_view(WhereText(report)));
  json.Key("notes").BeginList();
  for (const std::string& note : notes) json.Value(std::string_view(note));
  json.EndList().Key("group").Raw(GroupJson(report)).End();
  return json.Take() + "\n";
}

absl::StatusOr<Manifest> ReadFile(const PlanWords& words, const AdmissionRules& admission) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(words.file, kMaxStoredBytes * 4));
  return ReadManifest(text, words.file, words.ns, admission);
}

int RunPlan(const PlanWords& words, const Output& output) {
  absl::StatusOr<World> world = OpenWorld(words.world);
  if (!world.ok()) return TellWrongWords(kName, world.status(), output);
  absl::StatusOr<Manifest> manifest = ReadFile(words, world->admission);
  if (!manifest.ok()) return TellWrongWords(kName, manifest.status(), output);
  const PodFacts first = manifest->pods.front();
  world->run->Arrive(std::move(manifest->owners), std::move(manifest->pods));
  std::optional<GroupReport> report = world->run->ReportOf(NameInNamespace(first.ns, first.name));
  if (!report)
    return TellWrongWords(kName, Invalid("{}: {}", words.file, WhyNone(first, world->settings)),
                          output);
  // Nobody has asked for its pods, and no time passes.
  report->road = Road::kNone;
  report->deadline.reset();
  if (!report->problems.empty()) report->problems.resize(1);  // the pods are alike
  const Verdict verdict = VerdictOf(*report);
  std::string text;
  if (words.form == 1) {
    text = PlanJson(verdict, *report, manifest->notes);
  } else {
    text = verdict.text + "\n" + GroupText(*report, world->run->now());
    for (const std::string& note : manifest->notes) text += fmt::format("  note: {}\n", note);
  }
  return output.out(TerminalText(text)) ? verdict.code : kExitFailed;
}

}  // namespace

Command PlanCommand() {
  const auto words = std::make_shared<PlanWords>();
  return {
      std::string(kName),
      "where a Job or a JobSet would go in a saved cluster, or why it would wait",
      "Exit codes: 0 it fits now, 1 it would wait, 2 the words were wrong, 3 it can never start\n"
      "as it is.\n"
      "Example: gangplan plan -f job.yaml --snapshot cluster.json\n",
      {Needed(TextOption("-f", "FILE", "the Job or the JobSet, in YAML or JSON", words->file)),
       SnapshotOption(words->world), ConfigOption(words->world),
       TextOption("-n", "NAMESPACE", "where the file names none (default)", words->ns),
       WordOption("-o", {"text", "json"}, "the form of the answer (text)", words->form)},
      [words](const Output& output) { return RunPlan(*words, output); }};
}

}  // namespace gangplan
