#include "extender/api/gang_object.h"

#include "api_world.h"
#include "extender/api/limits.h"
#include "tests/support/catch.h"

namespace gangplan::gang_object_test {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

ListedGang Blocked() {
  ListedGang gang{"train", {MakeBlocked("ml", "train", 7), ""}};
  GroupReport& report = gang.group.report;
  report.priority = 5;
  report.line_place = 2;
  report.line_length = 3;
  report.expected_by = kNow;
  report.origins = {"Job train", "index"};
  report.pod_sets = {{"leader", 1, 1, 0, ""}, {"workers", 3, 3, 0, ""}};
  report.evidence = "  one\n  two";
  return gang;
}

TEST_CASE("GangJson: one gang with why it waits") {
  CHECK(
      GangJson(Blocked(), 42, true) ==
      R"({"kind":"Gang","apiVersion":"gangplan.io/v1alpha1","metadata":{"name":"train",)"
      R"("namespace":"ml","uid":"uid-7","resourceVersion":"42",)"
      R"("creationTimestamp":"2027-01-15T07:00:00Z"},"spec":{"kind":"Job","size":4,)"
      R"("priority":5,"place":"rack=pack!","podSets":[{"name":"leader","size":1},)"
      R"({"name":"workers","size":3}]},"status":{"state":"Blocked","pods":"0/4","seen":4,)"
      R"("inBind":0,"bound":0,"reason":"4 members must share one rack; no rack has room for all )"
      R"(of them now","outcome":"wait","road":"gated","sizeFrom":"Job train","ranksFrom":"index",)"
      R"("line":{"place":2,"of":3,"expectedBy":"2027-01-15T08:00:00Z"},)"
      R"("evidence":["one","two"]}})");
}

TEST_CASE("GangJson: so many lines of evidence, and where the others are") {
  ListedGang gang = Blocked();
  const auto ends_with_more = [&](size_t lines) {
    gang.group.report.evidence.clear();
    for (size_t i = 0; i < lines; ++i) gang.group.report.evidence += "line\n";
    return GangJson(gang, 1, true).find("more: kubectl gangplan explain") != std::string::npos;
  };
  CHECK_FALSE(ends_with_more(kMaxToldLines));
  CHECK(ends_with_more(kMaxToldLines + 1));
}

GangList Five() {
  GangList list;
  list.version = 9;
  for (const auto& [ns, name] : std::initializer_list<std::pair<const char*, const char*>>{
           {"a", "x"}, {"ml", "a"}, {"ml", "b"}, {"ml", "c"}, {"ml-2", "a"}}) {
    const bool blocked = std::string_view(name) == "b";
    list.gangs.push_back(
        {name, {blocked ? MakeBlocked(ns, name, 1) : MakeReport(ns, name, 1), "b0"}});
  }
  return list;
}

std::string PathsOf(const GangPage& page) {
  std::string names;
  for (const ListedGang* gang : page.gangs)
    names += fmt::format("{}/{} ", gang->group.report.key.ns, gang->name);
  return names;
}

std::string Ask(const std::string& ns, const std::string& query) {
  const GangList list = Five();
  const std::string where = ns.empty() ? "" : "namespaces/" + ns + "/";
  const auto question =
      ReadQuestion(fmt::format("/apis/gangplan.io/v1alpha1/{}gangs?{}", where, query));
  REQUIRE(question.ok());
  return PathsOf(PageOf(list, *question));
}

TEST_CASE("PageOf: of one namespace, by name and by state") {
  CHECK(Ask("", "") == "a/x ml/a ml/b ml/c ml-2/a ");
  CHECK(Ask("ml", "") == "ml/a ml/b ml/c ");
  CHECK(Ask("none", "").empty());
  CHECK(Ask("", "fieldSelector=metadata.name%3Da") == "ml/a ml-2/a ");
  CHECK(Ask("ml", "fieldSelector=metadata.name!%3Da") == "ml/b ml/c ");
  CHECK(Ask("", "fieldSelector=metadata.namespace%3Dml-2") == "ml-2/a ");
  CHECK(Ask("", "fieldSelector=status.state%3DBlocked") == "ml/b ");
  CHECK(Ask("ml", "fieldSelector=status.state%3DRunning,metadata.name!%3Da") == "ml/c ");
}

TEST_CASE("PageOf: page by page each gang comes once, also where some have left") {
  GangList list = Five();
  for (const int64_t limit : {1, 2, 4, 5, 6}) {
    std::string all, token;
    do {
      const auto question = ReadQuestion(
          fmt::format("/apis/gangplan.io/v1alpha1/gangs?limit={}&continue={}", limit, token));
      REQUIRE(question.ok());
      const GangPage page = PageOf(list, *question);
      CHECK(std::ssize(page.gangs) <= limit);
      CHECK(page.next.empty() == (page.remaining == 0));
      all += PathsOf(page);
      token = page.next;
    } while (!token.empty());
    CHECK(all == "a/x ml/a ml/b ml/c ml-2/a ");
  }
  const std::string after = ContinueAfter("ml/a");
  list.gangs.erase(list.gangs.begin() + 1);
  CHECK(PathsOf(PageOf(list, *ReadQuestion("/apis/gangplan.io/v1alpha1/gangs?limit=1&continue=" +
                                           after))) == "ml/b ");
}

TEST_CASE("GangListJson: how many are left beyond a page") {
  const GangList list = Five();
  const GangPage page = PageOf(list, *ReadQuestion("/apis/gangplan.io/v1alpha1/gangs?limit=3"));
  CHECK(GangListJson(page).starts_with(
      fmt::format(R"({{"kind":"GangList","apiVersion":"gangplan.io/v1alpha1","metadata":{{)"
                  R"("resourceVersion":"9","continue":"{}","remainingItemCount":2}},"items":[{{)"
                  R"("kind":"Gang",)",
                  page.next)));
  CHECK(GangListJson({}) == R"({"kind":"GangList","apiVersion":"gangplan.io/v1alpha1","metadata":{)"
                            R"("resourceVersion":"0"},"items":[]})");
}

TEST_CASE("GangTableJson: the cells of a row, and the object beside them") {
  ListedGang gang = Blocked();
  gang.group.report.key.kind = "Job\x1b[31m";
  const GangPage page{{&gang}, 42};
  const std::string text = GangTableJson(page, "Metadata", kNow);
  CHECK(text.starts_with(
      R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"42"},)"
      R"("columnDefinitions":[{"name":"Name","type":"string","format":"name",)"));
  CHECK(text.ends_with(
      R"("rows":[{"cells":["train","Blocked","0/4","","60m",)"
      R"("4 members must share one rack; no rack has room for all of them now",)"
      R"("Job\\u001b[31m",4,5,"gated","rack=pack!"],"object":{"kind":"PartialObjectMetadata",)"
      R"("apiVersion":"meta.k8s.io/v1","metadata":{"name":"train","namespace":"ml","uid":"uid-7",)"
      R"("resourceVersion":"42","creationTimestamp":"2027-01-15T07:00:00Z"}}}]})"));
  CHECK(GangTableJson(page, "None", kNow).ends_with(R"("rack=pack!"]}]})"));
  CHECK(GangTableJson(page, "Object", kNow).find(R"("object":{"kind":"Gang",)") !=
        std::string::npos);
  gang.group.report.created = 0;
  CHECK(GangTableJson(page, "None", kNow).find(R"("<unknown>")") != std::string::npos);
}

}  // namespace
}  // namespace gangplan::gang_object_test
