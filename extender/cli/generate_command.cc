#include "extender/cli/generate_command.h"

#include <memory>

#include "config/presets.h"
#include "extender/demo/object_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kGenerate = "generate";

int RunGenerate(const GenerateWords& words, const Output& output) {
  const absl::StatusOr<ObjectList> cluster = GenerateCluster(words.plan);
  if (!cluster.ok()) return TellWrongWords(kGenerate, cluster.status(), output);
  const bool yaml = words.form == 1;
  if (output.out(yaml ? ClusterYaml(*cluster) : ClusterJson(*cluster))) return kExitDone;
  output.err("gangplan generate: standard output takes no more\n");
  return kExitFailed;
}

}  // namespace

Options GenerateOptions(GenerateWords& words) {
  ClusterPlan& plan = words.plan;
  const auto with = [](std::string_view help, const auto& standard) {
    return fmt::format("{} ({})", help, standard);
  };
  const std::string presets =
      fmt::format("level labels of a vendor, else those of the default configuration: {}",
                  fmt::join(PresetNames(), ", "));
  return {
      NumberOption("--blocks", "N", with("blocks", plan.blocks), plan.blocks),
      NumberOption("--racks", "N", with("racks in each block", plan.racks), plan.racks),
      NumberOption("--nodes", "N", with("nodes in each rack", plan.nodes), plan.nodes),
      NumberOption("--gpus", "N", with("nvidia.com/gpu of each node", plan.gpus), plan.gpus),
      TextOption("--cpu", "QUANTITY", with("cpu of each node", plan.cpu), plan.cpu),
      TextOption("--memory", "QUANTITY", with("memory of each node", plan.memory), plan.memory),
      TextOption("--preset", "NAME", presets, plan.preset),
      SeedOption("--uneven", "racks of different size: each has half of its nodes or more",
                 plan.uneven),
      NumberOption("--load", "PERCENT",
                   with("pods of others that take this part of all GPUs", plan.load), plan.load),
      SeedOption("--seed", with("which nodes they take", plan.seed), plan.seed),
      WordOption("-o", {"json", "yaml"}, with("the form of the objects", "json"), words.form),
  };
}

Command GenerateCommand() {
  const auto words = std::make_shared<GenerateWords>();
  return {std::string(kGenerate), "a cluster of any size as Kubernetes objects",
          "For `cluster.source: file`, or for `kubectl apply -f FILE`. The same options give the "
          "same bytes.\n"
          "Examples: gangplan generate --nodes 16 --load 50 > cluster.json\n"
          "          gangplan generate --preset gke -o yaml | kubectl apply -f -\n",
          GenerateOptions(*words),
          [words](const Output& output) { return RunGenerate(*words, output); }};
}

}  // namespace gangplan
