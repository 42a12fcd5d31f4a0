#include "extender/planner/site_wants.h"

#include <algorithm>

namespace gangplan {

void SiteWants::Reset(size_t sites) {
  *this = {};
  sites_.resize(sites);
  border_ = sites;
  for (size_t i = 0; i < sites; ++i) changed_.insert(changed_.end(), i);
}

void SiteWants::Renumber(const std::vector<size_t>& from) {
  SiteWants next;
  next.sites_.resize(from.size());
  next.border_ = from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == kNoSite || changed_.contains(from[i]))
      next.changed_.insert(next.changed_.end(), i);
    if (from[i] == kNoSite) continue;
    const Site& own = next.sites_[i] = sites_[from[i]];
    next.wanted_ += own.want;
    next.cut_ += own.less;
    if (own.want > 0) next.wanting_.insert(next.wanting_.end(), i);
    if (from[i] >= border_) next.border_ = std::min(next.border_, i);
  }
  if (next.cut_ == 0) next.border_ = from.size();
  *this = std::move(next);
}

void SiteWants::SetLess(size_t site, int32_t less) {
  cut_ += less - sites_[site].less;
  sites_[site].less = less;
  changed_.insert(site);
}

void SiteWants::Want(size_t site, int32_t pods) {
  Site& own = sites_[site];
  if (own.want == pods) return;
  wanted_ += pods - own.want;
  own.want = pods;
  if (pods == 0) {
    wanting_.erase(site);
  } else {
    wanting_.insert(site);
  }
  SetLess(site, site > border_ ? pods : std::min(own.less, pods));
}

void SiteWants::Limit(int64_t pods) {
  const int64_t beyond = std::max<int64_t>(0, wanted_ - pods);
  while (cut_ < beyond) {
    if (border_ == sites_.size() || Of(border_) == 0) {
      border_ = *std::prev(wanting_.lower_bound(border_));  // some of those before it want more
      continue;
    }
    const auto more = static_cast<int32_t>(std::min<int64_t>(Of(border_), beyond - cut_));
    SetLess(border_, sites_[border_].less + more);
  }
  while (cut_ > beyond) {
    const int32_t less = sites_[border_].less;
    if (less == 0) {
      border_ = *wanting_.upper_bound(border_);  // some of those behind it have too little
      continue;
    }
    SetLess(border_, less - static_cast<int32_t>(std::min<int64_t>(less, cut_ - beyond)));
  }
  if (cut_ == 0) border_ = sites_.size();
}

}  // namespace gangplan
