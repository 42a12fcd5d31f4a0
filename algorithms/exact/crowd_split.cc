#include "algorithms/exact/crowd_split.h"

#include <algorithm>
#include <functional>

namespace gangplan::exact {

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
  for (int32_t hosts = 0; hosts <= loads.pods(load); ++hosts) {
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
}

HeldBy RoughlyFullest::held() const {
  const auto most = [this](const std::vector<int64_t>& of_hosts, int32_t used) {
    int64_t held = -1;
    const auto last = std::min(static_cast<size_t>(used), of_hosts.size() - 1);
    for (size_t hosts = 0; hosts <= last; ++hosts)
      if (of_hosts[hosts] >= 0)
        held = std::max(held, alone_[static_cast<size_t>(used) - hosts] + of_hosts[hosts]);
    return held;
  };
  return {[this, most](int32_t used) { return most(whole_, used); },
          [this, most](int32_t used) { return most(part_, used); },
          static_cast<int32_t>(alone_.size()) - 1};
}

bool PackedCrowd(const HeldBy& held, const Terms& terms, int32_t parts, int32_t members,
                 std::vector<Run>& split) {
  split.clear();
  const int64_t least = terms.least();
  int32_t used = parts == kAnyParts ? 1 : parts;
  while (used <= held.siblings && held.whole(used) < members) {
    if (parts != kAnyParts) return false;
    ++used;
  }
  if (used > held.siblings || used * least > members) return false;
  int64_t before = 0, last = members;
  for (int32_t i = 1; i <= used; ++i) {
    const int64_t together =
        i == used ? members : std::min(held.part(i), members - least * (used - i));
    const int64_t value = together - before;
    if (value > last || value < least) return false;
    AddRun(split, static_cast<int32_t>(value));
    before = together;
    last = value;
  }
  return true;
}

bool SpreadCrowd(std::span<const int32_t> rows, const Loads& loads, int32_t load,
                 const Terms& terms, int32_t parts, int32_t members, std::vector<Run>& split) {
  const auto width = static_cast<size_t>(loads.count());
  std::vector<int32_t> mosts;
  for (size_t at = 0; at < rows.size(); at += width) {
    int32_t most = 0;
    for (int32_t part = 0; part <= load; ++part)
      if (loads.Within(part, load)) most = std::max(most, rows[at + static_cast<size_t>(part)]);
    if (most > 0) mosts.push_back(most);
  }
  std::sort(mosts.begin(), mosts.end(), std::greater<>());
  std::vector<Run> runs;
  for (const int32_t most : mosts) AddRun(runs, most);
  return BestSplit({runs, terms.least(), terms.factor, 0}, LevelRule::Kind::kSpread, parts,
                   members, split);
}

}  // namespace gangplan::exact
