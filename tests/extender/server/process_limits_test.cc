#include "extender/server/process_limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "tests/support/catch.h"

namespace gangplan::process_limits_test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("the soft limit on open files becomes the hard one") {
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  rlimit low = limit;
  low.rlim_cur = std::min<rlim_t>(limit.rlim_max, 256);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &low) == 0);
  const ProcessLimits raised = RaiseProcessLimits();
  CHECK(static_cast<rlim_t>(raised.descriptors) == limit.rlim_max);
  CHECK(raised.threads > 0);
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(limit.rlim_cur == limit.rlim_max);
}

TEST_CASE("the tightest limit on threads of a cgroup and those above it holds") {
  const std::string mount = (fs::temp_directory_path() / "gangplan-cgroup-test").string();
  fs::remove_all(mount);
  fs::create_directories(mount + "/a/b");
  const auto write = [&](const std::string& folder, const char* text) {
    std::ofstream(mount + folder + "/pids.max") << text << "\n";
  };
  const int none = std::numeric_limits<int>::max();
  CHECK(LeastPidsMax(mount, "/a/b") == none);
  write("/a/b", "max");
  CHECK(LeastPidsMax(mount, "/a/b") == none);
  write("/a/b", "4096");
  CHECK(LeastPidsMax(mount, "/a/b") == 4096);
  write("/a", "100");
  CHECK(LeastPidsMax(mount, "/a/b") == 100);
  write("", "99");
  CHECK(LeastPidsMax(mount, "/a/b") == 99);
  CHECK(LeastPidsMax(mount, "/") == 99);
  CHECK(LeastPidsMax(mount, "") == 99);
  fs::remove_all(mount);
}

}  // namespace
}  // namespace gangplan::process_limits_test
