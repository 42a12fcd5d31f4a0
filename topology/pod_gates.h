// Scheduling gates of pods: while a pod has one the scheduler does not try it, and its node
// affinity may be narrowed. A gate that is gone never comes back. Pure data; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace gangplan {

// A pod with it waits until Gangplan has room for its whole gang.
inline constexpr std::string_view kGangGate = "gangplan.io/gang";
// Kueue's own ungater takes it away, where nobody says that Gangplan does.
inline constexpr std::string_view kKueueTopologyGate = "kueue.x-k8s.io/topology";

// Which gates a pod has.
struct PodGates {
  bool gang = false;            // kGangGate
  bool kueue_topology = false;  // kKueueTopologyGate
  bool others = false;

  bool any() const { return gang || kueue_topology || others; }
  friend bool operator==(const PodGates&, const PodGates&) = default;
};

// Which of them Gangplan takes away.
enum class GateUse : uint8_t { kNone, kGangplan, kGangplanAndKueue };

// The pod waits for us alone: it has a gate that is ours to take away, and none of anybody else.
constexpr bool WaitForUs(const PodGates& gates, GateUse use) {
  const bool kueue = use == GateUse::kGangplanAndKueue;
  const bool others = gates.others || (gates.kueue_topology && !kueue);
  return use != GateUse::kNone && gates.any() && !others;
}

}  // namespace gangplan
