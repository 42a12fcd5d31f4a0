#include "extender/protocol/pod_requests.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "extender/protocol/limits.h"
#include "topology/base/text.h"
#include "topology/base/text_map.h"
#include "topology/implied_resource.h"
#include "topology/quantity.h"

namespace gangplan {
namespace {

constexpr int64_t kMostAmount = std::numeric_limits<int64_t>::max();

absl::Status Add(AmountDraft& amounts, std::string_view name, std::string_view quantity,
                 Rounding rounding) {
  if (name.empty()) return Invalid("a resource without a name");
  if (IsImplied(name)) return Invalid("the name of a resource has no blanks: '{}'", Shown(name));
  const Scale scale = name == "cpu" ? Scale::kMilli : Scale::kOne;
  const absl::StatusOr<int64_t> amount = ParseQuantity(quantity, scale, rounding);
  if (amount.ok() && *amount < 0) return Invalid("must not be negative: {}", quantity);
  if (amount.ok() || rounding == Rounding::kUp)
    amounts.push_back({std::string(name), amount.value_or(kMostAmount)});
  return amount.status();
}

// What one resource comes to, while the containers are gone through.
struct Total {
  int64_t running = 0;   // containers and sidecars
  int64_t sidecars = 0;  // sidecars so far
  int64_t starting = 0;  // the most that an init container needs
};
using Totals = TextMap<Total>;

void Increase(int64_t& sum, int64_t amount, std::string_view name, absl::Status& fault) {
  if (!__builtin_add_overflow(sum, amount, &sum)) return;
  sum = kMostAmount;
  fault.Update(Invalid("the sum of the requests of {} does not fit in 64 bits", name));
}

// The requests of `resources`; where one is missing, the limit.
ResourceList Requested(ResourcesDraft& resources) {
  ResourceList requests = TakeAmounts(resources.limits);
  std::move(resources.requests.begin(), resources.requests.end(), std::back_inserter(requests));
  return TakeAmounts(requests);
}

// Per name the largest amount of any list. Sorted.
ResourceList Largest(std::initializer_list<ResourceList*> lists) {
  ResourceList all;
  for (ResourceList* list : lists) std::move(list->begin(), list->end(), std::back_inserter(all));
  std::sort(all.begin(), all.end(), [](const ResourceAmount& a, const ResourceAmount& b) {
    return a.name != b.name ? a.name < b.name : a.amount < b.amount;
  });
  return TakeAmounts(all);
}

// `wanted`, seen beside what the node's agent has allocated and applied.
ResourceList WithStatus(ResourceList wanted, ContainerStatusDraft& status, bool resize_refused) {
  ResourceList allocated = TakeAmounts(status.allocated);
  ResourceList actual = TakeAmounts(status.actual.requests);
  if (allocated.empty() && actual.empty()) return wanted;
  if (resize_refused) return Largest({&allocated, &actual});
  return Largest({&wanted, &allocated, &actual});
}

using StatusByName = absl::flat_hash_map<std::string_view, ContainerStatusDraft*>;

StatusByName ByName(std::vector<ContainerStatusDraft>& statuses) {
  StatusByName by_name;
  for (ContainerStatusDraft& status : statuses) by_name[status.name] = &status;
  return by_name;
}

ResourceList RequestedBy(ContainerDraft& container, const StatusByName& statuses, bool refused) {
  ResourceList requests = Requested(container.resources);
  auto status = statuses.find(container.name);
  if (status == statuses.end()) return requests;
  return WithStatus(std::move(requests), *status->second, refused);
}

void AddContainers(PodRequestsDraft& draft, Totals& totals, absl::Status& fault) {
  const StatusByName statuses = ByName(draft.statuses);
  for (ContainerDraft& container : draft.containers) {
    for (const auto& [name, amount] : RequestedBy(container, statuses, draft.resize_refused)) {
      Increase(totals[name].running, amount, name, fault);
    }
  }
}

bool IsSidecar(const ContainerDraft& container) { return container.restart_policy == "Always"; }

void AddSidecar(const ResourceList& requests, Totals& totals, absl::Status& fault) {
  for (const auto& [name, amount] : requests) {
    Total& total = totals[name];
    Increase(total.running, amount, name, fault);
    Increase(total.sidecars, amount, name, fault);
    total.starting = std::max(total.starting, total.sidecars);
  }
}

void AddInitContainers(PodRequestsDraft& draft, Totals& totals, absl::Status& fault) {
  const StatusByName statuses = ByName(draft.init_statuses);
  for (ContainerDraft& container : draft.init_containers) {
    if (IsSidecar(container)) {
      AddSidecar(RequestedBy(container, statuses, draft.resize_refused), totals, fault);
      continue;
    }
    for (const auto& [name, amount] : Requested(container.resources)) {
      Total& total = totals[name];
      int64_t needed = total.sidecars;
      Increase(needed, amount, name, fault);
      total.starting = std::max(total.starting, needed);
    }
  }
}

bool MayBePodLevel(std::string_view name) {
  return name == "cpu" || name == "memory" || name.substr(0, 10) == "hugepages-";
}

// The whole pod's own requests, and its limits for what neither it nor a container asks for.
void ReplaceByPodLevel(PodRequestsDraft& draft, Totals& totals) {
  ResourceList own = TakeAmounts(draft.pod_level.requests);
  for (ResourceAmount& limit : TakeAmounts(draft.pod_level.limits)) {
    if (!Names(own, limit.name) && !totals.contains(limit.name)) own.push_back(std::move(limit));
  }
  if (own.empty()) return;
  for (const auto& [name, amount] : WithStatus(own, draft.pod_status, draft.resize_refused)) {
    if (MayBePodLevel(name) && Names(own, name)) totals[name] = {.running = amount};
  }
}

// Takes the port of the node that `port` stands for; none when it is the pod's own.
void AddPort(const PortDraft& port, bool host_network, Totals& totals) {
  int32_t number = port.host_port;
  if (number == 0 && host_network) number = port.container_port;
  if (number == 0) return;
  int64_t& of_all = totals[HostPort(number, port.protocol)].running;
  if (port.host_ip.empty() || port.host_ip == "0.0.0.0") {
    of_all = kWholeNode;
    return;
  }
  of_all = std::max<int64_t>(of_all, 1);
  totals[HostPort(number, port.protocol, port.host_ip)].running = kWholeNode;
}

void AddPorts(const PodRequestsDraft& draft, Totals& totals) {
  for (const ContainerDraft& container : draft.containers) {
    for (const PortDraft& port : container.ports) AddPort(port, draft.host_network, totals);
  }
  for (const ContainerDraft& container : draft.init_containers) {
    if (!IsSidecar(container)) continue;
    for (const PortDraft& port : container.ports) AddPort(port, draft.host_network, totals);
  }
}

}  // namespace

absl::Status AddRequested(AmountDraft& amounts, std::string_view name, std::string_view quantity) {
  return Add(amounts, name, quantity, Rounding::kUp);
}

absl::Status AddOffered(AmountDraft& amounts, std::string_view name, std::string_view quantity) {
  return Add(amounts, name, quantity, Rounding::kDown);
}

bool Names(const AmountDraft& amounts, std::string_view name) {
  return std::any_of(amounts.begin(), amounts.end(),
                     [&](const ResourceAmount& entry) { return entry.name == name; });
}

ResourceList TakeAmounts(AmountDraft& written) {
  ResourceList sorted = std::exchange(written, {});
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const ResourceAmount& a, const ResourceAmount& b) { return a.name < b.name; });
  // Of equals the last: unique keeps the first of a run, so run backwards.
  auto first = std::unique(
      sorted.rbegin(), sorted.rend(),
      [](const ResourceAmount& a, const ResourceAmount& b) { return a.name == b.name; });
  sorted.erase(sorted.begin(), first.base());
  return sorted;
}

ResourceList PodRequests(PodRequestsDraft& draft, absl::Status& fault) {
  Totals totals;
  AddContainers(draft, totals, fault);
  AddInitContainers(draft, totals, fault);
  ReplaceByPodLevel(draft, totals);
  for (const auto& [name, amount] : TakeAmounts(draft.overhead)) {
    Total& total = totals[name];
    total.running = std::max(total.running, std::exchange(total.starting, 0));
    Increase(total.running, amount, name, fault);
  }
  totals[std::string(kPodsResource)] = {.running = 1};
  AddPorts(draft, totals);
  ResourceList requests;
  for (const auto& [name, total] : totals) {
    const int64_t amount = std::max(total.running, total.starting);
    if (amount > 0) requests.push_back({name, amount});
  }
  const size_t own = requests.size() - 1;  // all but `pods`
  if (own > kMaxPodResources)
    fault.Update(
        Invalid("asks for more than {} resources and ports of its node", kMaxPodResources));
  return TakeAmounts(requests);
}

}  // namespace gangplan
