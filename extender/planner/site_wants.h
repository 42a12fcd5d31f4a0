// How many pods the sites of a pod set still wait for, each for so many, and all together for no
// more than are to come: the last ones have less then. Thread rule: the planner's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace gangplan {

inline constexpr size_t kNoSite = std::numeric_limits<size_t>::max();

class SiteWants {
 public:
  // So many sites, which want nothing; each has changed.
  void Reset(size_t sites);
  // They are these of before, ascending, and new ones (kNoSite), which want nothing and have
  // changed.
  void Renumber(const std::vector<size_t>& from);
  // O(log sites).
  void Want(size_t site, int32_t pods);
  // All together have so many at the most. O(log sites) for each site of which that changes what it
  // has.
  void Limit(int64_t pods);
  void Touch(size_t site) { changed_.insert(site); }

  int32_t Of(size_t site) const { return sites_[site].want - sites_[site].less; }
  int64_t all() const { return wanted_ - cut_; }
  int64_t wanted() const { return wanted_; }  // by all, were there no limit
  // Sites of which it may have changed what they have, since they were taken last, or that were
  // touched: ascending.
  const std::set<size_t>& changed() const { return changed_; }
  std::set<size_t> TakeChanged() { return std::exchange(changed_, {}); }

 private:
  struct Site {
    int32_t want = 0;
    int32_t less = 0;  // than that it has
  };

  void SetLess(size_t site, int32_t less);

  std::vector<Site> sites_;
  std::set<size_t> wanting_;
  int64_t wanted_ = 0;  // by all
  int64_t cut_ = 0;     // they have less, all together
  // Those behind it have nothing, those before it all that they want.
  size_t border_ = 0;
  std::set<size_t> changed_;
};

}  // namespace gangplan
