#include "extender/protocol/scheduler_reply.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "topology/base/check.h"
#include "topology/base/json_text.h"

namespace gangplan {
namespace {

constexpr size_t kFrameBytes = 160;  // keys, braces and commas of the whole reply

// A rejected node: its name, the part of the name that mostly decides the order, and its text.
struct Rejection {
  uint64_t order = 0;
  std::string_view name;
  uint32_t group = 0;
};

size_t CommonPrefix(const std::vector<Rejection>& rejections) {
  std::string_view common = rejections.front().name;
  for (const Rejection& rejection : rejections) {
    const size_t most = std::min(common.size(), rejection.name.size());
    auto end = common.begin() + static_cast<ptrdiff_t>(most);
    auto stop = std::mismatch(common.begin(), end, rejection.name.begin()).first;
    common = common.substr(0, static_cast<size_t>(stop - common.begin()));
  }
  return common.size();
}

// Up to eight bytes from `skip` on as a number that is ordered as they are.
uint64_t OrderOf(std::string_view name, size_t skip) {
  uint64_t order = 0;
  for (size_t i = skip; i < skip + 8; ++i) {
    order = order << 8 | (i < name.size() ? static_cast<uint8_t>(name[i]) : 0u);
  }
  return order;
}

// By name, as Go writes maps; names are mostly told apart by one comparison of numbers, which makes
// a rejection of thousands of nodes cheap. Of equal names the first one given.
void Order(std::vector<Rejection>& rejections) {
  if (rejections.empty()) return;
  const size_t skip = CommonPrefix(rejections);
  for (Rejection& rejection : rejections) rejection.order = OrderOf(rejection.name, skip);
  auto before = [](const Rejection& a, const Rejection& b) {
    if (a.order != b.order) return a.order < b.order;
    const int by_name = a.name.compare(b.name);
    return by_name != 0 ? by_name < 0 : a.group < b.group;
  };
  if (!std::is_sorted(rejections.begin(), rejections.end(), before)) {
    std::sort(rejections.begin(), rejections.end(), before);
  }
  auto last = std::unique(rejections.begin(), rejections.end(),
                          [](const Rejection& a, const Rejection& b) { return a.name == b.name; });
  rejections.erase(last, rejections.end());
}

// One of the two maps of rejected nodes, ready to be written.
class RejectionMap {
 public:
  explicit RejectionMap(const std::vector<RejectedNodes>& groups) {
    for (const RejectedNodes& group : groups) {
      texts_.push_back(JsonText(JsonEscapes::kGo).Value(group.text).Take());
      for (std::string_view name : group.names) {
        rejections_.push_back({0, name, static_cast<uint32_t>(texts_.size() - 1)});
      }
    }
    Order(rejections_);
  }

  // Enough, when no name needs an escape.
  size_t bytes() const {
    size_t bytes = 2;
    for (const Rejection& rejection : rejections_) {
      bytes += rejection.name.size() + texts_[rejection.group].size() + 4;
    }
    return bytes;
  }

  void WriteTo(JsonText& json) const {
    json.Begin();
    for (const Rejection& rejection : rejections_) {
      json.Key(rejection.name).Raw(texts_[rejection.group]);
    }
    json.End();
  }

 private:
  std::vector<std::string> texts_;  // as JSON
  std::vector<Rejection> rejections_;
};

// Which list the reply has, and with what.
class PassedList {
 public:
  // A null list, when `offered` is null.
  PassedList(const std::vector<int32_t>& passed, const OfferedNodes* offered)
      : passed_(passed), offered_(offered) {}

  size_t bytes() const {
    if (offered_ == nullptr) return 0;
    size_t bytes = 0;
    for (int32_t index : passed_) bytes += Element(index).size() + 3;
    return bytes;
  }

  void WriteTo(JsonText& json) const {
    json.Key("Nodes");
    if (offered_ != nullptr && offered_->full_objects) {
      json.Begin().Key("metadata").Begin().End().Key("items").BeginList();
      for (int32_t index : passed_) json.Raw(Element(index));
      json.EndList().End();
    } else {
      json.Null();
    }
    json.Key("NodeNames");
    if (offered_ != nullptr && !offered_->full_objects) {
      json.BeginList();
      for (int32_t index : passed_) json.Value(Element(index));
      json.EndList();
    } else {
      json.Null();
    }
  }

 private:
  std::string_view Element(int32_t index) const {
    const auto& elements = offered_->full_objects ? offered_->items : offered_->names;
    GANGPLAN_CHECK(index >= 0 && static_cast<size_t>(index) < elements.size());
    return elements[static_cast<size_t>(index)];
  }

  const std::vector<int32_t>& passed_;
  const OfferedNodes* offered_;
};

void WritePreemptNode(JsonText& json, const PreemptReplyNode& node) {
  json.Key(node.node).Begin().Key("Pods").BeginList();
  for (std::string_view uid : node.victim_uids) json.Begin().Field("UID", uid).End();
  json.EndList().Field("NumPDBViolations", node.pdb_violations).End();
}

}  // namespace

std::string EncodeFilterReply(const FilterReply& reply, const OfferedNodes* offered) {
  const PassedList passed(reply.passed, reply.error.empty() ? offered : nullptr);
  const RejectionMap failed(reply.failed);
  const RejectionMap unresolvable(reply.unresolvable);
  JsonText json(JsonEscapes::kGo);
  json.Reserve(passed.bytes() + failed.bytes() + unresolvable.bytes() + reply.error.size() +
               kFrameBytes);
  json.Begin();
  passed.WriteTo(json);
  json.Key("FailedNodes");
  failed.WriteTo(json);
  json.Key("FailedAndUnresolvableNodes");
  unresolvable.WriteTo(json);
  return json.Field("Error", reply.error).End().Take();
}

std::string EncodePrioritizeReply(const std::vector<HostScore>& scores) {
  JsonText json(JsonEscapes::kGo);
  json.BeginList();
  for (const HostScore& score : scores)
    json.Begin().Field("Host", score.host).Field("Score", int64_t{score.score}).End();
  return json.EndList().Take();
}

std::string EncodeBindReply(std::string_view error) {
  return JsonText(JsonEscapes::kGo).Begin().Field("Error", error).End().Take();
}

std::string EncodePreemptReply(const std::vector<PreemptReplyNode>& nodes) {
  std::vector<const PreemptReplyNode*> ordered;
  ordered.reserve(nodes.size());
  for (const PreemptReplyNode& node : nodes) ordered.push_back(&node);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto* a, const auto* b) { return a->node < b->node; });
  auto last = std::unique(ordered.begin(), ordered.end(),
                          [](const auto* a, const auto* b) { return a->node == b->node; });
  ordered.erase(last, ordered.end());
  JsonText json(JsonEscapes::kGo);
  json.Begin().Key("NodeNameToMetaVictims").Begin();
  for (const PreemptReplyNode* node : ordered) WritePreemptNode(json, *node);
  return json.End().End().Take();
}

}  // namespace gangplan
