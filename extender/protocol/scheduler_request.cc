#include "extender/protocol/scheduler_request.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/object_draft.h"
#include "extender/protocol/object_shapes.h"
#include "extender/protocol/unique_names.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// --- Pod, of three requests.
struct PodDraft {
  std::optional<ObjectDraft> pod;
};

ObjectDraft& PodOf(PodDraft& draft) {
  return draft.pod.has_value() ? *draft.pod : draft.pod.emplace();
}
void ForgetPod(PodDraft& draft) { draft.pod.reset(); }

absl::StatusOr<PodFacts> TakePodOf(PodDraft& draft) {
  if (!draft.pod.has_value()) return Invalid("Pod is missing");
  absl::StatusOr<PodFacts> pod = TakePod(*draft.pod);
  if (!pod.ok()) return Invalid("Pod: {}", Message(pod.status()));
  if (!pod->fault.empty()) return Invalid("Pod: {}", pod->fault);
  return pod;
}

template <auto kFunction>
constexpr JsonShape NullFor(JsonShape shape) {
  shape.null = [](void* target) { kFunction(json::Target<kFunction>(target)); };
  return shape;
}

// --- filter, prioritize
struct FilterDraft {
  const std::string* body = nullptr;
  PodDraft pod;
  std::optional<OfferedNodes> by_name;
  std::optional<OfferedNodes> by_object;
  size_t origin = 0;  // where in the body by_object->original was copied from
  size_t item_begin = 0;
  std::string_view item_name;
};

std::vector<std::string_view>& NamesOf(FilterDraft& draft) { return draft.by_name.emplace().names; }
void ForgetNames(FilterDraft& draft) { draft.by_name.reset(); }

absl::Status AddName(std::vector<std::string_view>& names, std::string_view name) {
  if (name.empty()) return Invalid("the name is empty");
  names.push_back(name);
  return absl::OkStatus();
}

// The parser changes the body behind it as it goes; here everything ahead is still as it came.
void* BeginNodes(void* target, const JsonPlace& place) {
  auto& draft = *static_cast<FilterDraft*>(target);
  OfferedNodes& nodes = draft.by_object.emplace();
  nodes.full_objects = true;
  nodes.original = std::make_shared<const std::string>(draft.body->substr(place.offset));
  draft.origin = place.offset;
  return target;
}
void ForgetNodes(FilterDraft& draft) { draft.by_object.reset(); }

FilterDraft& ItemsOf(FilterDraft& draft) {
  draft.by_object->names.clear();
  draft.by_object->items.clear();
  return draft;
}

void* BeginNode(void* target, const JsonPlace& place) {
  auto& draft = *static_cast<FilterDraft*>(target);
  draft.item_begin = place.offset;
  draft.item_name = {};
  return target;
}

absl::Status EndNode(void* target, const JsonPlace& place) {
  auto& draft = *static_cast<FilterDraft*>(target);
  if (draft.item_name.empty()) return Invalid("metadata.name is missing");
  draft.by_object->names.push_back(draft.item_name);
  const std::string_view original = *draft.by_object->original;
  draft.by_object->items.push_back(
      original.substr(draft.item_begin - draft.origin, place.offset + 1 - draft.item_begin));
  return absl::OkStatus();
}

constexpr JsonShape kNodeName = json::TextFor<&AddName>(kMaxNameBytes);
constexpr JsonField kNodeMetadataFields[] = {
    {"name", json::Text<&FilterDraft::item_name>(kMaxNameBytes)},
};
constexpr JsonField kNodeFields[] = {{"metadata", json::Object(kNodeMetadataFields)}};
constexpr JsonShape NodeShape() {
  JsonShape shape = json::Object(kNodeFields);
  shape.enter = &BeginNode;
  shape.leave = &EndNode;
  return shape;
}
constexpr JsonShape kNode = NodeShape();
constexpr JsonField kNodesFields[] = {
    {"items", json::At<&ItemsOf>(json::Array(kNode, kMaxOfferedNodes))},
};
constexpr JsonShape NodesShape() {
  JsonShape shape = NullFor<&ForgetNodes>(json::Object(kNodesFields));
  shape.enter = &BeginNodes;
  return shape;
}
constexpr JsonShape kNodes = NodesShape();

