#include "extender/cli/plan_command.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "extender/cli/form.h"
#include "extender/cli/manifest.h"
#include "extender/cli/world_words.h"
#include "extender/protocol/pod_group_words.h"
#include "extender/web/view.h"
#include "topology/base/json_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/terminal_text.h"
#include "topology/base/text.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

constexpr std::string_view kPlan = "plan";

struct PlanWords {
  WorldWords world;
  std::string file;
  std::string ns = "default";
  bool preempt = false;
  Form form = Form::kText;
};

struct Verdict {
  int code = kExitWaits;
  std::string_view word;  // for programs
  std::string text;       // for people
};

// A gang of the manifest, and who would have to go for it where that was asked.
struct PlannedGang {
  GroupReport report;
  std::optional<Advice> advice;

  bool preempts() const { return advice && advice->lower && !advice->gangs.empty(); }
};

// All gangs, and so many of the pods of none.
std::string NamesOf(const std::vector<Advice::Gang>& gangs) {
  constexpr size_t kToldPods = 5;
  size_t pods = 0;
  std::vector<std::string> names;
  for (const Advice::Gang& gang : gangs) {
    if (gang.kind == kSinglePod && ++pods > kToldPods) continue;
    names.push_back(fmt::format("{} {} (priority {})", gang.kind, gang.name, gang.priority));
  }
  if (pods > kToldPods) names.push_back(fmt::format("{} more pods of no gang", pods - kToldPods));
  return fmt::format("{}", fmt::join(names, ", "));
}

// Of one that waits.
std::string WaitsText(const PlannedGang& gang) {
  const GroupReport& report = gang.report;
  if (report.seen < report.size)
    return fmt::format("would wait: this makes {} of the gang's {} members", report.seen,
                       report.size);
  if (!gang.advice) return "would wait";
  if (gang.advice->undecided)
    return "would wait: who would have to go is not decided within what may be looked at";
  if (gang.advice->gangs.empty())
    return "would wait: it would not fit either if all gangs and pods of lower priority gave way";
  return "would wait: gangs and pods of lower priority are not enough; it would fit without " +
         NamesOf(gang.advice->gangs);
}

Verdict VerdictOf(const PlannedGang& gang) {
  const GroupReport& report = gang.report;
  const bool placed = report.seen >= report.size && !report.slots.empty() &&
                      std::all_of(report.slots.begin(), report.slots.end(),
                                  [](const auto& slot) { return !slot.node.empty(); });
  if (placed) return {kExitDone, "fits", "fits now: " + WhereText(report)};
  if (report.never() || !report.problems.empty())
    return {kExitNever, "never", "can never start as it is"};
  if (gang.preempts()) {
    return {kExitDone, "preempts", "fits when these give way: " + NamesOf(gang.advice->gangs)};
  }
  return {kExitWaits, "waits", WaitsText(gang)};
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
  std::vector<PlannedGang> gangs;
  std::vector<std::string> notes;

  // The worst of them.
  Verdict Whole() const {
    const auto rank = [](const Verdict& one) {
      constexpr std::string_view kWorse[] = {"fits", "preempts", "waits", "never"};
      return std::find(std::begin(kWorse), std::end(kWorse), one.word) - std::begin(kWorse);
    };
    Verdict worst = VerdictOf(gangs.front());
    for (const PlannedGang& gang : gangs) {
      Verdict one = VerdictOf(gang);
      if (rank(one) > rank(worst)) worst = std::move(one);
    }
    return worst;
  }
};

std::string PlanText(const Planned& planned, absl::Time now) {
  std::string text;
  for (const PlannedGang& gang : planned.gangs)
    text += VerdictOf(gang).text + "\n" + GroupText(gang.report, now);
  for (const std::string& note : planned.notes) text += fmt::format("  note: {}\n", note);
  return text;
}

void WriteWhoGoes(JsonText& json, const Advice& advice) {
  json.Key("giveWay").Begin().Field("decided", !advice.undecided);
  json.Field("lowerPriority", advice.lower).Key("gangs").BeginList();
  for (const Advice::Gang& gang : advice.gangs) {
    json.Begin().Field("kind", std::string_view(gang.kind));
    json.Field("name", std::string_view(gang.name));
    json.Field("priority", int64_t{gang.priority}).End();
  }
  json.EndList().End();
}

std::string PlanJson(const Planned& planned) {
  JsonText json;
  json.Begin().Field("verdict", planned.Whole().word).Key("gangs").BeginList();
  for (const PlannedGang& gang : planned.gangs) {
    json.Begin().Field("verdict", VerdictOf(gang).word);
    json.Field("where", std::string_view(WhereText(gang.report)));
    if (gang.advice) WriteWhoGoes(json, *gang.advice);
    json.Key("group").Raw(GroupJson(gang.report)).End();
  }
  json.EndList().Key("notes").BeginList();
  for (const std::string& note : planned.notes) json.Value(std::string_view(note));
  json.EndList().End();
  return json.Take() + "\n";
}

