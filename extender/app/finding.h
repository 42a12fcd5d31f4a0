// What a look at a cluster and its configuration finds, for `gangplan doctor`, `serve --check
// --connect` and the log of a start. Plain data.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gangplan {

enum class Health {
  kOk,
  kWarn,  // something is probably not as somebody wants it
  kFail,  // something that the configuration asks for does not work
};
// "ok", "WARN", "FAIL".
constexpr std::string_view Name(Health health) {
  return health == Health::kOk ? "ok" : health == Health::kWarn ? "WARN" : "FAIL";
}

struct Finding {
  Health health = Health::kOk;
  std::string about;  // "rights core"
  std::string text;
  std::string cure = {};  // what to do; empty of what is ok
};

struct Findings {
  std::vector<Finding> all;
  std::vector<std::string> unseen;  // what was not looked at, and why

  void Add(Health health, std::string_view about, std::string text, std::string cure = {}) {
    all.push_back({health, std::string(about), std::move(text), std::move(cure)});
  }
};

// "a, b, c and 4 more".
std::string SomeOf(const std::set<std::string>& names);

// Those that are not ok, a warning each, which says `told`.
inline constexpr std::string_view kFoundAtStart = "found at the start";
inline constexpr std::string_view kFoundAnew = "found with the configuration that is in force now";
void LogFindings(const Findings& findings, std::string_view told = kFoundAtStart);

}  // namespace gangplan
