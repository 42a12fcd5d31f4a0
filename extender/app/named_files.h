// What files a configuration names, opened and read as a Gangplan that serves would: the saved
// cluster or the kubeconfig, with what that names in its turn, and the certificates of its
// listeners. Nothing is asked of a server, and nothing that the configuration does not name, such
// as the credentials inside a cluster, is looked for. Blocks on the file system; any thread.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"

namespace gangplan {

// A line each, "cluster.file: PATH: why; expected ..."; empty: all of them are good.
std::vector<std::string> FaultsOfNamedFiles(const Settings& settings);

}  // namespace gangplan
