#include "extender/cli/plan_command.h"

#include <algorithm>
#include <memory>

#include "extender/cli/form.h"
#include "extender/cli/manifest.h"
#include "extender/cli/world_words.h"
#include "extender/kube/limits.h"
#include "extender/kube/text_file.h"
#include "extender/web/view.h"
#include "topology/base/json_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/terminal_text.h"
#include "topology/base/text.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

constexpr std::string_view kName = "plan";

struct PlanWords {
  WorldWords world;
  std::string file;
  std::string ns = "default";
  Form form = Form::kText;
};

struct Verdict {
  int code = kExitWaits;
  std::string_view word;  // for programs
  std::string text;       // for people
};

Verdict VerdictOf(const GroupReport& report) {
  const bool all = report.seen >= report.size;
  const bool placed = all && !report.slots.empty() &&
                      std::all_of(report.slots.begin(), report.slots.end(),
                                  [](const auto& slot) { return !slot.node.empty(); });
  if (placed) return {kExitDone, "fits", "fits now: " + WhereText(report)};
  const bool never = report.outcome == Outcome::kImpossible ||
                     report.outcome == Outcome::kInvalid || !report.problems.empty();
  if (never) return {kExitNever, "never", "can never start as it is"};
  if (!all) {
    return {kExitWaits, "waits",
            fmt::format("would wait: this makes {} of the gang's {} members", report.seen,
                        report.size)};
  }
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

// The gangs that a manifest makes: one, unless its templates name several.
struct Planned {
  std::vector<GroupReport> groups;
  std::vector<std::string> notes;

  // The worst of them.
  Verdict Whole() const {
    const auto rank = [](int code) { return code == kExitNever ? 2 : code == kExitWaits ? 1 : 0; };
    Verdict worst = VerdictOf(groups.front());
    for (const GroupReport& group : groups) {
      Verdict one = VerdictOf(group);
      if (rank(one.code) > rank(worst.code)) worst = std::move(one);
    }
    return worst;
  }
};

std::string PlanText(const Planned& planned, absl::Time now) {
  std::string text;
  for (const GroupReport& group : planned.groups)
    text += VerdictOf(group).text + "\n" + GroupText(group, now);
  for (const std::string& note : planned.notes) text += fmt::format("  note: {}\n", note);
  return text;
}

std::string PlanJson(const Planned& planned) {
  JsonText json;
  json.Begin().Field("verdict", planned.Whole().word).Key("gangs").BeginList();
  for (const GroupReport& group : planned.groups) {
    json.Begin().Field("verdict", VerdictOf(group).word);
    json.Field("where", std::string_view(WhereText(group)))
        .Key("group")
        .Raw(GroupJson(group))
        .End();
  }
  json.EndList().Key("notes").BeginList();
  for (const std::string& note : planned.notes) json.Value(std::string_view(note));
  json.EndList().End();
  return json.Take() + "\n";
}

// Lets the pods come. InvalidArgument: none of them is of a gang.
absl::StatusOr<Planned> PlanOf(World& world, Manifest manifest) {
  for (const OwnerFacts& owner : manifest.owners) {
    if (!world.run->Has(owner)) continue;
    manifest.notes.push_back(
        fmt::format("{} {}/{} is in the snapshot already: this is told of another one, which comes "
                    "after it; gangplan why tells of the one that is there",
                    owner.ref.kind, owner.ns, owner.ref.name));
  }
  world.run->MakeUnlike(manifest.pods);
  std::vector<PodFacts> firsts;
  for (const size_t first : manifest.firsts) firsts.push_back(manifest.pods[first]);
  Planned planned;
  planned.notes = std::move(manifest.notes);
  world.run->Arrive(std::move(manifest.owners), std::move(manifest.pods));
  for (const PodFacts& first : firsts) {
    std::optional<GroupReport> report = world.run->ReportOf(NameInNamespace(first.ns, first.name));
    if (!report) {
      planned.notes.push_back(
          fmt::format("pod {} and those of its template are of no gang", first.name));
      continue;
    }
    const bool known =
        std::any_of(planned.groups.begin(), planned.groups.end(),
                    [&](const GroupReport& group) { return group.key == report->key; });
    if (known) continue;
    // Nobody has asked for its pods, and no time passes.
    report->road = Road::kNone;
    report->deadline.reset();
    if (!report->problems.empty()) report->problems.resize(1);  // pods of a template are alike
    planned.groups.push_back(*std::move(report));
  }
  if (planned.groups.empty()) return Invalid("{}", WhyNone(firsts.front(), world.settings));
  return planned;
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
  const absl::StatusOr<Planned> planned = PlanOf(*world, *std::move(manifest));
  if (!planned.ok()) {
    return TellWrongWords(kName, Invalid("{}: {}", words.file, Message(planned.status())), output);
  }
  const std::string text = IsForPrograms(words.form)
                               ? ForPrograms(words.form, PlanJson(*planned))
                               : TerminalText(PlanText(*planned, world->run->now()));
  return output.out(text) ? planned->Whole().code : kExitFailed;
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
       FormOption(words->form, "as text")},
      [words](const Output& output) { return RunPlan(*words, output); }};
}

}  // namespace gangplan
