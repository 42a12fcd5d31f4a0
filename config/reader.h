// The configuration file: YAML text in, typed settings or placed errors out. Unknown, repeated and
// ill-typed keys are errors; so are values that contradict each other. Stateless; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "config/settings.h"

namespace gangplan {

// Keys that are absent keep the defaults of Settings. An error holds one line a problem,
// "FILE:LINE: KEY: what was expected", in the order of the file.
absl::StatusOr<Settings> ReadSettings(std::string_view text, std::string_view file_name);

// The same for a file on disk, which is read up to its size limit only, and with what the files say
// that it names for topologies.
absl::StatusOr<Settings> ReadSettingsFile(const std::string& path);

// Reads these files. The error names the file, the line and what was expected.
absl::Status ReadTopologyFiles(Settings& settings);

// The path of every key that a file may hold, in alphabetical order; list elements are "[]":
// "topologies[].levels[].label".
std::vector<std::string> SettingKeys();

}  // namespace gangplan
