// Sakkara's ranks of placed pods.
#include "algorithms/tree_ranks.h"
#include "tests/conformance/handlers.h"
#include "tests/conformance/json_cursor.h"
#include "topology/base/json_text.h"

namespace gangplan::conformance {
namespace {

struct PlacedPod {
  std::string name;
  std::vector<std::string> path;
};

absl::StatusOr<std::vector<PlacedPod>> ReadPods(const rapidjson::Value& value) {
  absl::Status error;
  std::vector<PlacedPod> pods;
  const JsonCursor json(value, "case", error);
  json.At("placement").ForEachMember([&](std::string name, const JsonCursor& path) {
    pods.push_back({std::move(name), path.Texts()});
  });
  if (!error.ok()) return error;
  return pods;
}

}  // namespace

absl::StatusOr<std::string> AnswerRank(const rapidjson::Value& json) {
  const absl::StatusOr<std::vector<PlacedPod>> pods = ReadPods(json);
  if (!pods.ok()) return pods.status();
  std::vector<TreePlace> places;
  for (const PlacedPod& pod : *pods)
    places.push_back({pod.name, {pod.path.begin(), pod.path.end()}});
  const std::vector<int32_t> order = RankByDistance(places);
  JsonText answer;
  answer.Begin();
  if (!order.empty()) answer.Field("master", places[static_cast<size_t>(order.front())].pod);
  answer.Key("ranks").Begin();
  for (size_t rank = 0; rank < order.size(); ++rank)
    answer.Field(places[static_cast<size_t>(order[rank])].pod, static_cast<int64_t>(rank));
  return answer.End().End().Take();
}

}  // namespace gangplan::conformance
