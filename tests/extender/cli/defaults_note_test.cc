// Commands that plan by the defaults, on a cluster whose levels are others.
#include "extender/cli/commands.h"
#include "extender/demo/generator.h"
#include "extender/demo/object_text.h"
#include "tests/config/config_text.h"
#include "tests/extender/cli/told.h"
#include "tests/extender/kube/scratch_file.h"

namespace gangplan::defaults_note_test {
namespace {

std::string SmallCluster(const std::string& preset) {
  ClusterPlan plan;
  plan.blocks = plan.racks = plan.nodes = 2;
  plan.preset = preset;
  return ClusterJson(*GenerateCluster(plan));
}

TEST_CASE("commands by the defaults say so where no node has their labels") {
  const ScratchFile theirs(SmallCluster("gke")), usual(SmallCluster(""));
  const ScratchFile config(ConfigText("topologies: [{name: default, preset: gke}]\n"));
  const ScratchFile job(
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\n"
      "spec: {parallelism: 2, completions: 2, template: {metadata: {annotations: "
      "{gangplan.io/place: any}}, spec: {schedulerName: gangplan, "
      "containers: [{name: main, image: none}]}}}\n");
  const auto told_of = [&](std::vector<std::string_view> words, const ScratchFile& cluster,
                           bool configured) {
    if (words[0] == "replay") {
      words.push_back(cluster.path());
    } else {
      words.insert(words.end(), {"--snapshot", cluster.path()});
    }
    if (configured) words.insert(words.end(), {"--config", config.path()});
    return RunOf(AllCommands(), words).err;
  };
  for (const std::vector<std::string_view>& words : std::vector<std::vector<std::string_view>>{
           {"plan", "-f", job.path()}, {"capacity"}, {"drain", "n", "--dry-run"}, {"replay"}}) {
    INFO(words[0]);
    const std::string note = fmt::format(
        "gangplan {}: this is by the defaults, and no node has their labels, such as "
        "example.com/block; --config FILE names the configuration that is meant\n",
        words[0]);
    CHECK(told_of(words, theirs, false).find(note) != std::string::npos);
    CHECK(told_of(words, theirs, true).find("by the defaults") == std::string::npos);
    CHECK(told_of(words, usual, false).find("by the defaults") == std::string::npos);
  }
}

}  // namespace
}  // namespace gangplan::defaults_note_test
