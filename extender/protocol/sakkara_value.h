// A JSON text in a value of one of Sakkara's ConfigMaps. Internal to this room. Pure; any thread.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"
#include "topology/base/text.h"

namespace gangplan {

// Parses a copy of `text`, so steps must not keep views. Every error begins with the key, also when
// the text is no JSON at all: "tree: invalid JSON at byte 1: expected a key".
inline absl::Status ParseSakkaraValue(std::string_view key, std::string_view text,
                                      const JsonShape& shape, void* target) {
  std::string body(text);
  absl::Status status = ParseJson(body, kMaxConfigMapBytes, key, shape, target);
  if (status.ok() || Message(status).starts_with(key)) return status;
  return Invalid("{}: {}", key, Message(status));
}

}  // namespace gangplan
