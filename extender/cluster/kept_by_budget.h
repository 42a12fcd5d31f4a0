// What a refusal by a disruption budget tells beside its words: which pods the budget keeps, so
// that nobody asks about each of them. Values; any thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/cord.h"

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
  std::vector<std::string> uids;
  const auto payload = status.GetPayload(kKeptByBudget);
  if (!payload) return uids;
  const std::string all(*payload);
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = all.find('\n', begin);
    uids.push_back(all.substr(begin, end - begin));
    begin = end == std::string::npos ? all.size() : end + 1;
  }
  return uids;
}

}  // namespace gangplan
