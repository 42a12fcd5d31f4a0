#include "extender/planner/history.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "extender/planner/limits.h"
#include "topology/base/utf8.h"

namespace gangplan {
namespace {

// At most so many bytes, of whole letters.
std::string Cut(std::string_view text, size_t most) {
  size_t end = 0;
  while (end < text.size()) {
    const size_t letter = std::max<size_t>(Utf8Length(text.substr(end)), 1);
    if (end + letter > most) break;
    end += letter;
  }
  return std::string(text.substr(0, end));
}

// It waits as before, and was only tried in between: takes that away. True: it did.
bool GoesOn(std::deque<HistoryLine>& lines, const HistoryLine& line) {
  if (line.state != GroupState::kBlocked) return false;
  const auto before = std::find_if(lines.rbegin(), lines.rend(), [](const HistoryLine& one) {
    return one.state != GroupState::kNew;
  });
  const auto told = [](const HistoryLine& one) {
    return std::tie(one.state, one.bound, one.size, one.why);
  };
  if (before == lines.rend() || told(*before) != told(line)) return false;
  lines.erase(before.base(), lines.end());
  return true;
}

}  // namespace

void History::Note(const std::string& name, HistoryLine line) {
  line.why = Cut(line.why, kMaxHistoryWhyBytes);
  const auto [entry, first] = groups_.try_emplace(name);
  Entry& known = entry->second;
  auto& lines = known.history.lines;
  const bool same =
      !lines.empty() && lines.back().state == line.state && lines.back().why == line.why;
  if (same || GoesOn(lines, line)) return;
  lines.push_back(std::move(line));
  if (lines.size() > kMaxHistoryLines) {
    lines.pop_front();
    ++known.history.dropped;
  }
  if (!first) by_turn_.erase(known.turn);
  known.turn = ++turn_;
  by_turn_[known.turn] = entry->first;
  if (groups_.size() <= kMaxHistoryGroups) return;
  groups_.erase(by_turn_.begin()->second);
  by_turn_.erase(by_turn_.begin());
}

const GroupHistory* History::Of(std::string_view name) const {
  const auto entry = groups_.find(name);
  return entry == groups_.end() ? nullptr : &entry->second.history;
}

}  // namespace gangplan
