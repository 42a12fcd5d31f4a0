// Leases: who leads, and until when.
#include <string>
#include <string_view>

#include "extender/protocol/limits.h"
#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::lease_test {
namespace {

std::string LeaseWith(std::string_view spec) {
  return fmt::format(
      R"({{"metadata":{{"name":"sched","namespace":"kube","resourceVersion":"7"}},"spec":{{{}}}}})",
      spec);
}

absl::StatusOr<WatchEvent> Watched(std::string_view spec) {
  std::string text = fmt::format(R"({{"type":"MODIFIED","object":{}}})", LeaseWith(spec));
  return DecodeWatchEvent(text, "Lease");
}

TEST_CASE("Lease: read the same from a list and a watch") {
  constexpr std::string_view kSpec =
      R"("holderIdentity":"host-1_8f","leaseDurationSeconds":15,"acquireTime":"x",)"
      R"("renewTime":"2026-05-01T10:00:00.250000Z","leaseTransitions":3)";
  std::string text = fmt::format(R"({{"kind":"LeaseList","items":[{}]}})", LeaseWith(kSpec));
  const absl::StatusOr<ObjectList> list = DecodeList(text, "Lease");
  REQUIRE(ErrorOf(list) == "");
  REQUIRE(list->leases.size() == 1);
  const LeaseFacts& lease = list->leases[0];
  CHECK(lease == LeaseFacts{"kube", "sched", "host-1_8f", absl::FromUnixMillis(1'777'629'600'250),
                            absl::Seconds(15)});
  const absl::StatusOr<WatchEvent> event = Watched(kSpec);
  REQUIRE(ErrorOf(event) == "");
  CHECK(event->lease == lease);
}

TEST_CASE("Lease: one that nobody holds, or that says nothing of its time, is long over") {
  for (const std::string spec :
       {"", R"("holderIdentity":null,"renewTime":null)",
        R"("holderIdentity":"","renewTime":"soon","leaseDurationSeconds":-1)"}) {
    const absl::StatusOr<WatchEvent> event = Watched(spec);
    REQUIRE(ErrorOf(event) == "");
    CHECK(event->lease ==
          LeaseFacts{"kube", "sched", "", absl::InfinitePast(), absl::ZeroDuration()});
  }
}

TEST_CASE("Lease: the name of a holder has a limit") {
  const auto held = [](size_t bytes) {
    return Watched(fmt::format(R"("holderIdentity":"{}")", std::string(bytes, 'h')));
  };
  CHECK(held(kMaxHolderBytes)->bad.ok());
  CHECK_FALSE(held(kMaxHolderBytes + 1)->bad.ok());
}

}  // namespace
}  // namespace gangplan::lease_test
