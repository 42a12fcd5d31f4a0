// Owners that the API server takes and of which something cannot be read.
#include <string>

#include "extender/protocol/limits.h"
#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::owner_faults_test {

TEST_CASE("An owner of which something cannot be read says the rest, and what it is") {
  const auto read = [](std::string_view metadata, std::string_view spec) {
    std::string text =
        fmt::format(R"({{"apiVersion":"ray.io/v1","kind":"RayCluster","metadata":{{"name":"ray",)"
                    R"("uid":"7","annotations":{{{}"gangplan.io/place":"rack=pack!"}}}},)"
                    R"("spec":{{{}}}}})",
                    metadata, spec);
    absl::StatusOr<OwnerFacts> owner = DecodeOwner(text);
    REQUIRE(owner.ok());
    CHECK(owner->ref == OwnerRef{"ray.io/v1", "RayCluster", "ray", "7"});
    CHECK(owner->annotations == LabelSet{{"gangplan.io/place", "rack=pack!"}});
    return *std::move(owner);
  };
  const OwnerFacts uncounted = read("", R"("workerGroupSpecs":[{"minReplicas":-1}])");
  CHECK_THAT(uncounted.fault, StartsWith("spec.workerGroupSpecs[0].minReplicas: "));
  CHECK(uncounted.unread == Unread::kNo);  // its words stand
  CHECK(uncounted.pod_sets.empty());
  const std::string most(kMaxAnnotationBytes, 'x');
  const std::string_view hold = R"("gangplan.io/hold":"{}{}",)";
  const OwnerFacts unread = read(fmt::format(fmt::runtime(hold), most, "x"), "");
  CHECK(unread.fault == "metadata.annotations.gangplan.io/hold: longer than 4096 bytes");
  CHECK(unread.unread == Unread::kFaulty);
  std::string nobody = R"({"apiVersion":"ray.io/v1","kind":"RayCluster","metadata":{"name":7}})";
  CHECK_FALSE(DecodeOwner(nobody).ok());
}

}  // namespace gangplan::owner_faults_test
