// What a refusal by a disruption budget tells beside its words: which pods the budget keeps, so
// that nobody asks about each of them. Values; any thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_split.h"

namespace gangplan {

inline constexpr char kKeptByBudget[] = "gangplan.kept-by-budget";
// Of one refusal: beyond them the others are found out later.
inline constexpr size_t kMaxKeptByBudget = 10'000;

// The status tells the UIDs, the first ones of too many. Nothing of a status that is OK.
inline void SetKeptByBudget(absl::Status& status, const std::vector<std::string>& uids) {
  std::string text;
  for (size_t i = 0; i < uids.size() && i < kMaxKeptByBudget; ++i) text += uids[i] + '\n';
  status.SetPayload(kKeptByBudget, absl::Cord(text));
}

// Empty: it does not tell.
inline std::vector<std::string> KeptByBudget(const absl::Status& status) {
  const auto payload = status.GetPayload(kKeptByBudget);
  if (!payload) return {};
  return absl::StrSplit(std::string(*payload), '\n', absl::SkipEmpty());
}

}  // namespace gangplan
