// A ConfigMap as everybody here knows it: what it is called, its labels and its data. Nothing is
// known of what the data mean.
#pragma once

#include <string>

#include "topology/labels.h"

namespace gangplan {

struct ConfigMapFacts {
  std::string ns;
  std::string name;
  std::string uid;
  std::string resource_version;
  LabelSet labels;
  LabelSet data;
  friend bool operator==(const ConfigMapFacts&, const ConfigMapFacts&) = default;
};

}  // namespace gangplan
