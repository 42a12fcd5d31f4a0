#include "tests/simulation/room.h"

#include <algorithm>
#include <array>
#include <limits>

namespace gangplan::simulation {

Amounts& Amounts::operator+=(const Amounts& other) {
  gpus += other.gpus;
  cpu += other.cpu;
  return *this;
}

Amounts& Amounts::operator-=(const Amounts& other) {
  gpus -= other.gpus;
  cpu -= other.cpu;
  return *this;
}

Amounts AmountsOf(const ResourceList& list) {
  Amounts amounts;
  for (const ResourceAmount& entry : list) {
    if (entry.name == "example.com/gpu") amounts.gpus = entry.amount;
    if (entry.name == "cpu") amounts.cpu = entry.amount;
  }
  return amounts;
}

Amounts Smaller(const Amounts& a, const Amounts& b) {
  return {std::min(a.gpus, b.gpus), std::min(a.cpu, b.cpu)};
}

Amounts Greater(const Amounts& a, const Amounts& b) {
  return {std::max(a.gpus, b.gpus), std::max(a.cpu, b.cpu)};
}

int64_t Times(const Amounts& room, const Amounts& each) {
  int64_t times = std::numeric_limits<int64_t>::max();
  if (each.gpus > 0) times = std::min(times, room.gpus / each.gpus);
  if (each.cpu > 0) times = std::min(times, room.cpu / each.cpu);
  return std::max<int64_t>(times, 0);
}

std::map<std::string, Amounts> FreeRoom(const ApiServer& api) {
  std::map<std::string, Amounts> free;
  for (const auto& [name, node] : api.nodes()) free[name] = AmountsOf(node.allocatable);
  for (const auto& [uid, pod] : api.pods()) {
    const auto on = free.find(pod.node_name);
    if (on != free.end() && !pod.finished()) on->second -= AmountsOf(pod.requests);
  }
  return free;
}

std::string DomainAt(const NodeFacts& node, int level) {
  constexpr std::array<std::string_view, 2> kLabels = {"example.com/block", "example.com/rack"};
  std::string path;
  for (size_t i = 0; i < kLabels.size() && static_cast<int>(i) <= level; ++i) {
    const std::string* value = FindLabel(node.labels, kLabels[i]);
    path += (i > 0 ? "/" : "") + (value == nullptr ? std::string() : *value);
  }
  return path;
}

}  // namespace gangplan::simulation
