#include "extender/cli/world_words.h"

#include <utility>

#include "config/reader.h"
#include "extender/kube/cluster_file.h"
#include "extender/observe/log.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {

Option SnapshotOption(WorldWords& words) {
  return Needed(TextOption("--snapshot", "FILE",
                           "the cluster: gangplan snapshot, or kubectl get nodes,pods -A -o json",
                           words.snapshot));
}

Option ConfigOption(WorldWords& words) {
  return TextOption("--config", "FILE",
                    "the configuration of the Gangplan that is asked about (its defaults)",
                    words.config);
}

absl::StatusOr<Settings> SettingsOf(const std::string& config) {
  if (config.empty()) return Settings();
  return ReadSettingsFile(config);
}

absl::StatusOr<World> OpenWorld(const WorldWords& words) {
  World world;
  GANGPLAN_ASSIGN_OR_RETURN(world.settings, SettingsOf(words.config));
  GANGPLAN_ASSIGN_OR_RETURN(ObjectList objects, ReadClusterFile(words.snapshot));
  for (const AdmissionRule& rule : objects.rules) {
    world.admission.rules.Note(rule, true);
    world.admission.classes |= rule.kind == AdmissionRule::Kind::kPriorityClass;
  }
  ProcessLogger().set_level(LogLevel::kError);  // it would tell of its start
  world.run = std::make_unique<DryRun>(world.settings, std::move(objects));
  const std::string why = world.run->WhyNotReady();
  if (!why.empty()) return Invalid("{}: {}", words.snapshot, why);
  return world;
}

}  // namespace gangplan
