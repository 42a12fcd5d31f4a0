#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::filter_request_test {
namespace {

using Views = std::vector<std::string_view>;

// The request and the body that it points into.
struct Decoded {
  explicit Decoded(std::string text) : body(std::move(text)), request(DecodeFilterRequest(body)) {}
  std::string body;
  absl::StatusOr<FilterRequest> request;

  const FilterRequest& operator*() const {
    INFO(ErrorOf(request));
    REQUIRE(request.ok());
    return *request;
  }
  const OfferedNodes& nodes() const {
    REQUIRE((**this).nodes.has_value());
    return *(**this).nodes;
  }
};

TEST_CASE("Names are offered in the order given, each once") {
  const Decoded decoded(FilterText(R"("Nodes":null,"NodeNames":["b","a","b","c","a","a"])"));
  CHECK((*decoded).pod.name == "p");
  CHECK_FALSE(decoded.nodes().full_objects);
  CHECK(decoded.nodes().names == Views{"b", "a", "c"});
  CHECK(decoded.nodes().items.empty());
}

TEST_CASE("Many names with duplicates keep the first of each") {
  std::string names;
  Views expected;
  std::vector<std::string> texts;
  for (int i = 0; i < 3'000; ++i) texts.push_back(fmt::format("n{}", (i * 7'919) % 1'000));
  for (const std::string& text : texts) names += (names.empty() ? "\"" : ",\"") + text + "\"";
  for (int i = 0; i < 1'000; ++i) expected.push_back(texts[i]);
  const Decoded decoded(FilterText("\"NodeNames\":[" + names + "]"));
  CHECK(decoded.nodes().names == expected);
}

TEST_CASE("An empty list is a list, a null list is none") {
  CHECK(Decoded(FilterText(R"("Nodes":null,"NodeNames":[])")).nodes().names.empty());
  const Decoded objects(FilterText(R"("Nodes":{"metadata":{},"items":null},"NodeNames":null)"));
  CHECK(objects.nodes().full_objects);
  CHECK(objects.nodes().names.empty());
  CHECK_FALSE((*Decoded(FilterText(R"("Nodes":null,"NodeNames":null)"))).nodes.has_value());
  CHECK_FALSE((*Decoded(R"({"Pod":{"metadata":{"name":"p","uid":"u"}}})")).nodes.has_value());
}

TEST_CASE("Whole nodes are kept byte for byte, escapes and blanks included") {
  const std::string first = R"({ "metadata" : {"name":"a","labels":{"x":"\u00e9\n\"}]"}} ,)"
                            R"( "x":[{}] })";
  const std::string second = R"({"status":{"n":[1.50,-2e3,null]},"metadata":{"name":"b\u002e1"}})";
  const Decoded decoded(FilterText(R"("NodeNames":null,"Nodes":{"metadata":{},"items":[ )" + first +
                                   " , " + second + " ]}"));
  CHECK(decoded.nodes().full_objects);
  CHECK(decoded.nodes().names == Views{"a", "b.1"});
  CHECK(decoded.nodes().items == Views{first, second});
}

TEST_CASE("Of whole nodes with one name the first is kept") {
  const Decoded decoded(
      FilterText(R"("Nodes":{"items":[{"metadata":{"name":"a"},"v":1},{"metadata":{"name":"b"}},)"
                 R"({"metadata":{"name":"a"},"v":2}]})"));
  CHECK(decoded.nodes().names == Views{"a", "b"});
  CHECK(decoded.nodes().items ==
        Views{R"({"metadata":{"name":"a"},"v":1})", R"({"metadata":{"name":"b"}})"});
}

TEST_CASE("A copy of the offered nodes outlives the request") {
  std::string body = FilterText(R"("Nodes":{"items":[{"metadata":{"name":"a"}}]})");
  OfferedNodes copy;
  {
    absl::StatusOr<FilterRequest> request = DecodeFilterRequest(body);
    REQUIRE(request.ok());
    copy = *request->nodes;
  }
  CHECK(copy.items == Views{R"({"metadata":{"name":"a"}})"});
}

