// The parts of Kubernetes objects that cases of several kinds have. Any thread.
#pragma once

#include <string_view>
#include <vector>

#include "tests/conformance/json_cursor.h"
#include "topology/labels.h"
#include "topology/node_facts.h"
#include "topology/node_filter.h"

namespace gangplan::conformance {

// An object of texts; sorted by key.
LabelSet ReadLabels(const JsonCursor& json);
// The member `key` of `owner`, a list; empty where the object lacks it.
std::vector<Taint> ReadTaints(const JsonCursor& owner, std::string_view key);
std::vector<Toleration> ReadTolerations(const JsonCursor& owner, std::string_view key);
Toleration ReadToleration(const JsonCursor& json);

}  // namespace gangplan::conformance
