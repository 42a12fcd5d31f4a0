#include "extender/app/end_watch.h"

#include <utility>

#include "topology/base/clock.h"

namespace gangplan {
namespace {

constexpr timespec kStep = {0, 50'000'000};

}  // namespace

EndWatch::EndWatch(const sigset_t& signals, absl::Duration patience,
                   std::function<void(std::string_view)> end)
    : signals_(signals), end_(std::move(end)) {
  thread_ = std::thread([this, patience] { Loop(patience); });
}

EndWatch::~EndWatch() {
  ended_ = true;
  begun_.release();
  thread_.join();
}

void EndWatch::Loop(absl::Duration patience) {
  begun_.acquire();
  const absl::Time until = SystemClock().Now() + patience;
  while (!ended_) {
    if (sigtimedwait(&signals_, nullptr, &kStep) > 0) return end_("it was told to end once more");
    if (SystemClock().Now() >= until) return end_("something in it does not end");
  }
}

}  // namespace gangplan
