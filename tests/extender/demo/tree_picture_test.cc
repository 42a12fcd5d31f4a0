#include "extender/demo/tree_picture.h"

#include "config/settings.h"
#include "tests/support/catch.h"

namespace gangplan::tree_picture_test {
namespace {

NodeFacts Node(const std::string& block, const std::string& rack, const std::string& name) {
  NodeFacts node;
  node.name = name;
  node.labels = {
      {"example.com/block", block}, {"example.com/rack", rack}, {"kubernetes.io/hostname", name}};
  node.allocatable = {{"gpu", 8}};
  return node;
}

PodFacts Pod(const std::string& node, int64_t gpus, const std::string& job = "") {
  PodFacts pod;
  pod.node_name = node;
  pod.requests = {{"gpu", gpus}};
  if (!job.empty()) pod.controller = OwnerRef{"batch/v1", "Job", job, "u"};
  return pod;
}

TreePicture Picture(bool colour) {
  return TreePicture(Settings().topologies.front(),
                     {Node("block-1", "rack-1", "n1"), Node("block-1", "rack-1", "n2"),
                      Node("block-1", "rack-1", "n3"), Node("block-1", "rack-2", "n4"),
                      Node("block-2", "rack-1", "n5")},
                     {{"trainer", 'A'}}, "gpu", colour);
}

TEST_CASE("A picture shows gangs and what others have taken") {
  CHECK(Picture(false).Draw("now",
                            {Pod("n1", 8), Pod("n2", 3), Pod("n4", 1, "trainer"), Pod("n5", 4),
                             Pod("n5", 4, "other")},
                            {"note", ""}) ==
        "now     block-1  block-2\n"
        "rack-1  #-.      #          note\n"
        "rack-2  A\n");
}

TEST_CASE("A coloured cell ends its colour") {
  CHECK(Picture(true).Cell('A') == "\x1b[30;42mA\x1b[0m");
  CHECK(Picture(true).Cell('.') == "\x1b[2m.\x1b[0m");
  CHECK(Picture(false).Cell('A') == "A");
}

}  // namespace
}  // namespace gangplan::tree_picture_test
