#include "algorithms/exact/crowd_split.h"

#include <algorithm>
#include <functional>

namespace gangplan::exact {
namespace {

constexpr int64_t kNoSplit = INT64_MIN / 1024;  // less than any sum: there is none

}  // namespace

HeldBy HeldOf(const Fullest& fullest, int32_t load) {
  return {[&fullest, load](int32_t used) { return fullest.Held(used, load); },
          [&fullest, load](int32_t used) { return fullest.HeldWithin(used, load); },
          fullest.siblings()};
}

RoughlyFullest::RoughlyFullest(std::span<const int32_t> rows, const Loads& loads, int32_t load) {
  const auto width = static_cast<size_t>(loads.count());
  std::vector<int32_t> alone, best(width, -1);
  for (size_t at = 0; at < rows.size(); at += width) {
    alone.push_back(rows[at]);
    for (size_t part = 1; part <= static_cast<size_t>(load); ++part)
      best[part] = std::max(best[part], rows[at + part]);
  }
  std::sort(alone.begin(), alone.end(), std::greater<>());
  alone_.push_back(0);
  for (const int32_t held : alone) alone_.push_back(alone_.back() + held);
  // By the load that so many hosts have in all.
  std::vector<int64_t> now(width, -1), next;
  now[0] = 0;
  const int32_t most_hosts = std::min(loads.pods(load), static_cast<int32_t>(alone.size()));
  for (int32_t hosts = 0; hosts <= most_hosts; ++hosts) {
    whole_.push_back(now[static_cast<size_t>(load)]);
    int64_t& of_part = part_.emplace_back(-1);
    next.assign(width, -1);
    for (int32_t had = 0; had <= load; ++had) {
      const int64_t held = now[static_cast<size_t>(had)];
      if (held < 0 || !loads.Within(had, load)) continue;
      of_part = std::max(of_part, held);
      for (int32_t part = 1; part <= load - had; ++part) {
        const int32_t with = best[static_cast<size_t>(part)];
        if (with < 0 || !loads.Within(part, load - had)) continue;
        int64_t& to = next[static_cast<size_t>(had + part)];
        to = std::max(to, held + with);
      }
    }
    now.swap(next);
  }
  FillGains(rows, loads, load);
}

// Used siblings hold without a load no more than the fullest, and each part brings no more than it
// brings anywhere.
void RoughlyFullest::FillGains(std::span<const int32_t> rows, const Loads& loads, int32_t load) {
  const auto width = static_cast<size_t>(loads.count());
  std::vector<int64_t> gain(width, kNoSplit), all(width, kNoSplit);
  for (size_t at = 0; at < rows.size(); at += width)
    for (size_t part = 1; part <= static_cast<size_t>(load); ++part)
      if (rows[at + part] >= 0)
        gain[part] = std::max(gain[part], int64_t{rows[at + part]} - rows[at]);
  all[0] = 0;
  for (int32_t had = 1; had <= load; ++had) {
    int64_t& best = all[static_cast<size_t>(had)];
    for (int32_t part = 1; part <= had; ++part)
      if (loads.Within(part, had))
        best =
            std::max(best, all[static_cast<size_t>(had - part)] + gain[static_cast<size_t>(part)]);
    if (loads.Within(had, load)) gain_of_part_ = std::max(gain_of_part_, best);
  }
  gain_ = all[static_cast<size_t>(load)];
}

HeldBy RoughlyFullest::held() const {
  const auto most = [this](const std::vector<int64_t>& of_hosts, int64_t gain, int32_t used) {
    int64_t held = -1;
    const auto last = std::min(static_cast<size_t>(used), of_hosts.size() - 1);
    for (size_t hosts = 0; hosts <= last; ++hosts)
      if (of_hosts[hosts] >= 0)
        held = std::max(held, alone_[static_cast<size_t>(used) - hosts] + of_hosts[hosts]);
    return std::max<int64_t>(std::min(held, alone_[static_cast<size_t>(used)] + gain), -1);
  };
  return {[this, most](int32_t used) { return most(whole_, gain_, used); },
          [this, most](int32_t used) { return most(part_, gain_of_part_, used); },
          static_cast<int32_t>(alone_.size()) - 1};
}

// The first siblings of a split whose counts fall hold together what a sum of falling counts holds
// that is nowhere below `most`: the least such sum is straight between some of its corners. Where
// it has a corner at each place its counts are the split.
void PackedLevel::Majorize(std::span<const int64_t> most) {
  std::vector<size_t> corners = {0};
  const auto above = [&](size_t a, size_t b, size_t c) {  // b is below the line from a to c
    return (most[b] - most[a]) * static_cast<int64_t>(c - a) <
           (most[c] - most[a]) * static_cast<int64_t>(b - a);
  };
  for (size_t at = 1; at < most.size(); ++at) {
    while (corners.size() > 1 && above(corners[corners.size() - 2], corners.back(), at))
      corners.pop_back();
    corners.push_back(at);
  }
  for (size_t i = 0; i + 1 < corners.size(); ++i) {
    const auto many = static_cast<int64_t>(corners[i + 1] - corners[i]);
    const int64_t together = most[corners[i + 1]] - most[corners[i]];
    squares += (together * together + many - 1) / many;
  }
  if (corners.size() < most.size()) return;
  for (size_t at = 1; at < most.size(); ++at)
    AddRun(split, static_cast<int32_t>(most[at] - most[at - 1]));
}

PackedLevel PackedCrowd(const HeldBy& held, const Terms& terms, int32_t parts, int32_t members) {
  PackedLevel level;
  const int64_t least = terms.least();
  level.used = parts == kAnyParts ? 1 : parts;
  while (level.used <= held.siblings && held.whole(level.used) < members) {
    if (parts != kAnyParts) return level;
    ++level.used;
  }
  if (level.used > held.siblings || level.used * least > members) return level;
  std::vector<int64_t> most = {0};
  for (int32_t i = 1; i < level.used; ++i)
    most.push_back(std::min(held.part(i), members - least * (level.used - i)));
  most.push_back(members);
  level.known = true;
  level.Majorize(most);
  return level;
}

}  // namespace gangplan::exact