ObjectDraft& FilterPod(FilterDraft& draft) { return PodOf(draft.pod); }
void ForgetFilterPod(FilterDraft& draft) { ForgetPod(draft.pod); }

constexpr JsonField kFilterFields[] = {
    {"Pod", NullFor<&ForgetFilterPod>(json::At<&FilterPod>(object_shapes::kObject))},
    {"NodeNames",
     NullFor<&ForgetNames>(json::At<&NamesOf>(json::Array(kNodeName, kMaxOfferedNodes)))},
    {"Nodes", kNodes},
};
constexpr JsonShape kFilter = json::Object(kFilterFields);

// --- bind
constexpr JsonField kBindFields[] = {
    {"PodName", json::Text<&BindRequest::pod_name>(kMaxNameBytes)},
    {"PodNamespace", json::Text<&BindRequest::pod_namespace>(kMaxNameBytes)},
    {"PodUID", json::Text<&BindRequest::pod_uid>(kMaxUidBytes)},
    {"Node", json::Text<&BindRequest::node>(kMaxNameBytes)},
};
constexpr JsonShape kBind = json::Object(kBindFields);

// --- preempt
struct PreemptDraft {
  PodDraft pod;
  std::optional<std::vector<PreemptNode>> by_uid;
  std::optional<std::vector<PreemptNode>> by_object;
};

ObjectDraft& PreemptPod(PreemptDraft& draft) { return PodOf(draft.pod); }
void ForgetPreemptPod(PreemptDraft& draft) { ForgetPod(draft.pod); }
std::vector<PreemptNode>& ByUid(PreemptDraft& draft) { return draft.by_uid.emplace(); }
void ForgetByUid(PreemptDraft& draft) { draft.by_uid.reset(); }
std::vector<PreemptNode>& ByObject(PreemptDraft& draft) { return draft.by_object.emplace(); }
void ForgetByObject(PreemptDraft& draft) { draft.by_object.reset(); }

void* BeginVictims(void* target, const JsonPlace& place) {
  PreemptNode& node = static_cast<std::vector<PreemptNode>*>(target)->emplace_back();
  node.node = place.key;
  return &node;
}

absl::Status CheckVictims(std::vector<PreemptNode>& nodes) {
  const size_t size = nodes.back().node.size();
  if (size == 0) return Invalid("the node's name is empty");
  if (size > kMaxNameBytes)
    return Invalid("the node's name is longer than {} bytes", kMaxNameBytes);
  return absl::OkStatus();
}

absl::Status SetUid(std::string& uid, std::string_view text) {
  uid = text;
  return absl::OkStatus();
}
absl::Status CheckUid(std::vector<std::string>& uids) {
  return uids.back().empty() ? Invalid("UID is missing") : absl::OkStatus();
}
absl::Status CheckObjectUid(std::vector<std::string>& uids) {
  return uids.back().empty() ? Invalid("metadata.uid is missing") : absl::OkStatus();
}

constexpr JsonField kUidFields[] = {{"UID", json::TextFor<&SetUid>(kMaxUidBytes)}};
constexpr JsonShape kVictimUid =
    json::Then<&CheckUid>(json::Appended<std::vector<std::string>>(json::Object(kUidFields)));
constexpr JsonField kVictimMetadataFields[] = {{"uid", json::TextFor<&SetUid>(kMaxUidBytes)}};
constexpr JsonField kVictimFields[] = {{"metadata", json::Object(kVictimMetadataFields)}};
constexpr JsonShape kVictimObject = json::Then<&CheckObjectUid>(
    json::Appended<std::vector<std::string>>(json::Object(kVictimFields)));

