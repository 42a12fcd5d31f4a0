#include "tests/support/tas_reference/cut.h"

#include <algorithm>
#include <tuple>

namespace gangplan::tas_reference {

Slices SlicesFirst(const Ask& ask) {
  return ask.least_free ? Slices::kFewestFirst : Slices::kMostFirst;
}

void SortPlain(const Ask& ask, const State& state, Slices first, Domains& list) {
  const auto key = [&](int domain) {
    const Counts& c = state[domain];
    return std::make_tuple(ask.affinity ? -c.affinity : 0,
                           first == Slices::kMostFirst ? -c.slices : c.slices, c.pods, domain);
  };
  std::sort(list.begin(), list.end(), [&](int a, int b) { return key(a) < key(b); });
}

void SortForLeader(const Ask& ask, const State& state, Slices first, Domains& list) {
  const auto key = [&](int domain) {
    const Counts& c = state[domain];
    return std::make_tuple(-c.leaders, ask.affinity ? -c.affinity : 0,
                           first == Slices::kMostFirst ? -c.slices_beside : c.slices_beside,
                           c.pods_beside, domain);
  };
  std::sort(list.begin(), list.end(), [&](int a, int b) { return key(a) < key(b); });
}

int64_t PlainCount(const State& state, Unit unit, int domain) {
  return unit == Unit::kPods ? state[domain].pods : state[domain].slices;
}

int64_t CountBeside(const State& state, Unit unit, int domain) {
  return unit == Unit::kPods ? state[domain].pods_beside : state[domain].slices_beside;
}

int BestFit(const Ask& ask, const State& state, const Domains& list, int64_t units, int64_t leaders,
            Unit unit) {
  int best = -1;
  int64_t least = 0;
  for (int domain : list) {
    if (ask.affinity && state[domain].affinity != state[list[0]].affinity) break;
    if (state[domain].leaders < leaders) continue;
    const int64_t count =
        leaders > 0 ? CountBeside(state, unit, domain) : PlainCount(state, unit, domain);
    if (count < units || (best >= 0 && count >= least)) continue;
    best = domain;
    least = count;
  }
  return best >= 0 ? best : list[0];
}

void PutLeaderFirst(const State& state, int64_t units, int64_t leaders, Unit unit, Domains& list) {
  if (leaders == 0 || list.size() < 2) return;
  int64_t sum = 0;
  for (int domain : list) sum += PlainCount(state, unit, domain);
  for (auto it = list.begin(); it != list.end(); ++it) {
    const int64_t cost = PlainCount(state, unit, *it) - CountBeside(state, unit, *it);
    if (state[*it].leaders < leaders || sum - cost < units) continue;
    std::rotate(list.begin(), it, it + 1);
    return;
  }
}

Domains Cut(const Ask& ask, Domains list, int64_t pods, int64_t leaders, int64_t unit_size,
            State& state) {
  const Unit unit = unit_size == 1 ? Unit::kPods : Unit::kSlices;
  int64_t units = ask.Units(pods, unit_size);
  int64_t pods_left = ask.fixed ? pods : units * unit_size;
  PutLeaderFirst(state, units, leaders, unit, list);
  Domains taken;
  const auto take = [&](int domain, int64_t share, int64_t with_leaders) {
    Counts& counts = state[domain];
    counts.pods = std::min(share * unit_size, pods_left);
    counts.leaders = with_leaders;
    units -= share;
    pods_left -= counts.pods;
    leaders -= with_leaders;
    taken.push_back(domain);
  };
  for (size_t i = 0; i < list.size(); ++i) {
    const Domains rest(list.begin() + i, list.end());
    int domain = list[i];
    if (leaders > 0) {
      const auto takes_all = [&](int d) {
        return CountBeside(state, unit, d) >= units && state[d].leaders >= leaders;
      };
      if (ask.tight && takes_all(domain)) domain = BestFit(ask, state, rest, units, leaders, unit);
      const int64_t share = std::min(CountBeside(state, unit, domain), units);
      take(domain, share, std::min(state[domain].leaders, leaders));
    } else {
      if (ask.tight && PlainCount(state, unit, domain) >= units)
        domain = BestFit(ask, state, rest, units, 0, unit);
      take(domain, std::min(PlainCount(state, unit, domain), units), 0);
    }
    if (units == 0 && leaders == 0) return taken;
  }
  return {};
}

}  // namespace gangplan::tas_reference
