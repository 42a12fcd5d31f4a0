#include "extender/planner/owner_book.h"

#include "extender/planner/owner_key.h"
#include "extender/planner/plan_words.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::owner_book_test {
namespace {

constexpr absl::Time kNow = absl::FromUnixSeconds(1'000);
const JobSpec kJob = {.place = "rack=pack"};
const std::string kOwner = OwnerKey("team", kJob.Uid());

struct Book {
  void Wait(const PodFacts& pod) {
    book.AddUser(pod);
    book.Wait(pod);
  }
  OwnerBook::Read Read(const absl::StatusOr<OwnerFacts>& owner, absl::Time now = kNow) {
    return book.OnRead(now, kOwner, owner);
  }
  size_t Reads() { return outbox.Take().size(); }

  Outbox outbox;
  OwnerBook book{outbox};
};

const absl::Status kFailure = absl::UnavailableError("no route");

}  // namespace

TEST_CASE("OwnerBook: pods wait for one read, and are judged in one order") {
  Book world;
  PodFacts bound = JobPod(kJob, 2);
  bound.node_name = "n1";
  for (const PodFacts& pod : {JobPod(kJob, 1), JobPod(kJob, 0), bound}) world.Wait(pod);
  CHECK(world.Reads() == 1);
  CHECK_FALSE(world.book.Known(kOwner));
  CHECK(world.book.AnyAwaited());
  CHECK_FALSE(world.Read(JobOwner(kJob)).changed);
  CHECK(world.book.AnyRead());
  const std::vector<PodFacts> read = world.book.TakeRead(2);
  REQUIRE(read.size() == 2);
  CHECK(read[0] == bound);
  CHECK(read[1] == JobPod(kJob, 0));
  CHECK(world.book.AnyAwaited());
  world.Wait(bound);  // again: not before the next read
  CHECK(world.book.TakeRead(2) == std::vector<PodFacts>{JobPod(kJob, 1)});
  CHECK_FALSE(world.book.AnyRead());
  world.book.StopWaiting(kOwner, bound.uid);
  CHECK(world.book.Known(kOwner));
  CHECK_FALSE(world.book.AnyAwaited());
}

TEST_CASE("OwnerBook: its users may keep an owner's UID while others come and go") {
  Book world;
  const std::string_view kept = world.book.AddUser(JobPod(kJob, 0));
  CHECK(world.book.AddUser(JobPod(kJob, 1)).data() == kept.data());
  world.Read(JobOwner(kJob));
  world.book.DropUser(kept, JobPod(kJob, 0).uid);
  CHECK(kept == kOwner);
  world.book.DropUser(kept, JobPod(kJob, 1).uid);
  CHECK_FALSE(world.book.Facts(kOwner));
  CHECK(world.book.AddUser(ForeignPod("a", 1)).empty());
}

TEST_CASE("OwnerBook: who writes the UID of another's owner does not speak for it") {
  Book world;
  world.Wait(JobPod(kJob, 0));
  PodFacts other = JobPod(kJob, 1);
  other.ns = "evil";
  CHECK(world.book.AddUser(other) == OwnerKey("evil", kJob.Uid()));  // another one
  CHECK_FALSE(world.book.Known(OwnerKey("evil", kJob.Uid())));
  other.ns = "team";
  other.controller->kind = "ReplicaSet";
  CHECK(world.book.AddUser(other).empty());
  CHECK(world.book.Users(kOwner) == 1);
  const Effects effects = world.outbox.Take();
  REQUIRE(effects.size() == 1);
  CHECK(std::get<OwnerRead>(effects[0]).ns == "team");
  CHECK(std::get<OwnerRead>(effects[0]).owner == *JobPod(kJob, 0).controller);
}

TEST_CASE(
    "OwnerBook: what another owner says is read again with that, and stands where that fails") {
  Book world;
  world.Wait(JobPod(kJob, 0));
  OwnerFacts facts = JobOwner(kJob);
  facts.part_of = OwnerRef{"kubeflow.org/v2beta1", "MPIJob", "pi", "uid-of-pi"};
  world.Read(facts);
  CHECK(world.book.Facts(OwnerKey("team", "uid-of-pi")) == world.book.Facts(kOwner));
  world.outbox.Take();
  world.book.ReadAgain(OwnerKey("team", "uid-of-pi"), kNow);
  world.book.Tick(kNow);
  CHECK(world.Reads() == 1);
  OwnerFacts unread;
  unread.ref = facts.ref;
  unread.part_of = facts.part_of;
  unread.unread = Unread::kDenied;
  CHECK_FALSE(world.Read(unread).changed);
  CHECK(world.book.Denied(kOwner));
  CHECK(*world.book.Facts(kOwner) == facts);
}

TEST_CASE("OwnerBook: a pod that stops waiting is not judged") {
  Book world;
  world.Wait(JobPod(kJob, 0));
  world.book.StopWaiting(kOwner, JobPod(kJob, 0).uid);
  CHECK_FALSE(world.book.AnyAwaited());
  world.Read(JobOwner(kJob));
  CHECK(world.book.TakeRead(9).empty());
}

TEST_CASE("OwnerBook: a read that failed is made again after pauses that double") {
  Book world;
  world.Wait(JobPod(kJob, 0));
  CHECK(world.Reads() == 1);
  absl::Time now = kNow;
  for (int seconds : {2, 4, 8, 16}) {
    world.Read(kFailure, now);
    CHECK(world.book.Failing(kOwner));
    now += absl::Seconds(seconds);
    world.book.Tick(now - absl::Milliseconds(1));
    CHECK(world.Reads() == 0);
    world.book.Tick(now);
    CHECK(world.Reads() == 1);
  }
  world.Read(JobOwner(kJob), now);
  CHECK_FALSE(world.book.Failing(kOwner));
}

TEST_CASE("OwnerBook: after a failed read only pods that speak of a group are awaited") {
  Book world;
  JobSpec plain = kJob;
  plain.place = "";
  world.Wait(JobPod(plain, 0));
  CHECK(world.book.AnyAwaited());
  world.Read(kFailure);
  world.book.Wait(JobPod(plain, 0));
  CHECK_FALSE(world.book.AnyAwaited());
  world.book.Wait(JobPod(kJob, 1));
  CHECK(world.book.AnyAwaited());
}

TEST_CASE("OwnerBook: one whose words cannot be read is known as that, once it was read as it is") {
  Book world;
  world.Wait(JobPod(kJob, 0));
  OwnerFacts faulty = JobOwner(kJob);
  faulty.unread = Unread::kFaulty;
  faulty.fault = "metadata.labels: more than 1024 entries";
  world.Read(faulty);
  CHECK(world.book.Known(kOwner));
  CHECK_FALSE(world.book.Failing(kOwner));
  CHECK(world.book.FactsOrWhy(kOwner)->fault == faulty.fault);
  OwnerBook::Read read = world.Read(JobOwner(kJob));
  CHECK((read.changed && read.other_words));
  CHECK_FALSE(world.Read(faulty).changed);  // what it said while it could be read stands
  CHECK(*world.book.Facts(kOwner) == JobOwner(kJob));
}

TEST_CASE("OwnerBook: an owner that is not there, or is another one, has nothing to say") {
  Book world;
  world.Wait(JobPod(kJob, 0));
  SECTION("not found") { world.Read(absl::NotFoundError("")); }
  SECTION("another UID") {
    OwnerFacts other = JobOwner(kJob);
    other.ref.uid = "other";
    world.Read(other);
  }
  CHECK(world.book.Known(kOwner));
  CHECK(world.book.Facts(kOwner) == nullptr);
  CHECK_FALSE(world.book.Failing(kOwner));
}

TEST_CASE("OwnerBook: a bound pod that waits keeps the plan of its name back") {
  Book world;
  PodFacts pod = JobPod(kJob, 0);
  pod.node_name = "n1";
  for (const auto& [key, value] : PlanAnnotations({0, "b0", "train", 1}))
    SetWord(pod.annotations, key, value);
  world.Wait(pod);
  CHECK(world.book.AwaitsPlan("team/train"));
  CHECK_FALSE(world.book.AwaitsPlan("team/other"));
  CHECK_FALSE(world.book.AwaitsPlan("other/train"));
  world.Read(kFailure);
  CHECK(world.book.AwaitsPlan("team/train"));
  CHECK(world.book.TakeRead(9).size() == 1);
  CHECK_FALSE(world.book.AwaitsPlan("team/train"));
}

TEST_CASE("OwnerBook: another size is a change, other words are told apart") {
  Book world;
  world.Wait(JobPod(kJob, 0));
  OwnerFacts owner = JobOwner(kJob);
  world.Read(owner);
  CHECK_FALSE(world.Read(owner).changed);
  owner.size = 9;
  OwnerBook::Read read = world.Read(owner);
  CHECK(read.changed);
  CHECK_FALSE(read.other_words);
  CHECK(world.book.Facts(kOwner)->size == 9);
  owner.annotations = {{"gangplan.io/place", "block=pack"}};
  read = world.Read(owner);
  CHECK((read.changed && read.other_words));
}

TEST_CASE("OwnerBook: an owner that is gone has said its last word") {
  Book world;
  world.Wait(JobPod(kJob, 0));
  world.Read(JobOwner(kJob));
  CHECK_FALSE(world.Read(absl::NotFoundError("")).changed);
  CHECK(world.book.Facts(kOwner)->size == kJob.size);
}

TEST_CASE("OwnerBook: a known owner is read again at the earliest time, while it has pods") {
  Book world;
  world.Wait(JobPod(kJob, 0));
  world.Read(JobOwner(kJob));
  world.Reads();
  world.book.ReadAgain(kOwner, kNow + absl::Seconds(1));
  world.book.ReadAgain(kOwner, kNow + absl::Seconds(9));
  world.book.Tick(kNow + absl::Seconds(1));
  CHECK(world.Reads() == 1);
  world.book.ReadAgain(kOwner, kNow);
  world.book.DropUser(kOwner, JobPod(kJob, 0).uid);
  world.book.Tick(kNow);
  CHECK(world.Reads() == 0);
}

TEST_CASE("OwnerBook: another size that was foretold is told of by the next read, once") {
  Book world;
  world.Wait(JobPod(kJob, 0));
  world.Read(JobOwner(kJob));
  OwnerFacts scaled = JobOwner(kJob);
  scaled.size = *scaled.size + 1;
  world.book.Foretell(scaled);
  world.book.Foretell(scaled);
  const OwnerBook::Read read = world.Read(scaled);
  CHECK(read.changed);
  CHECK(read.resized);
  CHECK_FALSE(read.other_words);
  CHECK_FALSE(world.Read(scaled).changed);
}

TEST_CASE("OwnerBook: what may not be read is asked for again while a pod waits") {
  Book world;
  world.Wait(JobPod(kJob, 0));
  CHECK(world.Reads() == 1);
  world.Read(absl::PermissionDeniedError(""));
  CHECK(world.book.TakeRead(9).size() == 1);
  CHECK(world.book.Known(kOwner));
  CHECK(world.book.Failing(kOwner));
  SECTION("nobody waits") {
    world.book.Tick(kNow + kMaxOwnerRetry);
    CHECK(world.Reads() == 0);
    world.book.ReadAgain(kOwner, kNow);
    world.book.Tick(kNow);
    CHECK(world.Reads() == 1);
  }
  SECTION("a pod waits") {
    world.Wait(JobPod(kJob, 1));
    CHECK(world.Reads() == 0);
    world.book.Tick(kNow + kOwnerRetry);
    CHECK(world.Reads() == 1);
    world.Read(JobOwner(kJob));
    CHECK_FALSE(world.book.Failing(kOwner));
    CHECK(world.book.Facts(kOwner) != nullptr);
  }
}

}  // namespace gangplan::owner_book_test
