// `gangplan plan`, `capacity` and `drain` on a cluster that is read from its API server: they say
// what they say of a saved one.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "extender/cli/commands.h"
#include "tests/extender/cli/told.h"
#include "tests/extender/kube/scratch_file.h"
#include "tests/extender/server/echo_server.h"
#include "topology/base/clock.h"
#include "topology/base/text.h"

namespace gangplan::live_cluster_test {
namespace {

// `maintenance`: of both; empty: none.
std::string Nodes(std::string_view maintenance = "") {
  std::string items;
  for (int i = 0; i < 2; ++i) {
    items += fmt::format(
        R"({2}{{"kind":"Node","metadata":{{"name":"n{0}","labels":{{"example.com/block":"b",)"
        R"("example.com/rack":"r{1}","kubernetes.io/hostname":"n{0}"}},"annotations":{{{3}}}}},)"
        R"("status":{{"allocatable":{{"cpu":"8","pods":"9","nvidia.com/gpu":"8"}},)"
        R"("conditions":[{{"type":"Ready","status":"True"}}]}}}})",
        i, i, i == 0 ? "" : ",",
        maintenance.empty() ? "" : fmt::format(R"("gangplan.io/maintenance":"{}")", maintenance));
  }
  return items;
}
std::string Pods() {
  return R"({"kind":"Pod","metadata":{"name":"run","namespace":"ml","uid":"u","annotations":)"
         R"({"gangplan.io/place":"rack=pack!","gangplan.io/group":"run","gangplan.io/size":"1"}},)"
         R"("spec":{"schedulerName":"gangplan","nodeName":"n1","containers":[{"name":"c",)"
         R"("resources":{"limits":{"nvidia.com/gpu":"8"}}}]},"status":{"phase":"Running"}})";
}

Routes ApiRoutes(const std::string& nodes = Nodes()) {
  const auto list = [](std::string items) {
    return [items = std::move(items)](HttpCall&) {
      return HttpReply{200, R"({"metadata":{"resourceVersion":"7"},"items":[)" + items + "]}"};
    };
  };
  return {{"GET", "/api/v1/nodes", false, list(nodes)},
          {"GET", "/api/v1/pods", false, list(Pods())}};
}

TEST_CASE("plan, capacity and drain of a live cluster say what they say of its snapshot") {
  const TestServer api({}, ApiRoutes());
  const std::string url = fmt::format("http://127.0.0.1:{}", api.server->port());
  const ScratchFile snapshot(fmt::format(R"({{"kind":"List","items":[{},{}]}})", Nodes(), Pods()));
  const std::string job = GANGPLAN_SOURCE_DIR "/examples/mpijob.yaml";
  const std::vector<std::vector<std::string_view>> asked = {
      {"plan", "-f", job}, {"capacity"}, {"drain", "n1", "--dry-run"}};
  for (const std::vector<std::string_view>& words : asked) {
    INFO(words[0]);
    std::vector<std::string_view> live = words, saved = words;
    live.insert(live.end(), {"--server", url});
    saved.insert(saved.end(), {"--snapshot", snapshot.path()});
    const Told said = RunOf(AllCommands(), live);
    CHECK(said == RunOf(AllCommands(), saved));
    CHECK(said.code == kExitDone);
    CHECK(said.err == "");
  }
}

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A folder for snapshots of a server of its own.
struct Snapshots {
  Snapshots() { REQUIRE(mkdtemp(folder) != nullptr); }
  ~Snapshots() { std::filesystem::remove_all(folder); }
  std::string Path(std::string_view name) const { return fmt::format("{}/{}", folder, name); }
  Told Save(const std::string& to) const {
    return RunOf(AllCommands(), {"snapshot", "--server", url, "-o", to});
  }
  int64_t Files() const { return std::distance(std::filesystem::directory_iterator(folder), {}); }

