// YAML text to plain values, and those to JSON: the only place here that knows the YAML library.
// Aliases are followed; depth and the number of values, aliases counted each time, are limited.
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/kube/limits.h"

namespace gangplan {

struct YamlValue {
  enum class Kind { kNull, kScalar, kSequence, kMap };
  Kind kind = Kind::kNull;
  bool quoted = false;  // a scalar in quotes or a block: text, whatever it looks like
  int line = 0;         // from 1
  std::string scalar;
  std::vector<YamlValue> items;
  std::vector<std::pair<std::string, YamlValue>> fields;  // keys unique

  // The field's value, or null.
  const YamlValue* Find(std::string_view key) const;
};

// One value a document. InvalidArgument "line L, column C: ..." for what is not YAML and for
// repeated keys, ResourceExhausted beyond a limit.
absl::StatusOr<std::vector<YamlValue>> ParseYaml(std::string_view text,
                                                 int max_depth = kMaxYamlDepth,
                                                 size_t max_values = kMaxYamlNodes);

// Plain scalars become null, true, false and numbers where YAML 1.2 and JSON agree on them, else
// text.
std::string ToJson(const YamlValue& value);

}  // namespace gangplan
