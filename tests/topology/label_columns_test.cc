// A label column keeps the value of each node, and no crowd of values that no node has any more.
#include "topology/label_columns.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::label_columns_test {
namespace {

std::string Text(const LabelColumn& column, NodeIndex node) {
  return column.texts()[column.values()[node]];
}

TEST_CASE("a value that changes for ever does not pile up") {
  LabelColumn column;
  column.Resize(3);
  const std::string fixed = "a";
  column.Set(1, &fixed);
  for (int turn = 0; turn < 10'000; ++turn) {
    const std::string text = fmt::format("v{}", turn);
    column.Set(0, &text);
    REQUIRE(Text(column, 0) == text);
    REQUIRE(Text(column, 1) == "a");
    REQUIRE(column.values()[2] == 0);
    REQUIRE(column.texts().size() < 100);
  }
}

TEST_CASE("an empty value is not the lack of one") {
  LabelColumn column;
  column.Resize(2);
  const std::string empty;
  column.Set(0, &empty);
  CHECK(column.values()[0] != 0);
  CHECK(Text(column, 0).empty());
  column.Set(0, nullptr);
  CHECK(column.values()[0] == 0);
}

TEST_CASE("a key that few nodes have is a list, and one that more have is a column") {
  const auto few = static_cast<NodeIndex>(LabelColumns::kFew);
  LabelColumns columns;
  columns.Resize(few + 2);
  LabelColumn made;
  const auto text = [&](NodeIndex node) { return Text(columns.Of("pool", made), node); };
  CHECK(text(0).empty());
  for (NodeIndex node = 0; node < few; ++node) columns.Put(node, {}, {{"pool", "a"}});
  CHECK(&columns.Of("pool", made) == &made);
  CHECK(text(few - 1) == "a");
  columns.Put(0, {{"pool", "a"}}, {{"pool", "b"}});
  CHECK(text(0) == "b");
  columns.Put(few, {}, {{"other", "x"}, {"pool", "c"}});
  CHECK(&columns.Of("pool", made) != &made);
  CHECK(text(0) == "b");
  CHECK(text(few) == "c");
  CHECK(columns.Of("pool", made).values()[few + 1] == 0);
  for (NodeIndex node = 0; node < few; ++node)
    columns.Put(node, {{"pool", node == 0 ? "b" : "a"}}, {});
  CHECK(text(0).empty());
  CHECK(text(few) == "c");
  columns.Put(few, {{"other", "x"}, {"pool", "c"}}, {});
  CHECK(&columns.Of("pool", made) == &made);
  CHECK(text(few).empty());
}

}  // namespace
}  // namespace gangplan::label_columns_test
