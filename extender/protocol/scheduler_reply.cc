#include "extender/protocol/scheduler_reply.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fmt/format.h"
#include "topology/base/check.h"
#include "topology/base/json_string.h"

namespace gangplan {
namespace {

constexpr size_t kFrameBytes = 160;  // keys, braces and commas of the whole reply

void AppendText(std::string& out, std::string_view text) {
  AppendJsonString(out, text, JsonEscapes::kGo);
}

void AppendInteger(std::string& out, int64_t number) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

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
      std::string& text = texts_.emplace_back();
      AppendText(text, group.text);
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

  void AppendTo(std::string& out) const {
    out += '{';
    for (size_t i = 0; i < rejections_.size(); ++i) {
      if (i > 0) out += ',';
      AppendText(out, rejections_[i].name);
      out += ':';
      out += texts_[rejections_[i].group];
    }
    out += '}';
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

  void AppendTo(std::string& out) const {
    if (offered_ == nullptr) {
      out += "\"Nodes\":null,\"NodeNames\":null";
    } else if (offered_->full_objects) {
      out += "\"Nodes\":{\"metadata\":{},\"items\":[";
      AppendElements(out);
      out += "]},\"NodeNames\":null";
    } else {
      out += "\"Nodes\":null,\"NodeNames\":[";
      AppendElements(out);
      out += ']';
    }
  }

 private:
  std::string_view Element(int32_t index) const {
    const auto& elements = offered_->full_objects ? offered_->items : offered_->names;
    GANGPLAN_CHECK(index >= 0 && static_cast<size_t>(index) < elements.size());
    return elements[static_cast<size_t>(index)];
  }

  void AppendElements(std::string& out) const {
    for (size_t i = 0; i < passed_.size(); ++i) {
      if (i > 0) out += ',';
      if (offered_->full_objects) {
        out += Element(passed_[i]);
      } else {
        AppendText(out, Element(passed_[i]));
      }
    }
  }

  const std::vector<int32_t>& passed_;
  const OfferedNodes* offered_;
};

void AppendPreemptNode(std::string& out, const PreemptReplyNode& node) {
  AppendText(out, node.node);
  out += ":{\"Pods\":[";
  for (size_t i = 0; i < node.victim_uids.size(); ++i) {
    out += i > 0 ? ",{\"UID\":" : "{\"UID\":";
    AppendText(out, node.victim_uids[i]);
    out += '}';
  }
  out += "],\"NumPDBViolations\":";
  AppendInteger(out, node.pdb_violations);
  out += '}';
}

}  // namespace

std::string EncodeFilterReply(const FilterReply& reply, const OfferedNodes* offered) {
  const PassedList passed(reply.passed, reply.error.empty() ? offered : nullptr);
  const RejectionMap failed(reply.failed);
  const RejectionMap unresolvable(reply.unresolvable);
  std::string out;
  out.reserve(passed.bytes() + failed.bytes() + unresolvable.bytes() + reply.error.size() +
              kFrameBytes);
  out += '{';
  passed.AppendTo(out);
  out += ",\"FailedNodes\":";
  failed.AppendTo(out);
  out += ",\"FailedAndUnresolvableNodes\":";
  unresolvable.AppendTo(out);
  out += ",\"Error\":";
  AppendText(out, reply.error);
  out += '}';
  return out;
}

std::string EncodePrioritizeReply(const std::vector<HostScore>& scores) {
  std::string out = "[";
  for (const HostScore& score : scores) {
    out += out.size() > 1 ? ",{\"Host\":" : "{\"Host\":";
    AppendText(out, score.host);
    out += ",\"Score\":";
    AppendInteger(out, score.score);
    out += '}';
  }
  out += ']';
  return out;
}

std::string EncodeBindReply(std::string_view error) {
  std::string out = "{\"Error\":";
  AppendText(out, error);
  out += '}';
  return out;
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
  std::string out = "{\"NodeNameToMetaVictims\":{";
  for (size_t i = 0; i < ordered.size(); ++i) {
    if (i > 0) out += ',';
    AppendPreemptNode(out, *ordered[i]);
  }
  out += "}}";
  return out;
}

}  // namespace gangplan
