// A watch's bytes, in chunks as the network brings them, to whole lines of bounded length.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "extender/kube/limits.h"

namespace gangplan {

// One thread.
class WatchLines {
 public:
  explicit WatchLines(size_t max_line_bytes = kMaxWatchLineBytes)
      : max_line_bytes_(max_line_bytes) {}

  // Calls `on_line` for each line that `chunk` completes, without its newline; empty lines are
  // skipped. The line may be changed by its receiver; false from it ends the call.
  // ResourceExhausted once a line, whole or not, is longer than allowed.
  absl::Status Append(std::string_view chunk, const std::function<bool(std::string&)>& on_line);
  // Forgets a line that was begun: a new stream starts.
  void Clear() { line_.clear(); }

 private:
  const size_t max_line_bytes_;
  std::string line_;
};

}  // namespace gangplan
