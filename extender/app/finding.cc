#include "extender/app/finding.h"

#include <algorithm>
#include <iterator>

#include "extender/observe/log.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr size_t kMostNames = 3;

}  // namespace

std::string SomeOf(const std::set<std::string>& names) {
  const size_t told = std::min(names.size(), kMostNames);
  std::string text =
      fmt::format("{}", fmt::join(names.begin(), std::next(names.begin(), told), ", "));
  if (told < names.size()) text += fmt::format(" and {} more", names.size() - told);
  return text;
}

void LogFindings(const Findings& findings, std::string_view told) {
  for (const Finding& one : findings.all) {
    const LogLevel level = one.health == Health::kOk ? LogLevel::kDebug : LogLevel::kWarn;
    Log(level, told,
        {{"health", Name(one.health)},
         {"about", one.about},
         {"why", one.text},
         {"cure", one.cure}});
  }
}

}  // namespace gangplan
