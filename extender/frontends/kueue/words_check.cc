// What contradicts what in Kueue's words: each rule adds its faults.
#include <algorithm>
#include <charconv>

#include "extender/frontends/kueue/go_text.h"
#include "extender/frontends/kueue/words.h"
#include "topology/base/text.h"
#include "topology/label_key.h"

namespace gangplan {
namespace {

using Faults = std::vector<KueueWordFault>;
using Type = KueueWordFault::Type;

// The annotations of one pod set; null: not there.
struct Words {
  const std::string* required;
  const std::string* preferred;
  const std::string* unconstrained;
  const std::string* slice_level;
  const std::string* slice_size;
  const std::string* layers;
  const std::string* group;
  const std::string* offset;
};

Words FindWords(const LabelSet& set) {
  return {FindLabel(set, kKueueRequired),      FindLabel(set, kKueuePreferred),
          FindLabel(set, kKueueUnconstrained), FindLabel(set, kKueueSliceLevel),
          FindLabel(set, kKueueSliceSize),     FindLabel(set, kKueueSliceLayers),
          FindLabel(set, kKueueGroupName),     FindLabel(set, kKueueIndexOffset)};
}

void Forbid(std::string_view key, std::string_view beside, Faults& faults) {
  faults.push_back({key, "", Type::kForbidden, fmt::format("expected none beside {}", beside)});
}

void CheckLabel(std::string_view key, const std::string& part, const std::string& label,
                Faults& faults) {
  for (const std::string& fault : LabelKeyFaults(label)) {
    faults.push_back({key, part, Type::kInvalid,
                      fmt::format("\"{}\" is no label key: {}", Shown(label), fault)});
  }
}

void CheckTopologyKinds(const Words& words, Faults& faults) {
  const int kinds =
      (words.required != nullptr) + (words.preferred != nullptr) + (words.unconstrained != nullptr);
  if (kinds > 1) {
    faults.push_back({"", "", Type::kInvalid,
                      fmt::format("expected one of {}, {} and {}, found {}", kKueueRequired,
                                  kKueuePreferred, kKueueUnconstrained, kinds)});
  }
  if (words.required != nullptr) CheckLabel(kKueueRequired, "", *words.required, faults);
  if (words.preferred != nullptr) CheckLabel(kKueuePreferred, "", *words.preferred, faults);
  if (words.slice_level != nullptr) CheckLabel(kKueueSliceLevel, "", *words.slice_level, faults);
  if (words.unconstrained != nullptr && !ReadGoTruth(*words.unconstrained)) {
    faults.push_back(
        {kKueueUnconstrained, "", Type::kInvalid,
         fmt::format("expected true or false, found \"{}\"", Shown(*words.unconstrained))});
  }
}

bool IsNumber(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

void CheckGroup(const Words& words, Faults& faults) {
  if (words.group == nullptr) return;
  if (IsNumber(*words.group)) {
    faults.push_back({kKueueGroupName, "", Type::kInvalid,
                      fmt::format("expected a name, found the number {}", *words.group)});
  }
  if (words.slice_size != nullptr) Forbid(kKueueGroupName, kKueueSliceSize, faults);
  if (words.slice_level != nullptr) Forbid(kKueueGroupName, kKueueSliceLevel, faults);
  if (words.required == nullptr && words.preferred == nullptr) {
    faults.push_back({kKueueGroupName, "", Type::kForbidden,
                      fmt::format("expected {} or {} beside it", kKueueRequired, kKueuePreferred)});
  }
}

void CheckSlice(const Words& words, Faults& faults) {
  if (words.slice_size != nullptr) {
    const std::optional<int32_t> size = ReadGoInteger(*words.slice_size);
    if (!size || *size < 1) {
      faults.push_back({kKueueSliceSize, "", Type::kInvalid,
                        fmt::format("expected a whole number of at least 1, found \"{}\"",
                                    Shown(*words.slice_size))});
    }
    if (words.slice_level == nullptr) {
      faults.push_back({kKueueSliceSize, "", Type::kForbidden,
                        fmt::format("expected {} beside it", kKueueSliceLevel)});
    }
  } else if (words.slice_level != nullptr) {
    faults.push_back({kKueueSliceSize, "", Type::kRequired,
                      fmt::format("expected a size beside {}", kKueueSliceLevel)});
  }
}

// With a group the offset comes from the group; both would count twice.
void CheckOffset(const Words& words, Faults& faults) {
  if (words.offset == nullptr) return;
  if (words.group != nullptr) return Forbid(kKueueIndexOffset, kKueueGroupName, faults);
  const std::optional<int32_t> offset = ReadGoInteger(*words.offset);
  if (!offset || *offset < 0) {
    faults.push_back(
        {kKueueIndexOffset, "", Type::kInvalid,
         fmt::format("expected a whole number of at least 0, found \"{}\"", Shown(*words.offset))});
  }
}

void CheckLayer(const std::vector<SliceConstraint>& layers, size_t at, Faults& faults) {
  const SliceConstraint& layer = layers[at];
  const std::string topology = fmt::format("[{}].topology", at);
  const std::string size = fmt::format("[{}].size", at);
  CheckLabel(kKueueSliceLayers, topology, layer.topology, faults);
  if (layer.size < 1) {
    faults.push_back({kKueueSliceLayers, size, Type::kInvalid,
                      fmt::format("expected a number of at least 1, found {}", layer.size)});
  }
  const auto first = std::find_if(layers.begin(), layers.end(),
                                  [&](const auto& l) { return l.topology == layer.topology; });
  if (first < layers.begin() + static_cast<ptrdiff_t>(at)) {
    faults.push_back({kKueueSliceLayers, topology, Type::kDuplicate,
                      fmt::format("expected another level than [{}] has, found \"{}\" again",
                                  first - layers.begin(), Shown(layer.topology))});
  }
  if (at > 0 && layer.size > 0 && layers[at - 1].size % layer.size != 0) {
    faults.push_back({kKueueSliceLayers, size, Type::kInvalid,
                      fmt::format("expected a divisor of the size above it, {}, found {}",
                                  layers[at - 1].size, layer.size)});
  }
}

void CheckLayers(const Words& words, const KueueGates& gates, Faults& faults) {
  if (words.layers == nullptr) return;
  if (!gates.multi_layer_topology) {
    faults.push_back({kKueueSliceLayers, "", Type::kForbidden,
                      "expected none while several slice layers are switched off"});
    return;
  }
  if (words.slice_level != nullptr) Forbid(kKueueSliceLayers, kKueueSliceLevel, faults);
  if (words.slice_size != nullptr) Forbid(kKueueSliceLayers, kKueueSliceSize, faults);
  if (words.group != nullptr) Forbid(kKueueGroupName, kKueueSliceLayers, faults);
  const absl::StatusOr<std::vector<SliceConstraint>> layers = DecodeSliceConstraints(*words.layers);
  if (!layers.ok()) {
    faults.push_back({kKueueSliceLayers, "", Type::kInvalid, Message(layers.status())});
  } else if (layers->empty() || layers->size() > kMaxSliceLayers) {
    faults.push_back(
        {kKueueSliceLayers, "", Type::kInvalid,
         fmt::format("expected 1 to {} layers, found {}", kMaxSliceLayers, layers->size())});
  } else {
    for (size_t i = 0; i < layers->size(); ++i) CheckLayer(*layers, i, faults);
  }
}

}  // namespace

std::string Describe(const KueueWordFault& fault) {
  const std::string_view key = fault.key.empty() ? "annotations" : fault.key;
  return fmt::format("{}{}: {}", key, fault.part, fault.expected);
}

std::vector<KueueWordFault> CheckKueueWords(const LabelSet& annotations, const KueueGates& gates) {
  const Words words = FindWords(annotations);
  Faults faults;
  CheckTopologyKinds(words, faults);
  CheckGroup(words, faults);
  CheckSlice(words, faults);
  CheckOffset(words, faults);
  CheckLayers(words, gates, faults);
  return faults;
}

}  // namespace gangplan
