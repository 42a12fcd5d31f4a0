// Beside which other pods a pod must stand, and apart from which: the required terms of its pod
// affinity and anti-affinity, as kube-scheduler takes them. Preferred terms are not kept. Pure data
// and pure functions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/labels.h"
#include "topology/node_filter.h"
#include "topology/resources.h"

namespace gangplan {

// Pods of some namespaces, by their labels. Equal selectors are written alike: all lists are sorted
// and without repeats.
struct PodSelector {
  std::vector<std::string> namespaces;      // of these
  bool all_namespaces = false;              // ... or of all
  std::vector<SelectorRequirement> labels;  // all must hold; Gt and Lt do not occur
  friend bool operator==(const PodSelector&, const PodSelector&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const PodSelector& x) {
    return H::combine(std::move(h), x.namespaces, x.all_namespaces, x.labels);
  }
};

// A domain is all nodes with one value of the label `topology_key`; a node without it is in none.
struct PodAffinityTerm {
  std::string topology_key;
  PodSelector pods;
  friend bool operator==(const PodAffinityTerm&, const PodAffinityTerm&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const PodAffinityTerm& x) {
    return H::combine(std::move(h), x.topology_key, x.pods);
  }
};

struct PodAffinity {
  // In the domain of each term stands some pod that all of them select; while there is none
  // anywhere, a pod that they select itself may go to any node that has the labels.
  std::vector<PodAffinityTerm> near;
  // In the domain of each term stands no pod that it selects, and the other way round.
  std::vector<PodAffinityTerm> apart;

  bool empty() const { return near.empty() && apart.empty(); }
  friend bool operator==(const PodAffinity&, const PodAffinity&) = default;
};

// Labels in one text, since every pod that runs keeps them.
class PackedLabels {
 public:
  PackedLabels() = default;
  explicit PackedLabels(const LabelSet& labels);
  // O(bytes).
  std::optional<std::string_view> Find(std::string_view key) const { return Finder(*this)(key); }
  // Asked for keys in ascending order it goes through the labels once, however many are asked for.
  class Finder {
   public:
    explicit Finder(const PackedLabels& labels) : all_(labels.text_), rest_(all_) {}
    std::optional<std::string_view> operator()(std::string_view key);

   private:
    std::string_view all_;
    std::string_view rest_;  // from the first label on that is not less than the key before
    std::string_view last_;
  };
  template <typename Visit>  // (key, value)
  void ForEach(Visit visit) const {
    for (std::string_view rest = text_; !rest.empty();) {
      const std::string_view key = Cut(rest);
      visit(key, Cut(rest));
    }
  }
  friend bool operator==(const PackedLabels&, const PackedLabels&) = default;

 private:
  static std::string_view Cut(std::string_view& rest) {
    const size_t end = rest.find('\0');
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return part;
  }

  std::string text_;  // key, NUL, value, NUL, ...
};

// What the affinity of other pods sees of a pod, and its own.
struct PodProfile {
  std::string ns;
  PackedLabels labels;
  PodAffinity affinity;
  friend bool operator==(const PodProfile&, const PodProfile&) = default;
};
using ProfileRef = std::shared_ptr<const PodProfile>;

bool Selects(const PodSelector& selector, const PodProfile& pod);
// Every selector does.
bool SelectAll(const std::vector<PodSelector>& selectors, const PodProfile& pod);
// "app=train,tier in (a,b) of team": as kubectl writes selectors, and whose pods.
std::string SelectorText(const PodSelector& selector);

// Of each term by which the pod keeps apart from its like on a node, all of an implied resource
// (implied_resource.h): so such pods exclude each other by amounts. Sorted.
ResourceList ApartOnNode(const PodProfile& pod);

}  // namespace gangplan
