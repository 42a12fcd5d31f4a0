#include "extender/server/process_limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "topology/base/decimal.h"

namespace gangplan {
namespace {

constexpr int kNoLimit = std::numeric_limits<int>::max();

// RLIMIT_NOFILE, RLIMIT_NPROC; their type differs between libraries.
template <typename Resource>
int Raise(Resource resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return 0;
  rlimit raised = limit;
  raised.rlim_cur = limit.rlim_max;
  if (setrlimit(resource, &raised) == 0) limit = raised;
  return static_cast<int>(std::min<rlim_t>(limit.rlim_cur, kNoLimit));
}

int PidsMax(const std::string& folder) {
  std::ifstream file(folder + "/pids.max");
  std::string text;
  std::getline(file, text);
  return ReadDecimal<int>(text).value_or(kNoLimit);  // "max", or no such file
}

// "0::/a/b" is the line of cgroup v2, "8:pids:/a/b" that of v1.
int PidsMaxOfProcess() {
  int least = kNoLimit;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t path = std::min(line.find('/'), line.size());
    const std::string_view hierarchy = std::string_view(line).substr(0, path);
    const bool first = hierarchy.ends_with(":pids:");
    if (!first && hierarchy != "0::") continue;
    const std::string mount = first ? "/sys/fs/cgroup/pids" : "/sys/fs/cgroup";
    least = std::min(least, LeastPidsMax(mount, line.substr(path)));
  }
  return least;
}

}  // namespace

int LeastPidsMax(const std::string& mount, std::string_view path) {
  int least = PidsMax(mount);
  for (size_t end = path.size(); end != std::string_view::npos && end > 0;
       end = path.rfind('/', end - 1)) {
    least = std::min(least, PidsMax(mount + std::string(path.substr(0, end))));
  }
  return least;
}

ProcessLimits RaiseProcessLimits() {
  return {Raise(RLIMIT_NOFILE), std::min(Raise(RLIMIT_NPROC), PidsMaxOfProcess())};
}

}  // namespace gangplan
