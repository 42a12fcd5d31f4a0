#include "extender/frontends/gangplan/rank_list.h"

#include <array>
#include <optional>

#include "extender/frontends/fitting_data.h"
#include "fmt/format.h"
#include "topology/base/json_text.h"

namespace gangplan {
namespace {

std::string Hostfile(std::span<const ListedRank> by_rank) {
  std::string lines;
  for (const ListedRank& pod : by_rank) lines.append(pod.host).append("\n");
  return lines;
}

std::string PlacementJson(std::string_view list_of, std::span<const ListedRank> by_rank) {
  JsonText json;
  json.Begin().Field("listOf", list_of).Key("pods").BeginList();
  int64_t rank = 0;
  for (const ListedRank& pod : by_rank) {
    json.Begin().Field("rank", rank++);
    if (!pod.pod_set.empty())
      json.Field("podSet", pod.pod_set).Field("podSetRank", int64_t{pod.rank});
    json.Field("pod", pod.pod).Field("host", pod.host).Field("node", pod.path.back());
    json.Key("domains").BeginList();
    for (size_t i = 0; i + 1 < pod.path.size(); ++i) json.Value(pod.path[i]);
    json.EndList().End();
  }
  json.EndList().End();
  return json.Take();
}

}  // namespace

std::string ListOf(std::string_view scheduler, std::string_view gang,
                   std::string_view incarnation) {
  return fmt::format("{} {} {}", scheduler, gang, incarnation);
}

bool MayRemove(std::string_view scheduler, const LabelSet& data) {
  const std::string* list_of = FindLabel(data, kListOfKey);
  return list_of == nullptr || list_of->starts_with(fmt::format("{} ", scheduler));
}

RankListData MakeRankList(std::string_view list_of, std::span<const ListedRank> by_rank,
                          const LabelSet& data) {
  constexpr std::array kLeftOut = {kPlacementKey, kHostfileKey};
  std::optional<std::string> hosts, whose, placement;
  if (!by_rank.empty()) {
    hosts = Hostfile(by_rank);
    whose = list_of;
    placement = PlacementJson(list_of, by_rank);
  }
  RankListData made;
  made.data.emplace_back(kHostfileKey, std::move(hosts));
  made.data.emplace_back(kListOfKey, std::move(whose));
  made.data.emplace_back(kPlacementKey, std::move(placement));
  made.too_big = RemoveTooBig(data, kLeftOut, made.data);
  return made;
}

}  // namespace gangplan
