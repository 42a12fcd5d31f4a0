// The table of rights is that of the roles and of docs/rights.md, and a configuration needs the
// parts that it turns on.
#include "extender/app/rights.h"

#include <set>

#include "extender/kube/yaml_json.h"
#include "tests/config/config_text.h"

namespace gangplan::rights_test {
namespace {

std::vector<YamlNode> Documents(const std::string& path) {
  const std::string text = FileOfTree(path);
  absl::StatusOr<std::vector<YamlNode>> documents = ParseYaml(text, YamlRulesFor(text), path);
  REQUIRE(documents.ok());
  return *std::move(documents);
}

// "core: pods/binding create"
std::set<std::string> RightsOfRoles(const std::string& kind, const std::string& beginning) {
  std::set<std::string> rights;
  for (const YamlNode& document : Documents("examples/rbac.yaml")) {
    const std::string name = document.Find("metadata")->Find("name")->text;
    if (document.Find("kind")->text != kind || !name.starts_with(beginning)) continue;
    for (const YamlNode& rule : document.Find("rules")->items) {
      for (const YamlNode& group : rule.Find("apiGroups")->items) {
        for (const YamlNode& resource : rule.Find("resources")->items) {
          for (const YamlNode& verb : rule.Find("verbs")->items) {
            rights.insert(fmt::format("{}: {}{}{} {}", name.substr(beginning.size()), group.text,
                                      group.text.empty() ? "" : "/", resource.text, verb.text));
          }
        }
      }
    }
  }
  return rights;
}

std::set<std::string> RightsOf(const std::vector<NeededPart>& parts) {
  std::set<std::string> rights;
  for (const NeededPart& part : parts) {
    for (const Access& one : part.access) {
      rights.insert(fmt::format("{}: {}{}{}{}{} {}", part.name, one.group,
                                one.group.empty() ? "" : "/", one.resource,
                                one.subresource.empty() ? "" : "/", one.subresource, one.verb));
    }
  }
  return rights;
}

std::set<std::string> PartsOf(const Settings& settings) {
  std::set<std::string> names;
  for (const NeededPart& part : NeededParts(settings)) names.insert(part.name);
  return names;
}

Settings Everything() {
  Settings settings;
  settings.gates = GateUse::kGangplan;
  settings.preemption = Preemption::kGangsAndPods;
  settings.suspended_jobs = settings.sakkara_groups = true;
  settings.admission_checks = true;
  settings.provisioning.class_name = "a.class";
  settings.repair.after = absl::Seconds(60);
  settings.topologies[0].source = TopologySource::kKueue;
  settings.server.api.certificate_file = "tls.crt";
  return settings;
}

TEST_CASE("Rights: a configuration of everything needs what the roles give") {
  std::set<std::string> needed = RightsOf(NeededParts(Everything()));
  CHECK(needed == RightsOfRoles("ClusterRole", "gangplan-"));
  Settings wakes = Everything();
  wakes.wake = WakeBy::kAnnotate;
  needed = RightsOf(NeededParts(wakes));
  CHECK(needed.contains("wakes: pods patch"));
  CHECK_FALSE(needed.contains("nominations: pods/status patch"));
}

TEST_CASE("Rights: each stands in docs/rights.md, and no other") {
  std::set<std::string> told;
  const std::string text = FileOfTree("docs/rights.md");
  for (size_t at = text.find("\n| "); at != std::string::npos; at = text.find("\n| ", at + 1)) {
    const std::string row = text.substr(at + 3, text.find('\n', at + 1) - at - 3);
    const size_t cell = row.find(" | `");
    if (cell == std::string::npos) continue;
    told.insert(row.substr(0, cell) + ": " +
                row.substr(cell + 4, row.find('`', cell + 4) - cell - 4));
  }
  std::set<std::string> needed = RightsOf(NeededParts(Everything()));
  needed.insert("wakes: pods patch");
  CHECK(told == needed);
}

TEST_CASE("Rights: a part is needed where the configuration turns it on") {
  const std::set<std::string> always = {"core", "owners",     "jobsets",          "kubeflow",
                                        "ray",  "pod-groups", "pod-group-status", "nominations"};
  CHECK(PartsOf(Settings()) == always);
  const auto more = [&](std::string_view text) {
    std::set<std::string> parts = PartsOf(MustRead(text));
    for (const std::string& part : always) CHECK(parts.erase(part) == 1);
    return parts;
  };
  using Parts = std::set<std::string>;
  CHECK_FALSE(PartsOf(MustRead("groups: {podGroupStatus: never}\n")).contains("pod-group-status"));
  CHECK(more("groups: {gates: gangplan}\n") == Parts{"gates"});
  CHECK(more("preemption: lower-priority\n") == Parts{"preemption"});
  CHECK(more("repair: {after: 1m}\n") == Parts{"repair"});
  CHECK(more("repair: {onFailure: restart}\n") == Parts{"preemption"});
  CHECK(more("repair: {onFailure: relax}\n").empty());
  CHECK(more("repair: {readyTimeout: 1m}\n") == Parts{"preemption"});
  CHECK(more("gang: {readyTimeout: 1m}\n") == Parts{"preemption"});
  CHECK(more("groups: {suspendedJobs: true}\n") ==
        Parts{"admission", "suspend", "suspend-jobsets"});
  CHECK(more("groups: {admissionChecks: true}\n") == Parts{"admission", "admission-checks"});
  CHECK(more("provisioning: {class: a.class}\n") == Parts{"provisioning"});
  CHECK(more("groups: {sakkara: true}\n") == Parts{"sakkara"});
  CHECK(more("topologies: [{name: a, source: kueue}]\n") == Parts{"kueue", "kueue-workloads"});
  CHECK(more("server: {api: {certificateFile: a, keyFile: b}}\n") == Parts{"api"});
}

TEST_CASE("Rights: those of one namespace are asked for there") {
  const std::vector<NeededPart> parts =
      NeededParts(MustRead("topologies: [{name: a, source: sakkara, namespace: trees}]\n"
                           "reservations: {namespace: rooms}\n"
                           "rankLists: {namespaces: [ml, sim]}\n"
                           "leader: {lease: gangplan/gangplan-scheduler}\n"));
  const NeededPart& sim = parts[parts.size() - 2];
  CHECK(sim.name == "ranks");
  CHECK(sim.access[0].ns == "sim");
  CHECK(sim.access[2].verb == "patch");
  CHECK(parts[parts.size() - 3].access[0].ns == "ml");
  const NeededPart& reservations = parts[parts.size() - 4];
  CHECK(reservations.name == "reservations");
  CHECK(reservations.access[0].ns == "rooms");
  const NeededPart& tree = parts[parts.size() - 5];
  CHECK(tree.name == "tree");
  CHECK(tree.access[0].ns == "trees");
  CHECK(tree.access[0].name == "");
  const NeededPart& leader = parts.back();
  CHECK(leader.name == "leader");
  CHECK(leader.access[1].verb == "watch");
  CHECK(leader.access[1].ns == "gangplan");
  CHECK(leader.access[1].name == "gangplan-scheduler");
  CHECK(RightsOfRoles("Role", "gangplan-").contains("leader: coordination.k8s.io/leases watch"));
}

}  // namespace
}  // namespace gangplan::rights_test
