#include "extender/planner/pod_book.h"

#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::pod_book_test {
namespace {

constexpr absl::Time kUntil = absl::FromUnixSeconds(100);

}  // namespace

TEST_CASE("PodBook: a pod is noted once, with the facts that may change") {
  PodBook book;
  PodFacts pod = JobPod(JobSpec(), 0);
  book.Note(pod).group = 7;
  pod.requests = {{"cpu", 1}};
  pod.priority = 3;
  const KnownPod& record = book.Note(pod);
  CHECK(record.group == 7);
  CHECK(*record.requests == pod.requests);
  CHECK(record.priority == 3);
  book.Erase(pod.uid);
  CHECK(book.Find(pod.uid) == nullptr);
}

TEST_CASE("PodBook: what pods of one template have alike is kept once") {
  PodBook book;
  PodFacts pod = JobPod(JobSpec(), 0);
  const KnownPod& first = book.Note(pod);
  const KnownPod& second = book.Note(JobPod(JobSpec(), 1));
  CHECK(first.requests == second.requests);
  CHECK(first.profile == second.profile);
  book.Note(ForeignPod("of another template", 1));
  const RequestsRef before = first.requests;
  CHECK(book.Note(pod).requests == before);  // though another one came last
  pod.requests = {{"cpu", 1}};
  book.Note(pod);
  CHECK(*second.requests == *before);
  CHECK(first.requests != second.requests);
}

TEST_CASE("PodBook: a record is small: there may be half a million") {
  CHECK(sizeof(KnownPod) <= 128);
}

TEST_CASE("PodBook: single pods are listed by node, the least priority first, until they go") {
  PodBook book;
  const PodFacts pods[] = {ForeignPod("b", 1, 5), ForeignPod("c", 1, -5), ForeignPod("a", 1, 5)};
  for (const PodFacts& pod : pods) {
    book.Note(pod);
    book.NoteSingle(pod, 3);
  }
  std::vector<std::string> names;
  for (const auto& pod : book.singles().On(3)) names.emplace_back(pod->name());
  CHECK(names == std::vector<std::string>{"c", "a", "b"});
  CHECK(PodBook::UidOf(*book.singles().On(3)[0]->record) == "uid-c");
  CHECK(book.singles().On(2).empty());
  CHECK(book.singles().On(4).empty());
  CHECK(book.singles().AnyBelow(-4));
  CHECK_FALSE(book.singles().AnyBelow(-5));
  book.NoteSingle(pods[1], kNoNode);
  CHECK(book.singles().On(3).size() == 2);
  CHECK_FALSE(book.singles().AnyBelow(5));
  book.Erase(pods[0].uid);
  book.Erase(pods[2].uid);
  CHECK(book.singles().On(3).empty());
  CHECK_FALSE(book.singles().AnyBelow(100));
}

TEST_CASE("PodBook: a single pod that counts elsewhere than it is listed is a broken invariant") {
  PodBook book;
  Ledger ledger(std::vector<ScopedTopology>{{ThreeLevels()}});
  const PodFacts pod = ForeignPod("a", 1);
  KnownPod& record = book.Note(pod);
  ledger.PutPod(pod.uid, "n", pod.requests, record.profile);
  book.NoteSingle(pod, ledger.NodeOf(pod.uid));
  CHECK(book.BrokenInvariant(ledger).empty());
  ledger.ErasePod(pod.uid);
  CHECK(book.BrokenInvariant(ledger) == "pod book: single pod uid-a is not where it is listed");
}

TEST_CASE("PodBook: a pod that is bound and counts nowhere is a broken invariant") {
  PodBook book;
  Ledger ledger(std::vector<ScopedTopology>{{ThreeLevels()}});
  const PodFacts pod = ForeignPod("a", 1);
  KnownPod& record = book.Note(pod);
  CHECK(book.BrokenInvariant(ledger).empty());
  record.bound = true;
  CHECK(book.BrokenInvariant(ledger) == "pod book: pod uid-a is bound, and counts nowhere");
  ledger.PutPod(pod.uid, "n", pod.requests, record.profile);
  CHECK(book.BrokenInvariant(ledger).empty());
}

TEST_CASE("PodBook: pods with a fault are counted while they have it") {
  PodBook book;
  PodFacts pod = ForeignPod("a", 1);
  pod.fault = "x";
  for (int i = 0; i < 2; ++i) book.Note(pod);
  book.Note(ForeignPod("b", 1));
  CHECK(book.faulty() == 1);
  pod.fault.clear();
  book.Note(pod);
  CHECK(book.faulty() == 0);
  pod.fault = "x";
  book.Note(pod);
  book.Erase(pod.uid);
  CHECK(book.faulty() == 0);
}

TEST_CASE("PodBook: who stops for too long hangs, until it is gone, or does not stop") {
  PodBook book;
  const std::string uid = "a", other = "b";
  for (const std::string& one : {uid, other}) book.NoteStopping(one, true);
  book.HangsAt(uid, kUntil);
  book.HangsAt(uid, kUntil + absl::Hours(1));  // the first word counts
  book.HangsAt("of nobody", kUntil);
  book.NoteHanging(kUntil - absl::Nanoseconds(1));
  CHECK(book.stopping().size() == 2);
  book.NoteHanging(kUntil);
  CHECK(book.Hangs(uid));
  CHECK_FALSE(book.Hangs("of nobody"));
  book.NoteStopping(uid, true);  // the watch shows it again
  CHECK(book.stopping() == std::set<std::string, std::less<>>{other});
  book.NoteStopping(uid, false);
  CHECK_FALSE(book.Hangs(uid));
  book.HangsAt(other, kUntil);
  book.NoteStopping(other, false);
  book.NoteHanging(kUntil);
  CHECK_FALSE(book.Hangs(other));
}

TEST_CASE("PodBook: a pod that no watch confirms is due, once") {
  PodBook book;
  for (std::string_view name : {"shown", "gone", "asked"}) {
    const PodFacts pod = ForeignPod(name, 1);
    book.Note(pod);
    book.AwaitConfirmation(pod.uid, kUntil);
  }
  book.Confirm("uid-shown");
  book.Erase("uid-gone");
  CHECK(book.TakeUnconfirmed(kUntil - absl::Seconds(1)).empty());
  CHECK(book.TakeUnconfirmed(kUntil) == std::vector<std::string>{"uid-asked"});
  CHECK(book.TakeUnconfirmed(kUntil).empty());
}

TEST_CASE("PodBook: the last deleted pods are remembered, so many") {
  PodBook book;
  for (size_t i = 0; i < kMaxTombstones; ++i) book.Bury(fmt::format("{}", i));
  book.Bury("1");  // again: nothing
  CHECK(book.Buried("0"));
  book.Bury("one more");
  CHECK_FALSE(book.Buried("0"));
  CHECK(book.Buried("1"));
  CHECK(book.Buried("one more"));
}

}  // namespace gangplan::pod_book_test
