// How much of the processors' time readers of the aggregated API have, each and together.
#include "extender/api/reader_shares.h"

#include <string>

#include "extender/api/limits.h"
#include "fmt/format.h"
#include "tests/extender/kube/kube_fakes.h"
#include "tests/support/catch.h"
#include "topology/base/clock.h"

namespace gangplan::reader_shares_test {
namespace {

void Compute(absl::Duration time) {
  const absl::Time until = absl::UnixEpoch() + ThreadCpuTime() + time;
  while (absl::UnixEpoch() + ThreadCpuTime() < until) {
  }
}

struct World {
  // What it is told.
  int Read(const std::string& user, absl::Duration time = absl::ZeroDuration()) {
    last = shares.Serve({user}, [time] {
      Compute(time);
      return HttpReply{200, "read"};
    });
    return last.status;
  }
  FakeClock clock;
  ReaderShares shares{clock};
  HttpReply last;
};

TEST_CASE("ReaderShares: one reader's time is none of another's, and comes back") {
  World world;
  CHECK(world.Read("jane", 4 * kReaderShare) == 200);
  CHECK(world.Read("jane") == 429);
  CHECK(world.last.body.find(R"("reason":"TooManyRequests")") != std::string::npos);
  CHECK(world.last.body.find("of one reader: such calls have had 250ms of each second") !=
        std::string::npos);
  CHECK(world.last.headers ==
        std::vector<std::pair<std::string, std::string>>{{"Retry-After", "1"}});
  CHECK(world.Read("john", 6 * kReaderShare) == 200);  // two seconds' worth too much
  CHECK(world.Read("john") == 429);
  CHECK(world.last.headers.front().second == "3");
  world.clock.Advance(absl::Seconds(2));
  CHECK(world.Read("jane") == 200);
}

TEST_CASE("ReaderShares: the accounts of a namespace are one reader, and all have one share") {
  World world;
  CHECK(world.Read("system:serviceaccount:team:a", 4 * kReaderShare) == 200);
  CHECK(world.Read("system:serviceaccount:team:b") == 429);
  CHECK(world.Read("system:serviceaccount:other:a", 4 * kReaderShare) == 200);
  CHECK(world.Read("mary") == 200);  // who asks seldom is let in
  CHECK(world.Read("mary") == 429);
  CHECK(world.last.body.find("of all readers: such calls have had 500ms of each second") !=
        std::string::npos);
  world.clock.Advance(absl::Seconds(1));
  CHECK(world.Read("mary") == 200);
}

TEST_CASE("ReaderShares: of one reader so many calls are under way") {
  World world;
  std::function<HttpReply(int)> read = [&](int below) {
    return world.shares.Serve({"jane"}, [&] {
      return below == 0 ? HttpReply{200, ""} : read(below - 1);
    });
  };
  CHECK(read(kReaderCalls - 1).status == 200);
  CHECK(read(kReaderCalls).status == 429);
  CHECK(read(kReaderCalls - 1).status == 200);
}

TEST_CASE("ReaderShares: so many are told apart, and what a name has beyond its limit is not") {
  World world;
  for (size_t i = 0; i < kMaxReaders + 10; ++i) {
    world.clock.Advance(absl::Milliseconds(1));
    world.Read(fmt::format("user-{}", i));
  }
  CHECK(world.shares.size() == kMaxReaders);
  const std::string longest(kMaxReaderBytes, 'x');
  CHECK(world.Read(longest + "a", 4 * kReaderShare) == 200);
  CHECK(world.Read(longest + "b") == 429);
}

}  // namespace
}  // namespace gangplan::reader_shares_test
