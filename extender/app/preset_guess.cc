#include "extender/app/preset_guess.h"

#include <algorithm>

#include "config/presets.h"

namespace gangplan {
namespace {

bool HasAll(const LabelSet& labels, const std::vector<Level>& levels) {
  return std::all_of(levels.begin(), levels.end(), [&](const Level& level) {
    return level.label == kHostnameLabel || FindLabel(labels, level.label) != nullptr;
  });
}

}  // namespace

PresetGuess::PresetGuess() : nodes_(PresetNames().size()) {}

void PresetGuess::Note(const LabelSet& labels) {
  for (size_t i = 0; i < nodes_.size(); ++i)
    nodes_[i] += HasAll(labels, *FindPreset(PresetNames()[i]));
}

PresetGuess::Best PresetGuess::best() const {
  Best best;
  size_t levels = 0;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const std::string_view name = PresetNames()[i];
    const size_t its_levels = FindPreset(name)->size();
    const bool more = nodes_[i] > best.nodes || (nodes_[i] == best.nodes && its_levels > levels);
    if (nodes_[i] == 0 || !more) continue;
    best = {name, nodes_[i]};
    levels = its_levels;
  }
  return best;
}

}  // namespace gangplan
