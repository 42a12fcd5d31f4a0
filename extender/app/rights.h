// What Gangplan may have to do in a cluster, part by part, as the chart's roles have it and
// docs/rights.md tells; and which parts a configuration needs. Constant data; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "extender/kube/access.h"

namespace gangplan {

// Some verbs on one resource.
struct Right {
  std::string_view group;     // empty: the core's
  std::string_view resource;  // "pods/binding"
  std::string_view verbs;     // with blanks between them
};

struct RightsPart {
  std::string_view name;  // of the role, less the release's
  std::span<const Right> rights;
  // What the configuration asks for does not work without it. Else only workloads of one kind, or
  // something that goes on more slowly.
  bool vital = true;
};

// The parts of cluster roles.
std::span<const RightsPart> RightsParts();

// A part that this configuration needs; of one namespace, or of one object, where the role is.
struct NeededPart {
  std::string name;
  bool vital = true;
  std::vector<Access> access;
};
std::vector<NeededPart> NeededParts(const Settings& settings);

}  // namespace gangplan
