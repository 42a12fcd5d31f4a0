#include "extender/server/http2_connection.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "extender/server/limits.h"
#include "topology/base/clock.h"

namespace gangplan {
namespace {

constexpr size_t kReadAtOnce = size_t{16} << 10;
constexpr size_t kSendAtOnce = size_t{64} << 10;
constexpr size_t kMostUnsent = size_t{256} << 10;
// Reads before what they led to is sent.
constexpr int kReadsInTurn = 16;

}  // namespace

Http2Connection::Http2Connection(const Http2Shared& shared, ByteStream& bytes, int64_t connection)
    : shared_(shared),
      bytes_(bytes),
      connection_(connection),
      news_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      frames_(*this, shared.max_streams),
      taken_(SystemClock().Now()),
      empty_(taken_),
      came_(taken_),
      idle_since_(taken_) {
  in_.resize(kReadAtOnce);
}

Http2Connection::~Http2Connection() { ::close(news_); }

void Http2Connection::Serve() {
  if (news_ < 0) return;
  while (ReadSome()) {
    TakeReplies();
    if (!EndLate() || !SendSome() || frames_.IsOver() || !Await()) break;
  }
  frames_.Take(out_, out_.size() + kSendAtOnce);  // why it ends
  Write(SystemClock().Now() + shared_.limits.linger);
  ::shutdown(bytes_.socket(), SHUT_RDWR);
  AwaitRoutes();
}

// False: the connection is over.
bool Http2Connection::ReadSome() {
  if (frames_.IsBehind()) {
    slept_ = false;  // what comes lies there
    return true;
  }
  for (int i = 0; i < kReadsInTurn; ++i) {
    const ssize_t n = bytes_.Read(in_.data(), in_.size(), absl::InfinitePast());
    if (n == ByteStream::kTooSlow) {
      empty_ = SystemClock().Now();
      slept_ = false;
      return true;
    }
    if (n < 0) return false;
    // What comes while nobody waits for it may have lain there since there was nothing.
    if (i == 0) came_ = slept_ ? SystemClock().Now() - AgeOfLastBytes(bytes_.socket()) : empty_;
    if (!frames_.Read({in_.data(), static_cast<size_t>(n)})) return false;
  }
  has_more_ = true;
  slept_ = false;
  return true;
}

void Http2Connection::OnHead(int32_t stream, const RequestHead& head, bool too_long) {
  if (leaving_ || !bytes_.MayAsk()) {
    if (!std::exchange(leaving_, true)) frames_.GoAway();
    return frames_.Reset(stream, true);
  }
  Call& call = calls_[stream];
  if (too_long) return Refuse(stream, FaultOf(WireFault::kHeadTooLong, 431));
  AdmittedRequest admission = shared_.desk.Look(head);
  if (admission.refusal) return Refuse(stream, *admission.refusal);
  call.route = admission.route;
  call.body_bytes = admission.body_bytes;
  call.asked.path = head.path;
  call.asked.connection.accepted = came_;
  SetDue(stream, call, SystemClock().Now() + shared_.limits.request);
}

// A length is only a claim: memory is taken as bytes come.
void Http2Connection::OnBody(int32_t stream, std::string_view bytes) {
  Call& call = calls_.at(stream);
  if (call.body_bytes > kFreeBodyBytes) {
    call.kept_bytes += bytes.size();
    if (!shared_.table.KeepBytes(connection_, bytes.size()))
      return Refuse(stream, TooManyBodies(shared_.max_bodies_bytes));
  }
  if (call.asked.body.empty()) call.asked.body.reserve(call.body_bytes);
  call.asked.body.append(bytes);
}

void Http2Connection::OnWhole(int32_t stream) {
  Call& call = calls_.at(stream);
  call.stage = Stage::kWhole;
  SetDue(stream, call, absl::InfiniteFuture());
  whole_.push_back(stream);
}

// Those that have come whole, unless they have ended since.
void Http2Connection::BeginWhole() {
  for (const int32_t stream : std::exchange(whole_, {})) {
    const auto it = calls_.find(stream);
    if (it != calls_.end() && !it->second.ended) RunRoute(stream, it->second);
  }
}

void Http2Connection::RunRoute(int32_t stream, Call& call) {
  call.entry = shared_.table.OpenCarried(connection_);
  if (!call.entry) return RefuseUntouched(stream);
  call.stage = Stage::kInRoute;
  call.asked.connection.id = shared_.table.BeginCall(*call.entry);
  {
    MutexLock lock(mutex_);
    ++running_;
  }
  const auto asked = std::make_shared<HttpCall>(std::move(call.asked));
  const auto run = [this, stream, asked, route = call.route] {
    LongCalls* counted = nullptr;
    try {
      Post({stream, shared_.desk.Ask(*route, *asked, {}, counted)});
    } catch (...) {
      Post({stream, shared_.desk.Thrown(std::current_exception())});
    }
  };
  if (shared_.workers.Run(run)) return;
  RefuseUntouched(stream);
  Post({stream, {}});
}

// There is no place for its call, and nothing of it was done.
void Http2Connection::RefuseUntouched(int32_t stream) {
  shared_.metrics.CountRefusedConnection();
  frames_.Reset(stream, true);
  has_more_ = true;
}

// The last thing that a call's thread does here.
void Http2Connection::Post(Ready ready) {
  const uint64_t one = 1;
  MutexLock lock(mutex_);
  ready_.push_back(std::move(ready));
  (void)!::write(news_, &one, sizeof(one));
  if (--running_ == 0) all_ended_.notify_all();
}

void Http2Connection::TakeReplies() {
  uint64_t count = 0;
  (void)!::read(news_, &count, sizeof(count));
  std::vector<Ready> ready;
  {
    MutexLock lock(mutex_);
    ready.swap(ready_);
  }
  for (Ready& one : ready) {
    Call& call = calls_.at(one.stream);
    shared_.table.EndRoute(*call.entry);
    call.stage = Stage::kReplying;
    if (call.ended) {
      Forget(one.stream);
    } else {
      Answer(one.stream, std::move(one.reply));
    }
  }
}

void Http2Connection::Refuse(int32_t stream, const Refused& refused) {
  Answer(stream, shared_.desk.Say(refused));
}

void Http2Connection::Answer(int32_t stream, HttpReply reply) {
  Call& call = calls_.at(stream);
  call.stage = Stage::kReplying;
  SetDue(stream, call, SystemClock().Now() + shared_.limits.reply);
  frames_.Reply(stream, std::move(reply));
}

// Of one with all of its reply the last bytes are still to go out, in the time that it has.
void Http2Connection::OnEnd(int32_t stream, bool sent) {
  const auto it = calls_.find(stream);
  if (it == calls_.end()) return;
  Call& call = it->second;
  call.ended = true;
  if (sent) return ended_now_.push_back(stream);
  SetDue(stream, call, absl::InfiniteFuture());
  if (call.stage != Stage::kInRoute) return Forget(stream);
  shared_.table.Abandon(*call.entry);
}

void Http2Connection::Forget(int32_t stream) {
  Call& call = calls_.at(stream);
  SetDue(stream, call, absl::InfiniteFuture());
  if (call.kept_bytes > 0) shared_.table.DropBytes(connection_, call.kept_bytes);
  if (call.entry) {
    shared_.table.EndRequest(*call.entry);
    shared_.table.Close(*call.entry);
  }
  calls_.erase(stream);
  idle_since_ = SystemClock().Now();
}

void Http2Connection::SetDue(int32_t stream, Call& call, absl::Time due) {
  if (call.due != absl::InfiniteFuture()) dues_.erase({call.due, stream});
  call.due = due;
  if (due != absl::InfiniteFuture()) dues_.insert({due, stream});
}

// Those whose peer has not done its part in time. False: the connection is over.
bool Http2Connection::EndLate() {
  const absl::Time now = SystemClock().Now();
  while (!dues_.empty() && dues_.begin()->first <= now) {
    const int32_t stream = dues_.begin()->second;
    Call& call = calls_.at(stream);
    if (call.ended) return false;  // its last bytes lie here
    if (call.stage == Stage::kArriving) {
      Refuse(stream, FaultOf(WireFault::kTooSlow, 408));
    } else {
      SetDue(stream, call, absl::InfiniteFuture());
      frames_.Reset(stream, false);
    }
  }
  const bool idle = calls_.empty() && idle_since_ + shared_.limits.keep_alive <= now;
  if (idle && !std::exchange(leaving_, true)) frames_.GoAway();
  return unsent() == 0 || now < taken_ + shared_.limits.write;
}

// What the peer takes now. Calls begin when nothing that ends their streams is left to be sent.
// False: it is gone.
bool Http2Connection::SendSome() {
  if (unsent() == 0) taken_ = SystemClock().Now();
  if (unsent() >= kMostUnsent) {
    has_more_ = true;
  } else {
    const size_t before = out_.size();
    const bool settled = frames_.Take(out_, before + kSendAtOnce);
    has_more_ |= out_.size() >= before + kSendAtOnce;
    for (const int32_t stream : std::exchange(ended_now_, {}))
      over_.push_back({stream, out_sent_ + unsent()});
    if (settled) BeginWhole();
  }
  if (!Write(absl::InfinitePast())) return false;
  while (!over_.empty() && over_.front().out <= out_sent_) {
    Forget(over_.front().stream);
    over_.pop_front();
  }
  return true;
}

// What is taken by the deadline. False: the peer is gone.
bool Http2Connection::Write(absl::Time deadline) {
  while (unsent() > 0) {
    const ssize_t n = bytes_.Write(out_.data() + out_begin_, unsent(), deadline);
    if (n == ByteStream::kTooSlow) break;
    if (n < 0) return false;
    out_begin_ += static_cast<size_t>(n);
    out_sent_ += static_cast<size_t>(n);
    taken_ = SystemClock().Now();
  }
  if (unsent() == 0 || out_begin_ >= kMostUnsent) out_.erase(0, std::exchange(out_begin_, 0));
  return true;
}

absl::Time Http2Connection::NextDue() const {
  absl::Time next = unsent() > 0 ? taken_ + shared_.limits.write : absl::InfiniteFuture();
  if (calls_.empty() && !leaving_) next = std::min(next, idle_since_ + shared_.limits.keep_alive);
  return dues_.empty() ? next : std::min(next, dues_.begin()->first);
}

// False: nothing more is to be waited for.
bool Http2Connection::Await() {
  if (leaving_ && calls_.empty() && unsent() == 0) return false;
  if (has_more_ && unsent() < kMostUnsent) {
    has_more_ = false;
    return true;
  }
  const absl::Duration left = NextDue() - SystemClock().Now();
  const int64_t ms = absl::ToInt64Milliseconds(
      absl::Ceil(std::clamp(left, absl::ZeroDuration(), absl::Hours(1)), absl::Milliseconds(1)));
  const short reads = frames_.IsBehind() ? 0 : POLLIN;
  const short events = static_cast<short>(unsent() > 0 ? reads | POLLOUT : reads);
  std::array<pollfd, 2> entries{{{bytes_.socket(), events, 0}, {news_, POLLIN, 0}}};
  const absl::Time before = SystemClock().Now();
  ::poll(entries.data(), entries.size(), static_cast<int>(ms));
  slept_ = SystemClock().Now() - before >= absl::Milliseconds(1);
  return true;
}

// Nobody is there any more who takes a reply.
void Http2Connection::AwaitRoutes() {
  {
    MutexLock lock(mutex_);
    while (running_ > 0) all_ended_.wait(mutex_);
    ready_.clear();
  }
  std::vector<int32_t> left;
  for (const auto& [stream, call] : calls_) left.push_back(stream);
  for (const int32_t stream : left) {
    if (calls_.at(stream).stage == Stage::kInRoute)
      shared_.table.EndRoute(*calls_.at(stream).entry);
    Forget(stream);
  }
}

}  // namespace gangplan
