#include "extender/kube/watch_lines.h"

#include "topology/base/text.h"

namespace gangplan {

absl::Status WatchLines::Append(std::string_view chunk,
                                const std::function<bool(std::string&)>& on_line) {
  while (!chunk.empty()) {
    const size_t newline = chunk.find('\n');
    const std::string_view part = chunk.substr(0, newline);
    if (line_.size() + part.size() > max_line_bytes_) {
      return absl::ResourceExhaustedError(
          ToAbsl(fmt::format("a line of the watch is longer than {} bytes", max_line_bytes_)));
    }
    line_.append(part);
    if (newline == std::string_view::npos) return absl::OkStatus();
    chunk.remove_prefix(newline + 1);
    const bool more = line_.empty() || on_line(line_);
    line_.clear();
    if (!more) return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace gangplan
