#include "extender/frontends/kueue/words.h"

#include <algorithm>

#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::words_test {
namespace {

using Texts = std::vector<std::string>;
using Type = KueueWordFault::Type;

constexpr KueueGates kOn;
constexpr KueueGates kOff{false};

// Annotations with the keys in short: "required", "preferred", ...
LabelSet Words(LabelSet words) {
  for (auto& [key, value] : words) {
    key = key == "offset"   ? "kueue.x-k8s.io/pod-index-offset"
          : key == "group"  ? "kueue.x-k8s.io/podset-group-name"
          : key == "size"   ? "kueue.x-k8s.io/podset-slice-size"
          : key == "level"  ? "kueue.x-k8s.io/podset-slice-required-topology"
          : key == "layers" ? "kueue.x-k8s.io/podset-slice-required-topology-constraints"
                            : fmt::format("kueue.x-k8s.io/podset-{}-topology", key);
  }
  std::sort(words.begin(), words.end());
  return words;
}

std::optional<KueueTopology> Read(const LabelSet& words, const KueueGates& gates = kOn) {
  const auto topology = ReadKueueTopology(Words(words), gates);
  INFO(topology.status());
  REQUIRE(topology.ok());
  return *topology;
}

absl::Status Refusal(const LabelSet& words) {
  return ReadKueueTopology(Words(words), kOn).status();
}

// Each fault as people read it.
Texts Faults(const LabelSet& words, const KueueGates& gates = kOn) {
  Texts texts;
  for (const KueueWordFault& fault : CheckKueueWords(Words(words), gates))
    texts.push_back(Describe(fault));
  return texts;
}

std::vector<Type> Types(const LabelSet& words) {
  std::vector<Type> types;
  for (const KueueWordFault& fault : CheckKueueWords(Words(words), kOn))
    types.push_back(fault.type);
  return types;
}

KueueTopology Required(std::vector<SliceConstraint> slices = {}) {
  return {"cloud.com/block", {}, {}, std::move(slices)};
}

const std::string kBlock = "cloud.com/block";
const std::string kLayers = "kueue.x-k8s.io/podset-slice-required-topology-constraints";
const std::string kSize = "kueue.x-k8s.io/podset-slice-size";
const std::string kGroup = "kueue.x-k8s.io/podset-group-name";
const std::string kOffset = "kueue.x-k8s.io/pod-index-offset";

TEST_CASE("Kueue's words: each kind of request") {
  CHECK(Read({}) == std::nullopt);
  CHECK(Read({{"required", kBlock}}) == Required());
  CHECK(Read({{"preferred", kBlock}}) == KueueTopology{{}, kBlock, {}, {}});
  CHECK(Read({{"unconstrained", "true"}}) == KueueTopology{{}, {}, true, {}});
  CHECK(Read({{"unconstrained", "0"}}) == KueueTopology{{}, {}, false, {}});
}

TEST_CASE("Kueue's words: the first of several kinds counts") {
  CHECK(Read({{"required", kBlock}, {"preferred", "x"}, {"unconstrained", "?"}}) == Required());
  CHECK(Read({{"preferred", kBlock}, {"unconstrained", "?"}}) == KueueTopology{{}, kBlock, {}, {}});
}

TEST_CASE("Kueue's words: a slice needs both of its keys, and may stand alone") {
  CHECK(Read({{"level", "rack"}}) == std::nullopt);
  CHECK(Read({{"size", "2"}}) == std::nullopt);
  CHECK(Read({{"required", kBlock}, {"level", "rack"}}) == Required());
  CHECK(Read({{"required", kBlock}, {"size", "x"}}) == Required());
  CHECK(Read({{"level", "rack"}, {"size", "2"}}) == KueueTopology{{}, {}, {}, {{"rack", 2}}});
  CHECK(Read({{"required", kBlock}, {"level", "rack"}, {"size", "16"}}) ==
        Required({{"rack", 16}}));
}

TEST_CASE("Kueue's words: layers of slices, while they are switched on") {
  const std::string layers = R"([{"topology":"rack","size":8},{"topology":"host","size":4}])";
  CHECK(Read({{"required", kBlock}, {"layers", layers}}) == Required({{"rack", 8}, {"host", 4}}));
  CHECK(Read({{"layers", layers}}) == KueueTopology{{}, {}, {}, {{"rack", 8}, {"host", 4}}});
  CHECK(Read({{"required", kBlock}, {"layers", layers}}, kOff) == Required());
  CHECK(Read({{"layers", layers}}, kOff) == KueueTopology());
  CHECK(Read({{"required", kBlock}, {"layers", "?"}}, kOff) == Required());
}

TEST_CASE("Kueue's words: what the owner's kind says of its pods comes with them") {
  const KueueIndices indices{"batch.kubernetes.io/job-completion-index",
                             "jobset.sigs.k8s.io/job-index", 2};
  const auto read = [&](const LabelSet& annotations) {
    const auto topology = ReadKueueTopology(annotations, KueueGates{}, indices);
    REQUIRE(topology.ok());
    return *topology;
  };
  const std::string group(kKueueGroupName);
  KueueTopology alone;
  alone.indices = indices;
  CHECK(read({}) == alone);
  CHECK(read({{group, "ring"}}) == alone);  // a group asks for a level together
  KueueTopology together = alone;
  together.required = kBlock;
  together.group = "ring";
  CHECK(read({{group, "ring"}, {std::string(kKueueRequired), kBlock}}) == together);
}

TEST_CASE("Kueue's words that cannot be read are refused with the key") {
  CHECK(Message(Refusal({{"unconstrained", "yes"}})) ==
        "kueue.x-k8s.io/podset-unconstrained-topology: expected true or false, found \"yes\"");
  CHECK(Message(Refusal({{"level", "rack"}, {"size", "two"}})) ==
        kSize + ": expected a whole number, found \"two\"");
  CHECK(Message(Refusal({{"layers", "x"}})) ==
        kLayers + ": invalid JSON at byte 0: expected a value");
  CHECK(Message(Refusal({{"layers", R"([{"size":"8"}])"}})) ==
        kLayers + ": [0].size: expected a number, found a string");
  CHECK(Refusal({{"layers", "[]"}}) ==
        absl::OutOfRangeError(ToAbsl(kLayers + ": expected 1 to 3 layers, found 0")));
  CHECK(Refusal({{"layers", "[{},{},{},{}]"}}) ==
        absl::OutOfRangeError(ToAbsl(kLayers + ": expected 1 to 3 layers, found 4")));
}

TEST_CASE("Kueue's words that are right have no fault") {
  CHECK(Faults({}).empty());
  CHECK(Faults({{"required", kBlock}, {"level", "rack"}, {"size", "1"}, {"offset", "0"}}).empty());
  CHECK(Faults({{"preferred", kBlock}, {"group", "g1"}}).empty());
  CHECK(Faults({{"unconstrained", "f"}}).empty());
  CHECK(Faults({{"layers", R"([{"topology":"a","size":8},{"topology":"b","size":4},)"
                           R"({"topology":"c","size":4}])"}})
            .empty());
}

TEST_CASE("Kueue's words: one kind of topology, with a good label") {
  CHECK(Faults({{"required", kBlock}, {"preferred", kBlock}}) ==
        Texts{"annotations: expected one of kueue.x-k8s.io/podset-required-topology, "
              "kueue.x-k8s.io/podset-preferred-topology and "
              "kueue.x-k8s.io/podset-unconstrained-topology, found 2"});
  CHECK(Faults({{"required", "a b"}}) ==
        Texts{"kueue.x-k8s.io/podset-required-topology: \"a b\" is no label key: expected a name "
              "of letters, digits, '-', '_' and '.', a letter or digit first and last"});
  CHECK(Types({{"preferred", ""}}) == std::vector<Type>{Type::kInvalid, Type::kInvalid});
  CHECK(Faults({{"unconstrained", "maybe"}}) ==
        Texts{"kueue.x-k8s.io/podset-unconstrained-topology: expected true or false, found "
              "\"maybe\""});
}

TEST_CASE("Kueue's words: slices have a level and a size") {
  CHECK(Faults({{"level", "rack"}}) ==
        Texts{kSize + ": expected a size beside kueue.x-k8s.io/podset-slice-required-topology"});
  CHECK(Types({{"level", "rack"}}) == std::vector<Type>{Type::kRequired});
  CHECK(Faults({{"size", "0"}}) ==
        Texts{kSize + ": expected a whole number of at least 1, found \"0\"",
              kSize + ": expected kueue.x-k8s.io/podset-slice-required-topology beside it"});
  CHECK(Types({{"size", "0"}}) == std::vector<Type>{Type::kInvalid, Type::kForbidden});
  CHECK(Types({{"level", "/rack"}, {"size", "x"}}) ==
        std::vector<Type>{Type::kInvalid, Type::kInvalid});
}

TEST_CASE("Kueue's words: a group has a name, a level and no slices") {
  CHECK(Faults({{"group", "17"}}) ==
        Texts{kGroup + ": expected a name, found the number 17",
              kGroup + ": expected kueue.x-k8s.io/podset-required-topology or "
                       "kueue.x-k8s.io/podset-preferred-topology beside it"});
  CHECK(Faults({{"required", kBlock}, {"group", "g"}, {"level", "rack"}, {"size", "1"}}) ==
        Texts{kGroup + ": expected none beside " + kSize,
              kGroup + ": expected none beside kueue.x-k8s.io/podset-slice-required-topology"});
  CHECK(Faults({{"required", kBlock},
                {"group", "g"},
                {"layers", R"([{"topology":"rack","size":1}])"}}) ==
        Texts{kGroup + ": expected none beside " + kLayers});
  CHECK(Types({{"group", "g"}}) == std::vector<Type>{Type::kForbidden});
}

TEST_CASE("Kueue's words: an offset is a number, and the group's own where there is one") {
  for (const std::string text : {"-1", "x", "2147483648"}) {
    CHECK(Faults({{"offset", text}}) ==
          Texts{kOffset + ": expected a whole number of at least 0, found \"" + text + "\""});
  }
  CHECK(Faults({{"required", kBlock}, {"group", "g"}, {"offset", "1"}}) ==
        Texts{kOffset + ": expected none beside " + kGroup});
}

TEST_CASE("Kueue's words: layers are alone, one to three, and can be read") {
  const std::string one = R"([{"topology":"rack","size":1}])";
  CHECK(Faults({{"layers", one}}, kOff) ==
        Texts{kLayers + ": expected none while several slice layers are switched off"});
  CHECK(Faults({{"layers", one}, {"level", "rack"}, {"size", "1"}}) ==
        Texts{kLayers + ": expected none beside kueue.x-k8s.io/podset-slice-required-topology",
              kLayers + ": expected none beside " + kSize});
  CHECK(Faults({{"layers", "[]"}}) == Texts{kLayers + ": expected 1 to 3 layers, found 0"});
  CHECK(Faults({{"layers", "[{},{},{},{}]"}}) ==
        Texts{kLayers + ": expected 1 to 3 layers, found 4"});
  CHECK(Faults({{"layers", "{}"}}) == Texts{kLayers + ": expected an array, found an object"});
}

TEST_CASE("Kueue's words: each layer has a level of its own and a size that divides") {
  CHECK(Faults({{"layers", R"([{"topology":"a","size":8},{"topology":"a","size":3}])"}}) ==
        Texts{kLayers + "[1].topology: expected another level than [0] has, found \"a\" again",
              kLayers + "[1].size: expected a divisor of the size above it, 8, found 3"});
  CHECK(Faults({{"layers", R"([{"topology":"a","size":0}])"}}) ==
        Texts{kLayers + "[0].size: expected a number of at least 1, found 0"});
  const auto faults =
      CheckKueueWords(Words({{"layers", R"([{"topology":"a","size":8},null])"}}), kOn);
  REQUIRE(faults.size() == 3);
  CHECK(faults[0].part == "[1].topology");
  CHECK(faults[1].part == "[1].topology");
  CHECK(faults[2].part == "[1].size");
  CHECK(Types({{"layers", R"([{"topology":"a","size":2},{"topology":"a","size":2}])"}}) ==
        std::vector<Type>{Type::kDuplicate});
}

}  // namespace
}  // namespace gangplan::words_test
