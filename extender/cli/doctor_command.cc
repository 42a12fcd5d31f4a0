#include "extender/cli/doctor_command.h"

#include <memory>

#include "extender/cli/checkup.h"
#include "extender/cli/cluster_words.h"
#include "extender/cli/world_words.h"
#include "extender/kube/https_transport.h"
#include "topology/base/clock.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kDoctor = "doctor";

struct DoctorWords {
  ClusterWords cluster;
  CheckupWords checkup;
  std::string account;
  std::string snapshot;
  std::string config;

  // Of the words alone.
  absl::Status Check() const {
    GANGPLAN_RETURN_IF_ERROR(cluster.Check());
    if (!snapshot.empty() && cluster.any())
      return Invalid("--snapshot, and a cluster: expected one of them");
    if (!snapshot.empty() && !account.empty())
      return Invalid("--account: of a cluster; a saved one has no rights");
    return absl::OkStatus();
  }
};

absl::StatusOr<Account> AccountOf(const std::string& text) {
  if (text.empty()) return Account();
  const size_t slash = text.find('/');
  Account account{text.substr(0, slash), slash == std::string::npos ? "" : text.substr(slash + 1)};
  const bool good =
      !account.ns.empty() && !account.name.empty() && account.name.find('/') == std::string::npos;
  if (!good) return Invalid("--account: \"{}\"; expected NAMESPACE/NAME", Shown(text));
  return account;
}

int RunDoctor(const DoctorWords& words, const Output& output) {
  const absl::StatusOr<Account> account = AccountOf(words.account);
  absl::Status good = words.Check();
  if (good.ok()) good = account.status();
  if (!good.ok()) return TellWrongWords(kDoctor, good, output);
  const absl::StatusOr<Settings> settings = SettingsOf(words.config);
  if (!settings.ok()) return TellWrongWords(kDoctor, settings.status(), output);
  if (!words.snapshot.empty()) {
    const absl::StatusOr<Findings> findings = CheckSavedCluster(*settings, words.snapshot);
    if (!findings.ok()) {
      return TellWrongWords(kDoctor, UnreadFile("--snapshot", findings.status(), kSavedCluster),
                            output);
    }
    return TellFindings(kDoctor, *findings, words.checkup, output);
  }
  absl::StatusOr<Credentials> credentials = FindCredentials(words.cluster);
  if (!credentials.ok())
    return TellNoCredentials(kDoctor, words.cluster, credentials.status(), output);
  HttpsTransportFactory transports(*std::move(credentials), HttpsOptions{}, SystemClock());
  return TellFindings(kDoctor, CheckLiveCluster(*settings, transports, *account), words.checkup,
                      output);
}

}  // namespace

Command DoctorCommand() {
  const auto words = std::make_shared<DoctorWords>();
  return {std::string(kDoctor),
          "whether a cluster and a configuration are as gangplan needs them, and what to do",
          "Exit codes: 0 nothing fails, 1 something fails (with --strict, or is a warning), 2 the\n"
          "words were wrong.\n"
          "Example: gangplan doctor --config gangplan.yaml --account gangplan/gangplan\n",
          {KubeconfigOption(words->cluster), ApiServerOption(words->cluster),
           TextOption("--snapshot", "FILE", "instead a saved cluster: gangplan snapshot",
                      words->snapshot),
           TextOption("--config", "FILE", "the configuration of gangplan (its defaults)",
                      words->config),
           TextOption("--account", "NAMESPACE/NAME",
                      "whose rights are looked at, as gangplan/gangplan (those of who asks)",
                      words->account),
           SwitchOption("--strict", "a warning fails, too", words->checkup.strict),
           FormOption(words->checkup.form, "as text")},
          [words](const Output& output) { return RunDoctor(*words, output); }};
}

}  // namespace gangplan
