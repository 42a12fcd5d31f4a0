// The answer to GET /v1/list, read. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gangplan {

struct GangLine {
  std::string name;  // NAMESPACE/NAME
  std::string kind;
  std::string uid;
  std::string state;
  std::string road;
  std::string place;  // its rules
  std::string where;
  std::string why;
  std::vector<std::string> problems;
  int64_t size = 0;
  int64_t seen = 0;
  int64_t bound = 0;
  int64_t priority = 0;
  int64_t created = 0;  // Unix seconds; 0: not told
};

// `body` is changed. Errors say that it is no such list.
absl::StatusOr<std::vector<GangLine>> ReadList(std::string& body);

// That `body` is one gang as /v1/groups tells it.
absl::Status CheckGang(std::string body);

}  // namespace gangplan
