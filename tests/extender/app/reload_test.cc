#include "extender/app/reload.h"

#include <unistd.h>

#include <string>
#include <vector>

#include "config/reader.h"
#include "scratch_file.h"
#include "standard_error.h"
#include "tests/support/catch.h"

namespace gangplan::reload_test {
namespace {

std::string Whole(const std::string& rest) {
  return "apiVersion: gangplan.io/v1alpha1\nkind: ExtenderConfiguration\n" + rest;
}

struct Bench {
  explicit Bench(const std::string& rest) : file(Whole(rest)) {}
  ScratchFile file;
  std::vector<Settings> applied;
};

TEST_CASE("Reload: what may change does, the rest is told by its key") {
  StandardError log;
  Bench bench("server: {port: 0}\n");
  Settings settings;
  settings.server.port = 0;
  Reload reload(bench.file.path(), settings,
                [&](const Settings& now) { bench.applied.push_back(now); });
  reload.Look();
  CHECK(bench.applied.empty());
  CHECK(log.Take().empty());
  bench.file.Write(Whole("server: {port: 7}\nqueue: {mode: strict}\ngang: {gatherTimeout: 7m}\n"));
  reload.Look();
  REQUIRE(bench.applied.size() == 1);
  CHECK(bench.applied[0].queue_mode == QueueOrder::kStrict);
  CHECK(bench.applied[0].gang.gather_timeout == absl::Minutes(7));
  CHECK(bench.applied[0].server.port == 0);
  const std::string told = log.Take();
  CHECK(CountIn(told, "server.port: needs a restart") == 1);
  CHECK(CountIn(told, R"("changed":"gang.gatherTimeout, queue.mode")") == 1);
  reload.Look();
  CHECK(log.Take().empty());  // nothing is new
}

TEST_CASE("Reload: a broken file, and one that is gone, change nothing and are told") {
  StandardError log;
  Bench bench("");
  Reload reload(bench.file.path(), Settings(),
                [&](const Settings& now) { bench.applied.push_back(now); });
  bench.file.Write(Whole("queue: {mode: strickt}\n"));
  reload.Look();
  std::string told = log.Take();
  CHECK(CountIn(told, "the one before stays in force") == 1);
  CHECK(CountIn(told, "queue.mode") == 1);
  reload.Look();
  CHECK(log.Take().empty());  // it was told
  unlink(bench.file.path().c_str());
  reload.Look();
  CHECK(log.Take().empty());  // it may be written just now
  reload.Read();
  CHECK(CountIn(log.Take(), "the one before stays in force") == 1);
  CHECK(bench.applied.empty());
  CHECK(reload.in_force().queue_mode == QueueOrder::kGreedy);
}

TEST_CASE("Reload: who asks for it is answered also where nothing has changed") {
  StandardError log;
  Bench bench("");
  Reload reload(bench.file.path(), Settings(), [&](const Settings&) { FAIL(); });
  reload.Read();
  CHECK(CountIn(log.Take(), R"("changed":"")") == 1);
}

TEST_CASE("Reload: a topology's file is read again when it is written, also by itself") {
  StandardError log;
  ScratchFile rings("SwitchName=x Nodes=n1\n");
  Bench bench("topologies: [{name: rings, source: slurm, file: " + rings.path() + "}]\n");
  Settings settings = *ReadSettings(
      Whole("topologies: [{name: rings, source: slurm, file: " + rings.path() + "}]\n"), "x");
  REQUIRE(ReadTopologyFiles(settings).ok());
  Reload reload(bench.file.path(), settings,
                [&](const Settings& now) { bench.applied.push_back(now); });
  reload.Look();
  CHECK(bench.applied.empty());
  rings.Write("SwitchName=x Nodes=n[1-2]\n");
  reload.Look();
  REQUIRE(bench.applied.size() == 1);
  CHECK(bench.applied[0].topologies[0].paths->nodes.size() == 2);
  rings.Write("SwitchName=x Nodes=n[1-\n");
  reload.Look();
  CHECK(bench.applied.size() == 1);
  CHECK(CountIn(log.Take(), ":1: Nodes: n[1-: a ] expected behind each [") == 1);
  reload.Look();
  CHECK(log.Take().empty());  // it was told
}

}  // namespace
}  // namespace gangplan::reload_test
