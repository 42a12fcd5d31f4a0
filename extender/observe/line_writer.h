// Lines on their way to a file that may take none: whoever writes one never waits for the file.
// Lines wait in memory up to a limit, a thread of its own writes them, and what is beyond is
// dropped and counted. When the file takes lines again, one of them tells how many are missing, at
// the place where they are.
//
// Invariants: lines keep their order. One of up to PIPE_BUF bytes is one write.
//
// Thread rule: any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "topology/base/mutex.h"

namespace gangplan {

// Beside those that are just being written, which are as many at most.
inline constexpr size_t kMaxWaitingLineBytes = size_t{512} << 10;

class LineWriter {
 public:
  // `file` is not owned. notice(n) is the line that tells of n dropped ones.
  LineWriter(int file, std::function<std::string(int64_t)> notice);
  // What is not written yet is dropped. REQUIRES: a file that is ready takes PIPE_BUF bytes.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  void Write(std::string_view line);
  // Waits until all that was to be written is; false when `timeout` passed before.
  bool Flush(absl::Duration timeout);
  // Lines, since the start: there was no room for them, or the file did not take them.
  int64_t dropped() const;

 private:
  void Loop();
  bool WriteOut(std::string_view line);
  bool ending() const;

  const int file_;
  const std::function<std::string(int64_t)> notice_;
  mutable Mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable_any written_;
  std::deque<std::string> waiting_ ABSL_GUARDED_BY(mutex_);
  size_t waiting_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t dropped_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t untold_ ABSL_GUARDED_BY(mutex_) = 0;  // of these
  std::thread thread_;
};

}  // namespace gangplan
