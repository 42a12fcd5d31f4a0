// Selectors by what they ask for, so that a pod is compared with those alone that may select it: of
// its namespace, and with one of its labels where they ask for a certain one.
// Thread rule: the planner's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "topology/base/text_map.h"
#include "topology/pod_affinity.h"

namespace gangplan {

class SelectorIndex {
 public:
  void Add(const PodSelector& selector, int32_t id) {
    for (const std::string& bucket : BucketsOf(selector)) buckets_[bucket].push_back(id);
  }
  // REQUIRES: it was added.
  void Remove(const PodSelector& selector, int32_t id) {
    for (const std::string& bucket : BucketsOf(selector)) {
      auto it = buckets_.find(bucket);
      std::erase(it->second, id);
      if (it->second.empty()) buckets_.erase(it);
    }
  }
  // Visits the ids of all selectors that may select the pod, each once. O(labels), and nothing
  // while there are no selectors.
  template <typename Visitor>  // (id)
  void Visit(const PodProfile& pod, Visitor visitor) const {
    if (buckets_.empty()) return;
    const auto visit = [&](const std::string& bucket) {
      auto it = buckets_.find(bucket);
      if (it == buckets_.end()) return;
      for (int32_t id : it->second) visitor(id);
    };
    for (const std::string_view ns : {std::string_view(pod.ns), kAll}) {
      visit(Bucket(ns, "", ""));
      pod.labels.ForEach(
          [&](std::string_view key, std::string_view value) { visit(Bucket(ns, key, value)); });
    }
  }

 private:
  static constexpr std::string_view kAll = "*";  // no namespace is called so

  static std::string Bucket(std::string_view ns, std::string_view key, std::string_view value) {
    return fmt::format("{}\n{}\n{}", ns, key, value);
  }
  // One a namespace, under the first label that must have one value.
  static std::vector<std::string> BucketsOf(const PodSelector& selector) {
    const auto one = std::find_if(
        selector.labels.begin(), selector.labels.end(), [](const SelectorRequirement& label) {
          return label.op == SelectorOperator::kIn && label.values.size() == 1;
        });
    const bool any = one != selector.labels.end();
    const auto bucket = [&](std::string_view ns) {
      return any ? Bucket(ns, one->key, one->values.front()) : Bucket(ns, "", "");
    };
    if (selector.all_namespaces) return {bucket(kAll)};
    std::vector<std::string> buckets;
    for (const std::string& ns : selector.namespaces) buckets.push_back(bucket(ns));
    return buckets;
  }

  TextMap<std::vector<int32_t>> buckets_;
};

}  // namespace gangplan
