// Decoders by name, for tables of texts and what becomes of them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "extender/protocol/config_map.h"
#include "extender/protocol/kubernetes_objects.h"
#include "extender/protocol/kueue_constraints.h"
#include "extender/protocol/kueue_topology.h"
#include "extender/protocol/scheduler_request.h"
#include "fmt/format.h"
#include "topology/base/text.h"

namespace gangplan {

enum class Decoder {
  kFilter,
  kBind,
  kPreempt,
  kPod,
  kNode,
  kOwner,
  kList,
  kWatch,
  kLayers,
  kTopology,
  kConfigMap
};

template <typename Value>
std::string ErrorOf(const absl::StatusOr<Value>& value) {
  return value.ok() ? "" : Message(value.status());
}
inline std::string ErrorOf(const absl::StatusOr<PodFacts>& pod) {
  return pod.ok() ? pod->fault : Message(pod.status());
}

inline std::string ErrorOf(const absl::StatusOr<OwnerFacts>& owner) {
  return owner.ok() ? owner->fault : Message(owner.status());
}

// The error, empty when the text was taken. Lists and watches are of pods.
inline std::string ErrorOf(Decoder decoder, std::string text) {
  switch (decoder) {
    case Decoder::kFilter:
      return ErrorOf(DecodeFilterRequest(text));
    case Decoder::kBind:
      return ErrorOf(DecodeBindRequest(text));
    case Decoder::kPreempt:
      return ErrorOf(DecodePreemptRequest(text));
    case Decoder::kPod:
      return ErrorOf(DecodePod(text));
    case Decoder::kNode:
      return ErrorOf(DecodeNode(text));
    case Decoder::kOwner:
      return ErrorOf(DecodeOwner(text));
    case Decoder::kList:
      return ErrorOf(DecodeList(text, "Pod"));
    case Decoder::kWatch:
      return ErrorOf(DecodeWatchEvent(text, "Pod"));
    case Decoder::kLayers:
      return ErrorOf(DecodeSliceConstraints(text));
    case Decoder::kTopology:
      return ErrorOf(DecodeKueueTopology(text));
    case Decoder::kConfigMap:
      return ErrorOf(DecodeConfigMap(text));
  }
  return "no such decoder";
}

// A pod with this spec, a node with this rest, a filter request with this rest.
inline std::string PodText(std::string_view spec) {
  return fmt::format(R"({{"metadata":{{"name":"p","namespace":"n","uid":"u"}},)"
                     R"("spec":{{{}}}}})",
                     spec);
}
inline std::string NodeText(std::string_view rest) {
  return fmt::format(R"({{"metadata":{{"name":"n"}},{}}})", rest);
}
inline std::string FilterText(std::string_view rest) {
  return fmt::format(R"({{"Pod":{},{}}})", PodText(""), rest);
}

// `element(i)` for i below `count`, between commas.
inline std::string Repeat(size_t count, const std::function<std::string(size_t)>& element) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += (i > 0 ? "," : "") + element(i);
  return text;
}
inline std::string Repeat(size_t count, std::string_view element) {
  return Repeat(count, [&](size_t) { return std::string(element); });
}
inline std::string Entries(size_t count, std::string_view value) {
  return Repeat(count, [&](size_t i) { return fmt::format("\"k{}\":{}", i, value); });
}

}  // namespace gangplan
