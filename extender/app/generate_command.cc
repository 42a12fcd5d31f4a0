#include "extender/app/generate_command.h"

#include <cstdio>
#include <string>

#include "config/presets.h"
#include "extender/app/object_text.h"
#include "extender/app/options.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kUsage =
    "gangplan generate [OPTION...] > FILE\n"
    "\n"
    "A cluster as Kubernetes objects: for `cluster.source: file`, or for `kubectl apply -f FILE`.\n"
    "The same options give the same bytes.\n"
    "\n"
    "  --blocks N        blocks (2)\n"
    "  --racks N         racks in each block (2)\n"
    "  --nodes N         nodes in each rack (4)\n"
    "  --gpus N          nvidia.com/gpu of each node (8)\n"
    "  --cpu QUANTITY    cpu of each node (192)\n"
    "  --memory QUANTITY memory of each node (2048Gi)\n"
    "  --preset NAME     level labels of a vendor; without it those of the default configuration:\n"
    "                    {}\n"
    "  --uneven SEED     racks of different size: each has half of its nodes or more\n"
    "  --load PERCENT    pods of others that take this part of all GPUs (0)\n"
    "  --seed SEED       which nodes they take (1)\n"
    "  -o json|yaml      (json)\n";

Option Number(std::string_view name, int32_t* target) {
  return {name, true, [name, target](std::string_view text) -> absl::Status {
            GANGPLAN_ASSIGN_OR_RETURN(*target, ReadNumber(name, text));
            return absl::OkStatus();
          }};
}

Option Text(std::string_view name, std::string* target) {
  return {name, true, [target](std::string_view text) {
            *target = text;
            return absl::OkStatus();
          }};
}

template <typename Seed>
Option SeedOption(std::string_view name, Seed* target) {
  return {name, true, [name, target](std::string_view text) -> absl::Status {
            GANGPLAN_ASSIGN_OR_RETURN(*target, ReadSeed(name, text));
            return absl::OkStatus();
          }};
}

}  // namespace

absl::StatusOr<GenerateWords> ReadGenerateWords(std::span<const std::string_view> args) {
  GenerateWords words;
  ClusterPlan& plan = words.plan;
  const auto form = [&](std::string_view text) {
    words.yaml = text == "yaml";
    return words.yaml || text == "json" ? absl::OkStatus()
                                        : Invalid("-o: \"{}\"; expected json or yaml", text);
  };
  const auto help = [&](std::string_view) {
    words.help = true;
    return absl::OkStatus();
  };
  GANGPLAN_RETURN_IF_ERROR(ReadOptions(args, {Number("--blocks", &plan.blocks),
                                              Number("--racks", &plan.racks),
                                              Number("--nodes", &plan.nodes),
                                              Number("--gpus", &plan.gpus),
                                              Text("--cpu", &plan.cpu),
                                              Text("--memory", &plan.memory),
                                              Text("--preset", &plan.preset),
                                              SeedOption("--uneven", &plan.uneven),
                                              Number("--load", &plan.load),
                                              SeedOption("--seed", &plan.seed),
                                              {"-o", true, form},
                                              {"--help", false, help}}));
  return words;
}

int RunGenerate(std::span<const std::string_view> args) {
  const absl::StatusOr<GenerateWords> words = ReadGenerateWords(args);
  if (words.ok() && words->help) {
    fmt::print(kUsage, fmt::join(PresetNames(), ", "));
    return 0;
  }
  const absl::StatusOr<ObjectList> cluster =
      words.ok() ? GenerateCluster(words->plan) : words.status();
  if (!cluster.ok()) {
    fmt::print(stderr, "gangplan generate: {}\n(gangplan generate --help tells the options)\n",
               Message(cluster.status()));
    return 2;
  }
  const std::string text = words->yaml ? ClusterYaml(*cluster) : ClusterJson(*cluster);
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) fmt::print(stderr, "gangplan generate: standard output takes no more\n");
  return written ? 0 : 1;
}

}  // namespace gangplan
