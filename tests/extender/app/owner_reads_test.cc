#include "extender/app/owner_reads.h"

#include <thread>

#include "extender/app/limits.h"
#include "tests/support/catch.h"

namespace gangplan::owner_reads_test {
namespace {

TEST_CASE("OwnerReads: what has arrived is waited for no more") {
  OwnerReads reads;
  const int64_t seen = reads.count();
  reads.Arrived();
  CHECK(reads.Await(seen, absl::ZeroDuration()));
  CHECK_FALSE(reads.Await(reads.count(), absl::ZeroDuration()));
}

TEST_CASE("OwnerReads: a wait ends with the next read") {
  OwnerReads reads;
  const int64_t seen = reads.count();
  std::thread reader([&] { reads.Arrived(); });
  while (!reads.Await(seen, kOwnerPatience)) {
  }
  reader.join();
  CHECK(reads.count() == seen + 1);
}

// However many wait, whoever makes the owners: the scheduler is kept no longer than that.
TEST_CASE("OwnerReads: all waits of a second have a share of it") {
  OwnerReads reads;
  const absl::Duration most = kOwnerWaitsASecond * 0.6;
  CHECK_FALSE(reads.Await(0, most));
  CHECK_FALSE(reads.Await(0, most));
  CHECK_FALSE(reads.Await(0, absl::Hours(1)));  // there is nothing left of the second
}

}  // namespace
}  // namespace gangplan::owner_reads_test