TEST_CASE("Names with escapes are resolved") {
  const Decoded decoded(FilterText(R"("NodeNames":["a\u002eb","\u00e9\ud83d\ude00","q\"\\\/\t"])"));
  CHECK(decoded.nodes().names == Views{"a.b", "\u00e9\U0001f600", "q\"\\/\t"});
}

TEST_CASE("Keys are taken in any case, unknown ones are skipped whole") {
  const Decoded decoded(
      R"({"extra":{"Pod":[{"a":[1,{"b":null}]}]},"POD":{"MetaData":{"NAME":"p","Uid":"u"},)"
      R"("SPEC":{"nodename":"x","Priority":3}},"nodenames":["a"],"nodes":null,)"
      R"("Other":"\ud83d\ude00"})");
  CHECK((*decoded).pod.node_name == "x");
  CHECK((*decoded).pod.priority == 3);
  CHECK(decoded.nodes().names == Views{"a"});
}

TEST_CASE("The last of equal keys wins, in whatever case it is written") {
  CHECK(Decoded(FilterText(R"("NodeNames":["a"],"nodenames":["b"])")).nodes().names == Views{"b"});
  CHECK_FALSE((*Decoded(FilterText(R"("NodeNames":["a"],"NodeNames":null)"))).nodes.has_value());
  const Decoded nodes(FilterText(
      R"("Nodes":{"items":[{"metadata":{"name":"a"}}],"items":[{"metadata":{"name":"b"}}]})"));
  CHECK(nodes.nodes().names == Views{"b"});
  CHECK(nodes.nodes().items == Views{R"({"metadata":{"name":"b"}})"});
  const Decoded lists(FilterText(R"("Nodes":{"items":[{"metadata":{"name":"a"}}]},)"
                                 R"("nodes":{"items":[{"metadata":{"name":"c"}}]})"));
  CHECK(lists.nodes().items == Views{R"({"metadata":{"name":"c"}})"});
  const Decoded pods(R"({"Pod":{"metadata":{"name":"p","uid":"u"},"spec":{"priority":1}},)"
                     R"("pod":{"metadata":{"name":"q"}}})");
  CHECK((*pods).pod.name == "q");
  CHECK((*pods).pod.priority == 1);
  CHECK(ErrorOf(Decoder::kFilter, R"({"Pod":{"metadata":{"name":"p","uid":"u"}},"pod":null})") ==
        "Pod is missing");
}

TEST_CASE("When both lists are given the names count") {
  const Decoded decoded(
      FilterText(R"("Nodes":{"items":[{"metadata":{"name":"a"}}]},"NodeNames":["b"])"));
  CHECK_FALSE(decoded.nodes().full_objects);
  CHECK(decoded.nodes().names == Views{"b"});
}

TEST_CASE("Nulls in lists and for values are as if absent") {
  CHECK(Decoded(FilterText(R"("NodeNames":[null,"a",null])")).nodes().names == Views{"a"});
  const Decoded decoded(
      R"({"Pod":{"kind":null,"metadata":{"name":"p","uid":"u","creationTimestamp":null,)"
      R"("labels":null,"annotations":null,"ownerReferences":null,"deletionTimestamp":null},)"
      R"("spec":{"containers":null,"affinity":null,"tolerations":null,"priority":null,)"
      R"("nodeSelector":null,"overhead":null,"schedulingGates":null},"status":null},)"
      R"("Nodes":{"items":[null,{"metadata":{"name":"a"}}]}})");
  CHECK(decoded.nodes().names == Views{"a"});
  CHECK((*decoded).pod.requests == ResourceList{{"pods", 1}});
}

}  // namespace
}  // namespace gangplan::filter_request_test
