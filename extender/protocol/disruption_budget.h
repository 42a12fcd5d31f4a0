// PodDisruptionBudgets of policy/v1 and the pods that they are about, as far as it takes to know
// how many of these may go. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/labels.h"
#include "topology/node_filter.h"

namespace gangplan {

struct DisruptionBudget {
  std::string name;
  // All must hold of a pod's labels; empty: all pods. Nothing: no pod.
  std::optional<std::vector<SelectorRequirement>> selector;
  int64_t allowed = 0;         // that go now; none before its controller has seen it
  bool frees_unready = false;  // pods that are not ready go without being counted
};
struct BudgetPage {
  std::string next;  // the token of the next page
  std::vector<DisruptionBudget> items;
};

// As a list takes it: "app=train,tier in (a,b),!spot".
std::string SelectorText(const std::vector<SelectorRequirement>& selector);

struct BudgetPod {
  std::string uid;
  LabelSet labels;
  bool runs = false;  // it has not ended, and does not stop
  bool ready = false;
};
struct BudgetPodPage {
  std::string next;
  std::vector<BudgetPod> items;
};

bool IsAbout(const DisruptionBudget& budget, const BudgetPod& pod);

// Pages of lists, which are used up. ResourceExhausted above that many bytes.
absl::StatusOr<BudgetPage> DecodeBudgets(std::string& text, size_t max_bytes);
absl::StatusOr<BudgetPodPage> DecodeBudgetPods(std::string& text, size_t max_bytes);

}  // namespace gangplan
