// What a ConfigMap says that reserves room, and each thing in it that is wrong.
#include "extender/frontends/gangplan/reservation.h"

#include "extender/frontends/limits.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/text.h"
#include "topology/base/time_text.h"

namespace gangplan::reservation_test {
namespace {

ConfigMapFacts Sound() {
  ConfigMapFacts object;
  object.ns = "gangplan";
  object.name = "evening";
  object.data = {{"count", "16"},
                 {"from", "2026-12-01T18:00Z"},
                 {"namespaces", "research, ml"},
                 {"nodeSelector", "pool=a"},
                 {"place", "block=pack!; rack=pack"},
                 {"podLabels", "team=a"},
                 {"requests", "nvidia.com/gpu=8, cpu=90500m"},
                 {"tolerations", "nvidia.com/gpu, dedicated=ml"},
                 {"until", "2026-12-01T23:00:00+01:00"}};
  return object;
}

absl::StatusOr<ReservationWords> Read(const ConfigMapFacts& object) {
  const std::vector<ScopedTopology> alone = {{ThreeLevels()}};
  return ReadReservation(object, alone, 0);
}

// With another value of one key; empty: without it.
std::string ProblemOf(std::string_view key, std::string value) {
  ConfigMapFacts object = Sound();
  if (value.empty()) {
    std::erase_if(object.data, [&](const auto& one) { return one.first == key; });
  } else {
    SetLabel(object.data, key, std::move(value));
  }
  const auto read = Read(object);
  return read.ok() ? "" : Message(read.status());
}

TEST_CASE("reservation: what it says") {
  const auto words = Read(Sound());
  REQUIRE(words.ok());
  CHECK(UtcText(words->from) == "2026-12-01T18:00:00Z");
  CHECK(UtcText(words->until) == "2026-12-01T22:00:00Z");
  CHECK(words->lead == absl::Hours(24));
  CHECK(words->count == 16);
  CHECK(words->requests == ResourceList{{"cpu", 90'500}, {"nvidia.com/gpu", 8}, {"pods", 1}});
  CHECK(words->filter.node_selector == LabelSet{{"pool", "a"}});
  REQUIRE(words->filter.tolerations.size() == 2);
  CHECK(words->filter.tolerations[0].exists);
  CHECK(words->filter.tolerations[1].key == "dedicated");
  CHECK(words->filter.tolerations[1].value == "ml");
  CHECK(words->rules[0]->hard);
  CHECK(words->namespaces == std::vector<std::string>{"ml", "research"});
  CHECK(words->labels == LabelSet{{"team", "a"}});
}

TEST_CASE("reservation: who may use it") {
  const auto words = Read(Sound());
  REQUIRE(words.ok());
  const PackedLabels team(LabelSet{{"app", "x"}, {"team", "a"}});
  CHECK(words->WhyNot("ml", team).empty());
  CHECK(words->WhyNot("mll", team) == "it is for gangs of namespace ml, research");
  CHECK(words->WhyNot("ml", PackedLabels(LabelSet{{"team", "b"}})) ==
        "it is for pods with the label team=a");
  CHECK(words->WhyNot("ml", PackedLabels()) == "it is for pods with the label team=a");
}

TEST_CASE("reservation: what is wrong is told by its key, with what was expected") {
  CHECK(ProblemOf("from", "") == "from: \"\" is no time; expected one such as 2026-12-01T18:00Z");
  CHECK(ProblemOf("until", "soon") ==
        "until: \"soon\" is no time; expected one such as 2026-12-01T18:00Z");
  CHECK(ProblemOf("until", "2026-12-01T18:00Z") ==
        "until: \"2026-12-01T18:00Z\": expected a time after from, 31 days later at the most");
  CHECK(ProblemOf("until", "2027-01-01T18:00Z").empty());
  CHECK(ProblemOf("until", "2027-01-01T18:01Z") ==
        "until: \"2027-01-01T18:01Z\": expected a time after from, 31 days later at the most");
  CHECK(ProblemOf("lead", "0s").empty());
  CHECK(ProblemOf("lead", "8784h").empty());
  CHECK(ProblemOf("lead", "8785h") ==
        "lead: \"8785h\": expected a time such as 24h, 366 days at the most");
  CHECK(ProblemOf("lead", "a day") ==
        "lead: \"a day\": expected a time such as 24h, 366 days at the most");
  CHECK(ProblemOf("count", "8192").empty());
  CHECK(ProblemOf("count", "8193") == "count: \"8193\": expected a whole number from 1 to 8192");
  CHECK(ProblemOf("count", "") == "count: \"\": expected a whole number from 1 to 8192");
  CHECK(ProblemOf("place", "row=pack").find("place: ") == 0);
  CHECK(ProblemOf("cuont", "1") == "cuont: unknown key; did you mean count?");
  CHECK(ProblemOf("shape", "1") ==
        "shape: unknown key; expected one of from, until, lead, count, requests, nodeSelector, "
        "tolerations, topology, place, namespaces, podLabels");
  CHECK(ProblemOf("tolerations", "=a") ==
        "tolerations: \"=a\": expected the key of a taint, or key=value");
  CHECK(ProblemOf("nodeSelector", "pool") ==
        "nodeSelector: \"pool\": expected a label such as team=ml");
  CHECK(ProblemOf("podLabels", "a=1,a=2") == "podLabels: names a twice");
}

TEST_CASE("reservation: in which of several topologies") {
  Topology rings{"rings", {{"ring", "example.com/ring"}, {"node", std::string(kHostnameLabel)}}};
  Topology racks = ThreeLevels();
  racks.name = "racks";
  const NodeScope in_rings{{{"net", SelectorOperator::kIn, {"rings"}}}};
  const std::vector<ScopedTopology> both = {{racks}, {rings, in_rings}};
  const auto read = [&](std::string_view key, std::string value, std::string_view place) {
    ConfigMapFacts object = Sound();
    SetLabel(object.data, "place", std::string(place));
    if (!key.empty()) SetLabel(object.data, key, std::move(value));
    return ReadReservation(object, both, 0);
  };
  CHECK(read("", "", "rack=pack")->topology == 0);
  CHECK(read("", "", "rack=pack")->topology_name == "racks");
  CHECK(read("topology", "rings", "ring=pack!")->topology == 1);
  CHECK(read("nodeSelector", "net=rings", "ring=pack!")->topology_name == "rings");
  CHECK(Message(read("topology", "ring", "ring=pack").status()) ==
        "topology: there is no topology \"ring\", only \"racks\" and \"rings\"");
  CHECK_FALSE(read("topology", "rings", "rack=pack").ok());
  CHECK(Read(Sound())->topology_name.empty());
}

TEST_CASE("reservation: what each pod takes") {
  CHECK(ProblemOf("requests", "") ==
        "requests: is missing; expected what each pod takes, such as nvidia.com/gpu=8, cpu=90");
  CHECK(ProblemOf("requests", "nvidia.com/gpu") ==
        "requests: \"nvidia.com/gpu\": expected nvidia.com/gpu=8");
  for (const std::string_view wrong : {"cpu=0", "cpu=-1", "cpu=x", "cpu="})
    CHECK(ProblemOf("requests", std::string(wrong)) ==
          fmt::format("requests: \"{}\": expected a resource and a quantity above 0", wrong));
  CHECK(ProblemOf("requests", "cpu=1,cpu=2") == "requests: names cpu twice");
  CHECK(ProblemOf("requests", "pods=2") == "requests: names pods twice");
  CHECK(ProblemOf("requests", "cpu=1,,memory=1") ==
        "requests: has an empty item; expected names between commas");
  CHECK(ProblemOf("requests", "cpu=1,") ==
        "requests: has an empty item; expected names between commas");
  std::string many = "r0=1";
  for (size_t i = 1; i < kMaxReservedResources; ++i) many += fmt::format(",r{}=1", i);
  CHECK(ProblemOf("requests", many).empty());
  CHECK(ProblemOf("requests", many + ",more=1") == "requests: expected 16 items at the most");
}

TEST_CASE("reservation: somebody has to be named, and not too many") {
  ConfigMapFacts object = Sound();
  std::erase_if(object.data, [](const auto& one) {
    return one.first == "namespaces" || one.first == "podLabels";
  });
  CHECK(Message(Read(object).status()) ==
        "namespaces: is missing, and so is podLabels; expected one of them: whose gangs may use "
        "the room");
  std::string many = "n0";
  for (size_t i = 1; i < kMaxReservationNames; ++i) many += fmt::format(",n{}", i);
  CHECK(ProblemOf("namespaces", many).empty());
  CHECK(ProblemOf("namespaces", many + ",more") == "namespaces: expected 64 items at the most");
  CHECK(ProblemOf("place", std::string(kMaxReservationTextBytes + 1, ' ')) ==
        "place: has 4097 bytes; expected 4096 at the most");
  CHECK(ProblemOf("place", std::string(kMaxReservationTextBytes, ' ')).empty());
}

}  // namespace
}  // namespace gangplan::reservation_test
