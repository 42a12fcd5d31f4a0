#include "extender/api/gang_board.h"

#include "api_world.h"
#include "extender/api/limits.h"
#include "tests/extender/kube/kube_fakes.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::gang_board_test {
namespace {

struct World {
  std::string Names() {
    std::string names;
    const auto all = board.All();
    if (!all.ok()) return Message(all.status());
    for (const ListedGang& gang : (*all)->gangs)
      names += fmt::format("{}/{} ", gang.group.report.key.ns, gang.name);
    return names;
  }
  void Add(GroupReport report) { source.groups.push_back({std::move(report), "b0/r1"}); }

  FakeClock clock;
  FakeSource source;
  GangBoard board{source, clock};
};

TEST_CASE("Object names are those of gangs, and lead back to them") {
  const std::pair<std::string, std::string> pairs[] = {
      {"train", "train"}, {"Train_1.b:c", "Train_1.b:c"},
      {"a b", "a~20b"},   {"a/b%c~d", "a~2Fb~25c~7Ed"},
      {"..", "~2E~2E"},   {".", "~2E"},
      {".a", ".a"},       {"\xc3\xa4\n", "~C3~A4~0A"},
      {"\x7f", "~7F"}};
  for (const auto& [gang, object] : pairs) {
    CHECK(ObjectName(gang) == object);
    CHECK(GangName(object) == gang);
  }
  for (const char* wrong : {"a~", "a~2", "a~2g", "a~~7", "a/b", "a%20b", "a b"})
    CHECK_FALSE(GangName(wrong));
}

TEST_CASE("GangBoard: gangs stand in the order of namespace and name") {
  World world;
  world.Add(MakeReport("ml", "b", 1));
  world.Add(MakeReport("a", "z", 2));
  world.Add(MakeReport("ml", "a/x", 3));
  world.Add(MakeReport("ml-2", "a", 4));
  CHECK(world.Names() == "a/z ml/a~2Fx ml/b ml-2/a ");
}

TEST_CASE("GangBoard: of several of one name the last that came has it") {
  World world;
  world.Add(MakeReport("ml", "a", 1));
  world.Add(MakeReport("ml", "a", 9));
  world.Add(MakeReport("ml", "a", 3));
  world.Add(MakeReport("ml", "a", 0));
  CHECK(world.Names() == "ml/a ml/a~~1 ml/a~~3 ml/a~~uid-0 ");
  CHECK((*world.board.Find("ml", "a"))->group.report.id == 9);
  CHECK((*world.board.Find("ml", "a~~3"))->group.report.id == 3);
}

TEST_CASE("GangBoard: it reads twice a second at most") {
  World world;
  world.Add(MakeReport("ml", "a", 1));
  CHECK(world.Names() == "ml/a ");
  world.Add(MakeReport("ml", "b", 2));
  world.clock.Advance(kSnapshotLasts - absl::Nanoseconds(1));
  CHECK(world.Names() == "ml/a ");
  CHECK(world.source.lists == 1);
  const int64_t before = (*world.board.All())->version;
  world.clock.Advance(absl::Nanoseconds(1));
  CHECK(world.Names() == "ml/a ml/b ");
  CHECK(world.source.lists == 2);
  CHECK((*world.board.All())->version > before);
  for (int i = 0; i < 3; ++i) {
    CHECK((*world.board.Whole("ml", "a"))->group.report.id == 1);
    CHECK((*world.board.Explain({"ml", "a"})).status == 200);
  }
  CHECK(world.source.wholes == 1);
}

TEST_CASE("GangBoard: what is not there, or not known yet") {
  World world;
  CHECK(*world.board.Find("ml", "a") == nullptr);
  CHECK(absl::IsNotFound(world.board.Whole("ml", "a").status()));
  world.source.not_ready = "the cluster is being read";
  world.clock.Advance(kSnapshotLasts);
  CHECK(absl::IsUnavailable(world.board.All().status()));
  CHECK(absl::IsUnavailable(world.board.Find("ml", "a").status()));
  CHECK(world.Names() == "the cluster is being read");
}

TEST_CASE("GangBoard: a gang that has left since the list is told as it was listed") {
  World world;
  world.Add(MakeReport("ml", "a", 1));
  world.Names();
  world.source.groups.clear();
  CHECK((*world.board.Whole("ml", "a"))->group.where == "b0/r1");
}

}  // namespace
}  // namespace gangplan::gang_board_test
