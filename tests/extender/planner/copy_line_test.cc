#include "extender/planner/copy_line.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace gangplan::copy_line_test {
namespace {

struct Line {
  void Mark(GroupId id, const std::string& ns, int32_t priority = 0, int64_t created = 0) {
    line.Mark(id, ns, {priority, 0, created, 0}, by_shares);
  }
  // Asks so many.
  std::vector<GroupId> Ask(int count) {
    std::vector<GroupId> asked;
    for (int i = 0; i < count && !line.empty(); ++i) {
      asked.push_back(line.Take());
      line.Cut();
      line.Asked(asked.back());
    }
    return asked;
  }

  bool by_shares = false;
  CopyLine line;
};

using Ids = std::vector<GroupId>;

}  // namespace

TEST_CASE("CopyLine: namespaces in turn, each in the order in which its groups came") {
  Line line;
  for (GroupId id = 1; id <= 4; ++id) line.Mark(id, "many");
  CHECK(line.Ask(1) == Ids{1});
  line.Mark(11, "few");
  line.Mark(12, "few");
  CHECK(line.Ask(9) == Ids{2, 11, 3, 12, 4});
}

TEST_CASE("CopyLine: who comes again stands behind those of its namespace") {
  Line line;
  for (GroupId id = 1; id <= 3; ++id) line.Mark(id, "many");
  line.Mark(11, "few");
  Ids asked;
  for (int i = 0; i < 8; ++i) {
    const GroupId id = line.Ask(1)[0];
    asked.push_back(id);
    line.Mark(id, id > 10 ? "few" : "many");
  }
  CHECK(asked == Ids{1, 11, 2, 11, 3, 11, 1, 11});
}

TEST_CASE(
    "CopyLine: a greater priority comes first, whatever its turn, and shares are as they are") {
  Line line;
  for (GroupId id = 1; id <= 3; ++id) line.Mark(id, "many");
  line.Mark(4, "many", 7);
  CHECK(line.Ask(1) == Ids{4});
  Line shares;
  shares.by_shares = true;
  shares.Mark(1, "many", 0, 1);
  shares.Mark(2, "many", 0, 2);
  shares.Mark(3, "few", 0, 3);
  CHECK(shares.Ask(3) == Ids{1, 2, 3});
}

TEST_CASE("CopyLine: what was asked of a greater priority puts nobody of another one back") {
  Line line;
  line.Mark(1, "many");
  line.Mark(2, "many");
  for (GroupId id = 21; id <= 25; ++id) line.Mark(id, "great", 7);
  CHECK(line.Ask(5) == Ids{21, 22, 23, 24, 25});
  line.Mark(11, "few");
  CHECK(line.Ask(3) == Ids{1, 11, 2});
}

TEST_CASE("CopyLine: it keeps its turn while it is marked again, and loses it when forgotten") {
  Line line;
  line.Mark(1, "many");
  line.Mark(2, "many");
  line.Mark(11, "few");
  line.Mark(1, "many");
  CHECK(line.line.Waits(1));
  line.line.Forget(1);
  CHECK_FALSE(line.line.Waits(1));
  line.Mark(1, "many");
  CHECK(line.Ask(3) == Ids{11, 2, 1});
}

}  // namespace gangplan::copy_line_test
