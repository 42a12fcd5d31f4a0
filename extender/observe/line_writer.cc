#include "extender/observe/line_writer.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "topology/base/clock.h"

namespace gangplan {
namespace {

// How often a file that takes nothing is left for a look at whether all ends.
constexpr int kLookMs = 100;

// The thread takes no signal: whoever waits for one does so elsewhere.
std::thread WithoutSignals(std::function<void()> work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

LineWriter::LineWriter(int file, std::function<std::string(int64_t)> notice)
    : file_(file), notice_(std::move(notice)), thread_(WithoutSignals([this] { Loop(); })) {}

LineWriter::~LineWriter() {
  {
    MutexLock lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void LineWriter::Write(std::string_view line) {
  {
    MutexLock lock(mutex_);
    if (waiting_bytes_ + line.size() > kMaxWaitingLineBytes) {
      ++dropped_;
      ++untold_;
      return;
    }
    waiting_.emplace_back(line);
    waiting_bytes_ += line.size();
  }
  wake_.notify_one();
}

bool LineWriter::Flush(absl::Duration timeout) {
  const absl::Time until = SystemClock().Now() + timeout;
  MutexLock lock(mutex_);
  while (!waiting_.empty() || writing_) {
    const absl::Duration left = until - SystemClock().Now();
    if (left <= absl::ZeroDuration()) return false;
    written_.wait_for(mutex_, absl::ToChronoNanoseconds(left));
  }
  return true;
}

int64_t LineWriter::dropped() const {
  MutexLock lock(mutex_);
  return dropped_;
}

bool LineWriter::ending() const {
  MutexLock lock(mutex_);
  return ending_;
}

// All that waits is taken at once: what is dropped by then comes behind it.
void LineWriter::Loop() {
  MutexLock lock(mutex_);
  for (;;) {
    while (waiting_.empty() && !ending_) wake_.wait(mutex_);
    if (ending_) return;
    const std::deque<std::string> lines = std::exchange(waiting_, {});
    waiting_bytes_ = 0;
    const int64_t untold = std::exchange(untold_, 0);
    writing_ = true;
    mutex_.unlock();
    const int64_t lost = std::count_if(lines.begin(), lines.end(),
                                       [this](const std::string& line) { return !WriteOut(line); });
    const bool told = untold == 0 || WriteOut(notice_(untold));
    mutex_.lock();
    writing_ = false;
    dropped_ += lost;
    untold_ += lost + (told ? 0 : untold);
    written_.notify_all();
  }
}

// In pieces that a pipe with any room takes at once.
bool LineWriter::WriteOut(std::string_view line) {
  while (!line.empty()) {
    pollfd entry{file_, POLLOUT, 0};
    const int ready = ::poll(&entry, 1, kLookMs);
    if (ready <= 0) {
      if (ending()) return false;
      continue;
    }
    const ssize_t n = ::write(file_, line.data(), std::min<size_t>(line.size(), PIPE_BUF));
    if (n < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (n > 0) line.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace gangplan
