// Every hold ends: none stands longer than its bound without its member's Binding being open. Told
// by the slots of the groups' reports, each by its rank and its node; a hold that was given back
// for less than five seconds and taken again counts as one.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "tests/simulation/service.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

class HoldAges : public ServiceObserver {
 public:
  HoldAges(const Timeline& time, Service& service) : time_(time), service_(service) {}

  // Looks every five seconds; call it more often. Throws Broken.
  void Check();
  void OnRestart() override { since_.clear(); }

 private:
  // Group, incarnation, pod set, rank, node.
  using Hold = std::tuple<std::string, std::string, std::string, int32_t, std::string>;

  const Timeline& time_;
  Service& service_;
  absl::Time next_;
  std::map<Hold, absl::Time> since_;
};

}  // namespace gangplan::simulation
