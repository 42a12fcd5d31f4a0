// Keeps a sink told of one kind of object: a list in pages, then a watch from its version on, again
// and again. A version that has expired (410, as an answer or in the stream) leads to a new list,
// of which the sink hears only the difference, and so does room for objects that were left out, at
// the end of a watch. So do two watches in a row in which the server had nothing to say, not even
// the bookmark of each minute: to one whose data were restored from an older copy our version is
// yet to come. Any other watch that ends goes on from its last version.
// The next page of a list is asked for while the last one is decoded.
// A page that leads back to itself ends the list, and one without an object is waited for.
// A kind that may be missing and is counts as an empty list, and is looked for each minute; one
// that was there when two lists in a row find it missing: a server that has just begun may not know
// it yet, nor who may read it.
// Failures wait, longer each time, with jitter, and as long as Retry-After says.
//
// Thread rule: Run and Step on one thread; LastSign from any. A page that is asked for ahead uses
// the transport on a thread of its own, which has ended before anybody else uses it.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "extender/kube/backoff.h"
#include "extender/kube/mirror.h"
#include "extender/kube/pages.h"
#include "extender/kube/pause.h"
#include "extender/kube/transport.h"
#include "extender/kube/watch_lines.h"
#include "topology/base/clock.h"

namespace gangplan {

struct ReflectorOptions {
  const Clock* clock = nullptr;
  Pause* pause = nullptr;
  Jitter* jitter = nullptr;
  absl::Duration list_read_timeout = absl::Seconds(30);
  // Longer than the minute between two bookmarks: a silence means a dead connection.
  absl::Duration watch_read_timeout = absl::Seconds(90);
  size_t max_line_bytes = kMaxWatchLineBytes;
  std::function<void(std::vector<ClusterEvent>)> deliver;  // never with no events
  std::function<void()> listed;                            // after the first whole list, once
  std::function<void()> bookmark;  // may be empty; at each of the watch, one a minute or so
  std::function<void(std::string_view)> warn;
};

class Reflector {
 public:
  Reflector(std::unique_ptr<Mirror> mirror, std::unique_ptr<Transport> transport,
            ReflectorOptions options);

  // Steps until the pause says stop.
  void Run();
  // One whole list, or one watch to its end, and the wait that its outcome asks for. False:
  // stopping.
  bool Step();
  // Ends the request under way. Any thread.
  void Interrupt() { transport_->Interrupt(); }
  // When the server was last heard: a page, that it watches, or what it says there; the time of
  // construction before that. Any thread.
  absl::Time LastSign() const;
  std::string_view plural() const { return mirror_->plural(); }  // of what it tells

 private:
  absl::Status List();
  void EndList();
  void NoteListed();
  void WaitNoLonger();
  bool Missing(const absl::Status& why);
  std::string PageTarget(const std::string& continue_token) const;
  absl::StatusOr<HttpResponse> Ask(const std::string& target);
  std::future<absl::StatusOr<HttpResponse>> AskAhead(const std::string& continue_token);
  absl::StatusOr<HttpResponse> AskPage(const std::string& continue_token,
                                       std::future<absl::StatusOr<HttpResponse>>& ahead);
  absl::StatusOr<std::string> TakePage(HttpResponse answer, std::string* version, bool* empty);
  absl::Status Watch();
  bool TakeChunk(std::string_view chunk);
  bool TakeLine(std::string& line, std::vector<ClusterEvent>* events);
  absl::Status EndOfWatch(const absl::StatusOr<HttpResponse>& answer);
  std::string Target(std::string_view query) const;
  std::string WatchTarget();
  void Deliver(std::vector<ClusterEvent> events);
  void Relist() { version_.clear(); }
  void Heard();
  void TellLeftOut();
  void WarnOf(std::string_view name, bool counts, const absl::Status& bad);
  void NoteSilence(bool watched, absl::Duration lasted);
  void Warn(const absl::Status& status);

  const std::unique_ptr<Mirror> mirror_;
  const std::unique_ptr<Transport> transport_;
  const ReflectorOptions options_;
  Backoff backoff_;
  std::atomic<int64_t> last_sign_ns_;

  std::string version_;  // empty: a list is due
  bool listed_ = false;
  bool there_ = false;  // the last list has found it
  int failed_ = 0;      // tries, since the first one that did
  absl::Time failed_since_ = absl::InfinitePast();
  int silent_watches_ = 0;  // in a row
  absl::Duration asked_wait_ = absl::ZeroDuration();
  PageSize page_size_{1};  // of the list under way

  // Of the minute under way: objects that cannot be read whole, each of which anybody may change
  // as often as it likes.
  absl::Time bad_since_ = absl::InfinitePast();
  int64_t bad_ = 0;

  // Of the watch under way.
  WatchLines lines_;
  bool progress_ = false;
  absl::Status watch_error_;
};

}  // namespace gangplan
