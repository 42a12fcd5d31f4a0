#include "extender/server/descriptor_limit.h"

#include <sys/resource.h>

#include <algorithm>

#include "tests/support/catch.h"

namespace gangplan {
namespace {

TEST_CASE("the soft limit on open files becomes the hard one") {
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  rlimit low = limit;
  low.rlim_cur = std::min<rlim_t>(limit.rlim_max, 256);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &low) == 0);
  CHECK(static_cast<rlim_t>(RaiseDescriptorLimit()) == limit.rlim_max);
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(limit.rlim_cur == limit.rlim_max);
}

}  // namespace
}  // namespace gangplan
