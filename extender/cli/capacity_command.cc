#include "extender/cli/capacity_command.h"

#include <memory>

#include "extender/cli/capacity.h"
#include "extender/cli/form.h"
#include "extender/cli/table.h"
#include "extender/cli/world_words.h"
#include "topology/base/json_text.h"
#include "topology/base/terminal_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kName = "capacity";

struct CapacityWords {
  WorldWords world;
  std::string shape;
  int32_t size = 1;
  Form form = Form::kText;
};

std::string CountOf(int64_t number) { return fmt::format("{}", number); }
std::string DomainOf(const LevelRoom& room) {
  return room.domain.empty() ? "-" : TerminalText(room.domain);
}

std::string CapacityText(const Capacity& capacity, std::string_view shape, int64_t size) {
  std::string text = fmt::format("Pods of {}; gangs of {}\n", shape, size);
  std::vector<TableRow> rows = {{{"IN ONE"},
                                 {"DOMAINS"},
                                 {"LARGEST NOW"},
                                 {"WHERE"},
                                 {"LARGEST EMPTY"},
                                 {"WHERE"},
                                 {"GANGS NOW"},
                                 {"GANGS EMPTY"}}};
  for (const LevelCapacity& level : capacity.levels) {
    rows.push_back({{TerminalText(level.level)},
                    {CountOf(level.domains)},
                    {CountOf(level.now.largest)},
                    {DomainOf(level.now)},
                    {CountOf(level.empty.largest)},
                    {DomainOf(level.empty)},
                    {CountOf(level.now.gangs)},
                    {CountOf(level.empty.gangs)}});
  }
  text += TableText(rows, false);
  if (capacity.tainted > 0)
    text += fmt::format("{} nodes have taints that such pods do not tolerate\n", capacity.tainted);
  if (capacity.unplaced > 0)
    text +=
        fmt::format("{} nodes lack the label of a level and take no gangs\n", capacity.unplaced);
  return text;
}

void WriteRoom(JsonText& json, std::string_view key, const LevelRoom& room) {
  json.Key(key).Begin().Field("largest", room.largest);
  json.Field("domain", std::string_view(room.domain)).Field("gangs", room.gangs).End();
}

std::string CapacityJson(const Capacity& capacity, std::string_view shape, int64_t size) {
  JsonText json;
  json.Begin().Field("shape", shape).Field("size", size).Key("levels").BeginList();
  for (const LevelCapacity& level : capacity.levels) {
    json.Begin().Field("level", std::string_view(level.level)).Field("domains", level.domains);
    WriteRoom(json, "now", level.now);
    WriteRoom(json, "empty", level.empty);
    json.End();
  }
  json.EndList().Field("taintedNodes", capacity.tainted);
  json.Field("unplacedNodes", capacity.unplaced).End();
  return json.Take();
}

int RunCapacity(const CapacityWords& words, const Output& output) {
  std::string shape = words.shape;
  absl::StatusOr<ResourceList> request = ParseShape(shape);
  if (!shape.empty() && !request.ok())
    return TellWrongWords(kName, Invalid("--shape: {}", Message(request.status())), output);
  absl::StatusOr<World> world = OpenWorld(words.world);
  if (!world.ok()) return TellWrongWords(kName, world.status(), output);
  const Capacity capacity = world->run->Ask([&](const Planner& planner) {
    if (shape.empty()) {
      shape = UsualShape(planner.model());
      request = ParseShape(shape);
    }
    return CapacityOf(planner.model(), *request, words.size);
  });
  const std::string text = IsForPrograms(words.form)
                               ? ForPrograms(words.form, CapacityJson(capacity, shape, words.size))
                               : TerminalText(CapacityText(capacity, shape, words.size));
  return output.out(text) ? kExitDone : kExitFailed;
}

}  // namespace

Command CapacityCommand() {
  const auto words = std::make_shared<CapacityWords>();
  return {
      std::string(kName),
      "the largest gang in one domain of each level of a saved cluster, now and when it is empty",
      "Example: gangplan capacity --snapshot cluster.json --shape nvidia.com/gpu=8,cpu=64 --size "
      "16\n",
      {SnapshotOption(words->world),
       TextOption("--shape", "RESOURCE=N,...",
                  "what each pod asks for (one of the devices that most nodes have, else a cpu)",
                  words->shape),
       NumberOption("--size", "N", "pods of a gang, for how many gangs fit (1)", words->size, 1),
       ConfigOption(words->world), FormOption(words->form, "as text")},
      [words](const Output& output) { return RunCapacity(*words, output); }};
}

}  // namespace gangplan
