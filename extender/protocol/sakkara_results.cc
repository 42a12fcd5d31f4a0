#include "extender/protocol/sakkara_results.h"

#include <algorithm>
#include <utility>

#include "absl/time/time.h"
#include "extender/protocol/sakkara_words.h"
#include "topology/base/json_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// What an empty text stands for is removed.
std::optional<std::string> OrNone(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

std::string TextOf(const std::optional<absl::Time>& at) { return at ? SakkaraTimeText(*at) : ""; }
std::string TextOf(const std::optional<absl::Duration>& length) {
  return length ? SakkaraMilliText(*length) : "";
}

// What only a bound group has; what is not known of one stays as it is.
void AddOfBound(const SakkaraGroupResults& results, std::string_view key, std::string text,
                LabelPatch& patch) {
  const bool bound = results.status == SakkaraStatus::kBound;
  if (!bound) patch.emplace_back(key, std::nullopt);
  if (bound && !text.empty()) patch.emplace_back(key, std::move(text));
}

// In the order of the keys.
void AddTimes(const SakkaraGroupResults& results, LabelPatch& patch) {
  const auto add = [&](std::string_view key, std::string text) {
    AddOfBound(results, key, std::move(text), patch);
  };
  std::optional<absl::Duration> total;
  if (results.begin && results.end) total = *results.end - *results.begin;
  add("schedBeginTime", TextOf(results.begin));
  add("schedEndTime", TextOf(results.end));
  add("schedSolverTimeMilli", TextOf(results.solver_time));
  add("schedTotalTimeMilli", TextOf(total));
}

// {"zone":1,"rack":2,"node":8}, from the top.
std::string LevelsText(const std::vector<std::pair<std::string, int32_t>>& levels) {
  JsonText json(JsonEscapes::kGo);
  json.Begin();
  for (const auto& [level, domains] : levels) json.Field(level, int64_t{domains});
  return json.End().Take();
}

using DomainPath = std::vector<std::string_view>;

size_t CommonUnits(const DomainPath& a, const DomainPath& b) {
  const auto ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<size_t>(ends.first - a.begin());
}

}  // namespace

std::string SakkaraPlacementText(std::span<const SakkaraPlacedPod> pods) {
  std::vector<DomainPath> paths;  // each down to the pod
  for (const SakkaraPlacedPod& pod : pods) {
    paths.push_back(pod.path);
    paths.back().push_back(pod.name);
  }
  std::sort(paths.begin(), paths.end());
  JsonText json(JsonEscapes::kGo);
  json.Begin().Key("root").Begin();
  DomainPath open;
  const auto close = [&json, &open](size_t from) {
    for (size_t i = from; i < open.size(); ++i) json.End();
  };
  for (const DomainPath& path : paths) {
    const size_t common = CommonUnits(open, path);
    close(common);
    for (size_t i = common; i < path.size(); ++i) json.Key(path[i]).Begin();
    open = path;
  }
  close(0);
  return json.End().End().Take();
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

LabelPatch SakkaraGroupData(const SakkaraGroupResults& results) {
  const bool placed = !results.by_rank.empty();
  LabelPatch patch;
  const bool lies = !results.levels.empty();
  AddOfBound(results, "placement", placed ? SakkaraPlacementText(results.by_rank) : "", patch);
  AddOfBound(results, "placementDistance", lies ? fmt::format("{}", results.distance) : "", patch);
  AddOfBound(results, "placementGap", std::string(results.quality), patch);
  AddOfBound(results, "placementLevels", lies ? LevelsText(results.levels) : "", patch);
  patch.emplace_back("preemptor", OrNone(std::string(results.preemptor)));
  AddOfBound(results, "rank", placed ? SakkaraRankText(results.by_rank) : "", patch);
  AddTimes(results, patch);
  patch.emplace_back("status", Name(results.status));
  return patch;
}

LabelPatch SakkaraMemberLabels(const SakkaraMemberResults& results) {
  return {{std::string(kSakkaraMemberRank),
           OrNone(results.rank ? fmt::format("{}", *results.rank) : "")},
          {std::string(kSakkaraMemberRetries), fmt::format("{}", results.retries)},
          {std::string(kSakkaraMemberStatus), std::string(Name(results.status))}};
}

}  // namespace gangplan
