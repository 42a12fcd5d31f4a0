// What differs between two configurations, key by key, and which of these keys may change while
// they are in force: the others are read at start alone. Stateless; any thread.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/settings.h"

namespace gangplan {

// A key, or a section that is looked at as a whole.
struct KeyRule {
  std::string_view key;
  bool (*same)(const Settings& a, const Settings& b);
  void (*take)(Settings& to, const Settings& from);  // null: it needs a restart
  bool live() const { return take != nullptr; }
};
std::span<const KeyRule> KeyRules();

// Those by which `wanted` is another one than `in_force`, in the order of the document.
std::vector<const KeyRule*> ChangedKeys(const Settings& in_force, const Settings& wanted);

// `in_force` with what may change by `wanted`.
Settings WithLiveKeys(const Settings& in_force, const Settings& wanted);

}  // namespace gangplan
