#include "algorithms/exact/hosting.h"

#include <algorithm>

#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

constexpr int64_t kNobody = BestOfTwo::kNone;

int64_t OrNone(int32_t most) { return most < 0 ? kNobody : most; }

}  // namespace

// By the first of the siblings that are looked at, what one of them holds with the part.
std::vector<int64_t> Hosting::MostFrom(size_t part) const {
  std::vector<int64_t> most(siblings.size() + 1, kNobody);
  for (size_t i = siblings.size(); i-- > 0;)
    most[i] = std::max(most[i + 1], OrNone(siblings[i][part]));
  return most;
}

std::vector<int64_t> Hosting::MostOfTwoFrom(size_t one, size_t other) const {
  std::vector<int64_t> most(siblings.size() + 1, kNobody);
  BestOfTwo best;
  for (size_t i = siblings.size(); i-- > 0;) {
    best.Add(OrNone(siblings[i][one]), OrNone(siblings[i][other]));
    most[i] = best.both;
  }
  return most;
}

// By how many are used: the host is one of the largest, or beside the largest but one.
std::vector<int64_t> Hosting::HeldWith(size_t part) const {
  const std::vector<int64_t> later = MostFrom(part);
  std::vector<int64_t> held = {kNobody};
  int64_t before = 0, gain = kNobody;
  for (size_t used = 1; used <= siblings.size(); ++used) {
    const LeafKinds::Row& last = siblings[used - 1];
    int64_t most = before + later[used - 1];
    gain = std::max(gain, OrNone(last[part]) - last[0]);
    before += last[0];
    if (last[0] > 0) most = std::max(most, before + gain);
    held.push_back(most);
    if (last[0] == 0) break;
  }
  return held;
}

// Likewise: both are among the largest, or one, or none is.
std::vector<int64_t> Hosting::HeldWith(size_t one, size_t other) const {
  const std::vector<int64_t> first = MostFrom(one), second = MostFrom(other);
  const std::vector<int64_t> both = MostOfTwoFrom(one, other);
  std::vector<int64_t> held = {kNobody};
  int64_t before = 0, before_last = 0;  // of those used but one, but two
  BestOfTwo gain;                       // of those used but one
  bool usable = true;                   // all of these hold something
  for (size_t used = 1; used <= siblings.size(); ++used) {
    const LeafKinds::Row& last = siblings[used - 1];
    int64_t most = kNobody;
    if (used >= 2) most = before_last + both[used - 2];
    if (usable)
      most = std::max(
          {most, before + gain.one + second[used - 1], before + gain.other + first[used - 1]});
    gain.Add(OrNone(last[one]) - last[0], OrNone(last[other]) - last[0]);
    before_last = before;
    before += last[0];
    if (usable && last[0] > 0) most = std::max(most, before + gain.both);
    held.push_back(most);
    if (!usable) break;
    usable = last[0] > 0;
  }
  return held;
}

// Without a gap up to what all of them hold: each of them begins one step higher than those before.
void Hosting::AddAll(std::span<const int32_t> parts, int32_t members,
                     std::vector<Stretch>& stretches) const {
  const auto one = static_cast<size_t>(parts.front()), other = static_cast<size_t>(parts.back());
  int64_t held = 0, begin = 0;
  BestOfTwo gain;
  for (const LeafKinds::Row& row : siblings) {
    held += row[0];
    gain.Add(OrNone(row[one]) - row[0], OrNone(row[other]) - row[0]);
  }
  for (const int32_t part : parts) begin += least[static_cast<size_t>(part)];
  held += parts.size() == 1 ? gain.one : gain.both;
  if (held >= begin && begin <= members)
    stretches.push_back({begin, std::min<int64_t>(held, members / step * step)});
}

void Hosting::Add(std::span<const int32_t> parts, int32_t used, int32_t members,
                  std::vector<Stretch>& stretches) const {
  CountWork(Work::kEntry, 4 * std::ssize(siblings));
  if (used == 0 && least[0] == step) return AddAll(parts, members, stretches);
  const auto one = static_cast<size_t>(parts.front()), other = static_cast<size_t>(parts.back());
  const std::vector<int64_t> held = parts.size() == 1 ? HeldWith(one) : HeldWith(one, other);
  int64_t begin = 0;
  for (const int32_t part : parts) begin += least[static_cast<size_t>(part)];
  for (size_t m = parts.size(); m < held.size() && begin <= members; ++m, begin += least[0]) {
    if (held[m] < begin || (used > 0 && m != static_cast<size_t>(used))) continue;
    const int64_t end = std::min<int64_t>(held[m], members / step * step);
    if (end < begin) break;
    if (!stretches.empty() && stretches.back().begin <= begin &&
        begin <= stretches.back().end + step)
      stretches.back().end = std::max(stretches.back().end, end);
    else
      stretches.push_back({begin, end});
  }
}

void Join(int32_t step, std::vector<Hosting::Stretch>& stretches) {
  std::sort(stretches.begin(), stretches.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (const Hosting::Stretch& stretch : stretches) {
    if (kept > 0 && stretch.begin <= stretches[kept - 1].end + step)
      stretches[kept - 1].end = std::max(stretches[kept - 1].end, stretch.end);
    else
      stretches[kept++] = stretch;
  }
  stretches.resize(kept);
}

}  // namespace gangplan::exact