  const TestServer api{{}, ApiRoutes()};
  const std::string url = fmt::format("http://127.0.0.1:{}", api.server->port());
  char folder[64] = "/tmp/gangplan-snapshot-XXXXXX";
};

TEST_CASE("snapshot -o: its owner alone may read the file, and the one before stays until then") {
  const Snapshots at;
  const std::string path = at.Path("cluster.json");
  const auto save = [&](const std::string& to) { return at.Save(to); };
  const auto files = [&] { return at.Files(); };
  CHECK(save(path).code == kExitDone);
  const std::string whole = TextOf(path);
  CHECK(whole.find("\"n0\"") != std::string::npos);
  struct stat found = {};
  REQUIRE(stat(path.c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0600);
  CHECK(files() == 1);
  // The disk is full after some bytes.
  struct rlimit before = {};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const struct rlimit small = {100, before.rlim_max};
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const Told full = save(path);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  CHECK(full.code == kExitFailed);
  CHECK(full.err.find(path + ": File too large") != std::string::npos);
  CHECK(TextOf(path) == whole);
  CHECK(files() == 1);
  CHECK(save(at.Path("none/cluster.json")).code == kExitFailed);
  // A link stays one.
  const std::string link = at.Path("link.json");
  REQUIRE(symlink(path.c_str(), link.c_str()) == 0);
  CHECK(save(link).code == kExitDone);
  CHECK(std::filesystem::is_symlink(link));
  CHECK(save("/dev/null").code == kExitDone);
}

struct stat StatOf(const std::string& path) {
  struct stat found = {};
  INFO(path);
  REQUIRE(stat(path.c_str(), &found) == 0);
  return found;
}

TEST_CASE(
    "snapshot -o: a file that is there keeps its mode and owner, wherever it can be written") {
  const Snapshots at;
  const std::string path = at.Path("cluster.json");
  const auto save = [&](const std::string& to) { return at.Save(to); };
  const auto count = [&] { return at.Files(); };
  const bool root = geteuid() == 0;
  REQUIRE(save(path).code == kExitDone);
  const std::string whole = TextOf(path);
  std::ofstream(path) << "old";
  REQUIRE(chmod(path.c_str(), 0640) == 0);
  if (root) REQUIRE(chown(path.c_str(), 1234, 1235) == 0);
  const struct stat before = StatOf(path);
  CHECK(save(path).code == kExitDone);
  const struct stat after = StatOf(path);
  CHECK(TextOf(path) == whole);
  CHECK(after.st_ino != before.st_ino);
  CHECK((after.st_mode & 0777) == 0640);
  CHECK(after.st_uid == before.st_uid);
  CHECK(after.st_gid == before.st_gid);
  // Nothing can be made in the folder, and the file may be written.
  std::ofstream(path) << std::string(whole.size() + 100, 'x');
  REQUIRE(chmod(path.c_str(), 0666) == 0);
  REQUIRE(chmod(at.folder, 0555) == 0);
  if (root) REQUIRE(seteuid(65534) == 0);
  const Told told = save(path), none = save(at.Path("new.json"));
  if (root) REQUIRE(seteuid(0) == 0);
  REQUIRE(chmod(at.folder, 0755) == 0);
  INFO(told);
  CHECK(told.code == kExitDone);
  CHECK(TextOf(path) == whole);
  CHECK(StatOf(path).st_ino == after.st_ino);
  CHECK(none.code == kExitFailed);
  CHECK(none.err.find("new.json: Permission denied") != std::string::npos);
  CHECK(count() == 1);
}

TEST_CASE("snapshot -o: a link is followed, also to a file that is not there yet") {
  const Snapshots at;
  const auto save = [&](const std::string& to) { return at.Save(to); };
  const auto in = [&](std::string_view name) { return at.Path(name); };
  REQUIRE(symlink("later.json", in("to-none.json").c_str()) == 0);
  REQUIRE(symlink(in("to-none.json").c_str(), in("to-link.json").c_str()) == 0);
  CHECK(save(in("to-link.json")).code == kExitDone);
  CHECK(std::filesystem::is_symlink(in("to-link.json")));
  CHECK(std::filesystem::is_symlink(in("to-none.json")));
  CHECK((StatOf(in("later.json")).st_mode & 0777) == 0600);
  REQUIRE(symlink("loop.json", in("loop.json").c_str()) == 0);
  CHECK(save(in("loop.json")).code == kExitFailed);
  CHECK(std::filesystem::is_symlink(in("loop.json")));
}

TEST_CASE("plan of a live cluster is of now, however old its pods are") {
  const std::string soon = absl::FormatTime("%Y-%m-%dT%H:%MZ", SystemClock().Now() + absl::Hours(2),
                                            absl::UTCTimeZone());
  const TestServer api({}, ApiRoutes(Nodes(soon)));
  const std::string url = fmt::format("http://127.0.0.1:{}", api.server->port());
  const ScratchFile snapshot(
      fmt::format(R"({{"kind":"List","items":[{},{}]}})", Nodes(soon), Pods()));
  for (const auto& [runtime, code] : {std::pair("4h", 1), {"1h", 0}}) {
    INFO(runtime);
    const ScratchFile job(fmt::format(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: j\n  annotations:\n"
        "    gangplan.io/place: rack=pack!\n    gangplan.io/runtime: {}\nspec:\n"
        "  completionMode: Indexed\n  parallelism: 1\n  completions: 1\n  template:\n    spec:\n"
        "      schedulerName: gangplan\n      containers:\n      - name: c\n        resources:\n"
        "          limits: {{nvidia.com/gpu: 8}}\n",
        runtime));
    const Told live = RunOf(AllCommands(), {"plan", "-f", job.path(), "--server", url});
    INFO(live);
    CHECK(live.code == code);
    CHECK((live.out.find("maintenance keeps it off") != std::string::npos) == (code == 1));
    // Of a file nobody knows when it was: it is the time of its last pod.
    CHECK(RunOf(AllCommands(), {"plan", "-f", job.path(), "--snapshot", snapshot.path()}).code ==
          kExitDone);
  }
}

}  // namespace
}  // namespace gangplan::live_cluster_test
