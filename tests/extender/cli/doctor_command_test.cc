// `gangplan doctor` and `gangplan serve --check --connect`: their words, lines and exit codes. What
// they look at is tested with the room that looks.
#include "extender/cli/doctor_command.h"

#include <algorithm>

#include "extender/cli/checkup.h"
#include "extender/cli/commands.h"
#include "extender/demo/generator.h"
#include "extender/demo/object_text.h"
#include "tests/config/config_text.h"
#include "tests/extender/cli/told.h"
#include "tests/extender/kube/scratch_file.h"
#include "tests/support/stub_api.h"

namespace gangplan::doctor_command_test {
namespace {

Told Run(const std::vector<std::string_view>& args) { return RunOf(AllCommands(), args); }

std::string SmallCluster(const std::string& preset = "") {
  ClusterPlan plan;
  plan.blocks = plan.racks = plan.nodes = 2;
  plan.preset = preset;
  return ClusterJson(*GenerateCluster(plan));
}

Told Tell(const Findings& findings, const CheckupWords& words) {
  Told told;
  const auto into = [](std::string& text) {
    return [&text](std::string_view more) {
      text += more;
      return true;
    };
  };
  told.code = TellFindings("doctor", findings, words, {into(told.out), into(told.err)});
  return told;
}

TEST_CASE("doctor: wrong words are told with what was expected") {
  const auto wrong = [](const std::vector<std::string_view>& args) {
    const Told told = Run(args);
    CHECK(told.code == kExitWrongWords);
    CHECK(told.out == "");
    return told.err.substr(0, told.err.find('\n'));
  };
  CHECK(wrong({"doctor", "--snapshot", "x", "--server", "http://127.0.0.1:1"}) ==
        "gangplan doctor: --snapshot, and a cluster: expected one of them");
  CHECK(wrong({"doctor", "--server", "http://127.0.0.1:1", "--kubeconfig", "x"}) ==
        "gangplan doctor: --server and --kubeconfig: expected one of them");
  CHECK(wrong({"doctor", "--server", "nowhere"}).starts_with("gangplan doctor: "));
  CHECK(wrong({"doctor", "--snapshot", "x", "--account", "a/b"}) ==
        "gangplan doctor: --account: of a cluster; a saved one has no rights");
  for (const char* account : {"a", "/b", "a/", "a/b/c"}) {
    CHECK(wrong({"doctor", "--account", account}) ==
          fmt::format("gangplan doctor: --account: \"{}\"; expected NAMESPACE/NAME", account));
  }
  CHECK(wrong({"doctor", "--snapshot", "/no/such"}) ==
        "gangplan doctor: --snapshot: /no/such: No such file or directory; expected a saved "
        "cluster (gangplan snapshot -o FILE)");
  CHECK(wrong({"doctor", "--config", "/no/such"})
            .starts_with("gangplan doctor: --config: /no/such: "));
  CHECK(wrong({"serve", "--config", "x", "--connect"}) ==
        "gangplan serve: --connect: only with --check");
}

TEST_CASE(
    "doctor: each line says how it is; what fails, and strictly what warns, is the exit code") {
  Findings findings;
  findings.Add(Health::kOk, "times", "good");
  CHECK(Tell(findings, {}) == Told{kExitDone, "ok    times  good\n", ""});
  findings.Add(Health::kWarn, "rights core", "some are missing", "them\x1b");
  findings.unseen.push_back("the rest");
  CHECK(Tell(findings, {}) == Told{kExitDone,
                                   "ok    times        good\n"
                                   "WARN  rights core  some are missing; expected: them\\u001b\n",
                                   "gangplan doctor: not looked at: the rest\n"});
  CheckupWords strict;
  strict.strict = true;
  CHECK(Tell(findings, strict).code == kExitFailed);
  findings.Add(Health::kFail, "x", "y", "z");
  CHECK(Tell(findings, {}).code == kExitFailed);
  CheckupWords json;
  json.form = Form::kJson;
  CHECK(Tell(findings, json).out ==
        R"({"findings":[{"health":"ok","about":"times","text":"good","cure":""},)"
        R"({"health":"WARN","about":"rights core","text":"some are missing",)"
        R"("cure":"them\u001b"},{"health":"FAIL","about":"x","text":"y","cure":"z"}],)"
        R"("unseen":["the rest"]})"
        "\n");
}

TEST_CASE("doctor: a saved cluster with the levels of another configuration fails, with the cure") {
  const ScratchFile cluster(SmallCluster("gke"));
  const Told told = Run({"doctor", "--snapshot", cluster.path()});
  CHECK(told.code == kExitFailed);
  CHECK(told.out.find("FAIL  levels ") != std::string::npos);
  CHECK(told.out.find("topologies[0].preset: gke, whose labels 8 nodes have") != std::string::npos);
  CHECK(told.err.find("not looked at: version, rights and schedulers") != std::string::npos);
  const ScratchFile config(ConfigText("topologies: [{name: default, preset: gke}]\n"));
  const Told good = Run({"doctor", "--snapshot", cluster.path(), "--config", config.path()});
  CHECK(good.code == kExitDone);
  CHECK(good.out.find("FAIL") == std::string::npos);
  CHECK(good.out.find("on all 8 nodes") != std::string::npos);
}

TEST_CASE("doctor: nodes that the selector of the one topology leaves out are told") {
  const ScratchFile cluster(SmallCluster());
  const ScratchFile config(ConfigText(
      "topologies:\n- name: default\n  nodes: {matchLabels: {example.com/block: block-1}}\n"
      "  levels: [{name: rack, label: example.com/rack}]\n"));
  const Told told = Run({"doctor", "--snapshot", cluster.path(), "--config", config.path()});
  INFO(told);
  CHECK(told.code == kExitDone);
  CHECK(told.out.find("WARN  levels") != std::string::npos);
  CHECK(told.out.find("4 of 8 nodes are in no topology and take no members: ") !=
        std::string::npos);
}

TEST_CASE("doctor: a cluster that lists nothing fails, and the rest is told all the same") {
  StubApi api;
  api.answers["/version"] = {200, R"({"major":"1","minor":"34"})"};
  api.other = [](const HttpRequest& request) {
    if (request.method == "POST") return HttpResponse{201, R"({"status":{"allowed":true}})"};
    return HttpResponse{403, "forbidden"};
  };
  const Findings findings = CheckLiveCluster(Settings(), api, {});
  CHECK(findings.all[1].text == "Kubernetes 1.34");
  CHECK(findings.all.back().about == "cluster");
  CHECK(findings.all.back().health == Health::kFail);
  CHECK(findings.all.back().text == "listing /api/v1/nodes: 403 forbidden");
}

TEST_CASE("doctor: a cluster without nodes is told as such") {
  StubApi api;
  api.answers["/version"] = {200, R"({"major":"1","minor":"34"})"};
  api.other = [](const HttpRequest&) {
    return HttpResponse{201, R"({"status":{"allowed":true}})"};
  };
  api.Put("/api/v1/nodes?limit=500", "");
  api.Put("/api/v1/pods?limit=500", "");
  const Findings findings = CheckLiveCluster(Settings(), api, {});
  const auto levels =
      std::find_if(findings.all.begin(), findings.all.end(),
                   [](const Finding& one) { return one.text == "there are no nodes"; });
  REQUIRE(levels != findings.all.end());
  CHECK(levels->health == Health::kWarn);
}

TEST_CASE("doctor: one finding is one line, whatever a pod says") {
  Findings findings;
  findings.Add(Health::kWarn, "pods",
               "1 carry words, since their schedulerName is x\nok    all  fine", "");
  std::string out;
  const Output output = {[&](std::string_view text) { return out += text, true; },
                         [](std::string_view) { return true; }};
  TellFindings("doctor", findings, {}, output);
  CHECK(std::count(out.begin(), out.end(), '\n') == 1);
}

TEST_CASE("doctor: a kind that fails to be listed does not end the look at the cluster") {
  StubApi api;
  api.answers["/version"] = {200, R"({"major":"1","minor":"35"})"};
  api.Put("/api/v1/nodes?limit=500",
          R"({"metadata":{"name":"n","labels":{"example.com/block":"b","example.com/rack":"r",)"
          R"("kubernetes.io/hostname":"n"}},"status":{"allocatable":{"cpu":"8","pods":"10"},)"
          R"("conditions":[{"type":"Ready","status":"True"}]}})");
  api.Put("/api/v1/pods?limit=500", "");
  api.other = [](const HttpRequest& request) {
    if (request.method == "POST") return HttpResponse{201, R"({"status":{"allowed":true}})"};
    const bool jobsets = request.target.find("/jobsets") != std::string::npos;
    return HttpResponse{jobsets ? 500 : 404, "conversion webhook failed"};
  };
  const Findings findings = CheckLiveCluster(Settings(), api, {});
  const auto has = [&](std::string_view about) {
    return std::any_of(findings.all.begin(), findings.all.end(),
                       [&](const Finding& one) { return one.about == about; });
  };
  CHECK(has("levels"));
  for (const Finding& one : findings.all) {
    INFO(one.about << ": " << one.text << "; " << one.cure);
    CHECK_FALSE((one.about == "cluster" && one.cure == "the right to list nodes and pods"));
  }
}

TEST_CASE("serve --check --connect looks at the cluster that the configuration names") {
  const ScratchFile cluster(SmallCluster());
  const ScratchFile config(
      ConfigText(fmt::format("cluster: {{source: file, file: {}}}\n", cluster.path())));
  const Told told = Run({"serve", "--config", config.path(), "--check", "--connect"});
  CHECK(told.code == kExitDone);
  CHECK(told.out.starts_with("ok    times "));
  CHECK(told.out.ends_with("\n" + config.path() + ": good\n"));
  CHECK(told.out.find("ok    levels            block, rack, node: on all 8 nodes\n") !=
        std::string::npos);
  const ScratchFile none(ConfigText("cluster: {source: file, file: /no/such}\n"));
  CHECK(Run({"serve", "--config", none.path(), "--check", "--connect"}).code == kExitFailed);
  const ScratchFile nobody(ConfigText("cluster: {kubeconfig: /no/such}\n"));
  CHECK(Run({"serve", "--config", nobody.path(), "--check", "--connect"}).code == kExitFailed);
  const ScratchFile kubeconfig(
      "current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\n"
      "clusters: [{name: k, cluster: {server: \"http://127.0.0.1:1\"}}]\n");
  const ScratchFile away(
      ConfigText(fmt::format("cluster: {{kubeconfig: {}}}\n", kubeconfig.path())));
  const Told fails = Run({"serve", "--config", away.path(), "--check", "--connect"});
  CHECK(fails.code == kExitFailed);
  CHECK(fails.out.find("\nFAIL  version ") != std::string::npos);
  CHECK(fails.out.find("good") == std::string::npos);
}

}  // namespace
}  // namespace gangplan::doctor_command_test
