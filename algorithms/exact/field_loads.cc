// What domains can take with loads beside, and their children when some have loads.
#include <algorithm>
#include <numeric>

#include "algorithms/exact/field.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

constexpr int32_t kFar = LeafKinds::kFar;
// Words of kinds that a domain is tallied by in one step.
constexpr int64_t kWordsAStep = 8;

}  // namespace

Reach Field::LoadedLeafReach(int32_t leaf, int32_t load) const {
  const int32_t room = question_.loads->Room(leaf, load);
  if (room == Loads::kNone) return kNoReach;
  const std::span<const SpecialLeaf> special = SpecialIn(tree().leaf_level(), leaf);
  const int32_t stands = special.empty() ? 0 : special.front().stands;
  return LeafReach(stands + question_.loads->pods(load), room,
                   terms(tree().leaf_level()).FloorOf(leaf));
}

void Field::BuildLoaded() {
  const int levels = tree().level_count(), lowest = levels - 2;
  loaded_.resize(levels);
  for (int level = -1; level < levels - 1; ++level)
    loaded_[level + 1].assign((question_.loads->count() - 1) * Size(level), kNoReach);
  BuildLeafKinds();
  const int32_t count = question_.loads->count();
  std::vector<int32_t> mosts;
  for (int level = lowest; level >= -1; --level) {
    if (!PlainBelow(level)) {
      for (int32_t index = 0; index < Size(level) && !ended_; ++index) CombineLoaded(level, index);
      if (ended_) return;
      continue;
    }
    std::vector<int32_t> sums(count * Size(level), kFar);
    for (int32_t index = 0; index < Size(level); ++index) {
      MostSums sum;
      if (level == lowest) {
        for (const LeafKinds::Entry& entry : leaf_kinds_->in(index))
          AddMosts(leaf_kinds_->row(entry.kind), entry.count, sum);
      } else {
        const Tree::Range range = Range(level, index);
        for (int32_t child = range.begin; child < range.end; ++child)
          AddMosts(std::span(mosts).subspan(child * count, count), 1, sum);
      }
      for (int32_t load = 0; load < count; ++load) sums[index * count + load] = MostOf(sum, load);
    }
    BuildLoadedPlain(level, sums);
    mosts = std::move(sums);
    steps_ += int64_t{Size(level + 1)} * count;
  }
}

void Field::BuildLeafKinds() {
  const Loads& loads = *question_.loads;
  LeafKinds::Rooms rooms = {question_.counts->at(tree().leaf_level())};
  std::vector<int32_t> pods;
  for (int32_t load = 0; load < loads.count(); ++load) {
    if (load > 0) rooms[static_cast<size_t>(load)] = loads.Rooms(load);
    pods.push_back(loads.pods(load));
  }
  leaf_kinds_.emplace(tree(), rooms, pods, question_.members, SpecialRows());
  steps_ += Size(tree().leaf_level() - 1) * (leaf_kinds_->count() / 64 + int64_t{1}) / kWordsAStep;
  CountWork(Work::kEntry, 2 * int64_t{loads.count() + 1} * tree().leaf_count());
  CountWork(Work::kReach, int64_t{loads.count()} * leaf_kinds_->count());
  for (int32_t kind = 0; kind < leaf_kinds_->count(); ++kind) {
    const int32_t leaf = leaf_kinds_->first_leaf(kind);
    for (int32_t load = 0; load < question_.loads->count(); ++load)
      kind_reach_.push_back(reach(tree().leaf_level(), Loaded(tree().leaf_level(), leaf, load)));
    for (int32_t load = 1; load < question_.loads->count(); ++load) {
      int32_t& largest = largest_loaded_leaf_[static_cast<size_t>(question_.loads->pods(load))];
      largest = std::max(largest, leaf_kinds_->row(kind)[static_cast<size_t>(load)]);
    }
  }
  BuildSame();
}

// The most members of leaves where some stand, those and the load included.
std::vector<LeafKinds::Apart> Field::SpecialRows() const {
  const Loads& loads = *question_.loads;
  std::vector<LeafKinds::Apart> apart;
  for (const SpecialLeaf& special : question_.special) {
    LeafKinds::Apart& one = apart.emplace_back(LeafKinds::Apart{special.leaf, {}});
    for (int32_t load = 0; load < loads.count(); ++load) {
      const int32_t room = load == 0 ? special.room : loads.Room(special.leaf, load);
      one.row[static_cast<size_t>(load)] =
          room < 0 ? kFar : std::min(room + loads.pods(load) + special.stands, question_.members);
    }
  }
  return apart;
}

// So many more siblings that hold as many with each load.
void Field::AddMosts(std::span<const int32_t> child, int32_t many, MostSums& sums) const {
  const Loads& loads = *question_.loads;
  const auto gain = [&](int32_t load) {
    const int32_t most = child[static_cast<size_t>(load)];
    return most == kFar ? BestOfTwo::kNone : int64_t{most} - child.front();
  };
  sums.without += int64_t{child.front()} * many;
  CountWork(Work::kEntry, 3 * loads.count());
  for (int32_t load = 1; load < loads.count(); ++load) {
    const auto at = static_cast<size_t>(load);
    sums.alone[at] = std::max(sums.alone[at], gain(load));
    if (loads.pods(load) < 2) continue;
    static_assert(Loads::kMostPods == 2);  // one is load 1, the other one is the rest
    for (int32_t host = 0; host < std::min(many, 2); ++host)
      sums.parted[at].Add(gain(1), gain(load - 1));
  }
}

