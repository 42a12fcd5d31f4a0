#include "extender/app/page_feed.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "extender/app/limits.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

// Changes longer than this are compared with the whole, which may be shorter.
constexpr size_t kLongChanges = size_t{64} << 10;

std::shared_ptr<const std::string> Event(std::string_view name, std::string_view json) {
  return std::make_shared<const std::string>(fmt::format("event: {}\ndata: {}\n\n", name, json));
}

}  // namespace

PublishedPage::PublishedPage(PageState state, const PublishedPage* before, std::string tree_json)
    : state_(std::move(state)) {
  const bool same_tree = before != nullptr && before->state_.tree == state_.tree;
  tree_json_ =
      same_tree ? before->tree_json_ : std::make_shared<const std::string>(std::move(tree_json));
  if (!same_tree) return;
  before_ = before->state_.generation;
  const std::string changes = PageChangesJson(before->state_, state_);
  if (changes.size() < kLongChanges || changes.size() < state_json().size())
    changes_ = Event("changes", changes);
}

const std::string& PublishedPage::state_json() const {
  std::call_once(made_, [this] { state_json_ = PageStateJson(state_); });
  return state_json_;
}

std::shared_ptr<const std::string> PublishedPage::EventFor(int64_t seen) const {
  if (seen == state_.generation) return nullptr;
  if (seen != 0 && seen == before_ && changes_ != nullptr) return changes_;
  return Event("state", state_json());
}

// Its descriptor is readable when there is a state that it was not sent.
class PageFeed::Follower : public EventStream {
 public:
  explicit Follower(PageFeed& feed) : feed_(feed), news_(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)) {
    MutexLock lock(feed_.mutex_);
    feed_.followers_.insert(this);
    feed_.wake_.notify_all();
  }
  ~Follower() override {
    {
      MutexLock lock(feed_.mutex_);
      feed_.followers_.erase(this);
    }
    ::close(news_);
  }

  std::shared_ptr<const std::string> Take() override {
    uint64_t rung = 0;
    (void)!::read(news_, &rung, sizeof(rung));
    std::shared_ptr<const PublishedPage> latest;
    {
      MutexLock lock(feed_.mutex_);
      latest = feed_.published_;
    }
    return latest->EventFor(std::exchange(seen_, latest->state().generation));
  }
  int news() const override { return news_; }

  void Ring() {
    const uint64_t one = 1;
    (void)!::write(news_, &one, sizeof(one));
  }

 private:
  PageFeed& feed_;
  const int news_;
  int64_t seen_ = 0;
};

PageFeed::PageFeed(LockedPlanner& planner, const Clock& clock)
    : clock_(clock), reader_(planner, clock) {}

void PageFeed::Start() {
  thread_ = std::thread([this] { Loop(); });
}

void PageFeed::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::shared_ptr<const PublishedPage> PageFeed::Latest() {
  MutexLock reading(read_mutex_);
  {
    MutexLock lock(mutex_);
    if (published_ != nullptr && (clock_.Now() < next_reading_ || stopping_)) return published_;
  }
  const absl::Duration start = ThreadCpuTime();
  Publish(reader_.Read());
  const absl::Duration pause = std::max(kPageEvery, (ThreadCpuTime() - start) * kPagePart);
  MutexLock lock(mutex_);
  ++readings_;
  next_reading_ = clock_.Now() + pause;
  return published_;
}

void PageFeed::Publish(PageState state) {
  std::shared_ptr<const PublishedPage> before;
  {
    MutexLock lock(mutex_);
    before = published_;
  }
  if (before != nullptr && !Differ(before->state(), state)) return;
  const bool new_tree = before == nullptr || before->state().tree != state.tree;
  auto page = std::make_shared<const PublishedPage>(std::move(state), before.get(),
                                                    new_tree ? reader_.TreeJson() : std::string());
  MutexLock lock(mutex_);
  published_ = std::move(page);
  for (Follower* follower : followers_) follower->Ring();
}

std::shared_ptr<EventStream> PageFeed::Follow() {
  Latest();
  return std::make_shared<Follower>(*this);
}

int64_t PageFeed::readings() const {
  MutexLock lock(mutex_);
  return readings_;
}

// Until the next state is due for somebody; false: it ends.
bool PageFeed::WaitForFollowers() {
  MutexLock lock(mutex_);
  while (!stopping_) {
    const absl::Duration left = next_reading_ - clock_.Now();
    if (followers_.empty()) {
      wake_.wait(mutex_);
    } else if (left > absl::ZeroDuration()) {
      wake_.wait_for(mutex_, absl::ToChronoMilliseconds(absl::Ceil(left, absl::Milliseconds(1))));
    } else {
      return true;
    }
  }
  return false;
}

void PageFeed::Loop() {
  while (WaitForFollowers()) Latest();
}

}  // namespace gangplan
