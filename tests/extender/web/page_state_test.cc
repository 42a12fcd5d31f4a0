#include "extender/web/page_state.h"

#include "extender/web/page_files.h"
#include "extender/web/page_texts.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "topology/tree.h"

namespace gangplan::page_state_test {
namespace {

NodeFacts Node(const std::string& name, const std::string& rack) {
  NodeFacts node;
  node.name = name;
  node.labels = {{"rack", rack}};
  return node;
}

PageGang Gang(int64_t id, const std::string& name) {
  PageGang gang;
  gang.id = id;
  gang.name = name;
  gang.state = "Running";
  return gang;
}

PageState State() {
  PageState state;
  state.tree = "t-1";
  state.generation = 4;
  state.nodes = {{true, 8, 4, 0, {1}}, {true, 8, 0, 0, {}}, {true, 8, 4, 0, {1}}};
  state.gangs = {Gang(1, "ml/a"), Gang(3, "ml/b")};
  return state;
}

TEST_CASE("The page's tree is told level by level, with how many children each domain has") {
  const auto topology = CompleteTopology({"east", {{"rack", "rack"}}});
  REQUIRE(topology.ok());
  const NodeFacts a = Node("a", "r1"), b = Node("b", "r1"), c = Node("c\"", "r2");
  const Tree tree(*topology, std::vector<const NodeFacts*>{&a, &b, &c});
  CHECK(PageTreeJson(tree, "v", "x.io/gpu") ==
        R"({"version":"v","topology":"east","resource":"x.io/gpu","levels":["rack","node"],)"
        R"("names":[["r1","r2"],["a","b","c\""]],"children":[[2,1]]})");
  CHECK(PageTreeJson(Tree(), "v", "cpu") ==
        R"({"version":"v","topology":"default","resource":"cpu","levels":[],"names":[],)"
        R"("children":[]})");
}

TEST_CASE("The page's state tells equal nodes once") {
  const std::string json = PageStateJson(State());
  CHECK(json.find(R"({"tree":"t-1","generation":4,"notReady":"","unplaced":0,"moreGangs":0,)"
                  R"("gangs":[{"id":1,"name":"ml/a","kind":"","state":"Running")") == 0);
  CHECK(json.ends_with(R"("kinds":[[1,8,4,0,1],[1,8,0,0]],"nodes":[0,1,0]})"));
}

TEST_CASE("The page's changes are what differs, and nothing else") {
  const PageState before = State();
  PageState after = State();
  CHECK_FALSE(Differ(before, after));
  after.generation = 5;
  CHECK_FALSE(Differ(before, after));
  after.nodes[1] = {false, 8, 0, 2, {3, 4}};
  after.gangs = {Gang(2, "ml/new"), Gang(3, "ml/b")};
  after.gangs[1].bound = 7;
  CHECK(Differ(before, after));
  const std::string json = PageChangesJson(before, after);
  CHECK(json.starts_with(R"({"from":4,"tree":"t-1","generation":5,)"));
  CHECK(json.find(R"("name":"ml/new")") != std::string::npos);
  CHECK(json.find(R"("name":"ml/b")") != std::string::npos);
  CHECK(json.find(R"("name":"ml/a")") == std::string::npos);
  CHECK(json.ends_with(R"("gone":[1],"nodes":[[1,0,8,0,2,3,4]]})"));
}

TEST_CASE("Gangs that are new at both ends are told, and those that have left in between") {
  PageState before = State();
  before.gangs = {Gang(2, "b"), Gang(3, "c"), Gang(5, "e")};
  PageState after = before;
  after.gangs = {Gang(-1, "lone"), Gang(2, "b"), Gang(5, "e"), Gang(6, "f")};
  const std::string json = PageChangesJson(before, after);
  CHECK(json.find(R"("id":-1)") != std::string::npos);
  CHECK(json.find(R"("id":6)") != std::string::npos);
  CHECK(json.find(R"("id":2)") == std::string::npos);
  CHECK(json.find(R"("gone":[3])") != std::string::npos);
}

TEST_CASE("The files of the page are in the program, and name nothing but each other") {
  const PageFile* index = FindPageFile("index.html");
  REQUIRE(index != nullptr);
  CHECK(index->type == "text/html; charset=utf-8");
  CHECK(index->text.starts_with("<!doctype html>"));
  CHECK(index->text.find("<script>") == std::string_view::npos);
  CHECK(index->text.find(" style=") == std::string_view::npos);
  for (const char* name :
       {"main.js", "map.js", "page.css", "parts.css", "colours.css", "icon.svg"}) {
    INFO(name);
    const PageFile* file = FindPageFile(name);
    REQUIRE(file != nullptr);
    CHECK(file->version.size() == 16);
    CHECK(file->version != index->version);
    CHECK(file->text.find("innerHTML") == std::string_view::npos);
  }
  CHECK(FindPageFile("main.js")->type == "text/javascript; charset=utf-8");
  CHECK(FindPageFile("page.css")->type == "text/css; charset=utf-8");
  CHECK(FindPageFile("../view.cc") == nullptr);
  CHECK(FindPageFile("") == nullptr);
}

// Below another path, as behind a proxy, an absolute one would lead elsewhere.
TEST_CASE("All addresses in the page are relative") {
  const std::string_view text = FindPageFile("index.html")->text;
  int named = 0;
  for (const std::string_view attribute : {"src=\"", "href=\""}) {
    for (size_t at = text.find(attribute); at != std::string_view::npos;
         at = text.find(attribute, at + 1)) {
      const std::string_view address = text.substr(at + attribute.size(), 5);
      INFO(address);
      CHECK(address == "page/");
      ++named;
    }
  }
  CHECK(named >= 5);
  // Each module is named there, so that none waits for another one to be read.
  for (const auto& [name, script] : PageTexts()) {
    INFO(name);
    if (name.ends_with(".js"))
      CHECK(text.find(fmt::format("\"page/{}\"", name)) != std::string_view::npos);
  }
}

}  // namespace
}  // namespace gangplan::page_state_test
