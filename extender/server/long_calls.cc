#include "extender/server/long_calls.h"

#include <algorithm>

#include "extender/server/limits.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr int kSavedSeconds = 4;
constexpr absl::Duration kSeldom = absl::Seconds(1);

}  // namespace

LongCalls::LongCalls(int most, absl::Duration share)
    : most_(most), share_(share), left_(kSavedSeconds * share) {}

// Beyond kMaxLongPeers nobody new counts as one who asks seldom.
bool LongCalls::AsksSeldom(absl::Time now, const std::string& peer) const {
  if (peer.empty()) return false;
  const auto it = peers_.find(peer);
  if (it == peers_.end()) return peers_.size() < kMaxLongPeers;
  return it->second.under_way == 0 && now - it->second.let_in >= kSeldom;
}

void LongCalls::NotePeer(absl::Time now, const std::string& peer) {
  if (peer.empty() || (peers_.size() >= kMaxLongPeers && !peers_.contains(peer))) return;
  Peer& known = peers_[peer];
  ++known.under_way;
  known.let_in = now;
}

// O(peers), now and then.
void LongCalls::ForgetPeers(absl::Time now) {
  if (now - forgot_ < kSeldom) return;
  forgot_ = now;
  std::erase_if(peers_, [now](const auto& one) {
    return one.second.under_way == 0 && now - one.second.let_in >= kSeldom;
  });
}

std::string LongCalls::Begin(absl::Time now, const std::string& peer) {
  MutexLock lock(mutex_);
  ForgetPeers(now);
  const bool seldom = AsksSeldom(now, peer);
  if (under_way_ >= (seldom ? int64_t{2} * most_ : most_)) {
    return fmt::format("{} such calls are under way, as many as may be at once; try again", most_);
  }
  Fill(now);
  if (left_ <= (seldom ? -kSavedSeconds * share_ : absl::ZeroDuration())) {
    return fmt::format("such calls have had {} of each second, as much as they may; try again",
                       absl::FormatDuration(share_));
  }
  ++under_way_;
  NotePeer(now, peer);
  return {};
}

void LongCalls::End(const std::string& peer) {
  MutexLock lock(mutex_);
  --under_way_;
  const auto it = peers_.find(peer);
  if (it != peers_.end() && it->second.under_way > 0) --it->second.under_way;
}

absl::Duration LongCalls::Owed() const {
  MutexLock lock(mutex_);
  if (left_ > absl::ZeroDuration()) return absl::ZeroDuration();
  return absl::Seconds(absl::FDivDuration(-left_, share_));
}

void LongCalls::NoteSpent(absl::Duration time) {
  MutexLock lock(mutex_);
  left_ -= time;
}

void LongCalls::Fill(absl::Time now) {
  if (share_ == absl::InfiniteDuration()) return;
  now = std::max(now, filled_);
  const absl::Duration since = now - filled_;
  left_ = std::min(left_ + absl::ToDoubleSeconds(since) * share_, kSavedSeconds * share_);
  filled_ = now;
}

}  // namespace gangplan
