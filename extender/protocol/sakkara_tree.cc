#include "extender/protocol/sakkara_tree.h"

#include <optional>

#include "extender/protocol/sakkara_value.h"
#include "topology/base/status_macros.h"

namespace gangplan {
namespace {

struct TreeDraft {
  std::vector<SakkaraTreeUnit> units;
  std::vector<int32_t> open;  // the units that the walk is in, outermost first
  int32_t nodes = 0;
  std::optional<std::string> above_null;  // path of the first unit that holds a null
};

TreeDraft& Draft(void* target) { return *static_cast<TreeDraft*>(target); }

void* Enter(void* target, const JsonPlace& place) {
  TreeDraft& draft = Draft(target);
  const int32_t parent = draft.open.empty() ? -1 : draft.open.back();
  draft.open.push_back(static_cast<int32_t>(draft.units.size()));
  draft.units.push_back(
      {std::string(place.key), parent, static_cast<int32_t>(draft.open.size()), false});
  return target;
}

absl::Status Leave(void* target, const JsonPlace&) {
  TreeDraft& draft = Draft(target);
  const auto at = static_cast<size_t>(draft.open.back());
  draft.open.pop_back();
  SakkaraTreeUnit& unit = draft.units[at];
  unit.is_node = at + 1 == draft.units.size();
  if (unit.depth > kMaxLevels) return Invalid("expected at most {} levels", kMaxLevels);
  if (unit.name.empty()) return Invalid("expected a name for every unit, found an empty one");
  if (unit.name.size() > kMaxNameBytes)
    return Invalid("the name is longer than {} bytes", kMaxNameBytes);
  if (unit.is_node && ++draft.nodes > kMaxNodes) return Invalid("more than {} nodes", kMaxNodes);
  return absl::OkStatus();
}

// A null says nothing of what stands there, and Sakkara refuses it too.
void NoteNull(void* target) {
  TreeDraft& draft = Draft(target);
  if (draft.above_null) return;
  std::string& path = draft.above_null.emplace("tree");
  for (const int32_t at : draft.open)
    path += "." + Shown(draft.units[static_cast<size_t>(at)].name);
}

// A unit holds units: the shape is its own element.
constexpr JsonShape MakeUnit(const JsonShape* self) {
  JsonShape shape;
  shape.nesting = JsonShape::Nesting::kMap;
  shape.element = self;
  shape.most = kMaxConfigMapBytes;
  shape.enter = Enter;
  shape.leave = Leave;
  shape.null = NoteNull;
  return shape;
}
constexpr JsonShape kUnit = MakeUnit(&kUnit);
constexpr JsonShape kRoot = json::Map(kUnit, kMaxConfigMapBytes);

}  // namespace

absl::StatusOr<std::vector<SakkaraTreeUnit>> ReadSakkaraTree(std::string_view text) {
  TreeDraft draft;
  GANGPLAN_RETURN_IF_ERROR(ParseSakkaraValue("tree", text, kRoot, &draft));
  if (draft.above_null)
    return Invalid("{}: expected an object for every unit, found null", *draft.above_null);
  if (draft.units.empty()) return Invalid("tree: expected at least one node, found none");
  return std::move(draft.units);
}

}  // namespace gangplan
