#include "extender/cli/serve_command.h"

#include <memory>
#include <string>
#include <vector>

#include "config/reader.h"
#include "extender/app/named_files.h"
#include "extender/app/serve.h"
#include "extender/cli/checkup.h"
#include "extender/kube/api_cluster.h"
#include "extender/kube/https_transport.h"
#include "extender/observe/log.h"
#include "topology/base/clock.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kServe = "serve";

struct ServeWords {
  std::string config;
  bool check = false;
  bool connect = false;
};

// What the configuration names is looked at as `gangplan doctor` does, with its own credentials.
int RunConnect(const Settings& settings, const Output& output) {
  if (settings.cluster.source == ClusterSource::kFile) {
    const absl::StatusOr<Findings> findings = CheckSavedCluster(settings, settings.cluster.file);
    return findings.ok() ? TellFindings(kServe, *findings, {}, output)
                         : TellFailed(kServe, findings.status(), output);
  }
  absl::StatusOr<Credentials> credentials = CredentialsOf(settings.cluster.kubeconfig);
  if (!credentials.ok()) return TellFailed(kServe, credentials.status(), output);
  HttpsTransportFactory transports(*std::move(credentials), HttpsOptions{}, SystemClock());
  return TellFindings(kServe, CheckLiveCluster(settings, transports, {}), {}, output);
}

// Looks at what the configuration names, and says "good" where nothing fails.
int RunCheck(const ServeWords& words, const Settings& settings, const Output& output) {
  const std::vector<std::string> faults = FaultsOfNamedFiles(settings);
  for (const std::string& fault : faults) output.err(fmt::format("{}: {}\n", words.config, fault));
  if (!faults.empty()) return kExitFailed;
  const int looked = words.connect ? RunConnect(settings, output) : kExitDone;
  if (looked != kExitDone) return looked;
  return output.out(words.config + ": good\n") ? kExitDone : kExitFailed;
}

int RunServe(const ServeWords& words, const Output& output) {
  if (words.connect && !words.check)
    return TellWrongWords(kServe, Invalid("--connect: only with --check"), output);
  const absl::StatusOr<Settings> settings = ReadSettingsFile(words.config);
  if (!settings.ok()) {
    output.err(Message(settings.status()) + "\n");
    return kExitWrongWords;
  }
  if (words.check) return RunCheck(words, *settings, output);
  ProcessLogger().set_level(static_cast<LogLevel>(settings->log_level));
  const absl::Status status = Serve(*settings, words.config);
  if (!status.ok()) Log(LogLevel::kError, Message(status));
  return status.ok() ? kExitDone : kExitFailed;
}

}  // namespace

Command ServeCommand() {
  const auto words = std::make_shared<ServeWords>();
  return {std::string(kServe),
          "the extender, until SIGTERM or SIGINT",
          "Exit codes of --check: 0 good, 1 what the file names cannot be used, or with --connect\n"
          "something fails, 2 the words or the file were wrong.\n"
          "Examples: gangplan serve --config gangplan.yaml\n"
          "          gangplan serve --config gangplan.yaml --check --connect\n",
          {Needed(TextOption("--config", "FILE",
                             "the configuration, as docs/configuration.md has it", words->config)),
           SwitchOption("--check",
                        "only reads the file, and the files that it names, and says what is wrong",
                        words->check),
           SwitchOption("--connect",
                        "with --check: also looks at the cluster that it names, as doctor does",
                        words->connect)},
          [words](const Output& output) { return RunServe(*words, output); }};
}

}  // namespace gangplan
