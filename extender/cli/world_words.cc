#include "extender/cli/world_words.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "config/reader.h"
#include "extender/cli/saved_cluster.h"
#include "extender/kube/cluster_file.h"
#include "extender/kube/https_transport.h"
#include "extender/observe/log.h"
#include "topology/base/clock.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kLiveCluster = "the cluster";

absl::Status WrongWords(const absl::Status& why) { return Invalid("{}", Message(why)); }
// What a cluster gives may be wrong as well, and is no fault of the words.
absl::Status NoCluster(const absl::Status& why) {
  return absl::IsInvalidArgument(why) ? absl::FailedPreconditionError(why.message()) : why;
}

absl::StatusOr<ReadCluster> ReadLive(const ClusterWords& words) {
  absl::StatusOr<Credentials> credentials = FindCredentials(words);
  if (!credentials.ok()) {
    const absl::Status& why = credentials.status();
    const bool login = absl::IsUnimplemented(why) || absl::IsUnauthenticated(why);
    if (!words.kubeconfig.empty() && !login) return Invalid("--kubeconfig: {}", Message(why));
    return NoCluster(why);
  }
  HttpsTransportFactory transports(*std::move(credentials), HttpsOptions{}, SystemClock());
  absl::StatusOr<SavedCluster> saved = SaveCluster(transports, false);
  if (!saved.ok()) return NoCluster(saved.status());
  absl::StatusOr<ObjectList> objects = ParseClusterText(std::move(saved->text), kLiveCluster);
  if (!objects.ok()) return NoCluster(objects.status());
  return ReadCluster{*std::move(objects), SystemClock().Now(), std::move(saved->notes)};
}

absl::Status Check(const WorldWords& words) {
  GANGPLAN_RETURN_IF_ERROR(words.cluster.Check());
  if (!words.snapshot.empty() && words.cluster.any())
    return Invalid("--snapshot, and a cluster: expected one of them");
  return absl::OkStatus();
}

}  // namespace

Options WorldOptions(WorldWords& words, Options others) {
  Options options = {
      TextOption("--snapshot", "FILE",
                 "a saved cluster: gangplan snapshot, or kubectl get nodes,pods -A -o json; else "
                 "it is read from its API server now",
                 words.snapshot),
      KubeconfigOption(words.cluster), ApiServerOption(words.cluster)};
  std::move(others.begin(), others.end(), std::back_inserter(options));
  options.push_back(TextOption(
      "--config", "FILE", "the configuration of the Gangplan that is asked about (its defaults)",
      words.config));
  return options;
}

absl::Status UnreadFile(std::string_view word, const absl::Status& why, std::string_view expected) {
  const std::string text = Message(why);
  const bool told = text.find("expected") != std::string::npos;
  return Invalid("{}: {}{}{}", word, text, told ? "" : "; expected ", told ? "" : expected);
}

absl::StatusOr<Settings> SettingsOf(const std::string& config) {
  if (config.empty()) return Settings();
  absl::StatusOr<Settings> settings = ReadSettingsFile(config);
  if (!settings.ok() && Message(settings.status()).find("cannot be opened") != std::string::npos)
    return UnreadFile("--config", settings.status(), "a configuration (docs/configuration.md)");
  return settings;
}

std::vector<std::string> DefaultsNotes(const std::string& config, const ObjectList& objects) {
  if (!config.empty() || objects.nodes.empty()) return {};
  const std::vector<Level> levels = Settings().topologies[0].levels;
  const auto has_all = [&](const NodeFacts& node) {
    return std::all_of(levels.begin(), levels.end(), [&](const Level& level) {
      return level.label == kHostnameLabel || FindLabel(node.labels, level.label) != nullptr;
    });
  };
  if (std::any_of(objects.nodes.begin(), objects.nodes.end(), has_all)) return {};
  return {fmt::format(
      "this is by the defaults, and no node has their labels, such as {}; --config FILE names the "
      "configuration that is meant",
      levels.front().label)};
}

absl::StatusOr<ReadCluster> ReadWorld(const WorldWords& words) {
  GANGPLAN_RETURN_IF_ERROR(Check(words));
  if (words.snapshot.empty()) return ReadLive(words.cluster);
  absl::StatusOr<ObjectList> objects = ReadClusterFile(words.snapshot);
  if (!objects.ok()) return UnreadFile("--snapshot", objects.status(), kSavedCluster);
  return ReadCluster{*std::move(objects), absl::InfinitePast(), {}};
}

std::string NameOf(const WorldWords& words) {
  return words.snapshot.empty() ? std::string(kLiveCluster) : words.snapshot;
}

absl::StatusOr<World> OpenWorld(const WorldWords& words) {
  World world;
  absl::StatusOr<Settings> settings = SettingsOf(words.config);
  if (!settings.ok()) return WrongWords(settings.status());
  world.settings = *std::move(settings);
  GANGPLAN_ASSIGN_OR_RETURN(ReadCluster read, ReadWorld(words));
  world.notes = std::move(read.notes);
  for (std::string& note : DefaultsNotes(words.config, read.objects))
    world.notes.push_back(std::move(note));
  for (const AdmissionRule& rule : read.objects.rules) {
    world.admission.rules.Note(rule, true);
    world.admission.classes |= rule.kind == AdmissionRule::Kind::kPriorityClass;
  }
  ProcessLogger().set_level(LogLevel::kError);  // it would tell of its start
  Settings planned = world.settings;
  if (words.nobody_yields) planned.preemption = Preemption::kNever;
  world.run = std::make_unique<DryRun>(planned, std::move(read.objects), read.at);
  const std::string why = world.run->WhyNotReady();
  if (!why.empty()) return Invalid("{}: {}", NameOf(words), why);
  return world;
}

void TellNotes(std::string_view command, const std::vector<std::string>& notes,
               const Output& output) {
  for (const std::string& note : notes) output.err(fmt::format("gangplan {}: {}\n", command, note));
}

int TellNoWorld(std::string_view command, const absl::Status& why, const Output& output) {
  if (absl::IsInvalidArgument(why)) return TellWrongWords(command, why, output);
  TellNoCluster(command, why, output);
  return kExitNoCluster;
}

}  // namespace gangplan
