#include "extender/app/call_limits.h"

#include "config/limits.h"
#include "extender/kube/limits.h"
#include "extender/server/limits.h"
#include "tests/support/catch.h"

namespace gangplan::call_limits_test {
namespace {

ServerSettings Wanted(int connections, int held) {
  ServerSettings wanted;
  wanted.max_connections = connections;
  wanted.max_held_calls = held;
  return wanted;
}

using Limits = std::pair<int, int>;
Limits LimitsOf(const ServerSettings& server) {
  return {server.max_connections, server.max_held_calls};
}

TEST_CASE("A gang of 10,000 can be held by default") {
  const ServerSettings standard;
  CHECK(standard.max_held_calls >= 10'000);
  CHECK(standard.max_held_calls == MostHeldCalls(standard.max_connections));
  CHECK(LimitsOf(Fitted(standard, {1 << 20, 1 << 20})) == LimitsOf(standard));
}

TEST_CASE("Held calls leave connections for the other calls") {
  CHECK(MostHeldCalls(10'000) == 10'000 - kKeptConnections);
  CHECK(MostHeldCalls(2 * kKeptConnections) == kKeptConnections);
  CHECK(MostHeldCalls(100) == 50);
  CHECK(MostHeldCalls(1) == 1);
}

TEST_CASE("The Bindings of all calls that may be held can wait for a connection at once") {
  CHECK(kMaxQueuedBindings >= static_cast<size_t>(kMaxConnectionsLimit));
  CHECK(kMaxDoubtfulPosts >= static_cast<size_t>(kMaxConnectionsLimit));
}

TEST_CASE("Connections and held calls stay within open files and threads") {
  const ServerSettings wanted = Wanted(1'000, 700);
  const int enough = 1'000 + kReservedDescriptors;
  CHECK(LimitsOf(Fitted(wanted, {enough, enough})) == Limits(1'000, 700));
  CHECK(LimitsOf(Fitted(wanted, {enough - 1, enough})) == Limits(999, 700));
  CHECK(LimitsOf(Fitted(wanted, {enough, enough - 1})) == Limits(999, 700));
  CHECK(LimitsOf(Fitted(wanted, {enough - 44, enough})) == Limits(956, 700));
  CHECK(LimitsOf(Fitted(wanted, {enough - 45, enough})) == Limits(955, 699));
  CHECK(LimitsOf(Fitted(wanted, {10, 10})) == Limits(1, 1));
}

}  // namespace
}  // namespace gangplan::call_limits_test
