#include "extender/cli/capacity_command.h"

#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "extender/cli/capacity.h"
#include "extender/cli/form.h"
#include "extender/cli/manifest.h"
#include "extender/cli/table.h"
#include "extender/cli/world_words.h"
#include "topology/base/json_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/terminal_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kCapacity = "capacity";

struct CapacityWords {
  WorldWords world;
  std::string shape;
  std::string file;
  std::string ns = "default";
  int32_t size = 0;  // not said
  Form form = Form::kText;
};

std::string CountOf(int64_t number) { return fmt::format("{}", number); }
std::string DomainOf(const LevelRoom& room) {
  return room.domain.empty() ? "-" : TerminalText(room.domain);
}

// What is asked, and what is told.
struct CapacityAnswer {
  std::string of;  // "Job ml/train", whose pods these are; empty: nobody's
  AskedPod pod;
  std::string shape;
  int64_t size = 1;
  Capacity capacity;
  std::vector<std::string> unknown;  // resources that no node has
  std::vector<std::string> notes;
};

std::string HeadOf(const CapacityAnswer& answer) {
  const std::string of = answer.of.empty() ? "" : fmt::format(" of {}", answer.of);
  return fmt::format("Pods{} of {}; gangs of {}; all that is free would do for {} pods\n", of,
                     answer.shape, answer.size, answer.capacity.free);
}

std::string CapacityText(const CapacityAnswer& answer) {
  const Capacity& capacity = answer.capacity;
  std::string text = HeadOf(answer);
  std::vector<TableRow> rows = {{{"IN ONE"},
                                 {"DOMAINS"},
                                 {"LARGEST NOW"},
                                 {"WHERE"},
                                 {"LARGEST EMPTY"},
                                 {"WHERE"},
                                 {"GANGS NOW"},
                                 {"GANGS EMPTY"},
                                 {"LOST"}}};
  for (const LevelCapacity& level : capacity.levels) {
    rows.push_back({{TerminalText(level.level)},
                    {CountOf(level.domains)},
                    {CountOf(level.now.largest)},
                    {DomainOf(level.now)},
                    {CountOf(level.empty.largest)},
                    {DomainOf(level.empty)},
                    {CountOf(level.now.gangs)},
                    {CountOf(level.empty.gangs)},
                    {fmt::format("{}%", level.lost)}});
  }
  text += TableText(rows, false);
  if (capacity.tainted > 0)
    text += fmt::format("{} nodes have taints that such pods do not tolerate\n", capacity.tainted);
  if (capacity.unplaced > 0)
    text += fmt::format(
        "{} nodes lack the label of a level, or are in no topology, and take no gangs\n",
        capacity.unplaced);
  for (const std::string& resource : answer.unknown)
    text += fmt::format("no node has {}\n", TerminalLine(resource));
  for (const std::string& note : answer.notes) text += fmt::format("note: {}\n", note);
  return text;
}

void WriteRoom(JsonText& json, std::string_view key, const LevelRoom& room) {
  json.Key(key).Begin().Field("largest", room.largest);
  json.Field("domain", std::string_view(room.domain)).Field("gangs", room.gangs).End();
}

std::string CapacityJson(const CapacityAnswer& answer) {
  const Capacity& capacity = answer.capacity;
  JsonText json;
  json.Begin().Field("shape", std::string_view(answer.shape)).Field("size", answer.size);
  json.Field("free", capacity.free).Key("levels").BeginList();
  for (const LevelCapacity& level : capacity.levels) {
    json.Begin().Field("level", std::string_view(level.level)).Field("domains", level.domains);
    WriteRoom(json, "now", level.now);
    WriteRoom(json, "empty", level.empty);
    json.Field("lostPercent", level.lost).End();
  }
  json.EndList().Field("taintedNodes", capacity.tainted);
  json.Field("unplacedNodes", capacity.unplaced).Key("unknown").BeginList();
  for (const std::string& resource : answer.unknown) json.Value(std::string_view(resource));
  json.EndList().Key("notes").BeginList();
  for (const std::string& note : answer.notes) json.Value(std::string_view(note));
  json.EndList().End();
  return json.Take();
}

