#include "extender/frontends/gangplan/reservation.h"

#include <algorithm>
#include <utility>

#include "extender/frontends/gangplan/place.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/limits.h"
#include "extender/frontends/topology_choice.h"
#include "fmt/format.h"
#include "topology/base/duration.h"
#include "topology/base/spelling.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/base/time_text.h"
#include "topology/implied_resource.h"
#include "topology/quantity.h"

namespace gangplan {
namespace {

constexpr std::string_view kFrom = "from", kUntil = "until", kLead = "lead", kCount = "count",
                           kRequests = "requests", kSelector = "nodeSelector",
                           kTolerations = "tolerations", kTopology = "topology", kPlace = "place",
                           kNamespaces = "namespaces", kPodLabels = "podLabels";
constexpr std::string_view kKeys[] = {kFrom,     kUntil,      kLead,        kCount,
                                      kRequests, kSelector,   kTolerations, kTopology,
                                      kPlace,    kNamespaces, kPodLabels};

absl::Status CheckKeys(const LabelSet& data) {
  const std::vector<std::string_view> keys(std::begin(kKeys), std::end(kKeys));
  for (const auto& [key, value] : data) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      const std::string_view near = NearestWord(key, keys);
      if (!near.empty()) return Invalid("{}: unknown key; did you mean {}?", Shown(key), near);
      return Invalid("{}: unknown key; expected one of {}", Shown(key), fmt::join(keys, ", "));
    }
    if (value.size() > kMaxReservationTextBytes)
      return Invalid("{}: has {} bytes; expected {} at the most", key, value.size(),
                     kMaxReservationTextBytes);
  }
  return absl::OkStatus();
}

// Empty: it is not there, or says nothing.
std::string_view ValueOf(const LabelSet& data, std::string_view key) {
  const std::string* value = FindLabel(data, key);
  return value == nullptr ? std::string_view() : Trim(*value);
}

absl::StatusOr<absl::Time> TimeOf(const LabelSet& data, std::string_view key) {
  const std::string_view text = ValueOf(data, key);
  const std::optional<absl::Time> time = ReadTime(text);
  if (!time)
    return Invalid("{}: \"{}\" is no time; expected one such as 2026-12-01T18:00Z", key,
                   Shown(text));
  return *time;
}

// What stands between commas, without blanks around it.
absl::StatusOr<std::vector<std::string_view>> ItemsOf(const LabelSet& data, std::string_view key,
                                                      size_t most) {
  std::vector<std::string_view> items;
  for (std::string_view rest = ValueOf(data, key); !rest.empty();) {
    const size_t comma = rest.find(',');
    const std::string_view item = Trim(rest.substr(0, comma));
    if (item.empty()) return Invalid("{}: has an empty item; expected names between commas", key);
    if (items.size() == most) return Invalid("{}: expected {} items at the most", key, most);
    items.push_back(item);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
    if (Trim(rest).empty())
      return Invalid("{}: has an empty item; expected names between commas", key);
  }
  return items;
}

struct Pair {
  std::string name;
  std::string value;
};

absl::StatusOr<Pair> PairOf(std::string_view key, std::string_view item, std::string_view such_as) {
  const size_t equals = item.find('=');
  Pair pair{std::string(Trim(item.substr(0, equals))), ""};
  if (equals == std::string_view::npos || pair.name.empty())
    return Invalid("{}: \"{}\": expected {}", key, Shown(item), such_as);
  pair.value = std::string(Trim(item.substr(equals + 1)));
  return pair;
}

absl::StatusOr<LabelSet> LabelsOf(const LabelSet& data, std::string_view key) {
  GANGPLAN_ASSIGN_OR_RETURN(const auto items, ItemsOf(data, key, kMaxReservationNames));
  LabelSet labels;
  for (const std::string_view item : items) {
    GANGPLAN_ASSIGN_OR_RETURN(Pair pair, PairOf(key, item, "a label such as team=ml"));
    if (FindLabel(labels, pair.name) != nullptr)
      return Invalid("{}: names {} twice", key, Shown(pair.name));
    labels.emplace_back(std::move(pair.name), std::move(pair.value));
    std::sort(labels.begin(), labels.end());
  }
  return labels;
}

