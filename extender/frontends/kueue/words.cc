#include "extender/frontends/kueue/words.h"

#include "extender/frontends/kueue/go_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

absl::Status ReadUnconstrained(std::string_view text, KueueTopology& topology) {
  topology.unconstrained = ReadGoTruth(text);
  if (topology.unconstrained) return absl::OkStatus();
  return Invalid("{}: expected true or false, found \"{}\"", kKueueUnconstrained, Shown(text));
}

absl::Status ReadLayers(std::string_view text, KueueTopology& topology) {
  absl::StatusOr<std::vector<SliceConstraint>> layers = DecodeSliceConstraints(text);
  if (!layers.ok()) return Invalid("{}: {}", kKueueSliceLayers, Message(layers.status()));
  if (layers->empty() || layers->size() > kMaxSliceLayers) {
    return absl::OutOfRangeError(
        ToAbsl(fmt::format("{}: expected 1 to {} layers, found {}", kKueueSliceLayers,
                           kMaxSliceLayers, layers->size())));
  }
  topology.slices = *std::move(layers);
  return absl::OkStatus();
}

absl::Status ReadSlice(const std::string& level, std::string_view size, KueueTopology& topology) {
  const std::optional<int32_t> number = ReadGoInteger(size);
  if (!number)
    return Invalid("{}: expected a whole number, found \"{}\"", kKueueSliceSize, Shown(size));
  topology.slices.push_back({level, *number});
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<KueueTopology>> ReadKueueTopology(const LabelSet& annotations,
                                                               const KueueGates& gates,
                                                               const KueueIndices& indices) {
  const std::string* required = FindLabel(annotations, kKueueRequired);
  const std::string* preferred = FindLabel(annotations, kKueuePreferred);
  const std::string* unconstrained = FindLabel(annotations, kKueueUnconstrained);
  const std::string* slice_level = FindLabel(annotations, kKueueSliceLevel);
  const std::string* slice_size = FindLabel(annotations, kKueueSliceSize);
  const std::string* layers = FindLabel(annotations, kKueueSliceLayers);
  const bool slice = slice_level != nullptr && slice_size != nullptr;

  KueueTopology topology;
  if (required != nullptr) {
    topology.required = *required;
  } else if (preferred != nullptr) {
    topology.preferred = *preferred;
  } else if (unconstrained != nullptr) {
    GANGPLAN_RETURN_IF_ERROR(ReadUnconstrained(*unconstrained, topology));
  } else if (!slice && layers == nullptr && indices == KueueIndices()) {
    return std::nullopt;
  }
  topology.indices = indices;
  const std::string* group = FindLabel(annotations, kKueueGroupName);
  if (group != nullptr && (required != nullptr || preferred != nullptr)) topology.group = *group;
  if (layers != nullptr && gates.multi_layer_topology) {
    GANGPLAN_RETURN_IF_ERROR(ReadLayers(*layers, topology));
  } else if (slice) {
    GANGPLAN_RETURN_IF_ERROR(ReadSlice(*slice_level, *slice_size, topology));
  }
  return topology;
}

}  // namespace gangplan
