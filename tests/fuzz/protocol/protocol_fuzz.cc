// Any bytes into any decoder: the first byte chooses the decoder, the rest is the text. Whatever is
// taken must be the same when it is read again, and the reply to it must be JSON.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extender/protocol/config_map.h"
#include "extender/protocol/discovery.h"
#include "extender/protocol/disruption_budget.h"
#include "extender/protocol/json_sax.h"
#include "extender/protocol/koordinator_words.h"
#include "extender/protocol/kubernetes_objects.h"
#include "extender/protocol/kueue_constraints.h"
#include "extender/protocol/kueue_topology.h"
#include "extender/protocol/kueue_workload.h"
#include "extender/protocol/pod_group_object.h"
#include "extender/protocol/sakkara_group.h"
#include "extender/protocol/sakkara_topology.h"
#include "extender/protocol/saved_objects.h"
#include "extender/protocol/scheduler_reply.h"
#include "extender/protocol/scheduler_request.h"
#include "topology/base/check.h"
#include "topology/base/text.h"
#include "topology/base/utf8.h"

namespace gangplan {
namespace {

constexpr JsonShape Anything() {
  JsonShape shape;
  shape.nesting = JsonShape::Nesting::kObject;
  return shape;
}
constexpr JsonShape kAnything = Anything();

void CheckJson(std::string text) {
  GANGPLAN_CHECK(ParseJson(text, size_t{1} << 30, "", kAnything, nullptr).ok());
}

// Every other node passes, the rest is rejected.
FilterReply HalfOf(const OfferedNodes& nodes) {
  FilterReply reply;
  reply.failed.push_back({{}, "half"});
  for (size_t i = 0; i < nodes.names.size(); ++i) {
    if (i % 2 == 0)
      reply.passed.push_back(static_cast<int32_t>(i));
    else
      reply.failed[0].names.push_back(nodes.names[i]);
  }
  return reply;
}

void Filter(const std::string& text) {
  std::string first = text;
  std::string second = text;
  const auto request = DecodeFilterRequest(first);
  const auto again = DecodeFilterRequest(second);
  GANGPLAN_CHECK(request.status() == again.status());
  if (!request.ok()) return;
  GANGPLAN_CHECK(request->pod == again->pod);
  GANGPLAN_CHECK(request->nodes.has_value() == again->nodes.has_value());
  if (!request->nodes.has_value()) return;
  const OfferedNodes& nodes = *request->nodes;
  GANGPLAN_CHECK(nodes.names == again->nodes->names && nodes.items == again->nodes->items);
  GANGPLAN_CHECK(nodes.items.size() == (nodes.full_objects ? nodes.names.size() : 0));
  for (std::string_view item : nodes.items) CheckJson(std::string(item));
  CheckJson(EncodeFilterReply(HalfOf(nodes), &nodes));
}

void Preempt(std::string text) {
  const auto request = DecodePreemptRequest(text);
  if (!request.ok()) return CheckJson(EncodeBindReply(Message(request.status())));
  std::vector<PreemptReplyNode> nodes;
  for (const PreemptNode& node : request->nodes) {
    nodes.push_back(
        {node.node, {node.victim_uids.begin(), node.victim_uids.end()}, node.pdb_violations});
  }
  CheckJson(EncodePreemptReply(nodes));
}

void Bind(std::string text) {
  const auto request = DecodeBindRequest(text);
  CheckJson(EncodeBindReply(request.ok() ? request->node : Message(request.status())));
}

template <typename Value>
void CheckAmounts(const Value& value, const ResourceList& amounts) {
  for (size_t i = 0; i < amounts.size(); ++i) {
    GANGPLAN_CHECK(amounts[i].amount >= 0);
    GANGPLAN_CHECK(i == 0 || amounts[i - 1].name < amounts[i].name);
  }
  for (size_t i = 1; i < value.labels.size(); ++i) {
    GANGPLAN_CHECK(value.labels[i - 1].first < value.labels[i].first);
  }
}

void Objects(std::string text, std::string_view kind) {
  const auto list = DecodeList(text, kind);
  if (!list.ok()) return;
  for (const PodFacts& pod : list->pods) {
    CheckAmounts(pod, pod.requests);
    GANGPLAN_CHECK(pod.fault.empty() || !pod.node_name.empty());
  }
  for (const NodeFacts& node : list->nodes) CheckAmounts(node, node.allocatable);
  for (const ConfigMapFacts& object : list->config_maps) GANGPLAN_CHECK(!object.name.empty());
  for (const BadItem& item : list->bad) GANGPLAN_CHECK(!item.status.ok());
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const auto ascii = static_cast<uint8_t>(text[0]) < 0x80;
    const size_t length = ascii ? 1 : Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// The object as a saved cluster has it; nothing where that is not asked to be the same: bytes that
// are no text are replaced, what a list nests too deeply is refused, and a wake is left out.
std::optional<std::string> Saved(const std::string& text, const SavedKind& kind) {
  if (!IsUtf8(text) || text.find("wake") != std::string::npos) return std::nullopt;
  std::string list = R"({"items":[)" + text + "]}";
  auto items = SaveItems(list, kind, nullptr);
  if (!items.ok() || items->objects.size() != 1) return std::nullopt;
  CheckJson(items->objects.front().json);
  return std::move(items->objects.front().json);
}

// `decode`: a decoder's value, without what is not saved.
template <typename Decode>
void SavedIsTheSame(const std::string& text, const SavedKind& kind, Decode decode) {
  std::optional<std::string> saved = Saved(text, kind);
  std::string first = text;
  const auto value = decode(first);
  if (!saved || !value.ok()) return;
  const auto again = decode(*saved);
  GANGPLAN_CHECK(again.ok() && *again == *value);
}

void SavedObjects(const std::string& text, uint8_t which) {
  if (which == 0) {
    return SavedIsTheSame(text, {"Pod", "v1"}, [](std::string& one) {
      absl::StatusOr<PodFacts> pod = DecodePod(one);
      if (!pod.ok()) return pod;
      pod->resource_version.clear();
      if (!pod->fault.empty()) pod->fault = "a fault";
      return pod;
    });
  }
  if (which == 1) return SavedIsTheSame(text, {"Node", "v1"}, DecodeNode);
  if (which != 2) return;
  SavedIsTheSame(text, {"Job", "batch/v1", true}, [](std::string& one) {
    absl::StatusOr<OwnerFacts> owner = DecodeOwner(one);
    const bool job = owner.ok() && owner->fault.empty() && owner->ref.kind == "Job" &&
                     owner->ref.api_version == "batch/v1";
    return job ? owner : absl::StatusOr<OwnerFacts>(absl::NotFoundError("of another kind"));
  });
}

void Single(std::string text, uint8_t which) {
  SavedObjects(text, which);
  if (which == 0) {
    const auto pod = DecodePod(text);
    if (pod.ok()) CheckAmounts(*pod, pod->requests);
  } else if (which == 1) {
    const auto node = DecodeNode(text);
    if (node.ok()) CheckAmounts(*node, node->allocatable);
  } else if (which == 2) {
    const auto owner = DecodeOwner(text);
    GANGPLAN_CHECK(!owner.ok() || owner->size.value_or(0) >= 0);
  } else {
    const auto event = DecodeWatchEvent(text, which == 3 ? "Pod" : "Node");
    if (event.ok()) CheckAmounts(event->pod, event->pod.requests);
  }
}

// Kinds: slice layers, a Topology.
void Kueue(std::string text, uint8_t kind) {
  if (kind == 0) {
    const auto layers = DecodeSliceConstraints(text);
    GANGPLAN_CHECK(layers.status() == DecodeSliceConstraints(text).status());
  } else {
    const auto topology = DecodeKueueTopology(text);
    GANGPLAN_CHECK(!topology.ok() || CompleteTopology(*topology).ok());
  }
}

void SakkaraData(const LabelSet& data) {
  const auto topology = ReadSakkaraTopology(data);
  if (topology.ok()) {
    for (const SakkaraNode& node : topology->nodes)
      GANGPLAN_CHECK(SakkaraPath(*topology, node).size() + 1 == topology->levels.size());
  }
  const auto group = ReadSakkaraGroup(data);
  GANGPLAN_CHECK(group.status() == ReadSakkaraGroup(data).status());
}

// Kinds: a ConfigMap whose data are both objects' and whose labels are a pod's, a tree,
// constraints, a list of ConfigMaps.
void Sakkara(std::string text, uint8_t kind) {
  if (kind == 1) return SakkaraData({{"tree", text}});
  if (kind == 2) return SakkaraData({{"constraints", text}});
  if (kind == 3) return Objects(text, "ConfigMap");
  const auto object = DecodeConfigMap(text);
  if (!object.ok()) return;
  SakkaraData(object->data);
  const auto pod = ReadSakkaraPod(object->labels);
  GANGPLAN_CHECK(!pod || !pod->group.empty());
}

// Kinds: one that waits, a list, a line of a watch; read as a Job and as a JobSet.
void Jobs(const std::string& bytes, uint8_t kind) {
  for (const OwnerKind& owner : kOwnerKinds) {
    std::string text = bytes;
    if (kind == 0) {
      const auto job = DecodeJob(text, owner);
      if (!job.ok()) continue;
      for (const PodFacts& pod : job->pods) CheckAmounts(pod, pod.requests);
    } else if (kind == 1) {
      const auto list = DecodeList(text, owner.kind);
      if (!list.ok()) continue;
      for (const JobFacts& job : list->jobs) GANGPLAN_CHECK(!job.owner.ref.uid.empty());
      for (const BadItem& item : list->bad) GANGPLAN_CHECK(!item.status.ok());
    } else {
      const auto event = DecodeWatchEvent(text, owner.kind);
      if (event.ok() && event->job) GANGPLAN_CHECK(event->bad.ok());
    }
  }
}

void Budgets(const std::string& bytes) {
  constexpr size_t kMostBytes = 2'000;
  std::string text = bytes;
  const auto budgets = DecodeBudgets(text, kMostBytes);
  GANGPLAN_CHECK(!budgets.ok() || bytes.size() <= kMostBytes);
  text = bytes;
  const auto pods = DecodeBudgetPods(text, kMostBytes);
  if (!budgets.ok() || !pods.ok()) return;
  for (const DisruptionBudget& budget : budgets->items) {
    for (const BudgetPod& pod : pods->items) (void)IsAbout(budget, pod);
  }
}

// Kueue's own objects: a list, a line of a watch, and a Workload by itself.
void KueueObjects(const std::string& bytes) {
  for (const std::string_view kind : {"Workload", "AdmissionCheck"}) {
    std::string text = bytes;
    const auto list = DecodeKueueList(text, kind);
    if (list.ok()) {
      for (const BadItem& item : list->bad) GANGPLAN_CHECK(!item.status.ok());
    }
    text = bytes;
    (void)DecodeKueueEvent(text, kind);
  }
  std::string text = bytes;
  (void)DecodeWorkload(text);
}

// Owners in a list of any kinds, as it was saved; their names changed, they are as many.
void SavedLists(const std::string& bytes) {
  std::string text = bytes;
  const auto owners = DecodeOwners(text);
  if (owners.ok() && !owners->empty()) GANGPLAN_CHECK(MayHoldOwners(bytes));
  const auto save = [&](const Rename& rename) {
    std::string list = bytes;
    return SaveItems(list, {"Pod", "v1"}, rename);
  };
  const auto plain = save(nullptr);
  const auto renamed = save([](std::string_view name) { return std::string(name.size(), 'x'); });
  GANGPLAN_CHECK(plain.ok() == renamed.ok());
  if (!plain.ok()) return;
  GANGPLAN_CHECK(plain->objects.size() == renamed->objects.size());
  for (const SavedObject& object : renamed->objects) CheckJson(object.json);
}

void Others(std::string text, char kind) {
  switch (kind) {
    case 'b':
      return Budgets(text);
    case 'g':
      return (void)GangsNamedIn(text);
    case 'k':
      return KueueObjects(text);
    case 'o':
      return SavedLists(text);
    case 'p':
      return (void)DecodePodGroup(text, "gangplan");
    case 's':
      return (void)DecodeServedKinds(text);
    default:
      return (void)DecodeServedVersions(text);
  }
}

}  // namespace

void FuzzProtocol(const uint8_t* data, size_t size) {
  if (size == 0) return;
  const std::string text(data + 1, data + size);
  if (data[0] >= 'L' && data[0] <= 'M') return Kueue(text, data[0] - 'L');
  if (data[0] >= 'P' && data[0] <= 'S') return Sakkara(text, data[0] - 'P');
  if (data[0] >= 'T' && data[0] <= 'V') return Jobs(text, data[0] - 'T');
  if (data[0] >= 'b' && data[0] <= 'v') return Others(text, static_cast<char>(data[0]));
  const uint8_t decoder = data[0] % 11;
  switch (decoder) {
    case 0:
      return Filter(text);
    case 1:
      return Preempt(text);
    case 2:
      return Bind(text);
    case 3:
      return Objects(text, "Pod");
    case 4:
      return Objects(text, "Node");
    case 5:
      return Objects(text, "");
    default:
      return Single(text, decoder - 6);
  }
}

}  // namespace gangplan

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gangplan::FuzzProtocol(data, size);
  return 0;
}
