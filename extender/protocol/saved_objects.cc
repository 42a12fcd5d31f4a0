#include "extender/protocol/saved_objects.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "extender/protocol/json_prune.h"
#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/object_shapes.h"
#include "extender/protocol/object_steps.h"
#include "extender/protocol/owner_object.h"
#include "extender/protocol/owner_shapes.h"
#include "topology/base/json_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

using Path = std::span<const std::string_view>;

constexpr std::string_view kWake = "gangplan.io/wake";
constexpr size_t kMaxRankDigits = 6;

// The key `up` steps above the last one.
std::string_view KeyAt(Path path, size_t up) {
  return path.size() > up ? path[path.size() - 1 - up] : std::string_view();
}

bool IsIn(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Heartbeats and versions say nothing of where pods go.
bool IsKept(const SavedKind& kind, Path path, std::string_view text) {
  const std::string_view key = KeyAt(path, 0), parent = KeyAt(path, 1);
  if (path.size() == 1) return key != "apiVersion" && key != "kind";
  if (parent == "annotations") return object_steps::IsKeptAnnotation(key) && key != kWake;
  if (parent == "metadata" && (key == "resourceVersion" || key == "continue")) return false;
  if (key == "operation" && KeyAt(path, 2) == "managedFields") return text == "Apply";
  if (KeyAt(path, 2) != "conditions") return true;
  if (key == "type" || key == "status") return true;
  return kind.kind == "Pod" && key != "lastTransitionTime";
}

// A truth, nothing, or a number as short as those of ranks: of no name.
bool IsPlain(std::string_view text) {
  if (text == "true" || text == "false" || text == "0.0.0.0") return true;
  return text.size() <= kMaxRankDigits &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string NameFor(std::string_view text, const Rename& rename) {
  return IsPlain(text) ? std::string(text) : rename(text);
}

// "block/rack/node": the names in it.
std::string NamesFor(std::string_view text, const Rename& rename) {
  std::string renamed;
  for (;;) {
    const size_t end = std::min(text.find('/'), text.size());
    renamed += NameFor(text.substr(0, end), rename);
    if (end == text.size()) return renamed;
    renamed += '/';
    text.remove_prefix(end + 1);
  }
}

// Labels and annotations whose values are rules, keys, or the part that a pod has in its owner by a
// name that its kind gives; of our prefixes all but those that name groups and places.
bool IsRule(std::string_view key) {
  constexpr std::array<std::string_view, 5> kNames = {
      "gangplan.io/group", "sakkara.group.name", "kueue.x-k8s.io/podset-group-name",
      "kueue.x-k8s.io/pod-group-name", "kueue.x-k8s.io/queue-name"};
  constexpr std::array<std::string_view, 5> kWords = {
      "leaderworkerset.sigs.k8s.io/exclusive-topology", "training.kubeflow.org/job-role",
      "training.kubeflow.org/replica-type", "ray.io/group",
      "gang.scheduling.koordinator.sh/waiting-time"};
  constexpr std::array<std::string_view, 16> kOwn = {
      "size",      "pod-set", "pod-sets",   "rank",          "rank-label",    "topology",
      "place",     "start",   "runtime",    "assigned-rank", "assigned-rung", "wake",
      "suspended", "pinned",  "not-before", "gang"};
  constexpr std::string_view kOurs = "gangplan.io/", kKueues = "kueue.x-k8s.io/";
  if (IsIn(key, kNames) || key.starts_with("sakkara.topology")) return false;
  if (IsIn(key, kWords) || key.starts_with("sakkara.")) return true;
  if (key.starts_with(kOurs)) return IsIn(key.substr(kOurs.size()), kOwn);
  if (!key.starts_with(kKueues)) return false;
  const std::string_view name = key.substr(kKueues.size());
  return name.starts_with("podset-") || name.starts_with("pod-index-") ||
         name == "pod-group-total-count" || name.find("topology") != std::string_view::npos;
}

std::string LabelFor(std::string_view key, std::string_view text, const Rename& rename) {
  constexpr std::array<std::string_view, 2> kPaths = {"gangplan.io/assigned-domain",
                                                      "gangplan.io/evicted-for"};
  if (IsIn(key, kPaths)) return NamesFor(text, rename);
  if (key == "gangplan.io/plan") {  // "NAMESPACE/NAME.7"
    const size_t dot = std::min(text.rfind('.'), text.size());
    return NamesFor(text.substr(0, dot), rename) + std::string(text.substr(dot));
  }
  return IsRule(key) ? std::string(text) : NameFor(text, rename);
}

// The text under other names; nothing: it is left out.
std::optional<std::string> Renamed(const SavedKind& kind, Path path, std::string text,
                                   const Rename& rename) {
  constexpr std::array<std::string_view, 4> kLabels = {"labels", "annotations", "matchLabels",
                                                       "nodeSelector"};
  constexpr std::array<std::string_view, 7> kNames = {
      "namespace", "uid", "nodeName", "nominatedNodeName", "value", "hostIP", "podGroupName"};
  constexpr std::array<std::string_view, 3> kWords = {"Topology", "PriorityClass", "RuntimeClass"};
  const std::string_view key = KeyAt(path, 0), parent = KeyAt(path, 1);
  if (IsIn(parent, kLabels)) return LabelFor(key, text, rename);
  if (key.empty() && (parent == "values" || parent == "namespaces")) return NameFor(text, rename);
  if (key == "message") return std::nullopt;
  if (key == "generateName") return std::nullopt;
  if (IsIn(key, kNames)) return NameFor(text, rename);
  if (key != "name" || KeyAt(path, 2) == "schedulingGates") return text;
  const bool own = path.size() == 2;  // metadata.name
  return own && IsIn(kind.kind, kWords) ? text : NameFor(text, rename);
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
  const JsonRewrite rewrite = [&](Path path, std::string& text) {
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
