#include "extender/cli/topology_answer.h"

#include "extender/cli/server_call.h"
#include "extender/kube/limits.h"
#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/text_list.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr size_t kMostTopologyText = size_t{1} << 16;
constexpr size_t kMostSlots = 10'000'000;

constexpr JsonShape kText = json::ListedText(kMostTopologyText);

constexpr JsonField kNodeFields[] = {
    {"path", json::Text<&MappedNode::path>(kMostTopologyText)},
    {"usable", json::Boolean<&MappedNode::usable>()},
    {"capacity", json::Integer<&MappedNode::capacity, 0, kAnyCount>()},
    {"used", json::Integer<&MappedNode::used, 0, kAnyCount>()},
    {"held", json::Integer<&MappedNode::held, 0, kAnyCount>()},
};
constexpr JsonShape kNode = json::Appended<std::vector<MappedNode>>(json::Object(kNodeFields));

absl::Status CountUnplaced(TopologyAnswer& answer) {
  ++answer.unplaced;
  return absl::OkStatus();
}
absl::Status NoteNodes(TopologyAnswer& answer) {
  answer.told = true;
  return absl::OkStatus();
}
constexpr JsonField kNoFields[] = {{"", JsonShape()}};
constexpr JsonShape kUnplaced = json::Then<&CountUnplaced>(json::Object(kNoFields));
constexpr JsonField kTopologyFields[] = {
    {"levels", json::In<&TopologyAnswer::levels>(json::Array(kText, kMaxLevels + 1))},
    {"resource", json::Text<&TopologyAnswer::resource>(kMostTopologyText)},
    {"nodes",
     json::Then<&NoteNodes>(json::In<&TopologyAnswer::nodes>(json::Array(kNode, kMaxListItems)))},
    {"unplaced", json::Array(kUnplaced, kMaxListItems)},
};
constexpr JsonShape kTopology = json::Object(kTopologyFields);

struct PlacedSlot {
  std::string node;
};
struct PlacedGang {
  std::vector<PlacedSlot> slots;
};
constexpr JsonField kSlotFields[] = {{"node", json::Text<&PlacedSlot::node>(kMostTopologyText)}};
constexpr JsonShape kSlot = json::Appended<std::vector<PlacedSlot>>(json::Object(kSlotFields));
constexpr JsonField kPlacedFields[] = {
    {"slots", json::In<&PlacedGang::slots>(json::Array(kSlot, kMostSlots))}};
constexpr JsonShape kPlacedGang = json::Object(kPlacedFields);

absl::Status NothingCame(std::string_view what, const absl::Status& why) {
  return absl::DataLossError(ToAbsl(fmt::format("no {} came: {}", what, Message(why))));
}

}  // namespace

absl::StatusOr<TopologyAnswer> ReadTopology(std::string& body) {
  TopologyAnswer answer;
  absl::Status read = ParseJson(body, kMaxAnswerBytes, "the topology", kTopology, &answer);
  if (read.ok() && !answer.told) read = Invalid("\"nodes\" is missing");
  if (!read.ok()) return NothingCame("topology", read);
  return answer;
}

absl::StatusOr<std::set<std::string>> ReadNodesOfGang(std::string& body) {
  PlacedGang gang;
  const absl::Status read = ParseJson(body, kMaxAnswerBytes, "the gang", kPlacedGang, &gang);
  if (!read.ok()) return NothingCame("gang", read);
  std::set<std::string> nodes;
  for (PlacedSlot& slot : gang.slots) {
    if (!slot.node.empty()) nodes.insert(std::move(slot.node));
  }
  return nodes;
}

}  // namespace gangplan
