#include "extender/demo/generated_labels.h"

#include <algorithm>

#include "config/presets.h"
#include "config/settings.h"
#include "extender/demo/seeded.h"
#include "topology/base/check.h"
#include "topology/base/text.h"

namespace gangplan {

// How a preset's levels spread over blocks, racks and nodes; the node itself is left out.
struct LabelMaker::Scheme {
  std::string_view preset;
  Style style;
  std::vector<Extent> extents;
};

const LabelMaker::Scheme* LabelMaker::FindScheme(std::string_view preset) {
  using enum Extent;
  static const auto& schemes = *new std::vector<Scheme>{
      {"", Style::kPlain, {kBlock, kRack}},
      {"aws-3", Style::kAws, {kCluster, kBlock, kRack}},
      {"aws-4", Style::kAws, {kCluster, kBlockPair, kBlock, kRack}},
      {"coreweave", Style::kNumbered, {kCluster, kBlock, kRack}},
      {"crusoe", Style::kHash, {kBlock, kRack}},
      {"generic", Style::kNumbered, {kBlock, kRack}},
      {"gke", Style::kHash, {kBlock, kRack, kNode}},
      {"nebius", Style::kNumbered, {kCluster, kBlockPair, kBlock, kRack}},
      {"oci-rdma", Style::kHash, {kCluster, kBlock, kRack, kNode}},
      {"topograph-0.5", Style::kNumbered, {kCluster, kBlock, kRack, kRack}},
      {"volcano", Style::kNumbered, {kBlock, kRack}},
  };
  const auto found = std::find_if(schemes.begin(), schemes.end(),
                                  [&](const Scheme& scheme) { return scheme.preset == preset; });
  return found == schemes.end() ? nullptr : &*found;
}

LabelMaker::LabelMaker(std::vector<Level> levels, std::vector<Extent> extents, Style style,
                       const NameWidths& widths)
    : levels_(std::move(levels)), extents_(std::move(extents)), style_(style), widths_(widths) {}

absl::StatusOr<LabelMaker> LabelMaker::Make(std::string_view preset, const NameWidths& widths) {
  const std::vector<Level>* named = preset.empty() ? nullptr : FindPreset(preset);
  if (named == nullptr && !preset.empty()) {
    return Invalid("\"{}\" is not a preset; expected one of {}", Shown(preset),
                   fmt::join(PresetNames(), ", "));
  }
  const Scheme* scheme = FindScheme(preset);
  GANGPLAN_CHECK(scheme != nullptr);
  std::vector<Level> levels = named != nullptr ? *named : Settings().topologies.front().levels;
  std::vector<Extent> extents = scheme->extents;
  extents.push_back(Extent::kNode);
  GANGPLAN_CHECK(levels.size() == extents.size());
  return LabelMaker(std::move(levels), std::move(extents), scheme->style, widths);
}

std::string LabelMaker::Value(size_t level, const NodePlace& place) const {
  if (level + 1 == levels_.size()) return place.name;
  const Extent extent = extents_[level];
  const std::string& alias = levels_[level].name;
  const std::string block = fmt::format("{:0{}}", place.block + 1, widths_.block);
  const std::string rack = fmt::format("{:0{}}", place.rack + 1, widths_.rack);
  std::string path;
  if (extent == Extent::kBlockPair)
    path = fmt::format("{:0{}}", place.block / 2 + 1, widths_.block);
  if (extent >= Extent::kBlock) path = block;
  if (extent >= Extent::kRack) path += "-" + rack;
  if (extent == Extent::kNode) path += fmt::format("-{:0{}}", place.node + 1, widths_.node);
  if (style_ == Style::kPlain) {  // as people name them: unique within the parent only
    return fmt::format("{}-{}", alias, extent == Extent::kRack ? rack : block);
  }
  if (style_ == Style::kNumbered) return path.empty() ? alias + "-1" : alias + "-" + path;
  uint64_t hash = 0;
  for (char letter : alias + path) hash = Mix(hash + static_cast<unsigned char>(letter) + 1);
  if (style_ == Style::kAws) return fmt::format("nn-{:017x}", hash);
  return fmt::format("{:016x}{:016x}", hash, Mix(hash + 1));
}

LabelSet LabelMaker::Labels(const NodePlace& place) const {
  LabelSet labels = {{"kubernetes.io/arch", "amd64"}, {"kubernetes.io/os", "linux"}};
  for (size_t level = 0; level < levels_.size(); ++level) {
    labels.emplace_back(levels_[level].label, Value(level, place));
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

}  // namespace gangplan