absl::StatusOr<ResourceList> RequestsOf(const LabelSet& data) {
  GANGPLAN_ASSIGN_OR_RETURN(const auto items, ItemsOf(data, kRequests, kMaxReservedResources));
  if (items.empty())
    return Invalid("{}: is missing; expected what each pod takes, such as nvidia.com/gpu=8, cpu=90",
                   kRequests);
  ResourceList requests = {{"pods", 1}};
  for (const std::string_view item : items) {
    GANGPLAN_ASSIGN_OR_RETURN(const Pair pair, PairOf(kRequests, item, "nvidia.com/gpu=8"));
    const Scale scale = pair.name == "cpu" ? Scale::kMilli : Scale::kOne;
    const absl::StatusOr<int64_t> amount = ParseQuantity(pair.value, scale, Rounding::kUp);
    if (IsImplied(pair.name) || !amount.ok() || *amount <= 0)
      return Invalid("{}: \"{}\": expected a resource and a quantity above 0", kRequests,
                     Shown(item));
    const bool twice = std::any_of(requests.begin(), requests.end(),
                                   [&](const auto& one) { return one.name == pair.name; });
    if (twice) return Invalid("{}: names {} twice", kRequests, Shown(pair.name));
    requests.push_back({pair.name, *amount});
  }
  std::sort(requests.begin(), requests.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return requests;
}

absl::StatusOr<std::vector<Toleration>> TolerationsOf(const LabelSet& data) {
  GANGPLAN_ASSIGN_OR_RETURN(const auto items, ItemsOf(data, kTolerations, kMaxReservationNames));
  std::vector<Toleration> tolerations;
  for (const std::string_view item : items) {
    const size_t equals = item.find('=');
    Toleration one;
    one.key = std::string(Trim(item.substr(0, equals)));
    one.exists = equals == std::string_view::npos;
    if (!one.exists) one.value = std::string(Trim(item.substr(equals + 1)));
    if (one.key.empty())
      return Invalid("{}: \"{}\": expected the key of a taint, or key=value", kTolerations,
                     Shown(item));
    tolerations.push_back(std::move(one));
  }
  return tolerations;
}

absl::Status ReadTimes(const LabelSet& data, ReservationWords& words) {
  GANGPLAN_ASSIGN_OR_RETURN(words.from, TimeOf(data, kFrom));
  GANGPLAN_ASSIGN_OR_RETURN(words.until, TimeOf(data, kUntil));
  if (words.until <= words.from || words.until - words.from > kMaxReservedFor)
    return Invalid("{}: \"{}\": expected a time after {}, {} days later at the most", kUntil,
                   Shown(ValueOf(data, kUntil)), kFrom, kMaxReservedFor / absl::Hours(24));
  const std::string_view lead = ValueOf(data, kLead);
  if (lead.empty()) return absl::OkStatus();
  const std::optional<absl::Duration> read = ReadGoDuration(lead);
  if (!read || *read < absl::ZeroDuration() || *read > kMaxReservationLead)
    return Invalid("{}: \"{}\": expected a time such as 24h, {} days at the most", kLead,
                   Shown(lead), kMaxReservationLead / absl::Hours(24));
  words.lead = *read;
  return absl::OkStatus();
}

absl::Status ReadUsers(const LabelSet& data, ReservationWords& words) {
  GANGPLAN_ASSIGN_OR_RETURN(const auto names, ItemsOf(data, kNamespaces, kMaxReservationNames));
  words.namespaces.assign(names.begin(), names.end());
  std::sort(words.namespaces.begin(), words.namespaces.end());
  GANGPLAN_ASSIGN_OR_RETURN(words.labels, LabelsOf(data, kPodLabels));
  if (!words.namespaces.empty() || !words.labels.empty()) return absl::OkStatus();
  return Invalid("{}: is missing, and so is {}; expected one of them: whose gangs may use the room",
                 kNamespaces, kPodLabels);
}

// REQUIRES: the filter was read.
absl::StatusOr<const Topology*> ReadTopology(const LabelSet& data,
                                             std::span<const ScopedTopology> topologies,
                                             TopologyIndex usual, ReservationWords& words) {
  std::optional<std::string> word;
  if (const std::string_view text = ValueOf(data, kTopology); !text.empty()) word = text;
  GANGPLAN_ASSIGN_OR_RETURN(words.topology,
                            ChooseTopology(word, words.filter, topologies, usual, kTopology));
  const Topology* topology = &topologies[static_cast<size_t>(words.topology)];
  if (topologies.size() > 1) words.topology_name = topology->name;
  return topology;
}

}  // namespace

std::string ReservationWords::WhyNot(std::string_view ns, const PackedLabels& pod_labels) const {
  if (!namespaces.empty() && !std::binary_search(namespaces.begin(), namespaces.end(), ns))
    return fmt::format("it is for gangs of namespace {}", fmt::join(namespaces, ", "));
  for (const auto& [key, value] : labels) {
    if (pod_labels.Find(key) != value)
      return fmt::format("it is for pods with the label {}={}", key, value);
  }
  return {};
}

absl::StatusOr<ReservationWords> ReadReservation(const ConfigMapFacts& object,
                                                 std::span<const ScopedTopology> topologies,
                                                 TopologyIndex usual) {
  const LabelSet& data = object.data;
  ReservationWords words;
  GANGPLAN_RETURN_IF_ERROR(CheckKeys(data));
  GANGPLAN_RETURN_IF_ERROR(ReadTimes(data, words));
  GANGPLAN_ASSIGN_OR_RETURN(words.count,
                            ParseCount(kCount, ValueOf(data, kCount), 1, kMaxReservedPods));
  GANGPLAN_ASSIGN_OR_RETURN(words.requests, RequestsOf(data));
  GANGPLAN_ASSIGN_OR_RETURN(words.filter.node_selector, LabelsOf(data, kSelector));
  GANGPLAN_ASSIGN_OR_RETURN(words.filter.tolerations, TolerationsOf(data));
  GANGPLAN_ASSIGN_OR_RETURN(const Topology* topology, ReadTopology(data, topologies, usual, words));
  words.place = std::string(ValueOf(data, kPlace));
  GANGPLAN_ASSIGN_OR_RETURN(words.rules, ParsePlace(kPlace, words.place, *topology));
  GANGPLAN_RETURN_IF_ERROR(ReadUsers(data, words));
  return words;
}

}  // namespace gangplan
