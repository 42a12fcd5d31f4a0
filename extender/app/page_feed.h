// What the page shows, published for all who look at it: read from the planner at most twice a
// second, and so seldom that it takes a small part of its time, and only while somebody asks or
// follows. Who follows is sent the whole state first and then what changes; who was not ready for a
// change is sent the whole again, so that at most one state is kept for each.
//
// Thread rule: Start, then Stop, from one thread; the rest from any. Followers end before the feed.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "extender/app/locked_planner.h"
#include "extender/app/page_reader.h"
#include "extender/server/event_stream.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"

namespace gangplan {

// One state; never changed.
class PublishedPage {
 public:
  PublishedPage(PageState state, const PublishedPage* before, std::string tree_json);

  const PageState& state() const { return state_; }
  const std::string& tree_json() const { return *tree_json_; }
  const std::string& state_json() const;  // made when it is first asked for
  // The event for a follower who has that generation, 0 for none.
  std::shared_ptr<const std::string> EventFor(int64_t seen) const;

 private:
  const PageState state_;
  std::shared_ptr<const std::string> tree_json_;
  int64_t before_ = 0;                          // the generation that changes_ is about
  std::shared_ptr<const std::string> changes_;  // null: the whole is no longer
  mutable std::once_flag made_;
  mutable std::string state_json_;
};

class PageFeed {
 public:
  // Both outlive the feed.
  PageFeed(LockedPlanner& planner, const Clock& clock);
  ~PageFeed() { Stop(); }

  void Start();
  void Stop();  // Followers hear nothing more. Safe to call again.

  // Not older than the time between two states.
  std::shared_ptr<const PublishedPage> Latest();
  std::shared_ptr<EventStream> Follow();
  // States that were read from the planner so far.
  int64_t readings() const;

 private:
  class Follower;

  void Publish(PageState state) ABSL_EXCLUSIVE_LOCKS_REQUIRED(read_mutex_);
  bool WaitForFollowers();
  void Loop();

  const Clock& clock_;
  Mutex read_mutex_;  // held over a reading; before mutex_
  PageReader reader_ ABSL_GUARDED_BY(read_mutex_);
  mutable Mutex mutex_;
  std::condition_variable_any wake_;
  std::shared_ptr<const PublishedPage> published_ ABSL_GUARDED_BY(mutex_);
  absl::Time next_reading_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  int64_t readings_ ABSL_GUARDED_BY(mutex_) = 0;
  std::set<Follower*> followers_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace gangplan
