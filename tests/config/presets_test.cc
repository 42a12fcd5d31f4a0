#include "config/presets.h"

#include <algorithm>

#include "tests/config/config_text.h"

namespace gangplan::presets_test {
namespace {

TEST_CASE("Every preset reads as a complete topology") {
  for (const std::string_view name : PresetNames()) {
    INFO(name);
    const Settings settings = MustRead(fmt::format("topologies: [{{preset: {}}}]\n", name));
    REQUIRE(settings.topologies.size() == 1);
    const std::vector<Level>& levels = settings.topologies[0].levels;
    REQUIRE(levels.size() == FindPreset(name)->size());
    CHECK(levels.size() >= 3);
    CHECK(levels.back().label == kHostnameLabel);
  }
}

TEST_CASE("Presets are in alphabetical order") {
  CHECK(std::is_sorted(PresetNames().begin(), PresetNames().end()));
}

TEST_CASE("The coarsest level comes first whichever way a vendor counts") {
  CHECK(FindPreset("aws-4")->front().label == "topology.k8s.aws/network-node-layer-1");
  CHECK((*FindPreset("aws-4"))[3].label == "topology.k8s.aws/network-node-layer-4");
  CHECK((*FindPreset("nebius"))[1].label == "topology.nebius.com/tier-2");
  CHECK((*FindPreset("nebius"))[3].label == "topology.nebius.com/tier-0");
}

TEST_CASE("An unknown preset is none") { CHECK(FindPreset("mainframe") == nullptr); }

}  // namespace
}  // namespace gangplan::presets_test