// The pods of --shape or -f; else the usual ones.
absl::Status Asked(const CapacityWords& words, const World& world, CapacityAnswer& answer) {
  if (words.file.empty()) {
    answer.shape = words.shape;
    if (answer.shape.empty())
      answer.shape =
          world.run->Ask([](const auto& planner) { return UsualShape(planner.model()); });
    GANGPLAN_ASSIGN_OR_RETURN(answer.pod, ParseShape(answer.shape));
    return absl::OkStatus();
  }
  GANGPLAN_ASSIGN_OR_RETURN(Manifest manifest,
                            ReadManifestFile(words.file, words.ns, world.admission));
  const absl::StatusOr<AskedPod> pod = AskedOf(manifest.pods);
  if (!pod.ok()) return Invalid("{}: {}", words.file, Message(pod.status()));
  answer.of = std::move(manifest.of);
  answer.pod = *pod;
  answer.shape = ShapeText(pod->request);
  answer.size = std::ssize(manifest.pods);
  answer.notes = std::move(manifest.notes);
  return absl::OkStatus();
}

absl::StatusOr<CapacityAnswer> Look(const CapacityWords& words, const World& world) {
  CapacityAnswer answer;
  GANGPLAN_RETURN_IF_ERROR(Asked(words, world, answer));
  if (words.size > 0) answer.size = words.size;
  answer.capacity = world.run->Ask([&](const Planner& planner) {
    answer.unknown = UnknownResources(planner.model(), answer.pod.request);
    return CapacityOf(planner.model(), answer.pod, answer.size);
  });
  return answer;
}

// Of the words alone.
absl::Status Check(const CapacityWords& words) {
  if (!words.shape.empty() && !words.file.empty())
    return Invalid("--shape and -f: expected one of them");
  if (words.shape.empty()) return absl::OkStatus();
  const absl::Status read = ParseShape(words.shape).status();
  return read.ok() ? read : Invalid("--shape: {}", Message(read));
}

int RunCapacity(const CapacityWords& words, const Output& output) {
  if (const absl::Status good = Check(words); !good.ok())
    return TellWrongWords(kCapacity, good, output);
  const absl::StatusOr<World> world = OpenWorld(words.world);
  if (!world.ok()) return TellNoWorld(kCapacity, world.status(), output);
  TellNotes(kCapacity, world->notes, output);
  const absl::StatusOr<CapacityAnswer> answer = Look(words, *world);
  if (!answer.ok()) return TellWrongWords(kCapacity, answer.status(), output);
  const std::string text = IsForPrograms(words.form)
                               ? ForPrograms(words.form, CapacityJson(*answer))
                               : TerminalText(CapacityText(*answer));
  return output.out(text) ? kExitDone : kExitFailed;
}

}  // namespace

Command CapacityCommand() {
  const auto words = std::make_shared<CapacityWords>();
  return {
      std::string(kCapacity),
      "the largest gang in one domain of each level, now and when the cluster is empty",
      "LOST: of the pods for which all that is free would do, as far as one domain of the level\n"
      "could have them, the part that the largest gang of now cannot have.\n"
      "Exit codes: 0 told, 2 the words were wrong, 4 the cluster was not reached.\n"
      "Examples: gangplan capacity --shape 8gpu --size 16\n"
      "          gangplan capacity --snapshot cluster.json --shape nvidia.com/gpu=8,memory=512Gi\n"
      "          gangplan capacity --snapshot cluster.json -f job.yaml\n",
      WorldOptions(
          words->world,
          {TextOption(
               "--shape", "SHAPE",
               "what each pod asks for: 8gpu, or RESOURCE=N,... (one of the devices that most "
               "nodes have, else a cpu)",
               words->shape),
           TextOption("-f", "FILE", "instead: the pods of this Job, or as of gangplan plan",
                      words->file),
           TextOption("-n", "NAMESPACE", "where the file names none (default)", words->ns),
           NumberOption("--size", "N",
                        "pods of a gang, for how many gangs fit (1; of -f all of it)", words->size,
                        1),
           FormOption(words->form, "as text")}),
      [words](const Output& output) { return RunCapacity(*words, output); }};
}

}  // namespace gangplan