// What they hold together with the load; kFar: it does not fit.
int32_t Field::MostOf(const MostSums& sums, int32_t load) const {
  const auto at = static_cast<size_t>(load);
  const int64_t gain = load == 0 ? 0 : std::max(sums.alone[at], sums.parted[at].both);
  const int64_t most = std::min<int64_t>(sums.without + gain, question_.members);
  return most < 0 ? kFar : static_cast<int32_t>(most);
}

// Without rules below a domain takes all from what it has already to its most.
void Field::BuildLoadedPlain(int level, const std::vector<int32_t>& mosts) {
  const Loads& loads = *question_.loads;
  for (int32_t index = 0; index < Size(level); ++index) {
    int32_t stands = 0;
    CountWork(Work::kReach, loads.count());
    for (const SpecialLeaf& special : SpecialIn(level, index)) stands += special.stands;
    for (int32_t load = 1; load < loads.count(); ++load) {
      const int32_t most = mosts[index * loads.count() + load];
      if (most < 0) continue;
      Reach reach = Progression(stands + loads.pods(load), most, 1, false);
      if (level >= 0) reach = Own(reach, level, index);
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

bool Field::FitsBeyond(const Siblings& siblings, const Reach& reach) {
  const bool steps =
      siblings.step == 1 || (reach.lo % siblings.step == 0 && reach.hi % siblings.step == 0);
  return reach.set < 0 && reach.lo >= siblings.lo && steps &&
         (reach.lo == reach.hi || reach.step == siblings.step);
}

// One more child: [children in use where they are counted][load], the members of those so far.
void Field::AddLoadedChild(int level, int32_t child, const std::vector<CountSet>& from,
                           std::vector<CountSet>& to) const {
  const Loads& loads = *question_.loads;
  const int32_t parts = terms(level + 1).parts, count = loads.count();
  CountWork(Work::kReach, count);
  CountWork(Work::kEntry, int64_t{parts + 1} * count * count);
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

int64_t Field::LoadedSteps(int level, int32_t index) const {
  const Tree::Range range = Range(level, index);
  const int64_t count = question_.loads->count(), rows = int64_t{terms(level + 1).parts} + 1;
  return (range.end - range.begin) * rows * count * count * (question_.members / 64 + 1);
}

int64_t Field::LoadedBytes(int level, int64_t layers) const {
  const int64_t sets = (int64_t{terms(level + 1).parts} + 1) * question_.loads->count();
  return layers * sets * (question_.members / 8 + kSetBytes);
}

// A table over the children. Its steps are counted before they are done.
void Field::CombineLoads(int level, int32_t index) {
  const Loads& loads = *question_.loads;
  const int32_t parts = terms(level + 1).parts, count = loads.count();
  const Tree::Range range = Range(level, index);
  const int64_t cost = LoadedSteps(level, index);
  ended_ = cost > question_.most_steps - steps_ || LoadedBytes(level, 2) > kMostSumBytes;
  if (ended_) return;
  steps_ += cost;
  const CountSet none(question_.members);
  std::vector<CountSet> sums((parts + 1) * count, none), next;
  sums[0].Add(0);
  for (int32_t child = range.begin; child < range.end; ++child) {
    next.assign(sums.size(), none);
    CountWork(Work::kFind, std::ssize(sums));
    AddLoadedChild(level, child, sums, next);
    sums.swap(next);
  }
  for (int32_t load = 1; load < count; ++load) {
    Reach result = Normal(std::move(sums[parts * count + load]));
    if (level >= 0) result = Own(result, level, index);
    result.zero = false;
    loaded_[level + 1][Loaded(level, index, load) - Size(level)] = result;
  }
}

bool Field::PossibleWith(int level, int32_t index, std::span<const int32_t> loaded) const {
  const Tree::Range range = Range(level, index);
  CountWork(Work::kReach, range.end - range.begin);
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
  CountWork(Work::kReach, std::ssize(base.order));
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
  CountWork(Work::kReach, Range(level, index).end - Range(level, index).begin);
  for (int32_t child : base.odd)
    if (!is_in(taken, child)) arranged.odd.push_back(child);
  arranged.except = arranged.odd;
  arranged.except.insert(arranged.except.end(), taken.begin(), taken.end());
  std::sort(arranged.except.begin(), arranged.except.end());
  if (base.alike.order.empty()) {
    const Tree::Range range = Range(level, index);
    const std::vector<int32_t>& except = arranged.except;
    for (int32_t child = range.begin; child < range.end; ++child)
      if (Most(below, child) > 0 && !std::binary_search(except.begin(), except.end(), child))
        alike.push_back(child);
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
