#include "algorithms/exact/fullest.h"

#include <algorithm>
#include <numeric>

#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

constexpr int32_t kNoLoad = INT32_MIN / 4;  // less than any sum: there is none
constexpr int64_t kLooksAStep = 32;         // entries that are looked at
constexpr int64_t kCopiesAStep = 256;       // entries that are as before

// Entries of all numbers of hosts that a sibling with the part is looked at for.
int64_t WorkOf(int64_t part, int64_t loads, int64_t pods) {
  int64_t work = 0;
  for (int64_t rest = 0; rest < loads - part; ++rest) work += std::min(pods, rest) + 2;
  return work;
}

}  // namespace

Fullest::Fullest(std::span<const int32_t> rows, const Loads& loads, int64_t& steps)
    : loads_(loads),
      rows_(rows),
      width_(static_cast<size_t>(loads.count())),
      most_hosts_(static_cast<size_t>(loads.pods(loads.whole()))),
      order_(rows.size() / static_cast<size_t>(loads.count())),
      steps_(steps),
      held_cost_(MostCost(1, loads.count(), loads.pods(loads.whole()))),
      set_out_(order_.size() + 1, 0),
      held_(set_out_.size() * width_, -1),
      within_(held_) {
  CountSort(order_.size());
  CountWork(Work::kWord, static_cast<int64_t>(order_.size() * width_ * (most_hosts_ + 2)) / 4);
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](int32_t a, int32_t b) {
    const int32_t of_a = rows[static_cast<size_t>(a) * width_];
    const int32_t of_b = rows[static_cast<size_t>(b) * width_];
    return of_a != of_b ? of_a > of_b : a < b;
  });
  alone_.push_back(0);
  for (int32_t place = 0; place < siblings(); ++place)
    alone_.push_back(alone_.back() + RowOf(place, 0));
  for (int32_t part = 0; part < loads_.count(); ++part)
    for (int32_t rest = 0; rest < loads_.count(); ++rest) {
      const bool fits = part + rest < loads_.count() && loads_.Within(part, part + rest);
      beside_.push_back(fits ? 0 : kNoLoad);
    }
  FillGain();
  FillBeyond();
}

int64_t Fullest::Cost(std::span<const int32_t> rows, const Loads& loads) {
  const int64_t count = loads.count(), pods = loads.pods(loads.whole());
  const auto size = static_cast<int64_t>(rows.size());
  std::vector<int64_t> fits(static_cast<size_t>(count), 0);
  for (size_t at = 0; at < rows.size(); ++at) fits[at % fits.size()] += rows[at] >= 0 ? 1 : 0;
  int64_t work = 0;
  for (int64_t part = 1; part < count; ++part)
    work += fits[static_cast<size_t>(part)] * WorkOf(part, count, pods);
  return work / kLooksAStep + size * (pods + 2) / kCopiesAStep + 1;
}

int64_t Fullest::MostCost(int64_t siblings, int64_t loads, int64_t pods) {
  int64_t work = 0;
  for (int64_t part = 0; part < loads; ++part) work += WorkOf(part, loads, pods);
  return siblings * (work / kLooksAStep + loads * (pods + 2) / kCopiesAStep + 1);
}

int64_t Fullest::Bytes(size_t siblings, const Loads& loads) {
  const int64_t count = loads.count(), pods = loads.pods(loads.whole());
  return static_cast<int64_t>(siblings + 1) * count * (4 * (pods + 2) + 16);
}

void Fullest::FillGain() {
  gain_.assign((order_.size() + 1) * width_, kNoLoad);
  gain_[0] = 0;
  for (int32_t place = 0; place < siblings(); ++place) {
    std::copy_n(gain_.begin() + static_cast<int64_t>(At(place, 0)), width_,
                gain_.begin() + static_cast<int64_t>(At(place + 1, 0)));
    for (int32_t part = 1; part < loads_.count(); ++part) {
      const int32_t with = RowOf(place, part);
      if (with < 0) continue;
      const int32_t more = with - RowOf(place, 0);
      CountWork(Work::kWord, loads_.count() - part);
      for (int32_t load = part; load < loads_.count(); ++load) {
        int32_t& best = gain_[At(place + 1, load)];
        if (loads_.Within(part, load))
          best = std::max(best, std::max(kNoLoad, gain_[At(place, load - part)] + more));
      }
    }
  }
}

// One more host, with the part; the entries of fewer hosts are not touched yet.
void Fullest::AddBeyond(int32_t first, int32_t part, int32_t with) {
  const int32_t most = std::min(static_cast<int32_t>(most_hosts_), siblings() - first);
  CountWork(Work::kWord, int64_t{most} * (loads_.count() - part) / 2);
  for (int32_t host = 1; host <= most; ++host) {
    const int32_t* const others = &beyond_[Beyond(first + 1, host - 1, 0)];
    const int32_t* const beside = &beside_[static_cast<size_t>(part) * width_];
    int32_t* const best = &beyond_[Beyond(first, host, part)];
    for (int32_t rest = host - 1; rest < loads_.count() - part; ++rest)
      best[rest] = std::max(best[rest], others[rest] + beside[rest] + with);
  }
}