// Where the words stand that a pod could not be read by.
void NotePlaces(const Manifest& manifest, const std::string& problem,
                std::vector<std::string>& notes) {
  for (const auto& [key, place] : manifest.words) {
    if (problem.find(key + ":") == std::string::npos) continue;
    notes.push_back(fmt::format("{} stands in {}", key, place));
    return;
  }
}

// Lets the pods come. InvalidArgument: none of them is of a gang.
absl::StatusOr<Planned> PlanOf(World& world, Manifest manifest) {
  for (const OwnerFacts& owner : manifest.owners) {
    if (!world.run->Has(owner)) continue;
    if (owner.ref.kind == kPodGroupKind) {
      manifest.notes.push_back(
          fmt::format("{} {}/{} is in the snapshot already: the pods join those that it has there",
                      owner.ref.kind, owner.ns, owner.ref.name));
      continue;
    }
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
        std::any_of(planned.gangs.begin(), planned.gangs.end(),
                    [&](const PlannedGang& gang) { return gang.report.key == report->key; });
    if (known) continue;
    // Nobody has asked for its pods, and no time passes.
    report->road = Road::kNone;
    report->deadline.reset();
    if (!report->problems.empty()) {
      report->problems.resize(1);  // pods of a template are alike
      NotePlaces(manifest, report->problems.front(), planned.notes);
    }
    planned.gangs.push_back({*std::move(report), {}});
  }
  if (planned.gangs.empty()) return Invalid("{}", WhyNone(firsts.front(), world.settings));
  return planned;
}

// Some of those that would have to go are of no gang.
bool NeedsPods(const PlannedGang& gang) {
  if (!gang.preempts()) return false;
  const auto& gangs = gang.advice->gangs;
  return std::any_of(gangs.begin(), gangs.end(),
                     [](const Advice::Gang& one) { return one.kind == kSinglePod; });
}

// Who would have to go for each of them, by itself.
void AskWhoGoes(World& world, Planned& planned) {
  for (PlannedGang& gang : planned.gangs) {
    if (VerdictOf(gang).code == kExitWaits && gang.report.seen >= gang.report.size)
      gang.advice = world.run->AdviceOf(gang.report.name);
  }
  if (world.settings.preemption == Preemption::kNever && planned.Whole().word == "preempts")
    planned.notes.push_back(
        "preemption is never in this configuration: nobody gives way before somebody ends them");
  const bool pods = std::any_of(planned.gangs.begin(), planned.gangs.end(), NeedsPods);
  if (pods && world.settings.preemption == Preemption::kGangs)
    planned.notes.push_back(
        "pods of no gang give way with preemption: lower-priority-and-pods alone, which is not "
        "that of this configuration");
}

absl::StatusOr<Planned> Look(const PlanWords& words, World& world) {
  GANGPLAN_ASSIGN_OR_RETURN(Manifest manifest,
                            ReadManifestFile(words.file, words.ns, world.admission));
  absl::StatusOr<Planned> planned = PlanOf(world, std::move(manifest));
  if (!planned.ok()) return Invalid("{}: {}", ManifestName(words.file), Message(planned.status()));
  if (words.preempt) AskWhoGoes(world, *planned);
  return planned;
}

int RunPlan(const PlanWords& words, const Output& output) {
  WorldWords asked = words.world;
  asked.nobody_yields = words.preempt;
  absl::StatusOr<World> world = OpenWorld(asked);
  if (!world.ok()) return TellNoWorld(kPlan, world.status(), output);
  TellNotes(kPlan, world->notes, output);
  const absl::StatusOr<Planned> planned = Look(words, *world);
  if (!planned.ok()) return TellWrongWords(kPlan, planned.status(), output);
  const std::string text = IsForPrograms(words.form)
                               ? ForPrograms(words.form, PlanJson(*planned))
                               : TerminalText(PlanText(*planned, world->run->now()));
  return output.out(text) ? planned->Whole().code : kExitFailed;
}

}  // namespace

Command PlanCommand() {
  const auto words = std::make_shared<PlanWords>();
  return {
      std::string(kPlan),
      "where the pods of a Job or another workload would go, or why they would wait",
      "Exit codes: 0 it fits now, or with --preempt when others give way; 1 it would wait; 2 the\n"
      "words were wrong; 3 it can never start as it is; 4 the cluster was not reached.\n"
      "Examples: gangplan plan -f job.yaml\n"
      "          gangplan plan -f job.yaml --snapshot cluster.json --preempt\n",
      WorldOptions(
          words->world,
          {Needed(TextOption("-f", "FILE", "what is planned, in YAML or JSON; -: standard input",
                             words->file)),
           TextOption("-n", "NAMESPACE", "where the file names none (default)", words->ns),
           SwitchOption("--preempt",
                        "also says which gangs and pods of lower priority would have to go",
                        words->preempt),
           FormOption(words->form, "as text")}),
      [words](const Output& output) { return RunPlan(*words, output); }};
}

}  // namespace gangplan
