// Cluster events as short texts, for comparisons: "node NAME", "pod UID", "-node NAME", "-pod UID";
// a bound pod is "pod UID@NODE", a topology "topology NAME: LABEL LABEL", "-topology NAME". A
// ConfigMap is "group NS/NAME KEY=VALUE KEY=VALUE", "-group NS/NAME", or with "tree" for a
// topology. A Job is "job UID VERSION", "-job UID". What admission follows is "rule NAME",
// "-rule NAME". A Workload is "workload NS/NAME VERSION", "-workload NS/NAME", an AdmissionCheck
// "check NAME", "-check NAME".
#pragma once

#include <string>
#include <vector>

#include "extender/cluster/cluster.h"

namespace gangplan {

struct EventTexts {
  std::string operator()(const NodeFacts& node) const { return "node " + node.name; }
  std::string operator()(const NodeDeleted& node) const { return "-node " + node.name; }
  std::string operator()(const PodFacts& pod) const {
    return "pod " + pod.uid + (pod.node_name.empty() ? "" : "@" + pod.node_name);
  }
  std::string operator()(const PodDeleted& pod) const { return "-pod " + pod.uid; }
  std::string operator()(const Topology& topology) const {
    std::string text = "topology " + topology.name + ":";
    for (const Level& level : topology.levels) text += " " + level.label;
    return text;
  }
  std::string operator()(const TopologyDeleted& topology) const {
    return "-topology " + topology.name;
  }
  std::string operator()(const ConfigMapSeen& seen) const {
    std::string text = Word(seen.use) + seen.facts.ns + "/" + seen.facts.name;
    for (const auto& [key, value] : seen.facts.data) text += " " + key + "=" + value;
    return text;
  }
  std::string operator()(const ConfigMapDeleted& object) const {
    return "-" + Word(object.use) + object.ns + "/" + object.name;
  }
  std::string operator()(const JobFacts& job) const {
    return "job " + job.owner.ref.uid + " " + job.resource_version;
  }
  std::string operator()(const JobLeft& job) const { return "-job " + job.uid; }
  std::string operator()(const AdmissionRule& rule) const {
    return "rule " + Full(rule.ns, rule.name);
  }
  std::string operator()(const AdmissionRuleGone& rule) const {
    return "-rule " + Full(rule.ns, rule.name);
  }
  std::string operator()(const LeaseFacts& lease) const { return "lease " + lease.holder; }
  std::string operator()(const WorkloadFacts& workload) const {
    return "workload " + Full(workload.ns, workload.name) + " " + workload.resource_version;
  }
  std::string operator()(const WorkloadGone& workload) const {
    return "-workload " + workload.name;
  }
  std::string operator()(const AdmissionCheckFacts& check) const { return "check " + check.name; }
  std::string operator()(const AdmissionCheckGone& check) const { return "-check " + check.name; }
  static std::string Full(const std::string& ns, const std::string& name) {
    return ns.empty() ? name : ns + "/" + name;
  }
  static std::string Word(ConfigMapUse use) {
    return use == ConfigMapUse::kSakkaraTopology ? "tree " : "group ";
  }
};

inline std::vector<std::string> TextOf(const std::vector<ClusterEvent>& events) {
  std::vector<std::string> texts;
  for (const ClusterEvent& event : events) texts.push_back(std::visit(EventTexts{}, event));
  return texts;
}

}  // namespace gangplan
