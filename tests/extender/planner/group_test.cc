#include "extender/planner/group.h"

#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/extender/planner/one_group.h"
#include "tests/support/catch.h"

namespace gangplan::group_test {
namespace {

constexpr NodeIndex kNode = 5;
const JobSpec kJob = {.size = 3};
const JobSpec kUnranked = {.size = 3, .indexed = false};

std::string Uid(int index) { return JobPod(kJob, index).uid; }

}  // namespace

TEST_CASE("Group: slots come with MakeSlots and go with DropSlots") {
  const auto group = MakeGroup(kJob, 2);
  CHECK_FALSE(group->planned());
  CHECK(group->AssignSlots().empty());
  group->MakeSlots();
  REQUIRE(group->slots().size() == 3);
  CHECK(group->At(1)->pod.uid == Uid(1));
  CHECK(group->At(2) == nullptr);
  group->SetHeld(0, kNode);
  group->DropSlots();
  CHECK(group->planned());  // a slot is not empty
  group->SetEmpty(0);
  group->DropSlots();
  CHECK_FALSE(group->planned());
  CHECK(group->Find(Uid(1))->slot == -1);
  CHECK(group->BrokenInvariant().empty());
}

TEST_CASE("Group: a plan is taken as a whole, and who shares a rank takes nobody else's") {
  const auto group = MakeGroup(kJob, 1);
  const PodFacts twin = JobPod(kJob, 0, 1);
  group->Add(twin, SpecOf(kJob, twin), absl::UnixEpoch());
  AddMember(*group, kJob, 1);
  const std::vector<std::pair<int32_t, NodeIndex>> places = {{0, kNode}, {1, kNode + 1}, {2, 7}};
  group->SetHeld(places);
  CHECK(group->In(SlotState::kHeld) == 3);
  CHECK(group->slot(1).node == kNode + 1);
  CHECK(group->At(0)->pod.uid == Uid(0));
  CHECK(group->At(1)->pod.uid == Uid(1));
  CHECK(group->At(2)->pod.uid == twin.uid);
  CHECK(group->BrokenInvariant().empty());
}

TEST_CASE("Group: it is complete with its members, with and without a plan") {
  const auto group = MakeGroup(kJob, 2);
  CHECK_FALSE(group->Complete());
  AddMember(*group, kJob, 2);
  CHECK(group->Complete());
  group->MakeSlots();
  CHECK(group->Complete());
  group->Remove(Uid(1));
  CHECK_FALSE(group->Complete());
  CHECK(group->live() == 2);
  CHECK(group->BrokenInvariant().empty());
}

TEST_CASE("Group: a pod that differs from the first one is no sound member") {
  const auto group = MakeGroup(kJob, 1);
  PodFacts other = JobPod(kJob, 1);
  other.requests = {{"cpu", 7}};
  CHECK_FALSE(group->Add(other, SpecOf(kJob, other), absl::UnixEpoch()));
  CHECK_THAT(group->Find(other.uid)->problem, ContainsText("other resources"));
  CHECK(group->live() == 1);
  CHECK(group->BrokenInvariant().empty());
}

TEST_CASE("Group: states of slots are counted on their way to the node") {
  const auto group = MakeGroup(kJob, 3);
  group->MakeSlots();
  for (int32_t slot = 0; slot < 3; ++slot) group->SetHeld(slot, kNode);
  for (int32_t slot = 0; slot < 3; ++slot) group->SetInBind(Uid(slot), true);
  CHECK(group->AllCalled());
  CHECK_FALSE(group->Started());
  group->SetPosting(0);
  CHECK(group->In(SlotState::kPosting) == 1);
  CHECK(group->Started());
  group->SetHeldAgain(0);
  CHECK_FALSE(group->Started());
  for (int32_t slot = 0; slot < 3; ++slot) group->SetBound(slot, kNode);
  CHECK(group->AllBound());
  CHECK(group->bound() == 3);
  CHECK(group->BrokenInvariant().empty());
}

TEST_CASE("Group: a lost node is remembered while the Binding is open") {
  const auto group = MakeGroup(kJob, 1);
  group->MakeSlots();
  group->SetHeld(0, kNode);
  group->SetPosting(0);
  group->SetLost(0);
  group->SetHeldAgain(0);
  CHECK(group->slot(0).lost);
  group->SetBound(0, kNode);
  CHECK_FALSE(group->slot(0).lost);
}

TEST_CASE("Group: a finished member leaves its slot to the next one of the Job") {
  const auto group = MakeGroup(kJob, 3);
  group->MakeSlots();
  for (int32_t slot = 0; slot < 3; ++slot) group->Adopt(Uid(slot), slot, kNode);
  group->Finish(Uid(1));
  CHECK(group->finished() == 1);
  CHECK(group->In(SlotState::kFinished) == 1);
  CHECK(group->AllBound());
  const PodFacts next = JobPod(kJob, 1, 1);
  group->Add(next, SpecOf(kJob, next), absl::UnixEpoch());
  CHECK(group->AssignSlots() == std::vector<std::string>{next.uid});
  CHECK(group->At(1)->pod.uid == next.uid);
  CHECK(group->slot(1).state == SlotState::kEmpty);
  CHECK(group->BrokenInvariant().empty());
}

TEST_CASE("Group: a bound member goes to its recorded rank, and who waits there makes way") {
  const auto group = MakeGroup(kUnranked, 2);
  group->MakeSlots();
  const int32_t slot = group->SlotToAdopt(Uid(1), 0);
  CHECK(slot == 0);
  group->Adopt(Uid(1), slot, kNode);
  CHECK(group->At(0)->pod.uid == Uid(1));
  CHECK(group->slot(0).state == SlotState::kBound);
  CHECK(group->Find(Uid(0))->slot == -1);
  CHECK(group->slotless() == 1);
  group->AssignSlots();
  CHECK(group->slotless() == 0);
  CHECK(group->BrokenInvariant().empty());
}

TEST_CASE("Group: a bound member beyond the slots has none to adopt") {
  const JobSpec one = {.size = 1, .indexed = false};
  const auto group = MakeGroup(one, 2);
  group->Adopt(Uid(0), group->SlotToAdopt(Uid(0), 0), kNode);
  CHECK(group->SlotToAdopt(Uid(1), 0) == -1);
  CHECK(group->BrokenInvariant().empty());
}

TEST_CASE("Group: it grows at once, and shrinks from the end as far as slots are empty") {
  const auto group = MakeGroup(kJob, 3);
  group->MakeSlots();
  group->Resize(0, 5);
  CHECK(group->size() == 5);
  CHECK_FALSE(group->Complete());
  group->Adopt(Uid(2), 2, kNode);
  group->Resize(0, 1);
  CHECK(group->size() == 3);  // slot 2 has a node
  CHECK(group->BrokenInvariant().empty());
  group->SetEmpty(2);
  CHECK(group->size() == 1);
  CHECK(group->slotless() == 2);
  CHECK(group->BrokenInvariant().empty());
}

TEST_CASE("Group: a shrink that was taken back does not come later") {
  const auto group = MakeGroup(kJob, 3);
  group->MakeSlots();
  group->Adopt(Uid(2), 2, kNode);
  group->Resize(0, 1);
  group->Resize(0, 3);
  group->SetEmpty(2);
  CHECK(group->size() == 3);
}

TEST_CASE("Group: once started it wants nodes only for members that use them") {
  const auto group = MakeGroup(kJob, 2);
  CHECK(group->WantedSlots() == std::vector<int32_t>{0, 1, 2});
  group->MakeSlots();
  group->Adopt(Uid(0), 0, kNode);
  CHECK(group->WantedSlots() == std::vector<int32_t>{1});
  const absl::Time soon = absl::UnixEpoch() + absl::Seconds(5);
  group->MarkGivenBack(1, soon);
  CHECK_FALSE(group->WantsSlots());
  CHECK(group->WantedSlots().empty());
  group->SetAsked(Uid(1), soon - absl::Milliseconds(1));
  CHECK_FALSE(group->WantsSlots());
  group->SetAsked(Uid(1), soon);
  CHECK(group->WantsSlots());
  CHECK(group->BrokenInvariant().empty());
}

TEST_CASE("Group: swapped slots exchange their members and keep their nodes") {
  const auto group = MakeGroup(kUnranked, 1);
  group->MakeSlots();
  group->SetHeld(2, kNode);
  group->Swap(0, 2);
  CHECK(group->At(2)->pod.uid == Uid(0));
  CHECK(group->At(0) == nullptr);
  CHECK(group->slot(2).node == kNode);
  CHECK(group->BrokenInvariant().empty());
}

TEST_CASE("Group: it progresses with more members than ever, not with others") {
  const auto group = MakeGroup(kJob, 2);
  group->NoteProgress();
  group->Remove(Uid(1));
  AddMember(*group, kJob, 2);
  CHECK_FALSE(group->Progressed());
  AddMember(*group, kJob, 1);
  CHECK(group->Progressed());
}

TEST_CASE("Group: of those who are too many so many are looked at as slots come free") {
  const JobSpec one = {.name = "train", .size = 1, .indexed = false};
  const auto group = MakeGroup(one, 1'000);
  group->MakeSlots();
  const int64_t before = group->seat_looks();
  group->Remove(std::string(group->At(0)->pod.uid));
  CHECK(group->AssignSlots().size() == 1);
  CHECK(group->seat_looks() - before == 1);
  CHECK(group->BrokenInvariant().empty());
}

TEST_CASE("Group: it remembers so many of those whose pods it had, and no more") {
  const auto group = MakeGroup(kJob, 0);
  for (size_t i = 0; i <= kMaxMakers; ++i) {
    PodFacts pod = JobPod(kJob, 0, static_cast<int>(i));
    pod.controller->uid = fmt::format("maker-{}", i);
    group->Add(pod, SpecOf(kJob, pod), absl::UnixEpoch());
    group->Remove(pod.uid);
  }
  CHECK(group->HadPodsOf("maker-0"));
  CHECK(group->HadPodsOf(fmt::format("maker-{}", kMaxMakers - 1)));
  CHECK_FALSE(group->HadPodsOf(fmt::format("maker-{}", kMaxMakers)));
}

}  // namespace gangplan::group_test
