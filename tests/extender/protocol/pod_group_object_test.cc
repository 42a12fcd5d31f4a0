// A PodGroup of coscheduling whose status is written: what it says, and who has written it.
#include "extender/protocol/pod_group_object.h"

#include "extender/protocol/limits.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::pod_group_object_test {
namespace {

absl::StatusOr<PodGroupFacts> Read(std::string text) { return DecodePodGroup(text, "gangplan"); }

std::string GroupOf(std::string_view managers, std::string_view status) {
  return fmt::format(
      R"({{"kind":"PodGroup","metadata":{{"name":"g","uid":"u","resourceVersion":"7",)"
      R"("managedFields":[{}]}},"spec":{{"minMember":3}},"status":{{{}}}}})",
      managers, status);
}

std::string Manager(std::string_view name, std::string_view subresource) {
  return fmt::format(R"({{"manager":"{}","operation":"Update","subresource":"{}"}})", name,
                     subresource);
}

std::string OtherWriter(std::string_view managers, std::string_view status) {
  return Read(GroupOf(managers, status))->other_writer;
}

TEST_CASE("A PodGroup tells its minimum and its status") {
  const auto group = Read(GroupOf("", R"("phase":"Running","occupiedBy":"team/web","running":3,)"
                                      R"("succeeded":2,"failed":1,"scheduleStartTime":null)"));
  REQUIRE(group.ok());
  CHECK(group->uid == "u");
  CHECK(group->resource_version == "7");
  CHECK(group->min_member == 3);
  CHECK(group->status == PodGroupStatus{"Running", "team/web", 3, 2, 1});
  const auto bare = Read(R"({"metadata":{"uid":"u"}})");
  REQUIRE(bare.ok());
  CHECK(bare->min_member == 1);
  CHECK(bare->status == PodGroupStatus());
}

TEST_CASE("A PodGroup's status is somebody else's when anybody but we has written it") {
  CHECK(OtherWriter("", "").empty());
  CHECK(OtherWriter(Manager("kubectl", ""), "").empty());
  CHECK(OtherWriter(Manager("gangplan", "status"), R"("phase":"Pending")").empty());
  CHECK(OtherWriter(Manager("controller", "status"), R"("phase":"Pending")") == "\"controller\"");
  CHECK(OtherWriter(Manager("gangplan", "status") + "," + Manager("controller", "status"), "") ==
        "\"controller\"");
  // By whom nobody can tell: not by us.
  CHECK(OtherWriter(Manager("kubectl", ""), R"("phase":"Pending")") == "somebody");
}

TEST_CASE("A PodGroup that cannot be read says where") {
  CHECK(Message(Read("{}").status()) == "PodGroup.metadata.uid is missing");
  CHECK(Message(Read(GroupOf("", R"("running":-1)")).status())
            .starts_with("PodGroup.status.running: "));
  CHECK(Read(GroupOf("", fmt::format(R"("phase":"{}")", std::string(kMaxTokenBytes, 'p')))).ok());
  CHECK_FALSE(
      Read(GroupOf("", fmt::format(R"("phase":"{}")", std::string(kMaxTokenBytes + 1, 'p')))).ok());
}

}  // namespace
}  // namespace gangplan::pod_group_object_test
