#include "extender/protocol/sakkara_results.h"

#include <algorithm>
#include <tuple>

#include "absl/time/time.h"
#include "topology/base/json_string.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

void AppendKey(std::string& text, std::string_view key) {
  if (text.back() != '{') text += ',';
  AppendJsonString(text, key, JsonEscapes::kGo);
  text += ':';
}

// A member of a merge patch: null removes the key.
void AppendMember(std::string& patch, std::string_view key, std::string_view value) {
  AppendKey(patch, key);
  if (value.empty())
    patch += "null";
  else
    AppendJsonString(patch, value, JsonEscapes::kGo);
}

using Path = std::vector<std::string_view>;

size_t CommonUnits(const Path& a, const Path& b) {
  const auto ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<size_t>(ends.first - a.begin());
}

}  // namespace

std::string SakkaraPlacementText(std::span<const SakkaraPlacedPod> pods) {
  std::vector<Path> paths;  // each down to the pod
  for (const SakkaraPlacedPod& pod : pods) {
    paths.push_back(pod.path);
    paths.back().push_back(pod.name);
  }
  std::sort(paths.begin(), paths.end());
  std::string text = "{\"root\":{";
  Path open;
  for (const Path& path : paths) {
    const size_t common = CommonUnits(open, path);
    text.append(open.size() - common, '}');
    for (size_t i = common; i < path.size(); ++i) {
      AppendKey(text, path[i]);
      text += '{';
    }
    open = path;
  }
  return text.append(open.size() + 2, '}');
}

std::string SakkaraRankText(std::span<const SakkaraPlacedPod> by_rank) {
  std::string text = "[";
  for (size_t rank = 0; rank < by_rank.size(); ++rank)
    text += fmt::format("{}({},{})", rank == 0 ? "" : " ", by_rank[rank].name, rank);
  return text + "]";
}

std::string SakkaraTimeText(absl::Time time) {
  // Finer parts than Go has would be written too.
  const absl::Time whole = absl::FromUnixNanos(absl::ToUnixNanos(time));
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E*SZ", whole, absl::UTCTimeZone());
}

std::string SakkaraMilliText(absl::Duration duration) {
  return fmt::format("{}", std::max<int64_t>(0, absl::ToInt64Milliseconds(duration)));
}

std::string SakkaraGroupPatch(const SakkaraGroupResults& results) {
  const auto time = [](const std::optional<absl::Time>& at) {
    return at ? SakkaraTimeText(*at) : std::string();
  };
  const bool placed = !results.by_rank.empty();
  const bool timed = results.begin && results.end;
  std::string patch = "{\"data\":{";
  AppendMember(patch, "status", Name(results.status));
  AppendMember(patch, "placement", placed ? SakkaraPlacementText(results.by_rank) : "");
  AppendMember(patch, "rank", placed ? SakkaraRankText(results.by_rank) : "");
  AppendMember(patch, "schedBeginTime", time(results.begin));
  AppendMember(patch, "schedEndTime", time(results.end));
  AppendMember(patch, "schedTotalTimeMilli",
               timed ? SakkaraMilliText(*results.end - *results.begin) : "");
  AppendMember(patch, "schedSolverTimeMilli",
               results.solver_time ? SakkaraMilliText(*results.solver_time) : "");
  AppendMember(patch, "preemptor", results.preemptor);
  return patch + "}}";
}

std::string SakkaraMemberPatch(const SakkaraMemberResults& results) {
  std::string patch = "{\"metadata\":{\"labels\":{";
  AppendMember(patch, "sakkara.member.rank", results.rank ? fmt::format("{}", *results.rank) : "");
  AppendMember(patch, "sakkara.member.retries", fmt::format("{}", results.retries));
  AppendMember(patch, "sakkara.member.status", Name(results.status));
  return patch + "}}}";
}

}  // namespace gangplan
