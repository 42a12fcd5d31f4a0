// Files that are wrong, and the exact words that their writers get.
#include <string>
#include <vector>

#include "tests/config/config_text.h"

namespace gangplan::bad_files_test {
namespace {

struct BadFile {
  std::string rest;   // from line 3 on
  std::string error;  // whole
};

// The same error for keys that are read alike is shown once, for one of them.
const std::vector<BadFile> kUnknownWords = {
    {"server: {prot: 1}\n", "x.yaml:3: server.prot: unknown key; did you mean \"port\"?"},
    {"sever: {}\n", "x.yaml:3: sever: unknown key; did you mean \"server\"?"},
    {"colour: red\n", "x.yaml:3: colour: unknown key"},
    {"gang:\n  startwhen: all-members\n",
     "x.yaml:4: gang.startwhen: unknown key; did you mean \"startWhen\"?"},
    {"<<: {}\n", "x.yaml:3: <<: unknown key"},
    {"gang: {startWhen: all-member}\n",
     "x.yaml:3: gang.startWhen: all-members or first-member expected, got \"all-member\"; did "
     "you mean \"all-members\"?"},
    {"engines: {strategy: pack}\n",
     "x.yaml:3: engines.strategy: auto, tas or exact expected, got \"pack\""},
    {"wake: poke\n", "x.yaml:3: wake: nominate or annotate expected, got \"poke\""},
    {"log: {level: warning}\n",
     "x.yaml:3: log.level: debug, info, warn or error expected, got \"warning\""},
    {"cluster: {source: API}\n", "x.yaml:3: cluster.source: api or file expected, got \"API\""},
};

const std::vector<BadFile> kNodeScopes = {
    {"nodes: {pool: a}\n", "x.yaml:3: nodes.pool: unknown key"},
    {"nodes: {matchLabels: a}\n",
     "x.yaml:3: nodes.matchLabels: label keys and their values expected"},
    {"nodes: {matchLabels: {a b: c}}\n",
     "x.yaml:3: nodes.matchLabels.a b: the key of a node label expected"},
    {"nodes: {matchLabels: {pool: -a}}\n",
     "x.yaml:3: nodes.matchLabels.pool: the value of a label expected"},
    {"nodes: {matchLabels: {pool: [a]}}\n",
     "x.yaml:3: nodes.matchLabels.pool: the value of a label expected"},
    {"nodes:\n  matchLabels:\n    pool: a\n    pool: b\n",
     "x.yaml:6: nodes.matchLabels.pool: given twice"},
    {"nodes: {matchExpressions: {}}\n",
     "x.yaml:3: nodes.matchExpressions: a list expected, each with key, operator and values"},
    {"nodes: {matchExpressions: [{key: pool, values: [a]}]}\n",
     "x.yaml:3: nodes.matchExpressions[].operator: In, NotIn, Exists or DoesNotExist expected"},
    {"nodes: {matchExpressions: [{key: pool, operator: Gt, values: [\"1\"]}]}\n",
     "x.yaml:3: nodes.matchExpressions[].operator: In, NotIn, Exists or DoesNotExist expected, got "
     "\"Gt\""},
    {"nodes: {matchExpressions: [{key: pool, operator: In}]}\n",
     "x.yaml:3: nodes.matchExpressions[].values: one value at least expected with In and NotIn"},
    {"nodes: {matchExpressions: [{key: pool, operator: Exists, values: [a]}]}\n",
     "x.yaml:3: nodes.matchExpressions[].values: none expected with Exists and DoesNotExist"},
    {"nodes: {matchExpressions: [{operator: Exists}]}\n",
     "x.yaml:3: nodes.matchExpressions[].key: the key of a node label expected"},
};

const std::vector<BadFile> kRepetitions = {
    {"wake: nominate\nwake: annotate\n", "x.yaml:4: wake: given twice, first in line 3"},
    {"server:\n  port: 1\n\n  port: 1\n", "x.yaml:6: server.port: given twice, first in line 4"},
    {"schedulerNames: [a, b, a]\n", "x.yaml:3: schedulerNames: \"a\" given twice"},
};

const std::vector<BadFile> kOtherTypes = {
    {"server: {port: http}\n",
     "x.yaml:3: server.port: a whole number from 0 to 65535 expected, got http"},
    {"server: {port: \"80\"}\n",
     "x.yaml:3: server.port: a whole number from 0 to 65535 expected, got \"80\""},
    {"server: {port: 010290}\n",
     "x.yaml:3: server.port: a whole number from 0 to 65535 expected, got 010290"},
    {"server: {port: 1e3}\n",
     "x.yaml:3: server.port: a whole number from 0 to 65535 expected, got 1e3"},
    {"server: {port: [1]}\n",
     "x.yaml:3: server.port: a whole number from 0 to 65535 expected, got a list"},
    {"server: {port: }\n",
     "x.yaml:3: server.port: a whole number from 0 to 65535 expected, got nothing"},
    {"cluster: {kubeconfig: {}}\n",
     "x.yaml:3: cluster.kubeconfig: text expected, got keys and values"},
    {"cluster: {kubeconfig: null}\n", "x.yaml:3: cluster.kubeconfig: text expected, got nothing"},
    {"cluster: api\n", "x.yaml:3: cluster: keys and values expected"},
    {"cluster:\n", "x.yaml:3: cluster: keys and values expected"},
    {"schedulerNames: gangplan\n", "x.yaml:3: schedulerNames: a list of 1 to 16 names expected"},
    {"provisioning: {class: Check}\n",
     "x.yaml:3: provisioning.class: the name of a class, such as "
     "check-capacity.autoscaling.x-k8s.io, expected"},
    {"provisioning: {class: a, parameters: [b]}\n",
     "x.yaml:3: provisioning.parameters: a map of up to 100 names and texts expected"},
    {"provisioning: {class: a, parameters: {b: {}}}\n",
     "x.yaml:3: provisioning.parameters.b: a text of up to 255 bytes expected"},
    {"provisioning: {class: a, backOff: 0s}\n",
     "x.yaml:3: provisioning.backOff: more than 0s expected"},
    {"provisioning: {class: a, maxBackOff: 59s}\n",
     "x.yaml:3: provisioning.maxBackOff: not less than backOff expected"},
    {"provisioning: {class: a, retries: 101}\n",
     "x.yaml:3: provisioning.retries: a whole number from 0 to 100 expected, got 101"},
    {"cluster: {source: file, file: c.yaml}\nprovisioning: {class: a}\n",
     "x.yaml:4: provisioning.class: only with cluster.source: api"},
    {"schedulerNames: [Big]\nprovisioning: {class: a}\n",
     "x.yaml:4: provisioning.class: only where schedulerNames are names of up to 63 characters"},
    {"reservations: {namespace: \"My NS/x\"}\n",
     "x.yaml:3: reservations.namespace: the name of a namespace expected"},
    {"resources: {excludeResourcePrefixes: [example.com/, \"host port\"]}\n",
     "x.yaml:3: resources.excludeResourcePrefixes: \"host port\": expected the beginning of a "
     "resource's name, of 1 to 253 characters, such as example.com/"},
    {"resources: {excludeResourcePrefixes: [c]}\n",
     "x.yaml:3: resources.excludeResourcePrefixes: \"c\": what every node counts itself is "
     "counted"},
    {"resources: {excludeResourcePrefixes: [hugepages-2Mi]}\n",
     "x.yaml:3: resources.excludeResourcePrefixes: \"hugepages-2Mi\": what every node counts "
     "itself is counted"},
    {"resources: {excludeResourcePrefixes: [\"\"]}\n",
     "x.yaml:3: resources.excludeResourcePrefixes: a name expected"},
    {"rankLists: {namespaces: [ml, ml]}\n", "x.yaml:3: rankLists.namespaces: \"ml\" given twice"},
    {"rankLists: {namespaces: [ml, \"*\"]}\n",
     "x.yaml:3: rankLists.namespaces: \"*\": expected names of namespaces, or \"*\" alone"},
    {"rankLists: {namespaces: [Ml]}\n",
     "x.yaml:3: rankLists.namespaces: \"Ml\": expected names of namespaces, or \"*\" alone"},
    {"schedulerNames: []\n", "x.yaml:3: schedulerNames: a list of 1 to 16 names expected"},
    {"schedulerNames: [\"\"]\n", "x.yaml:3: schedulerNames: a name expected"},
    {"gang: {gatherTimeout: 300}\n",
     "x.yaml:3: gang.gatherTimeout: a duration such as 90s, 5m or 1h30m expected, got \"300\""},
    {"gang: {gatherTimeout: 5 minutes}\n",
     "x.yaml:3: gang.gatherTimeout: a duration such as 90s, 5m or 1h30m expected, got \"5 "
     "minutes\""},
    {"gang: {gatherTimeout: -5m}\n",
     "x.yaml:3: gang.gatherTimeout: a duration such as 90s, 5m or 1h30m expected, got \"-5m\""},
    {"[a]: b\n", "x.yaml:3: a key must be text"},
};

const std::vector<BadFile> kContradictions = {
    {"gang: {gatherTimeout: 0s}\n", "x.yaml:3: gang.gatherTimeout: more than 0s expected"},
    {"repair: {timeout: 0s}\n", "x.yaml:3: repair.timeout: more than 0s expected"},
    {"server: {bindTimeout: 9s}\n", "x.yaml:3: server.bindTimeout: at least 10s expected"},
    {"server: {address: 0.0.0.0}\n",
     "x.yaml:3: server.address: a loopback address expected (127.0.0.1 or ::1), or, with "
     "server.tls, an IP address; got \"0.0.0.0\""},
    {"server: {api: {certificateFile: a}}\n",
     "x.yaml:3: server.api.keyFile: needed with the other file of server.api"},
    {"server: {api: {keyFile: a}}\n",
     "x.yaml:3: server.api.certificateFile: needed with the other file of server.api"},
    {"server: {api: {address: gangplan.svc}}\n",
     "x.yaml:3: server.api.address: an IP address expected, got \"gangplan.svc\""},
    {"server: {api: {certificateFile: a, keyFile: b, port: 10291}}\n",
     "x.yaml:3: server.api: a port of its own expected, 10291 is another listener's"},
    {"cluster: {source: file, file: a}\nserver: {api: {certificateFile: a, keyFile: b}}\n",
     "x.yaml:4: server.api: only with cluster.source: api, whose server asks it"},
    {"server: {tls: {certificateFile: a, keyFile: b, clientCAFile: c}}\n",
     "x.yaml:3: server.tls.allowedNames: needed with the other keys of server.tls"},
    {"server: {tls: {allowedNames: [a]}, address: 10.0.0.1}\n",
     "x.yaml:3: server.tls.certificateFile: needed with the other keys of server.tls\n"
     "x.yaml:3: server.tls.keyFile: needed with the other keys of server.tls\n"
     "x.yaml:3: server.tls.clientCAFile: needed with the other keys of server.tls\n"
     "x.yaml:3: server.address: a loopback address expected (127.0.0.1 or ::1), or, with "
     "server.tls, an IP address; got \"10.0.0.1\""},
    {"server:\n  address: example.com\n  tls: {certificateFile: a, keyFile: b, clientCAFile: c, "
     "allowedNames: [d]}\n",
     "x.yaml:4: server.address: a loopback address expected (127.0.0.1 or ::1), or, with "
     "server.tls, an IP address; got \"example.com\""},
    {"server: {address: 127.0.0.1.example.com}\n",
     "x.yaml:3: server.address: a loopback address expected (127.0.0.1 or ::1), or, with "
     "server.tls, an IP address; got \"127.0.0.1.example.com\""},
    {"server: {probeAddress: localhost}\n",
     "x.yaml:3: server.probeAddress: an IP address expected, got \"localhost\""},
    {"server: {probePort: 10290}\n",
     "x.yaml:3: server.probePort: another port than the verbs' 10290 expected"},
    {"server: {verbs: false}\n",
     "x.yaml:3: server.verbs: with false nobody would be placed: groups.suspendedJobs: true, or "
     "groups.gates other than none, expected beside it"},
    {"groups: {admissionCheckPatience: 0s}\n",
     "x.yaml:3: groups.admissionCheckPatience: more than 0s expected"},
    {"groups: {admissionCheckRejectAfter: 0s}\n",
     "x.yaml:3: groups.admissionCheckRejectAfter: more than 0s expected"},
    {"cluster: {source: file, file: a.json, kubeconfig: b}\n",
     "x.yaml:3: cluster.kubeconfig: only with source: api"},
    {"cluster: {source: file, file: a.json}\nleader: {lease: kube/sched}\n",
     "x.yaml:4: leader.lease: only with cluster.source: api"},
    {"leader: {lease: sched}\n", "x.yaml:3: leader.lease: NAMESPACE/NAME expected"},
    {"leader: {lease: kube/}\n", "x.yaml:3: leader.lease: NAMESPACE/NAME expected"},
    {"leader: {lease: kube/a/b}\n", "x.yaml:3: leader.lease: NAMESPACE/NAME expected"},
    {"cluster: {file: a.json}\n", "x.yaml:3: cluster.file: only with source: file"},
    {"cluster:\n  source: file\n", "x.yaml:3: cluster.file: a path expected with source: file"},
};

const std::vector<BadFile> kBadTopologies = {
    {"topologies: []\n", "x.yaml:3: topologies: a list of 1 to 16 topologies expected"},
    {"topologies:\n- preset: gke\n- name: b\n  preset: gke\n",
     "x.yaml:5: topologies[].nodes: one topology at most expected without a selector, for the "
     "nodes "
     "of no other, and line 4 is"},
    {"topologies:\n- preset: gke\n- {preset: gke, nodes: {matchLabels: {pool: a}}}\n",
     "x.yaml:5: topologies[].name: \"default\" names one in line 4 already"},
    {"topologies:\n- {preset: gke, default: true}\n"
     "- {name: b, preset: gke, default: true, nodes: {matchLabels: {pool: a}}}\n",
     "x.yaml:5: topologies[].default: one default expected, and line 4 is"},
    {"topologies:\n- source: sakkara\n- {name: b, source: sakkara, nodes: {matchLabels: {p: a}}}\n",
     "x.yaml:5: topologies[].source: one topology at most expected from sakkara, and line 4 is"},
    {"topologies: [{preset: gke, default: yes}]\n",
     "x.yaml:3: topologies[].default: true or false expected, got \"yes\""},
    {"topologies: [{preset: gke, nodes: {matchLabels: {pool: -a}}}]\n",
     "x.yaml:3: topologies[].nodes.matchLabels.pool: the value of a label expected"},
    {"topologies: [{preset: gke, nodes: {matchExpressions: [{key: pool}]}}]\n",
     "x.yaml:3: topologies[].nodes.matchExpressions[].operator: In, NotIn, Exists or DoesNotExist "
     "expected"},
    {"topologies: [{source: slurm}]\n",
     "x.yaml:3: topologies[].file: a path expected with source: slurm"},
    {"topologies: [{source: tree, file: \"\"}]\n",
     "x.yaml:3: topologies[].file: a path expected with source: tree"},
    {"topologies: [{preset: gke, file: x}]\n",
     "x.yaml:3: topologies[].file: only with source: slurm and source: tree"},
    {"topologies: [{source: tree, file: x, preset: gke}]\n",
     "x.yaml:3: topologies[].preset: not beside source: tree"},
    {"topologies: [{name: The Rings, source: slurm, file: x}]\n",
     "x.yaml:3: topologies[].name: with source: slurm small letters, digits, '-' and '.' expected, "
     "got \"The Rings\""},
    {"topologies: [{name: a}]\n",
     "x.yaml:3: topologies[].levels: either levels or a preset expected"},
    {"topologies: [{preset: gke, levels: []}]\n",
     "x.yaml:3: topologies[].preset: either levels or a preset expected"},
    {"topologies:\n- preset: gkee\n",
     "x.yaml:4: topologies[].preset: aws-3, aws-4, coreweave, crusoe, generic, gke, nebius, "
     "oci-rdma, topograph-0.5 or volcano expected, got \"gkee\"; did you mean \"gke\"?"},
    {"topologies: [{levels: {}}]\n",
     "x.yaml:3: topologies[].levels: a list of levels expected, each with name and label"},
    {"topologies:\n- levels:\n  - {name: rack, label: example.com/rack, key: x}\n",
     "x.yaml:5: topologies[].levels[].key: unknown key"},
    {"topologies:\n- levels:\n  - {label: example.com/rack}\n",
     "x.yaml:5: topologies[].levels[].name: a name expected"},
    {"topologies:\n- levels:\n  - {name: rack, label: a/b/c}\n",
     "x.yaml:5: topologies[].levels[].label: the key of a node label expected"},
    {"topologies: [{name: \"\", preset: gke}]\n", "x.yaml:3: topologies[].name: a name expected"},
    {"topologies:\n- name: a\n  source: keue\n",
     "x.yaml:5: topologies[].source: config, kueue, sakkara, slurm or tree expected, got \"keue\"; "
     "did you mean "
     "\"kueue\"?"},
    {"topologies:\n- source: kueue\n  preset: gke\n",
     "x.yaml:5: topologies[].preset: not beside source: kueue"},
    {"topologies:\n- source: kueue\n  levels:\n  - {name: rack, label: example.com/rack}\n",
     "x.yaml:5: topologies[].levels: not beside source: kueue"},
    {"topologies:\n- source: config\n",
     "x.yaml:4: topologies[].levels: either levels or a preset expected"},
    {"topologies:\n- name: The Racks\n  source: kueue\n",
     "x.yaml:4: topologies[].name: with source: kueue the name of a Topology object expected, got "
     "\"The Racks\""},
    {"topologies:\n- source: sakkara\n  preset: gke\n",
     "x.yaml:5: topologies[].preset: not beside source: sakkara"},
    {"topologies:\n- source: sakkara\n  namespace: Kube System\n",
     "x.yaml:5: topologies[].namespace: the name of a namespace expected"},
    {"topologies:\n- preset: gke\n  namespace: default\n",
     "x.yaml:5: topologies[].namespace: only with source: sakkara"},
};

const std::vector<BadFile> kOtherYaml = {
    {"wake: &a nominate\n", "x.yaml:3: anchors (&name) are not accepted"},
    {"wake: !word nominate\n", "x.yaml:3: tags (!name) are not accepted"},
    {"---\nwake: nominate\n", "x.yaml:4: one document expected, a second follows"},
};

void CheckAll(const std::vector<BadFile>& files) {
  for (const BadFile& bad : files) {
    INFO(bad.rest);
    CHECK(ErrorOf(ConfigText(bad.rest)) == bad.error);
  }
}

TEST_CASE("Words that are not known") { CheckAll(kUnknownWords); }
TEST_CASE("Nodes that are nobody's") { CheckAll(kNodeScopes); }
TEST_CASE("What is given twice") { CheckAll(kRepetitions); }
TEST_CASE("Values of another type") { CheckAll(kOtherTypes); }
TEST_CASE("Values that contradict each other or the service") { CheckAll(kContradictions); }
TEST_CASE("Topologies that are none") { CheckAll(kBadTopologies); }
TEST_CASE("YAML that is not accepted") { CheckAll(kOtherYaml); }

TEST_CASE("The head of the file is needed") {
  CHECK(ErrorOf("kind: ExtenderConfiguration\n") ==
        "x.yaml:1: apiVersion: gangplan.io/v1alpha1 expected");
  CHECK(ErrorOf("apiVersion: gangplan.io/v1alpha1\nkind: Job\n") ==
        "x.yaml:2: kind: ExtenderConfiguration expected");
  CHECK(ErrorOf("") ==
        "x.yaml:1: keys and values expected\n"
        "x.yaml:1: apiVersion: gangplan.io/v1alpha1 expected\n"
        "x.yaml:1: kind: ExtenderConfiguration expected");
}

TEST_CASE("All problems are reported together in the order of the file") {
  CHECK(ErrorOf(ConfigText("wake: poke\nsever: {}\nserver: {port: -1, prot: 2}\n")) ==
        "x.yaml:3: wake: nominate or annotate expected, got \"poke\"\n"
        "x.yaml:4: sever: unknown key; did you mean \"server\"?\n"
        "x.yaml:5: server.port: a whole number from 0 to 65535 expected, got -1\n"
        "x.yaml:5: server.prot: unknown key; did you mean \"port\"?");
}

TEST_CASE("An anchor and its alias are refused together") {
  CHECK(ErrorOf(ConfigText("wake: &a nominate\nlog: {level: *a}\n")) ==
        "x.yaml:3: anchors (&name) are not accepted");
}

TEST_CASE("Text that is no YAML is placed") {  // the rest of the words is the library's
  CHECK_THAT(ErrorOf(ConfigText("wake: *a\n")), StartsWith("x.yaml:3: not YAML: "));
  CHECK_THAT(ErrorOf(ConfigText("wake: [nominate\n")), StartsWith("x.yaml:4: not YAML: "));
  CHECK_THAT(ErrorOf(ConfigText("log:\n\tlevel: info\n")), StartsWith("x.yaml:4: not YAML: "));
}

TEST_CASE("Levels that make no topology are refused at their line") {
  const std::string text = ConfigText(
      "topologies:\n- levels:\n  - {name: node, label: kubernetes.io/hostname}\n"
      "  - {name: rack, label: example.com/rack}\n");
  CHECK_THAT(ErrorOf(text), StartsWith("x.yaml:4: topologies[].levels: "));
  CHECK_THAT(ErrorOf(ConfigText("topologies: [{levels: []}]\n")),
             StartsWith("x.yaml:3: topologies[].levels: "));
}

}  // namespace
}  // namespace gangplan::bad_files_test
