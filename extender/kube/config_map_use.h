// Which label a ConfigMap carries for each of its uses; the key counts, whatever its value is.
// Pure; any thread.
#pragma once

#include <array>
#include <string_view>

#include "extender/cluster/events.h"
#include "extender/protocol/sakkara_words.h"

namespace gangplan {

inline constexpr std::array kConfigMapUses = {ConfigMapUse::kSakkaraTopology,
                                              ConfigMapUse::kSakkaraGroup};

constexpr std::string_view LabelOf(ConfigMapUse use) {
  return use == ConfigMapUse::kSakkaraTopology ? kSakkaraTopologyLabel : kSakkaraGroupLabel;
}

inline bool HasUse(const ConfigMapFacts& object, ConfigMapUse use) {
  return FindLabel(object.labels, LabelOf(use)) != nullptr;
}

}  // namespace gangplan
