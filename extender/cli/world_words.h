// What commands over a saved cluster have in common: which cluster, and with which configuration.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "config/settings.h"
#include "extender/app/dry_run.h"
#include "extender/cli/manifest.h"
#include "extender/cli/options.h"

namespace gangplan {

struct WorldWords {
  std::string snapshot;
  std::string config;  // empty: the defaults
};
Option SnapshotOption(WorldWords& words);
Option ConfigOption(WorldWords& words);

// Of this file; empty: the defaults.
absl::StatusOr<Settings> SettingsOf(const std::string& config);

struct World {
  Settings settings;
  std::unique_ptr<DryRun> run;
  AdmissionRules admission;
};
// Errors name the file, and what the cluster lacks to be planned on.
absl::StatusOr<World> OpenWorld(const WorldWords& words);

}  // namespace gangplan