void Fullest::FillBeyond() {
  beyond_ = std::make_unique_for_overwrite<int32_t[]>(Beyond(siblings() + 1, 0, 0));
  std::fill_n(&beyond_[Beyond(siblings(), 0, 0)], (most_hosts_ + 1) * width_, kNoLoad);
  beyond_[Beyond(siblings(), 0, 0)] = 0;
  for (int32_t first = siblings(); first-- > 0;) {
    std::copy_n(&beyond_[Beyond(first + 1, 0, 0)], (most_hosts_ + 1) * width_,
                &beyond_[Beyond(first, 0, 0)]);
    for (int32_t part = 1; part < loads_.count(); ++part) {
      const int32_t with = RowOf(first, part);
      if (with >= 0) AddBeyond(first, part, with);
    }
  }
}

// With so many hosts beyond the first ones, which have `inside` of the load.
int64_t Fullest::HeldBy(int32_t first, int32_t hosts, int32_t load, int32_t inside) const {
  const int32_t gain = gain_[At(first, inside)];
  const int32_t others = beyond_[Beyond(first, hosts, load - inside)];
  if (gain <= kNoLoad / 2 || others < 0) return -1;
  return alone_[static_cast<size_t>(first)] + gain + others;
}

void Fullest::AddHeld(int32_t used, int32_t hosts) const {
  const int32_t first = used - hosts;
  const int32_t* const beyond = &beyond_[Beyond(first, hosts, 0)];
  for (int32_t inside = 0; inside < loads_.count() - hosts; ++inside) {
    const int32_t gain = gain_[At(first, inside)];
    if (gain <= kNoLoad / 2) continue;
    const int64_t held = alone_[static_cast<size_t>(first)] + gain;
    int64_t* const best = &held_[At(used, inside)];
    CountWork(Work::kEntry, loads_.count() - inside);
    for (int32_t rest = hosts; rest < loads_.count() - inside; ++rest) {
      if (beyond[rest] >= 0 && loads_.Within(inside, inside + rest))
        best[rest] = std::max(best[rest], held + beyond[rest]);
    }
  }
}

void Fullest::FillHeld(int32_t used) const {
  steps_ -= held_cost_;
  set_out_[static_cast<size_t>(used)] = 1;
  const int32_t most = std::min(used, static_cast<int32_t>(most_hosts_));
  for (int32_t hosts = 0; hosts <= most; ++hosts) AddHeld(used, hosts);
  for (int32_t load = 0; load < loads_.count(); ++load) {
    int64_t& within = within_[At(used, load)];
    for (int32_t part = 0; part <= load; ++part)
      if (loads_.Within(part, load)) within = std::max(within, held_[At(used, part)]);
  }
}

Fullest::Used Fullest::Trace(int32_t used, int32_t load) const {
  int32_t beyond = 0, inside = 0;
  const int32_t most = std::min(used, static_cast<int32_t>(most_hosts_));
  const auto find = [&] {
    for (beyond = 0; beyond <= most; ++beyond)
      for (inside = 0; inside <= load; ++inside)
        if (loads_.Within(inside, load) &&
            HeldBy(used - beyond, beyond, load, inside) == Held(used, load))
          return;
  };
  find();
  Used found;
  int32_t rest = load - inside;
  for (int32_t first = used - beyond; beyond > 0; ++first) {
    const int32_t held = beyond_[Beyond(first, beyond, rest)];
    if (beyond_[Beyond(first + 1, beyond, rest)] == held) continue;
    int32_t part = rest;  // the largest that is as good
    while (!loads_.Within(part, rest) || RowOf(first, part) < 0 ||
           beyond_[Beyond(first + 1, beyond - 1, rest - part)] + RowOf(first, part) != held)
      --part;
    found.hosts.push_back({order_[static_cast<size_t>(first)], part});
    rest -= part;
    --beyond;
  }
  for (int32_t place = used - static_cast<int32_t>(found.hosts.size()); place-- > 0;) {
    const int32_t gain = gain_[At(place + 1, inside)];
    const int32_t sibling = order_[static_cast<size_t>(place)];
    if (gain_[At(place, inside)] == gain) {
      found.others.push_back(sibling);
      continue;
    }
    int32_t part = inside;
    while (!loads_.Within(part, inside) || RowOf(place, part) < 0 ||
           gain_[At(place, inside - part)] + RowOf(place, part) - RowOf(place, 0) != gain)
      --part;
    found.hosts.push_back({sibling, part});
    inside -= part;
  }
  return found;
}

}  // namespace gangplan::exact
