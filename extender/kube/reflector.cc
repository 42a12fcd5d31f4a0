#include "extender/kube/reflector.h"

#include <algorithm>
#include <future>
#include <system_error>
#include <utility>

#include "extender/kube/answers.h"
#include "extender/kube/resource_path.h"
#include "extender/protocol/list_head.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr absl::Duration kFirstFailureWait = absl::Milliseconds(200);
constexpr absl::Duration kLongestFailureWait = absl::Seconds(30);
// A watch that ends sooner, with nothing said, counts as a failure; and only a watch that was none
// ends a row of failures. So a server that lists well and refuses every watch is not listed in a
// hot loop.
constexpr absl::Duration kShortestWatch = absl::Seconds(1);

// A kind that is not served is looked for again.
constexpr absl::Duration kMissingFor = absl::Minutes(1);

bool IsMissing(const absl::Status& status) {
  return absl::IsNotFound(status) || absl::IsPermissionDenied(status);
}

// A watch that lasts so long and brings no line, where a bookmark is due each minute, shows
// nothing; one may be an accident.
constexpr int kSilentWatches = 2;

// Objects that cannot be read whole: so many are told in a minute, of the others how many they are.
constexpr absl::Duration kBadTime = absl::Minutes(1);
constexpr int64_t kMostBadTold = 20;

constexpr absl::Duration kLeastWatchTime = absl::Minutes(5);
constexpr absl::Duration kMostWatchTime = absl::Minutes(10);

}  // namespace

Reflector::Reflector(std::unique_ptr<Mirror> mirror, std::unique_ptr<Transport> transport,
                     ReflectorOptions options)
    : mirror_(std::move(mirror)),
      transport_(std::move(transport)),
      options_(std::move(options)),
      backoff_(kFirstFailureWait, kLongestFailureWait, options_.jitter),
      last_sign_ns_(absl::ToUnixNanos(options_.clock->Now())),
      lines_(options_.max_line_bytes) {}

void Reflector::Run() {
  while (Step()) {
  }
}

bool Reflector::Step() {
  asked_wait_ = absl::ZeroDuration();
  const bool lists = version_.empty();
  absl::Status status = lists ? List() : Watch();
  const bool missing = mirror_->may_be_missing() && version_.empty() && IsMissing(status);
  if (missing && !lists) return options_.pause->For(backoff_.Next());
  if (missing) return Missing(status);
  if (absl::IsNotFound(status)) status = mirror_->NotServed(status);
  if (absl::IsCancelled(status)) return false;
  if (status.ok()) return options_.pause->For(absl::ZeroDuration());
  if (!mirror_->is_awaited()) WaitNoLonger();
  Warn(status);
  return options_.pause->For(std::max(backoff_.Next(), std::min(asked_wait_, kMaxRetryAfter)));
}

absl::Status Reflector::List() {
  mirror_->BeginList();
  page_size_ = PageSize(mirror_->page_items());
  std::string version;
  std::string token;
  std::future<absl::StatusOr<HttpResponse>> ahead;
  for (int page = 0;; ++page) {
    if (page == kMaxListPages) {
      return absl::ResourceExhaustedError(
          ToAbsl(fmt::format("the list has more than {} pages", kMaxListPages)));
    }
    GANGPLAN_ASSIGN_OR_RETURN(HttpResponse answer, AskPage(token, ahead));
    asked_wait_ = answer.retry_after;
    GANGPLAN_RETURN_IF_ERROR(AnswerStatus(answer, "list"));
    Heard();
    const std::string next = PeekContinue(answer.body);
    if (!next.empty() && next == token)
      return Invalid("the list leads back to the page that it continues");
    if (!next.empty()) ahead = AskAhead(next);
    bool empty = false;
    GANGPLAN_ASSIGN_OR_RETURN(token, TakePage(std::move(answer), &version, &empty));
    if (token.empty()) break;
    if (empty && !options_.pause->For(backoff_.Next())) return absl::CancelledError("stopping");
    if (token != next && ahead.valid()) ahead.get().IgnoreError();
  }
  if (version.empty()) return Invalid("the list has no resourceVersion");
  EndList();
  there_ = true;
  version_ = std::move(version);
  return absl::OkStatus();
}

void Reflector::EndList() {
  std::vector<ClusterEvent> deletes;
  mirror_->EndList(&deletes);
  Deliver(std::move(deletes));
  NoteListed();
}

