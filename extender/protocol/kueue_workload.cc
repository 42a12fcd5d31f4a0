#include "extender/protocol/kueue_workload.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "extender/protocol/kueue_placement.h"
#include "extender/protocol/object_reads.h"
#include "extender/protocol/object_shapes.h"
#include "fmt/format.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

using namespace gangplan::json;           // NOLINT: the makers are the language of this file
using namespace gangplan::object_shapes;  // NOLINT: and these its shapes
using placement_shapes::kPlacementFields;

constexpr std::string_view kWorkload = "Workload";
constexpr std::string_view kAdmissionCheck = "AdmissionCheck";

struct AssignmentDraft {
  std::string name;
  int64_t count = 0;
  LabelSet flavors;  // by resource, as written
  AmountDraft usage;
  std::optional<PlacementDraft> placement;
  absl::Status fault;  // of the last two
};
struct PodSetDraft {
  std::string name;
  int64_t count = 0, least = 0;
  ObjectDraft pod;  // what of the template could be read
};
struct ReclaimableDraft {
  std::string name;
  int64_t count = 0;
};
struct UpdateDraft {
  std::string name;
  LabelSet node_selector;  // as written
  std::vector<Toleration> tolerations;
};
struct CheckDraft {
  std::string name;
  std::optional<CheckState> state;
  std::string message;
  std::vector<UpdateDraft> updates;
};
// Of both kinds at once.
struct KueueDraft {
  std::string_view kind;
  MetadataDraft metadata;
  std::string controller;
  bool parameters = false;
  std::vector<ConditionDraft> conditions;
  std::vector<PodSetDraft> pod_sets;
  std::vector<AssignmentDraft> assignments;
  std::vector<ReclaimableDraft> reclaimable;
  absl::Status places_fault;  // of what only those need that Kueue has placed
  std::vector<CheckDraft> checks;
  // Of a watch's error.
  std::string_view message;
  int32_t code = 0;
};

absl::Status SetState(CheckDraft& check, std::string_view state) {
  static constexpr std::pair<std::string_view, CheckState> kStates[] = {
      {"Pending", CheckState::kPending},
      {"Ready", CheckState::kReady},
      {"Retry", CheckState::kRetry},
      {"Rejected", CheckState::kRejected}};
  const auto* found = std::find_if(std::begin(kStates), std::end(kStates),
                                   [&](const auto& one) { return one.first == state; });
  if (found == std::end(kStates))
    return Invalid("expected Pending, Ready, Retry or Rejected, found '{}'", Shown(state));
  check.state = found->second;
  return absl::OkStatus();
}

absl::Status NoteParameters(KueueDraft& draft, std::string_view) {
  draft.parameters = true;
  return absl::OkStatus();
}

PlacementDraft& PlacementOf(AssignmentDraft& draft) { return draft.placement.emplace(); }

// Where Kueue has placed pods is no matter of checks: what is wrong there leaves these as they are.
void NotePlaceFault(AssignmentDraft& draft, absl::Status status) { draft.fault.Update(status); }
void NotePlacesFault(KueueDraft& draft, absl::Status status) { draft.places_fault.Update(status); }

constexpr JsonField kAssignmentFields[] = {
    {"name", Text<&AssignmentDraft::name>(kMaxNameBytes)},
    {"count", Integer<&AssignmentDraft::count, 0, kInt32Most>()},
    {"flavors", In<&AssignmentDraft::flavors>(Map(kLabel, kMaxLabels))},
    {"resourceUsage", Forgiving<&NotePlaceFault>(In<&AssignmentDraft::usage>(kRequestedMap))},
    {"topologyAssignment", Forgiving<&NotePlaceFault>(At<&PlacementOf>(Object(kPlacementFields)))},
};
constexpr JsonShape kAssignment = Appended<std::vector<AssignmentDraft>>(Object(kAssignmentFields));
constexpr JsonField kAdmissionFields[] = {
    {"podSetAssignments", Anew<&KueueDraft::assignments>(Array(kAssignment, kMaxWorkloadPodSets))},
};

