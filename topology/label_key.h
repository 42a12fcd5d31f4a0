// What a label key may be, as the Kubernetes API has it: an optional prefix (a DNS subdomain of at
// most 253 bytes) and a slash, then a name of at most 63 bytes. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gangplan {

// Every fault of `key`, each as what was expected; empty: a good key. An empty name has two faults
// (it is empty, and it does not begin and end with a letter or digit), as the API server counts.
std::vector<std::string> LabelKeyFaults(std::string_view key);

}  // namespace gangplan
