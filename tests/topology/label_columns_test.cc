// A label column keeps the value of each node, and no crowd of values that no node has any more.
#include "topology/label_columns.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan {
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

TEST_CASE("labels are kept for as long as somebody asks for them") {
  LabelColumns columns;
  columns.Resize(1);
  CHECK(columns.Acquire("pool"));
  CHECK_FALSE(columns.Acquire("pool"));
  columns.SetAll(0, {{"pool", "a"}});
  columns.Release("pool");
  CHECK(Text(columns.at("pool"), 0) == "a");
  columns.Release("pool");
  CHECK(columns.Acquire("pool"));
  CHECK(columns.at("pool").values()[0] == 0);
}

}  // namespace
}  // namespace gangplan
