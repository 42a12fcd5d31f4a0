#include "extender/app/reload.h"

#include <unistd.h>

#include <fstream>
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

// As often as it takes until what was written rests.
void LookTwice(Reload& reload) {
  reload.Look();
  reload.Look();
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
  LookTwice(reload);
  CHECK(bench.applied.empty());
  CHECK(log.Take().empty());
  bench.file.Write(Whole("server: {port: 7}\nqueue: {mode: strict}\ngang: {gatherTimeout: 7m}\n"));
  LookTwice(reload);
  REQUIRE(bench.applied.size() == 1);
  CHECK(bench.applied[0].queue_mode == QueueOrder::kStrict);
  CHECK(bench.applied[0].gang.gather_timeout == absl::Minutes(7));
  CHECK(bench.applied[0].server.port == 0);
  const std::string told = log.Take();
  CHECK(CountIn(told, "server.port: needs a restart") == 1);
  CHECK(CountIn(told, R"("changed":"gang.gatherTimeout, queue.mode")") == 1);
  LookTwice(reload);
  CHECK(log.Take().empty());  // nothing is new
}

TEST_CASE("Reload: a broken file, and one that is gone, change nothing and are told") {
  StandardError log;
  Bench bench("");
  Reload reload(bench.file.path(), Settings(),
                [&](const Settings& now) { bench.applied.push_back(now); });
  bench.file.Write(Whole("queue: {mode: strickt}\n"));
  LookTwice(reload);
  std::string told = log.Take();
  CHECK(CountIn(told, "the one before stays in force") == 1);
  CHECK(CountIn(told, "queue.mode") == 1);
  LookTwice(reload);
  CHECK(log.Take().empty());  // it was told
  unlink(bench.file.path().c_str());
  LookTwice(reload);
  CHECK(log.Take().empty());  // it may be written just now
  reload.Read();
  CHECK(CountIn(log.Take(), "the one before stays in force") == 1);
  CHECK(bench.applied.empty());
  CHECK(reload.in_force().queue_mode == QueueOrder::kGreedy);
}

TEST_CASE("Reload: a file that cannot be read for a minute is told, once, and again when it can") {
  StandardError log;
  Bench bench("");
  Reload reload(bench.file.path(), Settings(),
                [&](const Settings& now) { bench.applied.push_back(now); });
  const auto look = [&](int times) {
    for (int i = 0; i < times; ++i) reload.Look();
  };
  const auto write = [&](const std::string& text) { std::ofstream(bench.file.path()) << text; };
  LookTwice(reload);
  const std::string unread = "the configuration cannot be read, the one before stays in force";
  unlink(bench.file.path().c_str());
  look(kUnreadLooks - 1);
  CHECK(log.Take().empty());  // it may be written just now
  write(Whole(""));
  look(1);
  unlink(bench.file.path().c_str());
  look(kUnreadLooks - 1);
  CHECK(log.Take().empty());
  look(1);
  std::string told = log.Take();
  CHECK(CountIn(told, unread) == 1);
  CHECK(CountIn(told, "No such file") == 1);
  write("");
  look(2 * kUnreadLooks);
  CHECK(log.Take().empty());  // it was told
  write(Whole("queue: {mode: strict}\n"));
  LookTwice(reload);
  CHECK(CountIn(log.Take(), "the configuration can be read again") == 1);
  CHECK(bench.applied.size() == 1);
  write("");
  look(kUnreadLooks);
  CHECK(CountIn(log.Take(), ": empty") == 1);
  write(std::string((size_t{1} << 20) + 1, '#'));
  LookTwice(reload);
  CHECK(log.Take().empty());
  write(Whole("queue: {mode: strict}\n"));
  LookTwice(reload);
  log.Take();
  write(std::string((size_t{1} << 20) + 1, '#'));
  look(kUnreadLooks);
  told = log.Take();
  CHECK(CountIn(told, unread) == 1);
  CHECK(CountIn(told, "larger than 1048576 bytes") == 1);
  CHECK(bench.applied.size() == 1);
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
  LookTwice(reload);
  CHECK(bench.applied.empty());
  rings.Write("SwitchName=x Nodes=n[1-2]\n");
  LookTwice(reload);
  REQUIRE(bench.applied.size() == 1);
  CHECK(bench.applied[0].topologies[0].paths->nodes.size() == 2);
  rings.Write("SwitchName=x Nodes=n[1-\n");
  LookTwice(reload);
  CHECK(bench.applied.size() == 1);
  CHECK(CountIn(log.Take(), ":1: Nodes: n[1-: a ] expected behind each [") == 1);
  LookTwice(reload);
  CHECK(log.Take().empty());  // it was told
}

TEST_CASE("Reload: a file that is not there yet is looked for, and the rest taken with it") {
  StandardError log;
  Bench bench("");
  ScratchFile tree("SwitchName=s0 Nodes=n[0-3]\n");
  const std::string path = tree.path() + ".later";
  Reload reload(bench.file.path(), Settings(),
                [&](const Settings& now) { bench.applied.push_back(now); });
  bench.file.Write(Whole("topologies: [{name: rings, source: slurm, file: " + path +
                         "}]\nqueue: {mode: strict}\n"));
  LookTwice(reload);
  LookTwice(reload);
  CHECK(bench.applied.empty());
  CHECK(CountIn(log.Take(), "the one before stays in force") == 1);
  std::ofstream(path) << "SwitchName=s0 Nodes=n[0-3]\n";
  LookTwice(reload);
  unlink(path.c_str());
  REQUIRE(bench.applied.size() == 1);
  CHECK(bench.applied[0].queue_mode == QueueOrder::kStrict);
  CHECK(CountIn(log.Take(), "topologies: needs a restart") == 1);
}

TEST_CASE("Reload: a file that is just being written is taken when it rests") {
  StandardError log;
  ScratchFile rings("SwitchName=x Nodes=n1\n");
  const std::string text =
      Whole("topologies: [{name: rings, source: slurm, file: " + rings.path() + "}]\n");
  Bench bench("");
  bench.file.Write(text);
  Settings settings = *ReadSettings(text, "x");
  REQUIRE(ReadTopologyFiles(settings).ok());
  Reload reload(bench.file.path(), settings,
                [&](const Settings& now) { bench.applied.push_back(now); });
  LookTwice(reload);
  rings.Write("SwitchName=x Nodes=n[1-2]\n");
  reload.Look();
  rings.Write("SwitchName=x Nodes=n[1-2]\nSwitchName=y Nodes=n[3-4]\nSwitchName=z Switches=x,y\n");
  reload.Look();
  CHECK(bench.applied.empty());
  reload.Look();
  REQUIRE(bench.applied.size() == 1);
  CHECK(bench.applied[0].topologies[0].paths->nodes.size() == 4);
  bench.file.Write(text + "queue: {mode: strict}\n");
  reload.Look();
  CHECK(bench.applied.size() == 1);
  reload.Read();  // who asks is not kept waiting
  CHECK(bench.applied.size() == 2);
}

}  // namespace
}  // namespace gangplan::reload_test
