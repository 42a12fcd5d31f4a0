#include "extender/frontends/gangplan/rank_list.h"

#include <array>
#include <optional>
#include <utility>

#include "extender/frontends/fitting_data.h"
#include "fmt/format.h"
#include "topology/base/json_text.h"
#include "topology/digest.h"

namespace gangplan {
namespace {

// Ours are a scheduler's name, a namespace, two names and a UID.
constexpr size_t kMaxListOfBytes = 2'048;

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

std::string DigestOf(std::string_view text) {
  Digest digest;
  digest.Add(text);
  return digest.text();
}

// Whether the object has what one of the keys is to have, as ListedData knows that.
bool IsThere(const LabelPatch::value_type& want, const std::optional<std::string>& has) {
  if (!want.second || !has) return want.second.has_value() == has.has_value();
  return (want.first == kListOfKey ? *want.second : DigestOf(*want.second)) == *has;
}

}  // namespace

std::string ListOf(std::string_view scheduler, std::string_view gang,
                   std::string_view incarnation) {
  return fmt::format("{} {} {}", scheduler, gang, incarnation);
}

ListedData ReadListedData(const LabelSet& data) {
  ListedData read;
  for (const auto& [key, value] : data) {
    if (key == kListOfKey) {
      read.list_of = value.substr(0, kMaxListOfBytes);
    } else if (key == kHostfileKey) {
      read.hosts = DigestOf(value);
    } else if (key == kPlacementKey) {
      read.placement = DigestOf(value);
    } else {
      read.other_bytes += key.size() + value.size();
    }
  }
  return read;
}

bool MayRemove(std::string_view scheduler, const ListedData& has) {
  return !has.list_of || has.list_of->starts_with(fmt::format("{} ", scheduler));
}

RankListData MakeRankList(std::string_view list_of, std::span<const ListedRank> by_rank,
                          const ListedData& has) {
  constexpr std::array kLeftOut = {kPlacementKey, kHostfileKey};
  LabelPatch want = {{std::string(kHostfileKey), std::nullopt},
                     {std::string(kListOfKey), std::nullopt},
                     {std::string(kPlacementKey), std::nullopt}};
  if (!by_rank.empty()) {
    want[0].second = Hostfile(by_rank);
    want[1].second = list_of;
    want[2].second = PlacementJson(list_of, by_rank);
  }
  RankListData made;
  made.too_big = RemoveTooBig(has.other_bytes, kLeftOut, want);
  const std::array known = {&has.hosts, &has.list_of, &has.placement};
  for (size_t i = 0; i < want.size(); ++i) {
    if (!IsThere(want[i], *known[i])) made.changes.push_back(std::move(want[i]));
  }
  return made;
}

}  // namespace gangplan
