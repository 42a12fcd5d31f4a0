// What commands that plan without a Gangplan have in common: on which cluster, a saved one or one
// that is read from its API server now, and with which configuration.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "config/settings.h"
#include "extender/app/dry_run.h"
#include "extender/cli/cluster_words.h"
#include "extender/cli/manifest.h"
#include "extender/cli/options.h"

namespace gangplan {

inline constexpr int kExitNoCluster = 4;  // the API server gave none

struct WorldWords {
  std::string snapshot;
  ClusterWords cluster;  // where there is no snapshot
  std::string config;    // empty: the defaults
  // Whatever the configuration says of preemption: who would have to go is asked, and not begun.
  bool nobody_yields = false;
};
// --snapshot, --kubeconfig and --server, then `others`, then --config.
Options WorldOptions(WorldWords& words, Options others);

// A file that a word names could not be read, as InvalidArgument: "--snapshot: FILE: why; expected
// a saved cluster".
absl::Status UnreadFile(std::string_view word, const absl::Status& why, std::string_view expected);
inline constexpr std::string_view kSavedCluster = "a saved cluster (gangplan snapshot -o FILE)";

// Of this file; empty: the defaults.
absl::StatusOr<Settings> SettingsOf(const std::string& config);

// Where no configuration is named and the levels of the defaults are on no node, what to do about
// it; else none.
std::vector<std::string> DefaultsNotes(const std::string& config, const ObjectList& objects);

struct ReadCluster {
  ObjectList objects;
  absl::Time at = absl::InfinitePast();  // of one that is read now; of a file nobody knows
  std::vector<std::string> notes;        // what of it is not in them
};
// InvalidArgument: a word, or a file that it names, is wrong; every other error is one of the API
// server's.
absl::StatusOr<ReadCluster> ReadWorld(const WorldWords& words);
// The cluster by its name in messages.
std::string NameOf(const WorldWords& words);

struct World {
  Settings settings;
  std::unique_ptr<DryRun> run;
  AdmissionRules admission;
  std::vector<std::string> notes;
};
// Errors as of ReadWorld, also of what the cluster lacks to be planned on.
absl::StatusOr<World> OpenWorld(const WorldWords& words);

// "gangplan COMMAND: note" each.
void TellNotes(std::string_view command, const std::vector<std::string>& notes,
               const Output& output);
// kExitWrongWords, or kExitNoCluster with what to do about it.
int TellNoWorld(std::string_view command, const absl::Status& why, const Output& output);

}  // namespace gangplan
