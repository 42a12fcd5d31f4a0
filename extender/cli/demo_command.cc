#include "extender/cli/demo_command.h"

#include <signal.h>

#include <memory>
#include <string>

#include "extender/cli/colour.h"
#include "extender/demo/demo.h"
#include "extender/demo/demo_day.h"
#include "extender/observe/log.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kDemo = "demo";
constexpr int32_t kMaxPauseMilliseconds = 60'000;
constexpr int32_t kMaxPort = 65'535;

struct DemoWords {
  int32_t pause = 0;
  bool plain = false;
  bool serve = false;
  int32_t port = 0;
  uint64_t seed = 1;
  ClusterPlan plan = DemoPlan();
};

bool IsAnother(const ClusterPlan& plan) {
  const ClusterPlan usual = DemoPlan();
  return plan.blocks != usual.blocks || plan.racks != usual.racks || plan.nodes != usual.nodes;
}

// Those that end the program, blocked: for the threads that are made from here on, too.
sigset_t BlockEnds() {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  return ends;
}

void ServeDay(DemoWorld& world, uint64_t seed, const sigset_t& ends, const Output& output) {
  output.out(
      fmt::format("\nThe page, on which gangs come and go until Ctrl-C: {0}/\nThe same by "
                  "commands, for example: gangplan list --server {0}\n",
                  world.probe_url()));
  LiveDay(world, seed, [&ends](absl::Duration time) {
    const timespec wait = absl::ToTimespec(time);
    return sigtimedwait(&ends, nullptr, &wait) < 0;
  });
}

// Without the story, which is that of one cluster.
int ServeOther(const DemoWords& words, const sigset_t& ends, const Output& output) {
  absl::StatusOr<ObjectList> cluster = GenerateCluster(words.plan);
  if (!cluster.ok()) return TellWrongWords(kDemo, cluster.status(), output);
  DemoWorld world(*std::move(cluster), words.port);
  if (const absl::Status started = world.Start(); !started.ok())
    return TellFailed(kDemo, started, output);
  ServeDay(world, words.seed, ends, output);
  return kExitDone;
}

int RunDemo(const DemoWords& words, const Output& output) {
  ProcessLogger().set_level(LogLevel::kError);
  if (!words.serve && (IsAnother(words.plan) || words.port != 0))
    return TellWrongWords(
        kDemo, Invalid("--port, --blocks, --racks and --nodes: only with --serve"), output);
  const DemoOptions options{absl::Milliseconds(words.pause), !words.plain && MayColour(),
                            words.port};
  const auto print = [&output](std::string_view text) { output.out(text); };
  if (!words.serve) return PlayDemo(options, print) ? kExitDone : kExitFailed;
  const sigset_t ends = BlockEnds();
  if (IsAnother(words.plan)) return ServeOther(words, ends, output);
  const auto serve = [&](DemoWorld& world) { ServeDay(world, words.seed, ends, output); };
  return PlayDemo(options, print, serve) ? kExitDone : kExitFailed;
}

}  // namespace

Command DemoCommand() {
  const auto words = std::make_shared<DemoWords>();
  ClusterPlan& plan = words->plan;
  return {
      std::string(kDemo),
      "four gangs on an embedded cluster, over real HTTP; checks what it prints",
      "With --serve it stays, and the page (docs/page.md) shows gangs that come and go.\n"
      "Exit codes: 0 all that it has printed was checked, 1 something of it was not so, 2 the\n"
      "words were wrong.\n"
      "Examples: gangplan demo --pause 2000\n"
      "          gangplan demo --serve --port 8080\n"
      "          gangplan demo --serve --blocks 8 --racks 16 --nodes 16\n",
      {NumberOption("--pause", "MS", "milliseconds after each part, for people who watch (0)",
                    words->pause, 0, kMaxPauseMilliseconds),
       SwitchOption("--no-color", "as NO_COLOR in the environment: no colours", words->plain),
       SwitchOption("--serve", "stays, with the page, and plays a small day of gangs until Ctrl-C",
                    words->serve),
       NumberOption("--port", "N", "of the page, on this machine alone (any free one)", words->port,
                    0, kMaxPort),
       SeedOption("--seed", "which gangs come (1)", words->seed),
       NumberOption("--blocks", "N",
                    "blocks; another cluster than the story's has the day alone (4)", plan.blocks),
       NumberOption("--racks", "N", "racks in each block (8)", plan.racks),
       NumberOption("--nodes", "N", "nodes in each rack (10)", plan.nodes)},
      [words](const Output& output) { return RunDemo(*words, output); }};
}

}  // namespace gangplan
