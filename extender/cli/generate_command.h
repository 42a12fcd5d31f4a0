// `gangplan generate`: a cluster as Kubernetes objects on standard output.
#pragma once

#include "extender/cli/command.h"
#include "extender/demo/generator.h"

namespace gangplan {

struct GenerateWords {
  ClusterPlan plan;
  size_t form = 0;  // 0: JSON, 1: YAML
};
Options GenerateOptions(GenerateWords& words);

Command GenerateCommand();

}  // namespace gangplan
