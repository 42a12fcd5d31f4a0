#include "extender/protocol/saved_objects.h"

#include <algorithm>
#include <span>
#include <utility>

#include "extender/protocol/json_prune.h"
#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/object_shapes.h"
#include "extender/protocol/object_steps.h"
#include "extender/protocol/owner_object.h"
#include "extender/protocol/owner_shapes.h"
#include "extender/protocol/saved_names.h"
#include "topology/base/json_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kWake = "gangplan.io/wake";

// Heartbeats and versions say nothing of where pods go.
bool IsKept(const SavedKind& kind, JsonPath path, std::string_view text) {
  const std::string_view key = KeyAt(path, 0), parent = KeyAt(path, 1);
  if (path.size() == 1) return key != "apiVersion" && key != "kind";
  if (parent == "annotations") return object_steps::IsKeptAnnotation(key) && key != kWake;
  if (parent == "metadata" && (key == "resourceVersion" || key == "continue")) return false;
  if (key == "operation" && KeyAt(path, 2) == "managedFields") return text == "Apply";
  if (KeyAt(path, 2) != "conditions") return true;
  if (key == "type" || key == "status") return true;
  return kind.kind == "Pod" && key != "lastTransitionTime";
}

template <typename Draft>
void* BeginItem(void* target, const JsonPlace&) {
  return &(static_cast<Draft*>(target)->item = {});
}

struct OwnersDraft {
  OwnerObjectDraft item;
  std::vector<OwnerFacts> owners;
};

absl::Status TakeOwnerItem(OwnersDraft& draft) {
  const bool ours =
      TellsSizeOrLeast({std::string(draft.item.api_version), std::string(draft.item.kind), "", ""});
  if (!ours) return absl::OkStatus();
  absl::StatusOr<OwnerFacts> owner = TakeOwner(draft.item);
  if (owner.ok()) draft.owners.push_back(*std::move(owner));
  return absl::OkStatus();
}
void PassOver(OwnersDraft&, absl::Status) {}

constexpr JsonShape OwnerItem() {
  JsonShape shape = owner_shapes::kOwner;
  shape.enter = &BeginItem<OwnersDraft>;
  return json::Forgiving<&PassOver>(json::Then<&TakeOwnerItem>(shape));
}
constexpr JsonShape kOwnerItem = OwnerItem();
constexpr JsonField kOwnersFields[] = {{"items", json::Array(kOwnerItem, kMaxListItems)}};
constexpr JsonShape kOwners = json::Object(kOwnersFields);

}  // namespace

absl::StatusOr<SavedItems> SaveItems(std::string& list, const SavedKind& kind,
                                     const Rename& rename) {
  SavedItems items;
  SavedObject now;
  const std::string head =
      JsonText().Begin().Field("apiVersion", kind.api_version).Field("kind", kind.kind).Take();
  const JsonRewrite rewrite = [&](JsonPath path, std::string& text) {
    if (!IsKept(kind, path, text)) return false;
    if (rename) {
      std::optional<std::string> other = Renamed(kind, path, std::move(text), rename);
      if (!other) return false;
      text = *std::move(other);
    }
    if (path.size() == 2 && path[0] == "metadata" && path[1] == "name") now.name = text;
    if (path.size() == 2 && path[0] == "metadata" && path[1] == "namespace") now.ns = text;
    return true;
  };
  const auto take = [&](std::string json) {
    now.json = head + (json.size() > 2 ? "," : "") + json.substr(1);
    items.objects.push_back(std::exchange(now, {}));
  };
  const JsonShape& shape = kind.owner ? owner_shapes::kOwner : object_shapes::kObject;
  GANGPLAN_ASSIGN_OR_RETURN(items.continue_token,
                            PruneItems(list, kMaxListBytes, shape, rewrite, take));
  return items;
}

absl::StatusOr<std::vector<OwnerFacts>> DecodeOwners(std::string& json) {
  OwnersDraft draft;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(json, kMaxListBytes, "", kOwners, &draft));
  return std::move(draft.owners);
}

bool MayHoldOwners(std::string_view json) {
  const std::vector<std::string_view> kinds = KindsThatTellSizeOrLeast();
  return std::any_of(kinds.begin(), kinds.end(), [&](std::string_view kind) {
    return json.find(fmt::format("\"{}\"", kind)) != std::string_view::npos;
  });
}

}  // namespace gangplan
