#include "extender/protocol/kubernetes_objects.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "extender/protocol/admission_object.h"
#include "extender/protocol/json_sax.h"
#include "extender/protocol/kueue_workload.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/object_draft.h"
#include "extender/protocol/object_reads.h"
#include "extender/protocol/object_shapes.h"
#include "extender/protocol/owner_object.h"
#include "extender/protocol/owner_shapes.h"
#include "extender/protocol/reservation_words.h"
#include "extender/protocol/sakkara_words.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

constexpr std::string_view kLease = "Lease";

absl::StatusOr<ObjectDraft> ReadObject(std::string& json, std::string_view name) {
  ObjectDraft draft;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(json, kMaxObjectBytes, name, object_shapes::kObject, &draft));
  return draft;
}

template <typename Facts>
absl::StatusOr<Facts> Named(std::string_view name, absl::StatusOr<Facts> facts) {
  if (facts.ok()) return facts;
  return Invalid("{}: {}", name, Message(facts.status()));
}

void NoteFault(ObjectDraft& draft, absl::Status status) { draft.fault = std::move(status); }
constexpr JsonShape kFaultyObject = json::Forgiving<&NoteFault>(object_shapes::kObject);

void NoteOwnerFault(OwnerObjectDraft& draft, absl::Status status) {
  draft.fault = std::move(status);
}
constexpr JsonShape kFaultyOwner = json::Forgiving<&NoteOwnerFault>(owner_shapes::kOwner);

// What is wrong in a pod or with it. The walk names the places of its faults itself.
absl::Status FaultOf(const ObjectDraft& draft, std::string_view place,
                     const absl::StatusOr<PodFacts>& pod) {
  if (pod.ok() && pod->fault.empty()) return absl::OkStatus();
  if (!draft.fault.ok()) return draft.fault;
  return Invalid("{}: {}", place, pod.ok() ? pod->fault : Message(pod.status()));
}

// As it should be, or bound: then it takes room whatever is wrong in it.
bool Counts(const PodFacts& pod) { return pod.fault.empty() || !pod.node_name.empty(); }

// A list while it is read.
struct ListDraft {
  std::string_view default_kind;
  MetadataDraft metadata;
  ObjectDraft item;
  size_t index = 0;  // of the item
  ObjectList list;
};

void* BeginItem(void* target, const JsonPlace& place) {
  auto& draft = *static_cast<ListDraft*>(target);
  draft.index = place.index;
  draft.item = {};
  return &draft.item;
}

std::string_view KindOfItem(const ListDraft& draft) {
  return draft.item.kind.empty() ? draft.default_kind : draft.item.kind;
}

bool IsTopology(const ListDraft& draft) {
  return IsKueueTopology(draft.item) || draft.default_kind == "Topology";
}

bool IsConfigMap(const ListDraft& draft) {
  if (KindOfItem(draft) != "ConfigMap") return false;
  const LabelSet& labels = draft.item.metadata.labels;
  return draft.default_kind == "ConfigMap" ||
         std::any_of(labels.begin(), labels.end(), [](const auto& label) {
           return label.first == kSakkaraTopologyLabel || label.first == kSakkaraGroupLabel ||
                  label.first == kReservationWord;
         });
}

// In a list of its own kind, or of any kinds.
std::optional<AdmissionRule::Kind> RuleKindOf(const ListDraft& draft) {
  const std::string_view kind = KindOfItem(draft);
  const bool wanted = draft.default_kind.empty() || kind == draft.default_kind;
  return wanted ? AdmissionKindOf(kind) : std::nullopt;
}

bool IsLease(const ListDraft& draft) {
  return draft.default_kind == kLease && KindOfItem(draft) == kLease;
}

absl::Status TakePodItem(ListDraft& draft) {
  GANGPLAN_ASSIGN_OR_RETURN(PodFacts pod, TakePod(draft.item));
  const bool counts = Counts(pod);
  if (!pod.fault.empty()) {
    draft.list.bad.push_back({NameInNamespace(pod.ns, pod.name),
                              FaultOf(draft.item, fmt::format("items[{}]", draft.index), pod),
                              counts, pod.uid});
  }
  if (counts) draft.list.pods.push_back(std::move(pod));
  return absl::OkStatus();
}