// Whoever waits for the first list waits no longer.
void Reflector::NoteListed() {
  if (!std::exchange(listed_, true) && options_.listed) options_.listed();
}

// Another try failed of what nobody has to wait for. One alone may be an accident.
void Reflector::WaitNoLonger() {
  const absl::Time now = options_.clock->Now();
  if (failed_++ == 0) failed_since_ = now;
  if (failed_ >= kUnawaitedTries || now - failed_since_ >= kUnawaitedFor) NoteListed();
}

// As an empty list, that there is none is no failure; that nobody may see it is told.
bool Reflector::Missing(const absl::Status& why) {
  Heard();
  if (!std::exchange(there_, false)) {
    mirror_->BeginList();
    EndList();
  }
  if (absl::IsPermissionDenied(why)) Warn(why);
  return options_.pause->For(options_.jitter->Between(kMissingFor / 2, kMissingFor));
}

std::string Reflector::PageTarget(const std::string& continue_token) const {
  std::string target = Target(fmt::format("limit={}", page_size_.items()));
  if (!continue_token.empty()) target += fmt::format("&continue={}", PercentEncode(continue_token));
  return target;
}

absl::StatusOr<HttpResponse> Reflector::Ask(const std::string& target) {
  return transport_->Send({.target = target, .read_timeout = options_.list_read_timeout});
}

// Nothing where no more threads are to be had: the page is asked for when it is its turn.
std::future<absl::StatusOr<HttpResponse>> Reflector::AskAhead(const std::string& continue_token) {
  try {
    return std::async(std::launch::async, &Reflector::Ask, this, PageTarget(continue_token));
  } catch (const std::system_error&) {
    return {};
  }
}

absl::StatusOr<HttpResponse> Reflector::AskPage(const std::string& continue_token,
                                                std::future<absl::StatusOr<HttpResponse>>& ahead) {
  auto answer = ahead.valid() ? ahead.get() : Ask(PageTarget(continue_token));
  while (absl::IsResourceExhausted(answer.status()) && page_size_.Halve())
    answer = Ask(PageTarget(continue_token));
  page_size_.Grow();
  return answer;
}

// Delivers it; the token of the next one, empty after the last.
absl::StatusOr<std::string> Reflector::TakePage(HttpResponse answer, std::string* version,
                                                bool* empty) {
  GANGPLAN_ASSIGN_OR_RETURN(ObjectList list, DecodeList(answer.body, mirror_->kind()));
  *empty = list.empty();
  for (const BadItem& item : list.bad) WarnOf(item.name, item.counts, item.status);
  *version = list.resource_version;
  std::string next = list.continue_token;
  std::vector<ClusterEvent> events;
  const absl::Status added = mirror_->AddPage(std::move(list), &events);
  Deliver(std::move(events));
  GANGPLAN_RETURN_IF_ERROR(added);
  TellLeftOut();
  return next;
}

// The mirror's own words, and then this request's.
std::string Reflector::Target(std::string_view query) const {
  std::string selected;
  if (!mirror_->label().empty())
    selected = fmt::format("labelSelector={}&", PercentEncode(mirror_->label()));
  if (!mirror_->name().empty())
    selected += fmt::format("fieldSelector=metadata.name%3D{}&", PercentEncode(mirror_->name()));
  return fmt::format("{}?{}{}", mirror_->path(), selected, query);
}

std::string Reflector::WatchTarget() {
  const absl::Duration time = options_.jitter->Between(kLeastWatchTime, kMostWatchTime);
  return Target(fmt::format("watch=1&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={}",
                            PercentEncode(version_), absl::ToInt64Seconds(time)));
}

absl::Status Reflector::Watch() {
  lines_.Clear();
  progress_ = false;
  watch_error_ = absl::OkStatus();
  const absl::Time opened = options_.clock->Now();
  bool watched = false;
  const auto answer =
      transport_->Stream({.target = WatchTarget(),
                          .read_timeout = options_.watch_read_timeout,
                          .answered =
                              [&] {
                                watched = true;
                                Heard();
                              }},
                         [this](std::string_view chunk) { return TakeChunk(chunk); });
  const absl::Duration lasted = options_.clock->Now() - opened;
  const bool useful = progress_ || lasted >= kShortestWatch;
  if (useful) backoff_.Reset();
  if (useful && mirror_->WantsList()) Relist();
  NoteSilence(watched, lasted);
  const absl::Status end = EndOfWatch(answer);
  if (end.ok() && !useful) return absl::UnavailableError("the watch ended at once");
  // A lost connection and an expired version are how long watches end: no reason to wait.
  const bool usual = absl::IsUnknown(end) || absl::IsOutOfRange(end);
  return usual && useful ? absl::OkStatus() : end;
}