constexpr JsonField kUpdateFields[] = {
    {"name", Text<&UpdateDraft::name>(kMaxNameBytes)},
    {"nodeSelector", In<&UpdateDraft::node_selector>(Map(kLabel, kMaxLabels))},
    {"tolerations", Anew<&UpdateDraft::tolerations>(Array(kToleration, kMaxTolerations))},
};
constexpr JsonShape kUpdate = Appended<std::vector<UpdateDraft>>(Object(kUpdateFields));
constexpr JsonField kCheckFields[] = {
    {"name", Text<&CheckDraft::name>(kMaxNameBytes)},
    {"state", TextFor<&SetState>(kMaxTokenBytes)},
    {"message", Text<&CheckDraft::message>(kMaxObjectBytes)},
    {"podSetUpdates", Anew<&CheckDraft::updates>(Array(kUpdate, kMaxWorkloadPodSets))},
};
constexpr JsonShape kCheck = Appended<std::vector<CheckDraft>>(Object(kCheckFields));

// What of a template cannot be read is no fault of the Workload's.
void NotePodFault(PodSetDraft& draft, absl::Status status) { draft.pod.fault = std::move(status); }
constexpr JsonField kPodFields[] = {
    {"metadata", In<&ObjectDraft::metadata>(Object(kMetadataFields))},
    {"spec", Object(kSpecFields)},
};
constexpr JsonField kPodSetFields[] = {
    {"name", Text<&PodSetDraft::name>(kMaxNameBytes)},
    {"count", Integer<&PodSetDraft::count, 0, kInt32Most>()},
    {"minCount", Integer<&PodSetDraft::least, 0, kInt32Most>()},
    {"template", Forgiving<&NotePodFault>(Anew<&PodSetDraft::pod>(Object(kPodFields)))},
};
constexpr JsonShape kPodSet = Appended<std::vector<PodSetDraft>>(Object(kPodSetFields));
constexpr JsonField kReclaimableFields[] = {
    {"name", Text<&ReclaimableDraft::name>(kMaxNameBytes)},
    {"count", Integer<&ReclaimableDraft::count, 0, kInt32Most>()},
};
constexpr JsonShape kReclaimable =
    Appended<std::vector<ReclaimableDraft>>(Object(kReclaimableFields));

constexpr JsonField kParametersFields[] = {
    {"name", TextFor<&NoteParameters>(kMaxNameBytes)},
};
constexpr JsonField kKueueSpecFields[] = {
    {"controllerName", Text<&KueueDraft::controller>(kMaxNameBytes)},
    {"parameters", Object(kParametersFields)},
    {"podSets",
     Forgiving<&NotePlacesFault>(Anew<&KueueDraft::pod_sets>(Array(kPodSet, kMaxWorkloadPodSets)))},
};
constexpr JsonField kKueueStatusFields[] = {
    {"conditions", Anew<&KueueDraft::conditions>(Array(kCondition, kMaxConditions))},
    {"admission", Object(kAdmissionFields)},
    {"reclaimablePods", Forgiving<&NotePlacesFault>(Anew<&KueueDraft::reclaimable>(
                            Array(kReclaimable, kMaxWorkloadPodSets)))},
    {"admissionChecks", Anew<&KueueDraft::checks>(Array(kCheck, kMaxWorkloadChecks))},
};
// A Status has a text there.
constexpr JsonShape StatusOrText() {
  JsonShape shape = Object(kKueueStatusFields);
  shape.text = [](void*, const JsonPlace&, std::string_view) { return absl::OkStatus(); };
  shape.most = kMaxTokenBytes;
  return shape;
}
constexpr JsonShape kSliceName = MapTextFor<&KeepSliceName>(kMaxObjectBytes);
constexpr JsonField kKueueMetadataFields[] = {
    {"name", Text<&MetadataDraft::name>(kMaxNameBytes)},
    {"namespace", Text<&MetadataDraft::ns>(kMaxNameBytes)},
    {"uid", Text<&MetadataDraft::uid>(kMaxUidBytes)},
    {"resourceVersion", Text<&MetadataDraft::resource_version>(kMaxNameBytes)},
    {"ownerReferences", Anew<&MetadataDraft::owners>(Array(kOwner, kMaxWorkloadOwners))},
    {"deletionTimestamp", TextFor<&NoteDeletion>(kMaxTokenBytes)},
    {"annotations", In<&MetadataDraft::annotations>(Map(kSliceName, kMaxLabels))},
};
constexpr JsonField kKueueFields[] = {
    {"kind", Text<&KueueDraft::kind>(kMaxNameBytes)},
    {"metadata", In<&KueueDraft::metadata>(Object(kKueueMetadataFields))},
    {"spec", Object(kKueueSpecFields)},
    {"status", StatusOrText()},
    {"message", Text<&KueueDraft::message>(kMaxMessageBytes)},
    {"code", Integer<&KueueDraft::code, kInt32Least, kInt32Most>()},
};
constexpr JsonShape kKueueObject = Object(kKueueFields);

