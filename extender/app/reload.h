// The configuration file, read again while it is in force, with the files that it names for
// topologies: on SIGHUP, and when its content is another one, or one of these was written. What may
// change does (config/changes.h), in one turn of the planner, so that no plan is lost; of the rest
// each key is told that it needs a restart. A file with a problem changes nothing, and is told; so
// is one that cannot be read, or is empty, for kUnreadLooks in a row: the next start would fail.
//
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "config/settings.h"

namespace gangplan {

// How often the file is looked at. A ConfigMap takes a minute to its pods.
inline constexpr absl::Duration kReloadLook = absl::Seconds(5);

// So many looks, a minute, it may take until a file that is written anew is there.
inline constexpr int kUnreadLooks = 12;

class Reload {
 public:
  // `in_force` was read from `path`, which may have changed since; `apply` is given all settings
  // when some of them change.
  Reload(std::string path, Settings in_force, std::function<void(const Settings&)> apply);

  // Reads it where its content is another one than the last time, and the same as a look before:
  // one that is not there, or is being written, is looked at again the next time.
  void Look();
  // Reads it now, and tells also that nothing has changed.
  void Read();

  const Settings& in_force() const { return in_force_; }

  // When a file was written last, and how large it is.
  using FileSign = std::pair<std::filesystem::file_time_type, uintmax_t>;

 private:
  void Take(const std::string& text, bool asked);
  // Counts looks that cannot read the file, by `why`; empty: this one can.
  void NoteUnread(std::string_view why);

  const std::string path_;
  Settings in_force_;
  const std::function<void(const Settings&)> apply_;
  // What there was, of itself and of the files that it names for topologies.
  struct State {
    std::string text;
    std::vector<FileSign> files;
    bool operator==(const State&) const = default;
  };
  State last_;                // when it was read last
  State seen_;                // at the last look
  std::string refused_;       // why what was read last is not used
  bool lacks_files_ = false;  // ... for files that it names, which may come or be mended later
  int unread_ = 0;            // looks in a row that could not read it, kUnreadLooks at most
};

}  // namespace gangplan
