#include "extender/cli/topology_answer.h"

#include <limits>

#include "extender/kube/limits.h"
#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/text_list.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr size_t kMostText = size_t{1} << 16;
constexpr size_t kMostSlots = 10'000'000;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

constexpr JsonShape kText = json::ListedText(kMostText);

constexpr JsonField kNodeFields[] = {
    {"path", json::Text<&MappedNode::path>(kMostText)},
    {"usable", json::Boolean<&MappedNode::usable>()},
    {"capacity", json::Integer<&MappedNode::capacity, 0, kMost>()},
    {"used", json::Integer<&MappedNode::used, 0, kMost>()},
    {"held", json::Integer<&MappedNode::held, 0, kMost>()},
};
constexpr JsonShape kNode = json::Appended<std::vector<MappedNode>>(json::Object(kNodeFields));

absl::Status CountUnplaced(TopologyAnswer& answer) {
  ++answer.unplaced;
  return absl::OkStatus();
}
absl::Status NoteTold(TopologyAnswer& answer) {
  answer.told = true;
  return absl::OkStatus();
}
constexpr JsonField kNoFields[] = {{"", JsonShape()}};
constexpr JsonShape kUnplaced = json::Then<&CountUnplaced>(json::Object(kNoFields));
constexpr JsonField kFields[] = {
    {"levels", json::In<&TopologyAnswer::levels>(json::Array(kText, kMaxLevels + 1))},
    {"resource", json::Text<&TopologyAnswer::resource>(kMostText)},
    {"nodes",
     json::Then<&NoteTold>(json::In<&TopologyAnswer::nodes>(json::Array(kNode, kMaxListItems)))},
    {"unplaced", json::Array(kUnplaced, kMaxListItems)},
};
constexpr JsonShape kTopology = json::Object(kFields);

struct Slot {
  std::string node;
};
struct Gang {
  std::vector<Slot> slots;
};
constexpr JsonField kSlotFields[] = {{"node", json::Text<&Slot::node>(kMostText)}};
constexpr JsonShape kSlot = json::Appended<std::vector<Slot>>(json::Object(kSlotFields));
constexpr JsonField kGangFields[] = {
    {"slots", json::In<&Gang::slots>(json::Array(kSlot, kMostSlots))}};
constexpr JsonShape kGang = json::Object(kGangFields);

absl::Status NotOurs(std::string_view what, const absl::Status& why) {
  return absl::DataLossError(ToAbsl(fmt::format("no {} came: {}", what, Message(why))));
}

}  // namespace

absl::StatusOr<TopologyAnswer> ReadTopology(std::string& body) {
  TopologyAnswer answer;
  absl::Status read = ParseJson(body, kMaxAnswerBytes, "the topology", kTopology, &answer);
  if (read.ok() && !answer.told) read = Invalid("\"nodes\" is missing");
  if (!read.ok()) return NotOurs("topology", read);
  return answer;
}

absl::StatusOr<std::set<std::string>> ReadNodesOfGang(std::string& body) {
  Gang gang;
  const absl::Status read = ParseJson(body, kMaxAnswerBytes, "the gang", kGang, &gang);
  if (!read.ok()) return NotOurs("gang", read);
  std::set<std::string> nodes;
  for (Slot& slot : gang.slots) {
    if (!slot.node.empty()) nodes.insert(std::move(slot.node));
  }
  return nodes;
}

}  // namespace gangplan