const ConditionDraft* Find(const KueueDraft& draft, std::string_view type) {
  const auto found = std::find_if(draft.conditions.begin(), draft.conditions.end(),
                                  [&](const ConditionDraft& one) { return one.type == type; });
  return found == draft.conditions.end() ? nullptr : &*found;
}

bool IsTrue(const KueueDraft& draft, std::string_view type) {
  const ConditionDraft* condition = Find(draft, type);
  return condition != nullptr && condition->status == "True";
}

// Whose pods it is about: its controller, or the first of several that none controls (the pods of a
// group, a LeaderWorkerSet).
std::optional<OwnerRef> OwnerOf(const MetadataDraft& metadata) {
  std::optional<OwnerRef> owner = Controller(metadata);
  if (owner || metadata.owners.empty()) return owner;
  return RefOf(metadata.owners.front());
}

WorkloadFacts::PodSet TakeAssignment(AssignmentDraft& draft) {
  WorkloadFacts::PodSet set{std::move(draft.name), draft.count, {}};
  for (auto& [resource, flavor] : draft.flavors) set.flavors.push_back(std::move(flavor));
  std::sort(set.flavors.begin(), set.flavors.end());
  set.flavors.erase(std::unique(set.flavors.begin(), set.flavors.end()), set.flavors.end());
  return set;
}

// What its pods ask for is what Kueue has counted for all of them, LimitRanges and overhead
// included; and of what it was told not to count, what the template asks for.
ResourceList EachOf(AssignmentDraft& draft, ObjectDraft& pod) {
  ResourceList each = TakeAmounts(draft.usage);
  for (ResourceAmount& one : each)
    one.amount = one.amount / draft.count + (one.amount % draft.count > 0 ? 1 : 0);
  absl::Status fault;  // an amount that is at its end
  ResourceList more = PodRequests(pod.requests, fault);
  std::erase_if(more, [&](const ResourceAmount& one) { return Names(each, one.name); });
  AddResources(each, more);
  std::erase_if(
      each, [](const ResourceAmount& one) { return one.amount == 0 || one.name == kPodsResource; });
  AddResources(each, {{std::string(kPodsResource), 1}});
  return each;
}

// What of its template could be read, of that set.
void TakePod(ObjectDraft& pod, WorkloadFacts::PodSet& set) {
  if (!pod.fault.ok()) set.pod.fault = Message(pod.fault);
  set.pod.scheduler_name = std::move(pod.scheduler_name);
  set.pod.scheduling_group = std::move(pod.scheduling_group);
  set.pod.labels = TakeLabels(pod.metadata.labels);
  set.pod.annotations = TakeLabels(pod.metadata.annotations);
}