constexpr JsonField kUidVictimsFields[] = {
    {"Pods", json::Anew<&PreemptNode::victim_uids>(json::Array(kVictimUid, kMaxVictimsPerNode))},
    {"NumPDBViolations", json::Integer<&PreemptNode::pdb_violations, 0, INT64_MAX>()},
};
constexpr JsonField kObjectVictimsFields[] = {
    {"Pods", json::Anew<&PreemptNode::victim_uids>(json::Array(kVictimObject, kMaxVictimsPerNode))},
    {"NumPDBViolations", json::Integer<&PreemptNode::pdb_violations, 0, INT64_MAX>()},
};
constexpr JsonShape Victims(JsonShape shape) {
  shape.enter = &BeginVictims;
  return json::Then<&CheckVictims>(shape);
}
constexpr JsonShape kUidVictims = Victims(json::Object(kUidVictimsFields));
constexpr JsonShape kObjectVictims = Victims(json::Object(kObjectVictimsFields));

constexpr JsonField kPreemptFields[] = {
    {"Pod", NullFor<&ForgetPreemptPod>(json::At<&PreemptPod>(object_shapes::kObject))},
    {"NodeNameToVictims",
     NullFor<&ForgetByObject>(json::At<&ByObject>(json::Map(kObjectVictims, kMaxOfferedNodes)))},
    {"NodeNameToMetaVictims",
     NullFor<&ForgetByUid>(json::At<&ByUid>(json::Map(kUidVictims, kMaxOfferedNodes)))},
};
constexpr JsonShape kPreempt = json::Object(kPreemptFields);

// Ordered by name; of equal names the last one.
std::vector<PreemptNode> Ordered(std::vector<PreemptNode> nodes) {
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const PreemptNode& a, const PreemptNode& b) { return a.node < b.node; });
  auto first = std::unique(nodes.rbegin(), nodes.rend(),
                           [](const auto& a, const auto& b) { return a.node == b.node; });
  nodes.erase(nodes.begin(), first.base());
  return nodes;
}

absl::Status Require(std::string_view name, const std::string& text) {
  return text.empty() ? Invalid("{} is missing", name) : absl::OkStatus();
}

}  // namespace

absl::StatusOr<FilterRequest> DecodeFilterRequest(std::string& body) {
  FilterDraft draft;
  draft.body = &body;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(body, kMaxRequestBytes, "", kFilter, &draft));
  FilterRequest request;
  GANGPLAN_ASSIGN_OR_RETURN(request.pod, TakePodOf(draft.pod));
  request.nodes = std::move(draft.by_name.has_value() ? draft.by_name : draft.by_object);
  if (request.nodes.has_value()) KeepFirstOfEach(request.nodes->names, request.nodes->items);
  return request;
}

absl::StatusOr<BindRequest> DecodeBindRequest(std::string& body) {
  BindRequest request;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(body, kMaxRequestBytes, "", kBind, &request));
  GANGPLAN_RETURN_IF_ERROR(Require("PodName", request.pod_name));
  GANGPLAN_RETURN_IF_ERROR(Require("PodNamespace", request.pod_namespace));
  GANGPLAN_RETURN_IF_ERROR(Require("PodUID", request.pod_uid));
  GANGPLAN_RETURN_IF_ERROR(Require("Node", request.node));
  return request;
}

absl::StatusOr<PreemptRequest> DecodePreemptRequest(std::string& body) {
  PreemptDraft draft;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(body, kMaxRequestBytes, "", kPreempt, &draft));
  PreemptRequest request;
  GANGPLAN_ASSIGN_OR_RETURN(request.pod, TakePodOf(draft.pod));
  auto& nodes = draft.by_uid.has_value() ? draft.by_uid : draft.by_object;
  if (nodes.has_value()) request.nodes = Ordered(*std::move(nodes));
  return request;
}

}  // namespace gangplan
