// What domains can take with loads beside, and their children when some have loads.
#include <algorithm>
#include <numeric>

#include "algorithms/exact/field.h"

namespace gangplan::exact {
namespace {

constexpr Reach kNothing{1, 0, 1, -1, false};

// Less than any sum of members: a load that does not fit stays one whatever is added.
constexpr int32_t kFar = INT32_MIN / 4;

}  // namespace

Reach Field::LoadedLeafReach(int32_t leaf, int32_t load) const {
  const int32_t room = question_.loads->Room(leaf, load);
  if (room == Loads::kNone) return kNothing;
  const std::span<const SpecialLeaf> special = SpecialIn(tree().leaf_level(), leaf);
  const int32_t stands = special.empty() ? 0 : special.front().stands;
  return LeafReach(stands + question_.loads->pods(load), room);
}

void Field::BuildLoaded() {
  const int levels = tree().level_count();
  loaded_.resize(levels);
  for (int level = -1; level < levels - 1; ++level)
    loaded_[level + 1].assign((question_.loads->count() - 1) * Size(level), kNothing);
  std::vector<int32_t> mosts = LoadedMosts();
  BuildSame(mosts);
  const int32_t count = question_.loads->count();
  for (int32_t load = 1; load < count; ++load) {
    int32_t& largest = largest_loaded_leaf_[static_cast<size_t>(question_.loads->pods(load))];
    for (auto at = static_cast<size_t>(load); at < mosts.size(); at += static_cast<size_t>(count))
      largest = std::max(largest, mosts[at]);
  }
  const std::vector<LoadPart> parts = question_.loads->Parts();
  for (int level = levels - 2; level >= -1; --level) {
    if (!PlainBelow(level)) {
      for (int32_t index = 0; index < Size(level) && !ended_; ++index) CombineLoaded(level, index);
      if (ended_) return;
      continue;
    }
    std::vector<int32_t> sums(count * Size(level), kFar);
    for (int32_t index = 0; index < Size(level); ++index) {
      const std::span<int32_t> sum = std::span(sums).subspan(index * count, count);
      sum[0] = 0;
      const Tree::Range range = Range(level, index);
      for (int32_t child = range.begin; child < range.end; ++child)
        AddMosts(parts, std::span(mosts).subspan(child * count, count), sum);
    }
    BuildLoadedPlain(level, sums);
    mosts = std::move(sums);
    steps_ += int64_t{Size(level + 1)} * count;
  }
}

// The most members of each leaf with each load, those of the load and those that stand included;
// kFar: the load does not fit.
std::vector<int32_t> Field::LoadedMosts() const {
  const Loads& loads = *question_.loads;
  const auto count = static_cast<size_t>(loads.count());
  const std::span<const int32_t> counts = question_.counts->at(tree().leaf_level());
  std::vector<int32_t> mosts(count * counts.size());
  for (size_t leaf = 0; leaf < counts.size(); ++leaf)
    mosts[leaf * count] = std::min(counts[leaf], question_.members);
  for (size_t load = 1; load < count; ++load) {
    const std::span<const int32_t> rooms = loads.Rooms(static_cast<int32_t>(load));
    const int32_t pods = loads.pods(static_cast<int32_t>(load));
    for (size_t leaf = 0; leaf < rooms.size(); ++leaf) {
      const bool fits = rooms[leaf] != Loads::kNone;
      mosts[leaf * count + load] = fits ? std::min(pods + rooms[leaf], question_.members) : kFar;
    }
  }
  for (const SpecialLeaf& special : question_.special) {
    const std::span most =
        std::span(mosts).subspan(static_cast<size_t>(special.leaf) * count, count);
    most[0] = std::min(special.room, question_.members);
    for (int32_t& one : most)
      if (one != kFar) one = std::min(one + special.stands, question_.members);
  }
  return mosts;
}

// The most of siblings together, with each load in all: one more of them.
void Field::AddMosts(std::span<const LoadPart> parts, std::span<const int32_t> child,
                     std::span<int32_t> sums) const {
  auto part = parts.begin();
  for (size_t load = sums.size(); load-- > 0;) {
    int32_t most = kFar;
    for (; part != parts.end() && part->load == static_cast<int32_t>(load); ++part)
      most = std::max(most, sums[part->rest] + child[part->part]);
    sums[load] = most < 0 ? kFar : std::min(most, question_.members);
  }
}

// Without rules below a domain takes all from what it has already to its most.
void Field::BuildLoadedPlain(int level, const std::vector<int32_t>& mosts) {
  const Loads& loads = *question_.loads;
  for (int32_t index = 0; index < Size(level); ++index) {
    int32_t stands = 0;
    for (const SpecialLeaf& special : SpecialIn(level, index)) stands += special.stands;
    for (int32_t load = 1; load < loads.count(); ++load) {
      const int32_t most = mosts[index * loads.count() + load];
      if (most < 0) continue;
      Reach reach = Progression(stands + loads.pods(load), most, 1, false);
      if (level >= 0) reach = Own(reach, terms(level));
      reach.zero = false;
      loaded_[level + 1][Loaded(level, index, load) - Size(level)] = reach;
    }
  }
}

void Field::CombineLoaded(int level, int32_t index) {
  const int32_t same = level < 0 ? index : same_[level][index];
  if (same != index) {
    for (int32_t load = 1; load < question_.loads->count(); ++load)
      loaded_[level + 1][Loaded(level, index, load) - Size(level)] =
          loaded_[level + 1][Loaded(level, same, load) - Size(level)];
    return;
  }
  if (!CombineForced(level, index)) CombineLoads(level, index);
}

bool Field::Fits(const Siblings& siblings, const Reach& reach) {
  return reach.lo == siblings.lo && FitsBeyond(siblings, reach);
}

bool Field::FitsBeyond(const Siblings& siblings, const Reach& reach) {
  const bool steps = reach.lo % siblings.step == 0 && reach.hi % siblings.step == 0;
  return reach.set < 0 && reach.lo >= siblings.lo && steps &&
         (reach.lo == reach.hi || reach.step == siblings.step);
}

// A child by its most members without the pod and with it.
struct Field::Forced {
  int32_t most = 0;
  int32_t loaded = Loads::kNone;
};

// The children, the largest without the pod first. False when they are not alike, or there is more
// than one pod.
bool Field::SortForced(int level, int32_t index, std::vector<Forced>& sorted) {
  const Children& found = children(level, index);
  if (question_.loads->count() > 2 || !found.odd.empty() || !found.possible) return false;
  const Tree::Range range = Range(level, index);
  steps_ += range.end - range.begin;
  for (int32_t child = range.begin; child < range.end; ++child) {
    Forced& one = sorted.emplace_back(Forced{Most(level + 1, child)});
    const Reach loaded = reach(level + 1, Loaded(level + 1, child, 1));
    if (loaded.empty()) continue;
    if (!Fits(found.alike.siblings, loaded)) return false;
    one.loaded = loaded.hi;
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Forced& a, const Forced& b) { return a.most > b.most; });
  return true;
}

