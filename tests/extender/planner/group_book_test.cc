#include "extender/planner/group_book.h"

#include "extender/frontends/gangplan/words.h"
#include "tests/extender/planner/one_group.h"
#include "tests/support/catch.h"

namespace gangplan::group_book_test {
namespace {

JobSpec Job(std::string name, int32_t size = 2) {
  JobSpec job;
  job.name = std::move(name);
  job.size = size;
  return job;
}

// Pods that name their group themselves, of an owner of its own each time.
JobSpec Named(std::string uid) {
  JobSpec job = Job("named");
  job.uid = std::move(uid);
  SetWord(job.words, kGroupWord, "ring");
  return job;
}

absl::StatusOr<Group*> Join(GroupBook& book, const JobSpec& job, std::string_view ns = "team") {
  PodFacts pod = JobPod(job, 0);
  pod.ns = std::string(ns);
  const GroupSpec spec = SpecOf(job, pod);
  absl::StatusOr<Group*> group = book.GroupFor(spec, pod);
  if (!group.ok() || (*group)->Find(pod.uid) != nullptr) return group;
  (*group)->Add(pod, spec, absl::UnixEpoch());
  book.CountClaim(**group);
  return group;
}

void FinishAll(Group& group) {
  const std::string uid = group.members().begin()->first;
  group.Adopt(uid, group.SlotToAdopt(uid, 0), 0);
  group.Finish(uid);
}

}  // namespace

TEST_CASE("GroupBook: pods of one owner join one group") {
  GroupBook book{ClaimLimits()};
  Group* group = *Join(book, Job("a"));
  CHECK(*Join(book, Job("a")) == group);
  CHECK(*Join(book, Job("b")) != group);
  CHECK(book.Find(group->id()) == group);
  CHECK(book.FindByKey(group->key()) == group);
  CHECK(book.FindByName("team/a") == group);
  CHECK(book.FindByName("team/c") == nullptr);
}

TEST_CASE("GroupBook: a namespace may claim so many groups, and another one its own") {
  GroupBook book(ClaimLimits{.groups = 2});
  REQUIRE(Join(book, Job("a")).ok());
  const GroupId second = (*Join(book, Job("b")))->id();
  const absl::StatusOr<Group*> third = Join(book, Job("c"));
  CHECK(absl::IsResourceExhausted(third.status()));
  CHECK_THAT(std::string(third.status().message()), ContainsText("limits.namespace.groups"));
  CHECK(Join(book, Job("c"), "other").ok());
  CHECK(Join(book, Job("a")).ok());  // it is there
  book.Erase(second);
  CHECK(Join(book, Job("c")).ok());
  CHECK(book.BrokenInvariant().empty());
}

TEST_CASE("GroupBook: owners that wait claim beside the pods, in a namespace and in all") {
  GroupBook book(ClaimLimits{.groups = 2, .members = 10});
  const auto wait = [&](const std::string& name, std::string_view ns = "team") {
    const JobSpec job = Job(name, 3);
    PodFacts pod = JobPod(job, 0);
    pod.uid.clear();
    pod.ns = std::string(ns);
    GroupSpec spec = SpecOf(job, pod);
    absl::StatusOr<Group*> group = book.GroupForOwner(spec, pod);
    if (!group.ok() || (*group)->size() > 0) return group;
    const Foretold told{pod, spec, 0};
    (*group)->Foretell({&told, 1});
    book.CountClaim(**group);
    return group;
  };
  REQUIRE(Join(book, Job("a")).ok());
  REQUIRE(Join(book, Job("b")).ok());
  CHECK(book.RoomForOwners("team") == 2);
  Group* first = *wait("w1");
  REQUIRE(wait("w2").ok());
  CHECK(book.RoomForOwners("team") == 0);
  const absl::StatusOr<Group*> third = wait("w3");
  CHECK(absl::IsResourceExhausted(third.status()));
  CHECK_THAT(std::string(third.status().message()),
             ContainsText("namespace team already has 2 Jobs and JobSets that wait suspended"));
  CHECK(wait("w3", "other").ok());
  CHECK(wait("w1").ok());  // it is there
  CHECK(book.BrokenInvariant().empty());
  // With its first pod it is the pods', and its place is another's.
  const uint64_t version = book.room_version();
  AddMember(*first, Job("w1", 3), 0);
  CHECK_THAT(book.BrokenInvariant(), ContainsText("miscounted"));
  book.CountClaim(*first);
  CHECK(book.BrokenInvariant().empty());
  CHECK(book.room_version() > version);
  CHECK(book.RoomForOwners("team") == 1);
  CHECK_FALSE(Join(book, Job("c")).ok());
  const GroupId waits = (*wait("w3"))->id();
  CHECK(book.RoomForOwners("team") == 0);
  book.Erase(waits);
  CHECK(book.RoomForOwners("team") == 1);
  CHECK(book.BrokenInvariant().empty());
}

TEST_CASE("GroupBook: a namespace may claim so many members, also when groups grow") {
  GroupBook book(ClaimLimits{.members = 10});
  Group* group = *Join(book, Job("a", 4));
  REQUIRE(Join(book, Job("b", 6)).ok());
  const absl::StatusOr<Group*> more = Join(book, Job("c", 1));
  CHECK_THAT(std::string(more.status().message()), ContainsText("limits.namespace.claimedMembers"));
  group->Resize(0, 3);
  CHECK_THAT(book.BrokenInvariant(), ContainsText("miscounted"));
  book.CountClaim(*group);
  CHECK(book.BrokenInvariant().empty());
  CHECK_FALSE(Join(book, Job("c", 2)).ok());
  CHECK(Join(book, Job("c", 1)).ok());
  const absl::StatusOr<Group*> alone = Join(book, Job("d", 11));
  CHECK(absl::IsInvalidArgument(alone.status()));
  CHECK_THAT(std::string(alone.status().message()), ContainsText("this one alone asks for 11"));
}

TEST_CASE("GroupBook: a named group begins anew when it has finished and another owner comes") {
  GroupBook book{ClaimLimits()};
  Group* first = *Join(book, Named("one"));
  CHECK(*Join(book, Named("two")) == first);  // the first one is live
  first->Remove(JobPod(Named("two"), 0).uid);
  FinishAll(*first);
  CHECK(*Join(book, Named("one")) == first);
  Group* second = *Join(book, Named("three"));
  CHECK(second != first);
  CHECK(book.FindByName("team/ring") == second);
  CHECK(book.FindByKey(second->key()) == second);
  CHECK(book.Find(first->id()) == first);
  const GroupId id = second->id();
  book.Erase(first->id());
  CHECK(book.FindByName("team/ring")->id() == id);
  book.Erase(id);
  CHECK(book.FindByName("team/ring") == nullptr);
  CHECK(book.BrokenInvariant().empty());
}

TEST_CASE("GroupBook: of two incarnations of an owner's name the newest is found") {
  GroupBook book{ClaimLimits()};
  JobSpec again = Job("a");
  again.uid = "again";
  const GroupId first = (*Join(book, Job("a")))->id();
  const GroupId second = (*Join(book, again))->id();
  CHECK(book.FindByName("team/a")->id() == second);
  book.Erase(second);
  CHECK(book.FindByName("team/a")->id() == first);
}

namespace {

GroupSpec Asking(int32_t members, std::string_view ns = "team") {
  GroupSpec spec;
  spec.key.ns = std::string(ns);
  spec.pod_sets = {{"", members}};
  return spec;
}
using Ids = std::vector<GroupId>;

}  // namespace

TEST_CASE("GroupBook: the oldest ended group of a namespace at its limit makes way") {
  GroupBook book{ClaimLimits{.groups = 3}};
  Join(book, Job("live")).IgnoreError();
  Group* other = *Join(book, Job("other"), "other");
  FinishAll(*other);
  book.NoteEnded(*other);
  CHECK(book.PlaceBy(Asking(1)).empty());
  Group* older = *Join(book, Job("older"));
  Group* newer = *Join(book, Job("newer"));
  FinishAll(*newer);
  book.NoteEnded(*newer);
  CHECK(book.PlaceBy(Asking(1)) == Ids{newer->id()});
  FinishAll(*older);
  book.NoteEnded(*older);
  CHECK(book.PlaceBy(Asking(1)) == Ids{older->id()});
  // It has begun again, and nobody has noted that yet.
  AddMember(*older, Job("older"), 1);
  CHECK(book.PlaceBy(Asking(1)) == Ids{newer->id()});
  book.Erase(newer->id());
  CHECK(book.PlaceBy(Asking(1)).empty());
}

// The failed one of its members may be on its way back.
TEST_CASE("GroupBook: what has succeeded as a whole makes way before what has not") {
  GroupBook book{ClaimLimits{.groups = 2}};
  for (const int32_t size : {2, 1}) {
    Group* group = *Join(book, Job(size == 2 ? "part" : "whole", size));
    FinishAll(*group);
    book.NoteEnded(*group);
  }
  CHECK(book.PlaceBy(Asking(1)) == Ids{book.FindByName("team/whole")->id()});
  book.Erase(book.FindByName("team/whole")->id());
  CHECK(Join(book, Job("live")).ok());
  CHECK(book.PlaceBy(Asking(1)) == Ids{book.FindByName("team/part")->id()});
}

TEST_CASE("GroupBook: who may never have a place, or not by them, leaves ended groups alone") {
  GroupBook book{ClaimLimits{.groups = 10, .members = 10}};
  Ids ended;
  for (const char* name : {"a", "b"}) {
    Group* group = *Join(book, Job(name, 2));
    FinishAll(*group);
    book.NoteEnded(*group);
    ended.push_back(group->id());
  }
  Join(book, Job("live", 4)).IgnoreError();  // 8 of 10
  CHECK(book.PlaceBy(Asking(11)).empty());
  CHECK(book.PlaceBy(Asking(7)).empty());
  CHECK(book.PlaceBy(Asking(6)) == ended);
  CHECK(book.PlaceBy(Asking(3)) == Ids{ended[0]});
}

}  // namespace gangplan::group_book_test
