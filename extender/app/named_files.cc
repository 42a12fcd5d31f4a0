#include "extender/app/named_files.h"

#include <memory>
#include <string_view>
#include <utility>

#include "extender/kube/cluster_file.h"
#include "extender/kube/kubeconfig.h"
#include "extender/kube/tls.h"
#include "extender/kube/token.h"
#include "extender/observe/metrics.h"
#include "extender/server/tls_server.h"
#include "topology/base/clock.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

class NobodyBelieved : public ClientTrustSource {
 public:
  std::shared_ptr<const ClientTrust> Now() const override { return nullptr; }
};

absl::Status CheckListener(TlsOptions options) {
  Metrics metrics;
  return TlsServer::Load(std::move(options), metrics).status();
}

// The certificates and the token that a kubeconfig names.
absl::Status CheckCredentials(const Credentials& credentials) {
  if (credentials.server.tls) GANGPLAN_RETURN_IF_ERROR(MakeTlsContext(credentials).status());
  return TokenSource(credentials.token, credentials.token_file, SystemClock()).Get().status();
}

absl::Status CheckKubeconfig(const std::string& path) {
  GANGPLAN_ASSIGN_OR_RETURN(const Credentials credentials, ReadKubeconfig(path));
  const absl::Status usable = CheckCredentials(credentials);
  if (usable.ok()) return usable;
  return Invalid("{}: what it names: {}", path, Message(usable));
}

}  // namespace

std::vector<std::string> FaultsOfNamedFiles(const Settings& settings) {
  std::vector<std::string> faults;
  const auto note = [&faults](std::string_view key, const absl::Status& read,
                              std::string_view expected) {
    if (!read.ok())
      faults.push_back(fmt::format("{}: {}; expected {}", key, Message(read), expected));
  };
  const ClusterSettings& cluster = settings.cluster;
  if (cluster.source == ClusterSource::kFile) {
    note("cluster.file", ReadClusterFile(cluster.file).status(),
         "a saved cluster (gangplan snapshot -o FILE)");
  } else if (!cluster.kubeconfig.empty()) {
    note("cluster.kubeconfig", CheckKubeconfig(cluster.kubeconfig),
         "a kubeconfig with a client certificate, a token or a tokenFile, whose files can be read");
  }
  const TlsSettings& tls = settings.server.tls;
  if (tls.on()) {
    note("server.tls",
         CheckListener({tls.certificate_file, tls.key_file, tls.client_ca_file, tls.allowed_names}),
         "a PEM certificate, its key without a password, and the authority of the scheduler's");
  }
  const ApiSettings& api = settings.server.api;
  if (api.on()) {
    note("server.api",
         CheckListener(
             {api.certificate_file, api.key_file, "", {}, std::make_shared<NobodyBelieved>()}),
         "a PEM certificate, and its key without a password");
  }
  return faults;
}

}  // namespace gangplan
