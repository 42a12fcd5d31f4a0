// What a PodGroup says of how many of its pods start, and what it asks for that nobody reads.
#include <string>

#include "extender/protocol/limits.h"
#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::pod_group_counts_test {
namespace {

OwnerFacts Owner(std::string text) {
  absl::StatusOr<OwnerFacts> owner = DecodeOwner(text);
  INFO(ErrorOf(owner));
  REQUIRE(owner.ok());
  return *owner;
}

TEST_CASE("A PodGroup tells the least number that starts") {
  const auto read = [](std::string_view group, std::string_view spec) {
    return Owner(fmt::format(R"({{"apiVersion":"{}","kind":"PodGroup","metadata":{{"name":"g"}},)"
                             R"("spec":{{{}}}}})",
                             group, spec));
  };
  const OwnerFacts owner = read("scheduling.x-k8s.io/v1alpha1", R"("minMember":4)");
  CHECK(owner.size == 4);
  CHECK(owner.at_least);
  CHECK(read("scheduling.x-k8s.io/v1alpha1", "").size == 1);
  CHECK(owner.min_resources.empty());
  CHECK_FALSE(owner.patience);
  const OwnerFacts more = read("scheduling.x-k8s.io/v1alpha1",
                               R"("minMember":4,"minResources":{"memory":"2Gi","cpu":"1500m"},)"
                               R"("scheduleTimeoutSeconds":30)");
  CHECK(more.min_resources ==
        ResourceList{{"cpu", 1'500}, {"memory", int64_t{2} << 30}, {"pods", 4}});
  CHECK(more.patience == 30);
  for (const char* none : {"0", "-5"}) {
    CHECK_FALSE(
        read("scheduling.x-k8s.io/v1alpha1", fmt::format(R"("scheduleTimeoutSeconds":{})", none))
            .patience);
  }
  CHECK(read("scheduling.volcano.sh/v1beta1", R"("minMember":4,"minTaskMember":{"a":4})").size ==
        4);
  CHECK(read("scheduling.sigs.k8s.io/v1alpha1", R"("minMember":4)").size == 4);
  CHECK_FALSE(read("example.com/v1", R"("minMember":4)").size);
  const OwnerFacts gang =
      read("scheduling.k8s.io/v1alpha2", R"("schedulingPolicy":{"gang":{"minCount":5}})");
  CHECK(gang.size == 5);
  CHECK(gang.at_least);
  const OwnerFacts basic = read("scheduling.k8s.io/v1alpha2", R"("schedulingPolicy":{"basic":{}})");
  CHECK_FALSE(basic.size);
  CHECK(read("scheduling.k8s.io/v1alpha2", R"("schedulingConstraints":{"topology":[{"key":"x"}]})")
            .unmet == "spec.schedulingConstraints: is not read; expected gangplan.io/place");
  CHECK_FALSE(basic.at_least);
  CHECK(owner.unmet.empty());
  CHECK(read("scheduling.volcano.sh/v1beta1",
             R"("minMember":4,"networkTopology":{"mode":"hard","highestTierAllowed":2})")
            .unmet == "spec.networkTopology: is not read; expected gangplan.io/place");
  CHECK(read("scheduling.volcano.sh/v1beta1",
             R"("minMember":4,"subGroupPolicy":[{"name":"stage","subGroupSize":2}])")
            .unmet == "spec.subGroupPolicy: is not read; expected gangplan.io/place");
  for (const char* none : {"[]", "null"}) {
    CHECK(read("scheduling.volcano.sh/v1beta1", fmt::format(R"("subGroupPolicy":{})", none))
              .unmet.empty());
  }
}

TEST_CASE("A PodGroup of Volcano's that asks for no pod at all has each start by itself") {
  const auto read = [](std::string_view group) {
    return Owner(fmt::format(R"({{"apiVersion":"{}","kind":"PodGroup","metadata":{{"name":"g"}},)"
                             R"("spec":{{"minMember":0,"minResources":{{"cpu":"1"}}}}}})",
                             group));
  };
  const OwnerFacts none = read("scheduling.volcano.sh/v1beta1");
  CHECK(none.size == 1);
  CHECK(none.at_least);
  CHECK(none.min_resources == ResourceList{{"cpu", 1'000}, {"pods", 1}});
  // Those of others have one at least, or are told.
  CHECK(read("scheduling.x-k8s.io/v1alpha1").size == 0);
}

TEST_CASE("A PodGroup of Volcano's that starts by its tasks says what nobody reads") {
  const auto unmet = [](std::string_view tasks) {
    return Owner(fmt::format(R"({{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)"
                             R"("metadata":{{"name":"g"}},"spec":{{"minMember":4,)"
                             R"("minTaskMember":{}}}}})",
                             tasks))
        .unmet;
  };
  CHECK(unmet(R"({"ps":1,"worker":2})") ==
        "spec.minTaskMember: is not read; expected gangplan.io/pod-sets and gangplan.io/pod-set on "
        "its pods");
  // Of one task nobody has to ask; more than start Volcano asks for neither; and where they are all
  // that start, none of the others is needed.
  for (const char* tasks : {"{}", R"({"ps":3})", R"({"ps":3,"worker":0})", R"({"ps":3,"worker":2})",
                            R"({"ps":1,"worker":3})"}) {
    INFO(tasks);
    CHECK(unmet(tasks).empty());
  }
  CHECK_THAT(unmet(R"({"ps":"many"})"), ContainsText("spec.minTaskMember"));
  std::string most = R"("t":1)";
  for (size_t i = 0; i < kMaxReplicatedJobs; ++i) most += fmt::format(R"(,"t{}":0)", i);
  CHECK_THAT(unmet("{" + most + "}"), ContainsText("more than 256 entries"));
}

TEST_CASE("PodGroup: what is there and empty asks for nothing, and what is odd is told") {
  const auto read = [](std::string_view version, std::string_view spec) {
    std::string text =
        fmt::format(R"({{"apiVersion":"{}","kind":"PodGroup",)"
                    R"("metadata":{{"name":"ring","namespace":"team","uid":"u"}},"spec":{{{}}}}})",
                    version, spec);
    absl::StatusOr<OwnerFacts> owner = DecodeOwner(text);
    INFO(spec << ": " << owner.status().message());
    REQUIRE(owner.ok());
    return *std::move(owner);
  };
  for (const char* none : {"{}", R"({"topology":[]})", "null"}) {
    const std::string spec = fmt::format(
        R"("schedulingPolicy":{{"gang":{{"minCount":2}}}},"schedulingConstraints":{})", none);
    CHECK(read("scheduling.k8s.io/v1alpha2", spec).unmet.empty());
  }
  CHECK_FALSE(
      read("scheduling.k8s.io/v1alpha2", R"("schedulingConstraints":{"topology":[{"key":"rack"}]})")
          .unmet.empty());
  constexpr std::string_view kVolcano = "scheduling.volcano.sh/v1beta1";
  for (const char* spec :
       {R"("minMember":null,"minResources":null,"scheduleTimeoutSeconds":null)",
        R"("minMember":2147483647,"minResources":{"cpu":"1"})",
        R"("minMember":2,"scheduleTimeoutSeconds":-2147483648)", R"("minMember":0)"}) {
    const OwnerFacts owner = read(kVolcano, spec);
    CHECK(owner.at_least);
    CHECK(owner.unmet.empty());
    CHECK_FALSE(owner.patience);
  }
  const OwnerFacts odd =
      read(kVolcano, R"("minResources":{"cpu":"9223372036854775807"},"minMember":2)");
  CHECK(odd.size == 2);
  CHECK(odd.unmet.find("spec.minResources") != std::string::npos);
}

TEST_CASE("PodGroup: its resources are those of nodes, whoever has written them") {
  std::string text =
      R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)"
      R"("metadata":{"name":"ring","namespace":"team","uid":"u"},"spec":{"minMember":2,)"
      R"("minResources":{"count/pods":"2","cpu":"200m","limits.cpu":"900m","pods":"2",)"
      R"("requests.cpu":"300m","requests.example.com/gpu":"8"}}})";
  const absl::StatusOr<OwnerFacts> owner = DecodeOwner(text);
  REQUIRE(owner.ok());
  CHECK(owner->min_resources == ResourceList{{"cpu", 200}, {"example.com/gpu", 8}, {"pods", 2}});
}

}  // namespace
}  // namespace gangplan::pod_group_counts_test
