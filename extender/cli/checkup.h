// A look at a cluster, or at a saved one, with a configuration: what `gangplan doctor` and
// `gangplan serve --check --connect` print. Blocks; one thread.
#pragma once

#include <string>
#include <string_view>

#include "config/settings.h"
#include "extender/app/finding.h"
#include "extender/cli/command.h"
#include "extender/cli/form.h"
#include "extender/kube/access.h"
#include "extender/kube/transport.h"

namespace gangplan {

struct CheckupWords {
  bool strict = false;  // a warning fails, too
  Form form = Form::kText;
};

// `transports`: to the API server.
Findings CheckLiveCluster(const Settings& settings, TransportFactory& transports,
                          const Account& account);
// Errors name the file.
absl::StatusOr<Findings> CheckSavedCluster(const Settings& settings, const std::string& path);

// kExitFailed where something fails, or, if strict, is a warning.
int TellFindings(std::string_view command, const Findings& findings, const CheckupWords& words,
                 const Output& output);

}  // namespace gangplan