// `left`: of what a Workload may name. An error: the set is as one that is not placed.
absl::Status TakePlaced(AssignmentDraft& draft, KueueDraft& workload, PlacementLimits& left,
                        WorkloadFacts::PodSet& set) {
  if (draft.placement || !draft.fault.ok()) {
    GANGPLAN_RETURN_IF_ERROR(draft.fault);
    GANGPLAN_RETURN_IF_ERROR(workload.places_fault);
  }
  if (!draft.placement || draft.count == 0) return absl::OkStatus();
  GANGPLAN_ASSIGN_OR_RETURN(set.placement, TakePlacement(*draft.placement, left));
  for (const ReclaimableDraft& one : workload.reclaimable)
    if (one.name == set.name) set.reclaimable = one.count;
  const auto own = std::find_if(workload.pod_sets.begin(), workload.pod_sets.end(),
                                [&](const PodSetDraft& one) { return one.name == set.name; });
  PodSetDraft none, &from = own == workload.pod_sets.end() ? none : *own;
  set.all = from.least > 0 ? 0 : from.count;
  set.each = EachOf(draft, from.pod);
  TakePod(from.pod, set);
  return absl::OkStatus();
}

void TakeAssignments(KueueDraft& draft, WorkloadFacts& facts) {
  PlacementLimits left;
  const LabelSet& slice = draft.metadata.annotations;
  const bool own = slice.empty() || slice.front().second == facts.name;
  for (AssignmentDraft& one : draft.assignments) {
    WorkloadFacts::PodSet& set = facts.pod_sets.emplace_back(TakeAssignment(one));
    if (!facts.quota || !own) continue;
    const absl::Status placed = TakePlaced(one, draft, left, set);
    if (placed.ok() || !facts.unplaced.empty()) continue;
    facts.unplaced =
        fmt::format("topologyAssignment of pod set {}: {}", Shown(set.name), Message(placed));
  }
}

WorkloadFacts::Check TakeCheck(CheckDraft& draft) {
  WorkloadFacts::Check check{std::move(draft.name), draft.state.value_or(CheckState::kPending),
                             std::move(draft.message)};
  for (UpdateDraft& one : draft.updates)
    check.updates.push_back(
        {std::move(one.name), TakeLabels(one.node_selector), std::move(one.tolerations)});
  return check;
}

absl::StatusOr<WorkloadFacts> TakeWorkload(KueueDraft& draft) {
  if (draft.metadata.name.empty()) return Invalid("metadata.name is missing");
  if (draft.metadata.uid.empty()) return Invalid("metadata.uid is missing");
  WorkloadFacts facts;
  facts.ns = draft.metadata.ns.empty() ? std::string(kDefaultNamespace) : draft.metadata.ns;
  facts.owner = OwnerOf(draft.metadata);
  facts.quota = IsTrue(draft, "QuotaReserved") && !IsTrue(draft, "Evicted") &&
                !IsTrue(draft, "Finished") && !draft.metadata.terminating;
  if (const ConditionDraft* reserved = Find(draft, "QuotaReserved"))
    facts.quota_since = object_steps::ReadTimestamp(reserved->since);
  facts.admitted = IsTrue(draft, "Admitted");
  facts.name = std::move(draft.metadata.name);
  facts.uid = std::move(draft.metadata.uid);
  facts.resource_version = std::move(draft.metadata.resource_version);
  TakeAssignments(draft, facts);
  for (CheckDraft& one : draft.checks) facts.checks.push_back(TakeCheck(one));
  return facts;
}

