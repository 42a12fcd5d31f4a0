// Which label a ConfigMap carries for each of its uses; the key counts, whatever its value is.
// Pure; any thread.
#pragma once

#include <array>
#include <string_view>

#include "extender/cluster/events.h"
#include "extender/protocol/rank_list_words.h"
#include "extender/protocol/reservation_words.h"
#include "extender/protocol/sakkara_words.h"

namespace gangplan {

inline constexpr std::array kConfigMapUses = {ConfigMapUse::kSakkaraTopology,
                                              ConfigMapUse::kSakkaraGroup,
                                              ConfigMapUse::kReservation, ConfigMapUse::kRankList};

constexpr std::string_view LabelOf(ConfigMapUse use) {
  switch (use) {
    case ConfigMapUse::kSakkaraTopology:
      return kSakkaraTopologyLabel;
    case ConfigMapUse::kSakkaraGroup:
      return kSakkaraGroupLabel;
    case ConfigMapUse::kReservation:
      return kReservationWord;
    case ConfigMapUse::kRankList:
      return kRankListLabel;
  }
  return {};
}

inline bool HasUse(const ConfigMapFacts& object, ConfigMapUse use) {
  return FindLabel(object.labels, LabelOf(use)) != nullptr;
}

}  // namespace gangplan