// Objects of other kinds are none of ours.
absl::Status TakeItem(ListDraft& draft) {
  const std::string_view kind = KindOfItem(draft);
  if (kind == "Pod") return TakePodItem(draft);
  GANGPLAN_RETURN_IF_ERROR(draft.item.fault);
  if (kind == "Node") {
    GANGPLAN_ASSIGN_OR_RETURN(NodeFacts node, TakeNode(draft.item));
    draft.list.nodes.push_back(std::move(node));
  } else if (IsTopology(draft)) {
    GANGPLAN_ASSIGN_OR_RETURN(Topology topology, TakeTopology(draft.item));
    draft.list.topologies.push_back(std::move(topology));
  } else if (IsConfigMap(draft)) {
    GANGPLAN_ASSIGN_OR_RETURN(ConfigMapFacts object, TakeConfigMap(draft.item));
    draft.list.config_maps.push_back(std::move(object));
  } else if (const auto rule = RuleKindOf(draft)) {
    GANGPLAN_ASSIGN_OR_RETURN(AdmissionRule taken, TakeAdmissionRule(*rule, draft.item));
    draft.list.rules.push_back(std::move(taken));
  } else if (IsLease(draft)) {
    GANGPLAN_ASSIGN_OR_RETURN(LeaseFacts lease, TakeLease(draft.item));
    draft.list.leases.push_back(std::move(lease));
  } else if (kind.empty()) {
    return Invalid("kind is missing");
  }
  return absl::OkStatus();
}

void NoteBadItem(ListDraft& draft, absl::Status status) {
  const std::string_view kind = KindOfItem(draft);
  const bool ours = kind == "Node" || kind == "Pod" || IsTopology(draft) || IsConfigMap(draft) ||
                    RuleKindOf(draft) || IsLease(draft);
  if (!kind.empty() && !ours) return;
  std::string name = FullName(draft.item.metadata);
  if (name.empty()) name = fmt::format("items[{}]", draft.index);
  draft.list.bad.push_back(
      {std::move(name), std::move(status), false, std::move(draft.item.metadata.uid)});
}

void TakeFaultyItem(ListDraft& draft, absl::Status fault) {
  draft.item.fault = std::move(fault);
  absl::Status status = TakeItem(draft);
  if (!status.ok()) NoteBadItem(draft, std::move(status));
}

constexpr JsonShape ListItem() {
  JsonShape shape = json::Object(object_shapes::kObjectFields);
  shape.enter = &BeginItem;
  return json::Forgiving<&TakeFaultyItem>(json::Then<&TakeItem>(shape));
}
constexpr JsonShape kListItem = ListItem();
constexpr JsonField kListFields[] = {
    {"metadata", json::In<&ListDraft::metadata>(json::Object(object_shapes::kMetadataFields))},
    {"items", json::Array(kListItem, kMaxListItems)},
};
constexpr JsonShape kList = json::Object(kListFields);

// Likewise a list of Jobs, or of JobSets, alone: what they are read into is another.
struct JobListDraft {
  const OwnerKind* kind = nullptr;
  MetadataDraft metadata;
  OwnerObjectDraft item;
  size_t index = 0;
  ObjectList list;
};

void* BeginJobItem(void* target, const JsonPlace& place) {
  auto& draft = *static_cast<JobListDraft*>(target);
  draft.index = place.index;
  draft.item = {};
  return &draft.item;
}

absl::Status TakeJobItem(JobListDraft& draft) {
  GANGPLAN_ASSIGN_OR_RETURN(JobFacts job, TakeWaiting(draft.item, *draft.kind));
  draft.list.jobs.push_back(std::move(job));
  return absl::OkStatus();
}

void NoteBadJob(JobListDraft& draft, absl::Status status) {
  std::string name = FullName(draft.item.metadata);
  if (name.empty()) name = fmt::format("items[{}]", draft.index);
  draft.list.bad.push_back(
      {std::move(name), std::move(status), false, std::move(draft.item.metadata.uid)});
}

constexpr JsonShape JobListItem() {
  JsonShape shape = owner_shapes::kWaiting;
  shape.enter = &BeginJobItem;
  return json::Forgiving<&NoteBadJob>(json::Then<&TakeJobItem>(shape));
}
constexpr JsonShape kJobListItem = JobListItem();
constexpr JsonField kJobListFields[] = {
    {"metadata", json::In<&JobListDraft::metadata>(json::Object(object_shapes::kMetadataFields))},
    {"items", json::Array(kJobListItem, kMaxListItems)},
};
constexpr JsonShape kJobList = json::Object(kJobListFields);

// One line of a watch while it is read.
struct WatchDraft {
  std::string_view type;
  ObjectDraft object;
};
struct JobWatchDraft {
  std::string_view type;
  OwnerObjectDraft object;
  absl::Status fault;
};

void NoteObjectFault(WatchDraft& draft, absl::Status status) {
  draft.object.fault = std::move(status);
}

constexpr JsonField kWatchFields[] = {
    {"type", json::Text<&WatchDraft::type>(kMaxTokenBytes)},
    {"object",
     json::Forgiving<&NoteObjectFault>(json::Anew<&WatchDraft::object>(object_shapes::kObject))},
};
constexpr JsonShape kWatch = json::Object(kWatchFields);