// One pod, and children that are alike with and without it: m of them, of which one has it, take
// from m * lo to what the largest m hold so. False when they are not alike.
bool Field::CombineForced(int level, int32_t index) {
  std::vector<Forced> sorted;
  if (!SortForced(level, index, sorted)) return false;
  const Siblings& siblings = children(level, index).alike.siblings;
  // By how many are used: the loaded one is one of the largest, or beside the largest but one.
  const size_t count = sorted.size();
  std::vector<int32_t> later(count + 1, Loads::kNone);
  for (size_t i = count; i-- > 0;) later[i] = std::max(later[i + 1], sorted[i].loaded);
  const int32_t parts = terms(level + 1).parts;
  CountSet sums(question_.members);
  bool gap = false;
  int64_t before = 0, begin = -1, end = -1;
  int64_t gain = INT64_MIN / 2;
  for (size_t used = 1; used <= count; ++used) {
    const Forced& last = sorted[used - 1];
    const int64_t beside = later[used - 1] == Loads::kNone ? -1 : before + later[used - 1];
    if (used > 1 && sorted[used - 2].most == 0) break;
    if (last.loaded != Loads::kNone)
      gain = std::max<int64_t>(gain, int64_t{last.loaded} - last.most);
    before += last.most;
    const int64_t least = static_cast<int64_t>(used) * siblings.lo;
    if (least > question_.members) break;
    const int64_t most = std::max(beside, last.most > 0 ? before + gain : int64_t{-1});
    if (most < least || (parts > 0 && static_cast<int32_t>(used) != parts)) continue;
    if (begin >= 0 && least > end + siblings.step) {
      sums.AddEach(static_cast<int32_t>(begin), siblings.step, static_cast<int32_t>(end));
      gap = true;
      begin = least;
    }
    if (begin < 0) begin = least;
    end = std::min<int64_t>(std::max(end, most), question_.members / siblings.step * siblings.step);
  }
  Reach result = kNothing;
  if (begin >= 0) {
    if (gap) {
      sums.AddEach(static_cast<int32_t>(begin), siblings.step, static_cast<int32_t>(end));
      result = Normal(std::move(sums));
    } else {
      result =
          Progression(static_cast<int32_t>(begin), static_cast<int32_t>(end), siblings.step, false);
    }
    if (level >= 0) result = Own(result, terms(level));
    result.zero = false;
  }
  loaded_[level + 1][index] = result;
  return true;
}

