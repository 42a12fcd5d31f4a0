#include "extender/cli/commands.h"

#include "extender/cli/capacity_command.h"
#include "extender/cli/colour.h"
#include "extender/cli/completion_command.h"
#include "extender/cli/demo_command.h"
#include "extender/cli/doctor_command.h"
#include "extender/cli/drain_command.h"
#include "extender/cli/explain_command.h"
#include "extender/cli/generate_command.h"
#include "extender/cli/history_command.h"
#include "extender/cli/list_command.h"
#include "extender/cli/map_command.h"
#include "extender/cli/plan_command.h"
#include "extender/cli/replay_command.h"
#include "extender/cli/reservations_command.h"
#include "extender/cli/serve_command.h"
#include "extender/cli/snapshot_command.h"
#include "fmt/format.h"
#include "topology/base/version.h"

namespace gangplan {
namespace {

Command VersionCommand() {
  const auto run = [](const Output& output) {
    return output.out(fmt::format("gangplan {}\n", kVersion)) ? kExitDone : kExitFailed;
  };
  return {"version", "the program's version", "", {}, run};
}

}  // namespace

std::vector<Command> AllCommands() {
  return {ServeCommand(),          ListCommand({MayColour()}),
          ExplainCommand(),        HistoryCommand(),
          MapCommand(MayColour()), DoctorCommand(),
          SnapshotCommand(),       PlanCommand(),
          CapacityCommand(),       ReplayCommand(),
          DrainCommand(),          ReservationsCommand(),
          DemoCommand(),           GenerateCommand(),
          CompletionCommand(),     VersionCommand()};
}

}  // namespace gangplan
