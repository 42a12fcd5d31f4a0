#include "extender/server/listen_address.h"

#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

TEST_CASE("loopback addresses are taken") {
  for (const char* good : {"127.0.0.1", "127.0.0.2", "127.255.255.254", "::1", "localhost"}) {
    INFO(good);
    CHECK(CheckLoopback(good).ok());
  }
}

TEST_CASE("any other address is refused by name") {
  for (const char* bad : {"0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "126.255.255.255", "::2", "",
                          "127.1", "example", "::ffff:127.0.0.1", "127.0.0.1 "}) {
    INFO(bad);
    CHECK_FALSE(CheckLoopback(bad).ok());
  }
  CHECK(Message(CheckLoopback("0.0.0.0")) ==
        "address \"0.0.0.0\": the scheduler's calls are served on loopback only (127.0.0.0/8, ::1, "
        "localhost)");
}

}  // namespace
}  // namespace gangplan