// One more child: [children in use where they are counted][load], the members of those so far.
void Field::AddLoadedChild(int level, int32_t child, const std::vector<CountSet>& from,
                           std::vector<CountSet>& to) const {
  const Loads& loads = *question_.loads;
  const int32_t parts = terms(level + 1).parts, count = loads.count();
  for (int32_t part = 0; part < count; ++part) {
    const Reach found = reach(level + 1, Loaded(level + 1, child, part));
    if (found.empty() && !found.zero) continue;
    for (int32_t used = 0; used <= parts; ++used) {
      const int32_t more = parts == 0 ? 0 : used + 1;
      for (int32_t load = part; load < count; ++load) {
        if (!loads.Within(part, load)) continue;
        const CountSet& before = from[used * count + load - part];
        if (found.zero) to[used * count + load].AddShifted(before, 0);
        if (!found.empty() && more <= parts) AddChild(found, before, to[more * count + load]);
      }
    }
  }
}

// A table over the children. Its steps are counted before they are done.
void Field::CombineLoads(int level, int32_t index) {
  const Loads& loads = *question_.loads;
  const int32_t parts = terms(level + 1).parts, count = loads.count();
  const Tree::Range range = Range(level, index);
  const int64_t cost =
      int64_t{range.end - range.begin} * (parts + 1) * count * count * (question_.members / 64 + 1);
  ended_ = cost > question_.most_steps - steps_;
  if (ended_) return;
  steps_ += cost;
  const CountSet none(question_.members);
  std::vector<CountSet> sums((parts + 1) * count, none), next;
  sums[0].Add(0);
  for (int32_t child = range.begin; child < range.end; ++child) {
    next.assign(sums.size(), none);
    AddLoadedChild(level, child, sums, next);
    sums.swap(next);
  }
  for (int32_t load = 1; load < count; ++load) {
    Reach result = Normal(std::move(sums[parts * count + load]));
    if (level >= 0) result = Own(result, terms(level));
    result.zero = false;
    loaded_[level + 1][Loaded(level, index, load) - Size(level)] = result;
  }
}

bool Field::PossibleWith(int level, int32_t index, std::span<const int32_t> loaded) const {
  const Tree::Range range = Range(level, index);
  for (int32_t child = range.begin; child < range.end; ++child) {
    const Reach found = reach(level + 1, child);
    const auto is_child = [&](int32_t one) { return Unloaded(level + 1, one) == child; };
    if (found.empty() && !found.zero && std::none_of(loaded.begin(), loaded.end(), is_child))
      return false;
  }
  return true;
}

void Field::ArrangeAlike(int level, int32_t index, std::span<const int32_t> loaded,
                         Arranged& arranged) {
  const int below = level + 1;
  if (below == tree().leaf_level()) return Arrange(level, index, loaded, arranged);
  const Ranked& base = children(level, index).alike;
  std::vector<int32_t>& order = arranged.loose_order;
  order.reserve(base.order.size() + loaded.size());
  for (int32_t child : base.order) {
    const auto is_child = [&](int32_t one) { return Unloaded(below, one) == child; };
    if (std::none_of(loaded.begin(), loaded.end(), is_child)) order.push_back(child);
  }
  for (int32_t child : loaded) {
    const int32_t most = Most(below, child);
    order.insert(std::find_if(order.begin(), order.end(),
                              [&](int32_t other) { return Most(below, other) < most; }),
                 child);
  }
  for (int32_t child : order) AddRun(arranged.loose, Most(below, child));
  arranged.children.loose = {{arranged.loose, base.siblings.lo, base.siblings.step, 0}, order};
}

void Field::Arrange(int level, int32_t index, std::span<const int32_t> loaded, Arranged& arranged) {
  const Children& base = children(level, index);
  const int below = level + 1;
  std::vector<int32_t> taken, alike;
  for (int32_t child : loaded) taken.push_back(Unloaded(below, child));
  const auto is_in = [](std::span<const int32_t> list, int32_t child) {
    return std::find(list.begin(), list.end(), child) != list.end();
  };
  arranged = {};
  for (int32_t child : base.odd)
    if (!is_in(taken, child)) arranged.odd.push_back(child);
  arranged.except = arranged.odd;
  arranged.except.insert(arranged.except.end(), taken.begin(), taken.end());
  std::sort(arranged.except.begin(), arranged.except.end());
  if (base.alike.order.empty()) {
    const Tree::Range range = Range(level, index);
    for (int32_t child = range.begin; child < range.end; ++child)
      if (Most(below, child) > 0 && !is_in(arranged.except, child)) alike.push_back(child);
  } else {
    for (int32_t child : base.alike.order)
      if (!is_in(taken, child)) alike.push_back(child);
  }
  arranged.odd.insert(arranged.odd.end(), loaded.begin(), loaded.end());
  Children& children = arranged.children;
  children.odd = arranged.odd;
  const Siblings& siblings = base.alike.siblings;
  children.alike =
      Rank(below, alike, siblings.lo, siblings.step, arranged.alike, arranged.alike_order);
  if (below == tree().leaf_level()) {
    children.alike.order = {};
    children.alike.except = arranged.except;
  }
  if (NothingByLevel(level)) return;
  alike.insert(alike.end(), arranged.odd.begin(), arranged.odd.end());
  children.loose = Loose(below, alike, arranged.loose, arranged.loose_order);
}

}  // namespace gangplan::exact
