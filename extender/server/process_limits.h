// How many open files and threads this process may have: a connection takes one of each.
// Process-wide; call while starting.
#pragma once

#include <string>
#include <string_view>

namespace gangplan {

struct ProcessLimits {
  int descriptors = 0;
  int threads = 0;
};

// Raises the soft limits to the hard ones and returns what holds now, by limits of the process and
// by its cgroup.
ProcessLimits RaiseProcessLimits();

// The least pids.max of the cgroup at `path` ("/a/b") and of those above it, under `mount`; the
// largest int where nothing limits them.
int LeastPidsMax(const std::string& mount, std::string_view path);

}  // namespace gangplan
