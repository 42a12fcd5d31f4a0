#include "topology/base/spelling.h"

#include <algorithm>
#include <vector>

#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr size_t kLongestWord = 64;  // longer ones get no suggestion

}  // namespace

int EditDistance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1);
  std::vector<int> above(b.size() + 1);
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string_view NearestWord(std::string_view word, std::span<const std::string_view> known) {
  std::string_view best;
  if (word.size() > kLongestWord) return best;
  int best_distance = 3;
  for (const std::string_view& candidate : known) {
    const int distance = EditDistance(word, candidate);
    if (distance < best_distance && distance * 3 <= static_cast<int>(candidate.size())) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string Suggestion(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view best = NearestWord(word, known);
  return best.empty() ? "" : fmt::format("; did you mean \"{}\"?", best);
}

}  // namespace gangplan