absl::StatusOr<AdmissionCheckFacts> TakeAdmissionCheck(KueueDraft& draft) {
  if (draft.metadata.name.empty()) return Invalid("metadata.name is missing");
  AdmissionCheckFacts facts;
  facts.name = std::move(draft.metadata.name);
  facts.uid = std::move(draft.metadata.uid);
  facts.controller = std::move(draft.controller);
  facts.parameters = draft.parameters;
  if (Find(draft, "Active") != nullptr) facts.active = IsTrue(draft, "Active");
  return facts;
}

struct KueueListDraft {
  std::string_view kind;
  MetadataDraft metadata;
  KueueDraft item;
  size_t index = 0;
  ObjectList list;
};

void* BeginKueueItem(void* target, const JsonPlace& place) {
  auto& draft = *static_cast<KueueListDraft*>(target);
  draft.index = place.index;
  draft.item = {};
  return &draft.item;
}

absl::Status TakeKueueItem(KueueListDraft& draft) {
  if (draft.kind == kWorkload) {
    GANGPLAN_ASSIGN_OR_RETURN(WorkloadFacts facts, TakeWorkload(draft.item));
    draft.list.workloads.push_back(std::move(facts));
  } else {
    GANGPLAN_ASSIGN_OR_RETURN(AdmissionCheckFacts facts, TakeAdmissionCheck(draft.item));
    draft.list.checks.push_back(std::move(facts));
  }
  return absl::OkStatus();
}

void NoteBadKueueItem(KueueListDraft& draft, absl::Status status) {
  std::string name = FullName(draft.item.metadata);
  if (name.empty()) name = fmt::format("items[{}]", draft.index);
  draft.list.bad.push_back(
      {std::move(name), std::move(status), false, std::move(draft.item.metadata.uid)});
}

constexpr JsonShape KueueListItem() {
  JsonShape shape = kKueueObject;
  shape.enter = &BeginKueueItem;
  return Forgiving<&NoteBadKueueItem>(Then<&TakeKueueItem>(shape));
}
constexpr JsonShape kKueueListItem = KueueListItem();
constexpr JsonField kKueueListFields[] = {
    {"metadata", In<&KueueListDraft::metadata>(Object(kMetadataFields))},
    {"items", Array(kKueueListItem, kMaxListItems)},
};
constexpr JsonShape kKueueList = Object(kKueueListFields);

struct KueueWatchDraft {
  std::string_view type;
  KueueDraft object;
  absl::Status fault;
};

void NoteKueueFault(KueueWatchDraft& draft, absl::Status status) {
  draft.fault = std::move(status);
}

constexpr JsonField kKueueWatchFields[] = {
    {"type", Text<&KueueWatchDraft::type>(kMaxTokenBytes)},
    {"object", Forgiving<&NoteKueueFault>(Anew<&KueueWatchDraft::object>(kKueueObject))},
};
constexpr JsonShape kKueueWatch = Object(kKueueWatchFields);

}  // namespace

bool IsKueueKind(std::string_view kind) { return kind == kWorkload || kind == kAdmissionCheck; }

absl::StatusOr<WorkloadFacts> DecodeWorkload(std::string& json) {
  KueueDraft draft;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(json, kMaxObjectBytes, kWorkload, kKueueObject, &draft));
  return TakeWorkload(draft);
}

absl::StatusOr<ObjectList> DecodeKueueList(std::string& json, std::string_view kind) {
  KueueListDraft draft;
  draft.kind = kind;
  return ReadList(json, kKueueList, std::move(draft));
}

absl::StatusOr<WatchEvent> DecodeKueueEvent(std::string& line, std::string_view kind) {
  return ReadEvent<KueueWatchDraft>(
      line, kKueueWatch, [&](KueueWatchDraft& draft, WatchEvent& event) {
        event.bad = draft.fault;
        if (!event.bad.ok()) return;
        if (kind == kWorkload) {
          TakeInto(TakeWorkload(draft.object), event.workload, event.bad);
        } else {
          TakeInto(TakeAdmissionCheck(draft.object), event.check, event.bad);
        }
      });
}

}  // namespace gangplan
