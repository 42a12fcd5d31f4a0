#include "event_text.h"
#include "extender/kube/mirror.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::job_mirror_test {
namespace {

using Texts = std::vector<std::string>;
using Type = WatchEvent::Type;

JobFacts Job(const std::string& name, int version, const std::string& uid = "") {
  JobFacts job;
  job.owner.ref = {"batch/v1", "Job", name, uid.empty() ? "u-" + name : uid};
  job.owner.ns = "ns";
  job.resource_version = std::to_string(version);
  job.suspended = true;
  return job;
}

// So many that none has more than its share.
std::string NamespaceOf(size_t job) { return fmt::format("ns{}", job % 4); }

ObjectList Page(std::vector<JobFacts> jobs) {
  ObjectList list;
  list.jobs = std::move(jobs);
  return list;
}

std::vector<ClusterEvent> ListEvents(Mirror& mirror, ObjectList page) {
  std::vector<ClusterEvent> events;
  mirror.BeginList();
  CHECK(mirror.AddPage(std::move(page), &events).ok());
  mirror.EndList(&events);
  return events;
}
Texts List(Mirror& mirror, ObjectList page) { return TextOf(ListEvents(mirror, std::move(page))); }

Texts Watch(Mirror& mirror, Type type, JobFacts job) {
  WatchEvent event;
  event.type = type;
  event.name = job.owner.ns + "/" + job.owner.ref.name;
  event.job = std::move(job);
  std::vector<ClusterEvent> events;
  CHECK(mirror.Apply(std::move(event), &events).ok());
  return TextOf(events);
}

TEST_CASE("Jobs are listed by their label, in all namespaces, in small pages") {
  auto mirror = MakeSuspendedMirror(kJobKind);
  CHECK(mirror->kind() == "Job");
  CHECK(mirror->path() == "/apis/batch/v1/jobs");
  CHECK(mirror->label() == "gangplan.io/suspended=true");
  CHECK(mirror->page_items() == kJobPageItems);
  CHECK(mirror->rights() == "jobs: get, list, watch, patch; jobs/status: patch");
  CHECK(MakePodMirror()->rights().empty());
}

TEST_CASE("JobSets are listed likewise, and may be missing") {
  auto mirror = MakeSuspendedMirror(kJobSetKind);
  CHECK(mirror->kind() == "JobSet");
  CHECK(mirror->plural() == "JobSets that wait suspended");
  CHECK(mirror->path() == "/apis/jobset.x-k8s.io/v1alpha2/jobsets");
  CHECK(mirror->label() == "gangplan.io/suspended=true");
  CHECK(mirror->may_be_missing());
  CHECK_FALSE(MakeSuspendedMirror(kJobKind)->may_be_missing());
  CHECK_FALSE(MakePodMirror()->may_be_missing());
}

TEST_CASE("a Job is told with all its facts, and its new version is a change") {
  auto mirror = MakeSuspendedMirror(kJobKind);
  JobFacts job = Job("a", 1);
  job.pods.emplace_back().scheduler_name = "gangplan";
  const auto events = ListEvents(*mirror, Page({job}));
  REQUIRE(events.size() == 1);
  const auto* seen = std::get_if<JobFacts>(&events[0]);
  REQUIRE(seen != nullptr);
  CHECK(*seen == job);
  CHECK(List(*mirror, Page({job})).empty());
  CHECK(Watch(*mirror, Type::kModified, job).empty());
  CHECK(Watch(*mirror, Type::kModified, Job("a", 2)) == Texts{"job u-a 2"});
  CHECK(List(*mirror, Page({Job("a", 3)})) == Texts{"job u-a 3"});
}

TEST_CASE("a Job that is deleted, or not listed any more, has left") {
  auto mirror = MakeSuspendedMirror(kJobKind);
  CHECK(List(*mirror, Page({Job("a", 1), Job("b", 1)})) == Texts{"job u-a 1", "job u-b 1"});
  CHECK(List(*mirror, Page({Job("b", 1)})) == Texts{"-job u-a"});
  CHECK(Watch(*mirror, Type::kDeleted, Job("b", 2)) == Texts{"-job u-b"});
  CHECK(Watch(*mirror, Type::kDeleted, Job("b", 2)).empty());
  CHECK(Watch(*mirror, Type::kAdded, Job("b", 3)) == Texts{"job u-b 3"});
}

TEST_CASE("a Job that was made again under its name has left before the new one comes") {
  auto mirror = MakeSuspendedMirror(kJobKind);
  CHECK(Watch(*mirror, Type::kAdded, Job("a", 1, "u1")) == Texts{"job u1 1"});
  CHECK(List(*mirror, Page({Job("a", 2, "u2")})) == Texts{"-job u1", "job u2 2"});
  CHECK(Watch(*mirror, Type::kModified, Job("a", 3, "u3")) == Texts{"-job u2", "job u3 3"});
  CHECK(Watch(*mirror, Type::kDeleted, Job("a", 4, "u3")) == Texts{"-job u3"});
}

TEST_CASE("a Job that cannot be read any more has left, until it can be read again") {
  auto mirror = MakeSuspendedMirror(kJobKind);
  for (const char* uid : {"", "u-a", "another"}) {
    CHECK(List(*mirror, Page({Job("a", 1)})) == Texts{"job u-a 1"});
    ObjectList page;
    page.bad.push_back({"ns/a", absl::InvalidArgumentError("bad"), false, uid});
    CHECK(List(*mirror, page) == Texts{"-job u-a"});
    CHECK(List(*mirror, page).empty());
  }
  CHECK(List(*mirror, Page({Job("a", 2)})) == Texts{"job u-a 2"});
  WatchEvent event;
  event.name = "ns/a";
  event.bad = absl::InvalidArgumentError("bad");
  for (Type type : {Type::kModified, Type::kAdded, Type::kDeleted}) {
    event.type = type;
    std::vector<ClusterEvent> events;
    CHECK(mirror->Apply(event, &events).ok());
    CHECK(TextOf(events) == Texts{"-job u-a"});
    CHECK(mirror->Apply(event, &events).ok());
    CHECK(events.size() == 1);
    CHECK(Watch(*mirror, Type::kModified, Job("a", 2)) == Texts{"job u-a 2"});
  }
}

TEST_CASE("as many Jobs as allowed, and one more is left out and told of once") {
  auto mirror = MakeSuspendedMirror(kJobKind);
  std::vector<JobFacts> jobs;
  for (size_t i = 0; i < kMaxMirroredSuspendedJobs; ++i) {
    jobs.push_back(Job(std::to_string(i), 1));
    jobs.back().owner.ns = NamespaceOf(i);
  }
  CHECK(ListEvents(*mirror, Page(jobs)).size() == kMaxMirroredSuspendedJobs);
  CHECK(mirror->TakeWarnings().empty());
  CHECK(Watch(*mirror, Type::kAdded, Job("beyond", 1)).empty());
  CHECK(mirror->TakeWarnings() == Texts{"there are more than 20000 objects of kind Job with label "
                                        "gangplan.io/suspended=true: those beyond are left out"});
  CHECK(Watch(*mirror, Type::kAdded, Job("beyond it", 1)).empty());
  CHECK(mirror->TakeWarnings().empty());
  JobFacts seventh = Job("7", 2);
  seventh.owner.ns = NamespaceOf(7);
  CHECK(Watch(*mirror, Type::kModified, seventh) == Texts{"job u-7 2"});
  seventh.owner.ref.uid = "new";
  CHECK(Watch(*mirror, Type::kModified, seventh) == Texts{"-job u-7", "job new 2"});
}

TEST_CASE("as many Jobs of a namespace as it may have, and those of another one beside them") {
  auto mirror = MakeSuspendedMirror(kJobKind);
  std::vector<JobFacts> jobs;
  for (size_t i = 0; i < kMaxSuspendedJobsInNamespace; ++i)
    jobs.push_back(Job(std::to_string(i), 1));
  CHECK(ListEvents(*mirror, Page(jobs)).size() == kMaxSuspendedJobsInNamespace);
  CHECK(mirror->TakeWarnings().empty());
  CHECK(Watch(*mirror, Type::kAdded, Job("beyond", 1)).empty());
  CHECK(mirror->TakeWarnings() ==
        Texts{"namespace ns has more than 5000 Jobs that wait suspended: those beyond are left "
              "out"});
  JobFacts other = Job("other", 1);
  other.owner.ns = "others";
  CHECK(Watch(*mirror, Type::kAdded, other) == Texts{"job u-other 1"});
  CHECK(Watch(*mirror, Type::kModified, Job("7", 2)) == Texts{"job u-7 2"});
  // Another one's place is of no use to it.
  CHECK(Watch(*mirror, Type::kDeleted, other) == Texts{"-job u-other"});
  CHECK_FALSE(mirror->WantsList());
  CHECK(Watch(*mirror, Type::kDeleted, Job("7", 3)) == Texts{"-job u-7"});
  CHECK(mirror->WantsList());
  jobs[7] = Job("beyond", 1);
  CHECK(List(*mirror, Page(jobs)) == Texts{"job u-beyond 1"});
  CHECK_FALSE(mirror->WantsList());
}

TEST_CASE("each namespace with too many Jobs is told of, whichever others are full") {
  auto mirror = MakeSuspendedMirror(kJobKind, {.all = 10, .in_namespace = 1});
  JobFacts first = Job("c", 1);
  first.owner.ns = "other";
  JobFacts second = Job("d", 1);
  second.owner.ns = "other";
  CHECK(ListEvents(*mirror, Page({Job("a", 1), Job("b", 1), first, second})).size() == 2);
  CHECK(mirror->TakeWarnings() ==
        Texts{"namespace ns has more than 1 Jobs that wait suspended: those beyond are left out",
              "namespace other has more than 1 Jobs that wait suspended: those beyond are left "
              "out"});
  CHECK(ListEvents(*mirror, Page({Job("a", 1), first, second})).empty());
  CHECK(mirror->TakeWarnings().empty());
  CHECK(Watch(*mirror, Type::kAdded, Job("b", 1)).empty());
  CHECK(mirror->TakeWarnings() ==
        Texts{"namespace ns has more than 1 Jobs that wait suspended: those beyond are left out"});
}

TEST_CASE("Jobs that were left out are listed again when there is room, and told of anew") {
  auto mirror = MakeSuspendedMirror(kJobKind, {1, 1});
  CHECK(List(*mirror, Page({Job("a", 1), Job("b", 1)})) == Texts{"job u-a 1"});
  CHECK_FALSE(mirror->TakeWarnings().empty());
  CHECK_FALSE(mirror->WantsList());
  CHECK(Watch(*mirror, Type::kDeleted, Job("b", 1)).empty());
  CHECK(Watch(*mirror, Type::kDeleted, Job("a", 1)) == Texts{"-job u-a"});
  CHECK(mirror->WantsList());
  CHECK(List(*mirror, Page({Job("b", 1)})) == Texts{"job u-b 1"});
  CHECK_FALSE(mirror->WantsList());
  CHECK(Watch(*mirror, Type::kAdded, Job("c", 1)).empty());
  CHECK_FALSE(mirror->TakeWarnings().empty());
}

}  // namespace
}  // namespace gangplan::job_mirror_test
