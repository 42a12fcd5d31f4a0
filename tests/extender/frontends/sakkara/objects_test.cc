// Which ConfigMap tells of which group.
#include "extender/frontends/sakkara/objects.h"

#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::objects_test {
namespace {

using Names = std::vector<std::string>;

ConfigMapFacts Object(std::string_view name, std::string_view group, std::string_view size = "2") {
  ConfigMapFacts facts;
  facts.ns = "team";
  facts.name = name;
  facts.uid = fmt::format("uid-{}", name);
  facts.data = {{"constraints", "{}"}, {"name", std::string(group)}, {"size", std::string(size)}};
  return facts;
}

int64_t SizeOf(const SakkaraObjects& objects, std::string_view group) {
  const SakkaraObject* object = objects.Find("team", group);
  return object == nullptr || !object->words.ok() ? -1 : object->words->size;
}

TEST_CASE("Group objects: one that comes, changes and goes is news of its group") {
  SakkaraObjects objects;
  CHECK(objects.Put(Object("a", "ring")) == Names{"ring"});
  CHECK(SizeOf(objects, "ring") == 2);
  CHECK(objects.Put(Object("a", "ring")).empty());
  CHECK(objects.Put(Object("a", "ring", "3")) == Names{"ring"});
  CHECK(SizeOf(objects, "ring") == 3);
  CHECK(objects.Find("other", "ring") == nullptr);
  CHECK(objects.Erase("team", "a") == Names{"ring"});
  CHECK(objects.Find("team", "ring") == nullptr);
  CHECK(objects.Erase("team", "a").empty());
}

TEST_CASE("Group objects: results and versions are no news but are kept") {
  SakkaraObjects objects;
  objects.Put(Object("a", "ring"));
  ConfigMapFacts written = Object("a", "ring");
  SetLabel(written.data, "status", "Bound");
  written.resource_version = "77";
  CHECK(objects.Put(written).empty());
  CHECK(objects.At("team", "a")->facts == written);
}

TEST_CASE("Group objects: of several the first by name counts whatever came first") {
  for (const bool reversed : {false, true}) {
    SakkaraObjects objects;
    const Names first = objects.Put(reversed ? Object("b", "ring", "7") : Object("a", "ring"));
    const Names second = objects.Put(reversed ? Object("a", "ring") : Object("b", "ring", "7"));
    CHECK(first == Names{"ring"});
    CHECK(second == (reversed ? Names{"ring"} : Names{}));
    CHECK(SizeOf(objects, "ring") == 2);
    CHECK(objects.Erase("team", "b").empty());
    objects.Put(Object("b", "ring", "7"));
    CHECK(objects.Erase("team", "a") == Names{"ring"});
    CHECK(SizeOf(objects, "ring") == 7);
  }
}

TEST_CASE("Group objects: a new name for the group is news of both") {
  SakkaraObjects objects;
  objects.Put(Object("a", "ring"));
  CHECK(objects.Put(Object("a", "chain")) == Names{"chain", "ring"});
  CHECK(objects.Find("team", "ring") == nullptr);
  CHECK(SizeOf(objects, "chain") == 2);
}

TEST_CASE("Group objects: one that is spoiled tells why under its group's name") {
  SakkaraObjects objects;
  objects.Put(Object("a", "ring"));
  ConfigMapFacts spoiled = Object("a", "ring");
  SetLabel(spoiled.data, "constraints", R"({"node":{"partitions":"4"}})");
  CHECK(objects.Put(spoiled) == Names{"ring"});
  CHECK(Message(objects.Find("team", "ring")->words.status()) ==
        "constraints.node.partitions: expected a number, found a string");
  CHECK(objects.Put(spoiled).empty());
  ConfigMapFacts nameless = Object("c", "");
  CHECK(objects.Put(nameless) == Names{"default-group"});
}

}  // namespace
}  // namespace gangplan::objects_test