void Reflector::NoteSilence(bool watched, absl::Duration lasted) {
  if (progress_) silent_watches_ = 0;
  if (progress_ || !watched || lasted < options_.watch_read_timeout) return;
  if (++silent_watches_ < kSilentWatches) return;
  silent_watches_ = 0;
  Relist();
}

// Why the watch ended; decides whether its version can still be used.
absl::Status Reflector::EndOfWatch(const absl::StatusOr<HttpResponse>& answer) {
  if (!watch_error_.ok()) {
    Relist();
    return watch_error_;
  }
  if (!answer.ok()) return answer.status();
  asked_wait_ = answer->retry_after;
  const bool useless = answer->status == 410 || answer->status == 400 || answer->status == 404;
  if (useless) Relist();
  return AnswerStatus(*answer, "watch");
}

bool Reflector::TakeChunk(std::string_view chunk) {
  Heard();
  std::vector<ClusterEvent> events;
  const absl::Status status =
      lines_.Append(chunk, [&](std::string& line) { return TakeLine(line, &events); });
  watch_error_.Update(status);
  Deliver(std::move(events));
  return watch_error_.ok();
}

bool Reflector::TakeLine(std::string& line, std::vector<ClusterEvent>* events) {
  auto event = DecodeWatchEvent(line, mirror_->kind());
  if (!event.ok()) {
    watch_error_ = event.status();
    return false;
  }
  if (event->type == WatchEvent::Type::kError) {
    const auto code =
        event->error_code == 410 ? absl::StatusCode::kOutOfRange : absl::StatusCode::kInternal;
    watch_error_ = absl::Status(
        code, ToAbsl(fmt::format("watch: {} {}", event->error_code, event->error_message)));
    return false;
  }
  progress_ = true;
  if (!event->resource_version.empty()) version_ = event->resource_version;
  if (event->type == WatchEvent::Type::kBookmark) {
    if (options_.bookmark) options_.bookmark();
    return true;
  }
  if (!event->bad.ok()) WarnOf(event->name, !event->pod.fault.empty(), event->bad);
  watch_error_ = mirror_->Apply(*std::move(event), events);
  TellLeftOut();
  return watch_error_.ok();
}

void Reflector::Deliver(std::vector<ClusterEvent> events) {
  if (!events.empty()) options_.deliver(std::move(events));
}

void Reflector::Heard() { last_sign_ns_ = absl::ToUnixNanos(options_.clock->Now()); }

absl::Time Reflector::LastSign() const { return absl::FromUnixNanos(last_sign_ns_); }

void Reflector::TellLeftOut() {
  for (const std::string& warning : mirror_->TakeWarnings())
    Warn(absl::ResourceExhaustedError(ToAbsl(warning)));
}

void Reflector::WarnOf(std::string_view name, bool counts, const absl::Status& bad) {
  const absl::Time now = options_.clock->Now();
  const int64_t untold = std::max<int64_t>(bad_ - kMostBadTold, 0);
  const bool anew = now - bad_since_ >= kBadTime;
  if (anew) bad_since_ = now;
  bad_ = anew ? 1 : bad_ + 1;
  if (bad_ > kMostBadTold) return;
  std::string text = fmt::format("{} {} {}: {}", mirror_->kind(), name,
                                 counts ? "counts on its node and joins no group" : "is not used",
                                 ToStd(bad.message()));
  if (anew && untold > 0) text += fmt::format("; {} more before it were not told", untold);
  options_.warn(text);
}

void Reflector::Warn(const absl::Status& status) {
  std::string text = fmt::format("{}: {}", mirror_->plural(), ToStd(status.message()));
  if (absl::IsPermissionDenied(status) && !mirror_->rights().empty())
    text += fmt::format("; the rights that are needed: {}", mirror_->rights());
  options_.warn(text);
}

}  // namespace gangplan
