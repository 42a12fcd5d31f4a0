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
#include "fmt/format.h"
#include "topology/base/clock.h"

namespace gangplan {
namespace {

constexpr size_t kReadAtOnce = size_t{16} << 10;
constexpr size_t kSendAtOnce = size_t{64} << 10;
// Reads before what they led to is sent.
constexpr int kReadsInTurn = 16;

}  // namespace

Http2Connection::Http2Connection(const Http2Shared& shared, ByteStream& bytes, int64_t connection)
    : shared_(shared),
      bytes_(bytes),
      connection_(connection),
      news_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      frames_(*this, shared.max_streams),
      idle_since_(SystemClock().Now()) {
  in_.resize(kReadAtOnce);
}

Http2Connection::~Http2Connection() { ::close(news_); }

void Http2Connection::Serve() {
  while (ReadSome()) {
    TakeReplies();
    EndLate();
    if (!SendAll() || frames_.IsOver() || !Await()) break;
  }
  SendAll();  // why it ends
  ::shutdown(bytes_.socket(), SHUT_RDWR);
  AwaitRoutes();
}

// False: the connection is over.
bool Http2Connection::ReadSome() {
  has_more_ = false;
  for (int i = 0; i < kReadsInTurn; ++i) {
    const ssize_t n = bytes_.Read(in_.data(), in_.size(), absl::InfinitePast());
    if (n == ByteStream::kTooSlow) return true;
    if (n < 0) return false;
    if (i == 0) came_ = SystemClock().Now() - AgeOfLastBytes(bytes_.socket());
    if (!frames_.Read({in_.data(), static_cast<size_t>(n)})) return false;
  }
  has_more_ = true;
  return true;
}

void Http2Connection::OnHead(int32_t stream, const RequestHead& head, bool too_long) {
  if (!bytes_.MayAsk()) {
    leaving_ = true;
    frames_.GoAway();
    return frames_.Reset(stream, true);
  }
  const std::optional<int64_t> entry = shared_.table.OpenCarried(connection_);
  if (!entry) {
    shared_.metrics.CountRefusedConnection();
    return frames_.Reset(stream, true);
  }
  Call& call = calls_[stream];
  call.entry = *entry;
  if (too_long) return Refuse(stream, FaultOf(WireFault::kHeadTooLong, 431));
  AdmittedRequest admission = shared_.desk.Look(head);
  if (admission.refusal) return Refuse(stream, *admission.refusal);
  call.route = admission.route;
  call.asked.path = head.path;
  call.asked.body.reserve(std::min(admission.body_bytes, kFreeBodyBytes));
  call.asked.connection.accepted = came_;
  SetDue(stream, call, SystemClock().Now() + shared_.limits.request);
}

// A length is only a claim: memory is taken as bytes come.
void Http2Connection::OnBody(int32_t stream, std::string_view bytes) {
  Call& call = calls_.at(stream);
  std::string& body = call.asked.body;
  const size_t before = body.size() > kFreeBodyBytes ? body.size() : 0;  // that count
  const size_t after = body.size() + bytes.size();
  if (after > kFreeBodyBytes && !shared_.table.KeepBytes(call.entry, after - before)) {
    return Refuse(stream, {503, fmt::format("the bodies of the calls under way have {} bytes, as "
                                            "many as they may have at once; try again",
                                            shared_.max_bodies_bytes)});
  }
  body.append(bytes);
}

void Http2Connection::OnWhole(int32_t stream) {
  Call& call = calls_.at(stream);
  SetDue(stream, call, absl::InfiniteFuture());
  RunRoute(stream, call);
}

void Http2Connection::RunRoute(int32_t stream, Call& call) {
  call.stage = Stage::kInRoute;
  call.asked.connection.id = shared_.table.BeginCall(call.entry);
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
  shared_.metrics.CountRefusedConnection();
  Post({stream, shared_.desk.Say({503, "there is no thread for this call; try again"})});
}

// The last thing that a call's thread does here.
void Http2Connection::Post(Ready ready) {
  const uint64_t one = 1;
  MutexLock lock(mutex_);
  ready_.push_back(std::move(ready));
  (void)!::write(news_, &one, sizeof(one));
  if (--running_ == 0) ended_.notify_all();
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
    shared_.table.EndRoute(call.entry);
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

void Http2Connection::OnEnd(int32_t stream, bool sent) {
  const auto it = calls_.find(stream);
  if (it == calls_.end()) return;
  Call& call = it->second;
  call.ended = true;
  SetDue(stream, call, absl::InfiniteFuture());
  if (!sent) shared_.table.Abandon(call.entry);
  if (call.stage != Stage::kInRoute) over_.push_back(stream);
}

// Its last byte is out, or there is nobody who takes it.
void Http2Connection::Forget(int32_t stream) {
  const auto node = calls_.extract(stream);
  shared_.table.EndRequest(node.mapped().entry);
  shared_.table.Close(node.mapped().entry);
  idle_since_ = SystemClock().Now();
}

void Http2Connection::SetDue(int32_t stream, Call& call, absl::Time due) {
  if (call.due != absl::InfiniteFuture()) dues_.erase({call.due, stream});
  call.due = due;
  if (due != absl::InfiniteFuture()) dues_.insert({due, stream});
}

// Those whose peer has not done its part in time.
void Http2Connection::EndLate() {
  const absl::Time now = SystemClock().Now();
  while (!dues_.empty() && dues_.begin()->first <= now) {
    const int32_t stream = dues_.begin()->second;
    Call& call = calls_.at(stream);
    if (call.stage == Stage::kArriving) {
      Refuse(stream, FaultOf(WireFault::kTooSlow, 408));
    } else {
      SetDue(stream, call, absl::InfiniteFuture());
      frames_.Reset(stream, false);
    }
  }
  const bool idle = calls_.empty() && idle_since_ + shared_.limits.keep_alive <= now;
  if (!idle || leaving_) return;
  leaving_ = true;
  frames_.GoAway();
}

// False: the peer does not take what it is sent.
bool Http2Connection::SendAll() {
  bool sent = true;
  while (sent && frames_.Take(out_, kSendAtOnce)) {
    const absl::Time all_until = SystemClock().Now() + shared_.limits.reply;
    for (std::string_view left = out_; sent && !left.empty();) {
      const absl::Time until = std::min(SystemClock().Now() + shared_.limits.write, all_until);
      const ssize_t n = bytes_.Write(left.data(), left.size(), until);
      sent = n > 0;
      if (sent) left.remove_prefix(static_cast<size_t>(n));
    }
    out_.clear();
  }
  for (const int32_t stream : over_) Forget(stream);
  over_.clear();
  return sent;
}

absl::Time Http2Connection::NextDue() const {
  const absl::Time idle =
      calls_.empty() ? idle_since_ + shared_.limits.keep_alive : absl::InfiniteFuture();
  return dues_.empty() ? idle : std::min(idle, dues_.begin()->first);
}

// False: nothing more is to be waited for.
bool Http2Connection::Await() {
  if (leaving_ && calls_.empty()) return false;
  if (has_more_) return true;
  const absl::Duration left = NextDue() - SystemClock().Now();
  const int64_t ms = absl::ToInt64Milliseconds(
      absl::Ceil(std::clamp(left, absl::ZeroDuration(), absl::Hours(1)), absl::Milliseconds(1)));
  std::array<pollfd, 2> entries{{{bytes_.socket(), POLLIN, 0}, {news_, POLLIN, 0}}};
  ::poll(entries.data(), entries.size(), static_cast<int>(ms));
  return true;
}

// Nobody is there any more who takes a reply.
void Http2Connection::AwaitRoutes() {
  {
    MutexLock lock(mutex_);
    while (running_ > 0) ended_.wait(mutex_);
    ready_.clear();
  }
  std::vector<int32_t> left;
  for (const auto& [stream, call] : calls_) left.push_back(stream);
  for (const int32_t stream : left) {
    if (calls_.at(stream).stage == Stage::kInRoute) shared_.table.EndRoute(calls_.at(stream).entry);
    Forget(stream);
  }
}

}  // namespace gangplan