void NoteJobFault(JobWatchDraft& draft, absl::Status status) { draft.fault = std::move(status); }

constexpr JsonField kJobWatchFields[] = {
    {"type", json::Text<&JobWatchDraft::type>(kMaxTokenBytes)},
    {"object",
     json::Forgiving<&NoteJobFault>(json::Anew<&JobWatchDraft::object>(owner_shapes::kWaiting))},
};
constexpr JsonShape kJobWatch = json::Object(kJobWatchFields);

void TakePodOf(ObjectDraft& draft, WatchEvent& event) {
  absl::StatusOr<PodFacts> pod = TakePod(draft);
  event.bad = FaultOf(draft, "object", pod);
  if (pod.ok() && Counts(*pod)) event.pod = *std::move(pod);
}

void TakeObject(WatchDraft& draft, std::string_view default_kind, WatchEvent& event) {
  const std::string_view kind = draft.object.kind.empty() ? default_kind : draft.object.kind;
  if (kind == "Pod" && kind == default_kind) return TakePodOf(draft.object, event);
  event.bad = draft.object.fault;
  if (!event.bad.ok()) return;
  if (kind != default_kind) {
    event.bad = Invalid("object: expected kind {}, found {}", default_kind, Shown(kind));
  } else if (kind == "Node") {
    TakeInto(TakeNode(draft.object), event.node, event.bad);
  } else if (kind == "Topology") {
    TakeInto(TakeTopology(draft.object), event.topology, event.bad);
  } else if (const auto rule = AdmissionKindOf(kind)) {
    TakeInto(TakeAdmissionRule(*rule, draft.object), event.rule, event.bad);
  } else if (kind == kLease) {
    TakeInto(TakeLease(draft.object), event.lease, event.bad);
  } else {
    TakeInto(TakeConfigMap(draft.object), event.config_map, event.bad);
  }
}

void TakeJobOf(JobWatchDraft& draft, const OwnerKind& kind, WatchEvent& event) {
  event.bad = draft.fault;
  if (!event.bad.ok()) return;
  TakeInto(TakeWaiting(draft.object, kind), event.job.emplace(), event.bad);
  if (!event.bad.ok()) event.job.reset();
}

}  // namespace

absl::StatusOr<NodeFacts> DecodeNode(std::string& json) {
  GANGPLAN_ASSIGN_OR_RETURN(ObjectDraft draft, ReadObject(json, "Node"));
  return Named("Node", TakeNode(draft));
}

absl::StatusOr<PodFacts> DecodePod(std::string& json) {
  ObjectDraft draft;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(json, kMaxObjectBytes, "Pod", kFaultyObject, &draft));
  absl::StatusOr<PodFacts> pod = TakePod(draft);
  const absl::Status fault = FaultOf(draft, "Pod", pod);
  if (!pod.ok()) return fault;
  pod->fault = Message(fault);
  return pod;
}

absl::StatusOr<OwnerFacts> DecodeOwner(std::string& json) {
  OwnerObjectDraft draft;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(json, kMaxObjectBytes, "", kFaultyOwner, &draft));
  return TakeOwner(draft);
}

absl::StatusOr<JobFacts> DecodeJob(std::string& json, const OwnerKind& kind) {
  OwnerObjectDraft draft;
  GANGPLAN_RETURN_IF_ERROR(
      ParseJson(json, kMaxObjectBytes, kind.kind, owner_shapes::kWaiting, &draft));
  return Named(kind.kind, TakeWaiting(draft, kind));
}

absl::StatusOr<ObjectList> DecodeList(std::string& json, std::string_view default_kind) {
  if (const OwnerKind* kind = FindOwnerKind(default_kind)) {
    JobListDraft jobs;
    jobs.kind = kind;
    return ReadList(json, kJobList, std::move(jobs));
  }
  if (IsKueueKind(default_kind)) return DecodeKueueList(json, default_kind);
  ListDraft draft;
  draft.default_kind = default_kind;
  return ReadList(json, kList, std::move(draft));
}

absl::StatusOr<WatchEvent> DecodeWatchEvent(std::string& line, std::string_view default_kind) {
  if (const OwnerKind* kind = FindOwnerKind(default_kind)) {
    return ReadEvent<JobWatchDraft>(line, kJobWatch, [&](JobWatchDraft& draft, WatchEvent& event) {
      TakeJobOf(draft, *kind, event);
    });
  }
  if (IsKueueKind(default_kind)) return DecodeKueueEvent(line, default_kind);
  return ReadEvent<WatchDraft>(line, kWatch, [&](WatchDraft& draft, WatchEvent& event) {
    TakeObject(draft, default_kind, event);
  });
}

}  // namespace gangplan
