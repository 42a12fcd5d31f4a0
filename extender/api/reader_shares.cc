#include "extender/api/reader_shares.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "absl/cleanup/cleanup.h"
#include "extender/api/limits.h"
#include "extender/api/status_object.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kServiceAccount = "system:serviceaccount:";

// "system:serviceaccount:NAMESPACE" of an account, else the name.
std::string ReaderOf(const User& user) {
  const std::string_view name = user.name;
  const bool account = name.starts_with(kServiceAccount);
  const size_t end = account ? name.find(':', kServiceAccount.size()) : name.size();
  return std::string(name.substr(0, std::min(end, kMaxReaderBytes)));
}

HttpReply WaitReply(std::string_view whose, std::string_view why, const LongCalls& calls) {
  HttpReply reply = PlainStatus(429, fmt::format("of {}: {}", whose, why));
  const int64_t seconds = absl::ToInt64Seconds(absl::Ceil(calls.Owed(), absl::Seconds(1)));
  reply.headers.emplace_back("Retry-After", fmt::format("{}", std::max<int64_t>(seconds, 1)));
  return reply;
}

}  // namespace

ReaderShares::ReaderShares(const Clock& clock)
    : clock_(clock), all_(std::numeric_limits<int>::max(), kReadersShare) {}

size_t ReaderShares::size() const {
  MutexLock lock(mutex_);
  return shares_.size();
}

// Beyond kMaxReaders the one that has not read for the longest begins anew. O(readers) then.
std::shared_ptr<LongCalls> ReaderShares::Of(const std::string& reader, absl::Time now) {
  MutexLock lock(mutex_);
  const auto [it, is_new] = shares_.try_emplace(reader);
  it->second.asked = now;
  if (!is_new) return it->second.calls;
  const auto calls = std::make_shared<LongCalls>(kReaderCalls, kReaderShare);
  it->second.calls = calls;
  if (shares_.size() > kMaxReaders) {
    shares_.erase(std::min_element(
        shares_.begin(), shares_.end(),
        [](const auto& a, const auto& b) { return a.second.asked < b.second.asked; }));
  }
  return calls;
}

HttpReply ReaderShares::Serve(const User& user, const std::function<HttpReply()>& serve) {
  const absl::Time now = clock_.Now();
  const std::string reader = ReaderOf(user);
  const std::shared_ptr<LongCalls> own = Of(reader, now);
  if (const std::string why = own->Begin(now); !why.empty())
    return WaitReply("one reader", why, *own);
  const absl::Cleanup end_own = [&] { own->End(); };
  if (const std::string why = all_.Begin(now, reader); !why.empty())
    return WaitReply("all readers", why, all_);
  const absl::Cleanup end_all = [&] { all_.End(reader); };
  const LongCalls::Spending of_own(*own);
  const LongCalls::Spending of_all(all_);
  return serve();
}

}  // namespace gangplan
