// `gangplan generate [--blocks N] ... [-o json|yaml]`: a cluster as Kubernetes objects on standard
// output. Exit codes: 0 written, 1 standard output took no more, 2 wrong words.
#pragma once

#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "extender/app/generator.h"

namespace gangplan {

struct GenerateWords {
  ClusterPlan plan;
  bool yaml = false;
  bool help = false;
};
absl::StatusOr<GenerateWords> ReadGenerateWords(std::span<const std::string_view> args);

int RunGenerate(std::span<const std::string_view> args);

}  // namespace gangplan
