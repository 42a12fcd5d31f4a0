// Who asks in the words of his kind for a domain of his own, and what he is told.
#include "extender/frontends/find_group.h"
#include "tests/support/catch.h"
#include "tests/support/jobset.h"

namespace gangplan::exclusive_test {
namespace {

using Kind = GroupSpec::Kind;

FindGroupOptions Options() {
  FindGroupOptions options;
  options.scheduler_names = {"gangplan"};
  options.topologies = {{ThreeLevels()}};
  return options;
}

GroupSpec Find(const JobSetSpec& set, std::string_view part, int job = 0, int index = 0) {
  const OwnerFacts owner = OwnerOf(set);
  return FindGroup(PodOf(set, part, job, index), &owner, true, Options());
}

TEST_CASE(
    "Owner: a JobSet that asks for a domain of its own for each Job is told the other words") {
  JobSetSpec set = Training();
  set.parts[0].words.clear();
  SetWord(set.parts[1].words, kJobSetExclusive, "example.com/rack");
  CHECK(
      Find(set, "workers").problem ==
      "alpha.jobset.sigs.k8s.io/exclusive-topology: the pods of a Job of workers are made when "
      "its first one has a node, so they never wait for each other; expected gangplan.io/ranks: "
      "\"job=2 rack\" and gangplan.io/place: \"rack=pack max=2\" on the template of workers alone "
      "in its place");
  CHECK(Find(set, "driver").kind == Kind::kForeign);
  SetWord(set.parts[1].words, kJobSetExclusive, "example.com/pool");
  CHECK(Find(set, "workers").problem.ends_with("expected gangplan.io/place in its place"));
  // The nodes of each Job were chosen beforehand, or a Job is of one pod: nobody is held back.
  SetWord(set.parts[1].words, kJobSetNodeSelector, "true");
  CHECK(Find(set, "workers").kind == Kind::kMember);
  std::erase_if(set.parts[1].words,
                [](const auto& one) { return one.first == kJobSetNodeSelector; });
  set.parts[1].each = 1;
  CHECK(Find(set, "workers").kind == Kind::kMember);
}

TEST_CASE(
    "Owner: a domain for each Job that the whole JobSet asks for is told on all of its pods") {
  JobSetSpec set = Training();
  set.words = {{std::string(kJobSetExclusive), "example.com/rack"}};
  const std::string told = Find(set, "workers").problem;
  CHECK(told.starts_with("alpha.jobset.sigs.k8s.io/exclusive-topology: the pods of a Job of work"));
  CHECK(Find(set, "driver").problem == told);
  for (JobSetPart& part : set.parts) part.words.clear();
  CHECK(Find(set, "workers").kind == Kind::kForeign);  // they go one by one, as ever
}

TEST_CASE("Owner: whose pods say all but how many a Job has, of those their JobSet is read") {
  JobSetSpec set = Training();
  for (JobSetPart& part : set.parts) {
    part.words = {{"gangplan.io/group", "both"},
                  {"gangplan.io/size", "5"},
                  {"gangplan.io/place", "rack=pack!"}};
  }
  const PodFacts free = PodOf(set, "workers", 0, 0);
  CHECK(FindGroup(free, nullptr, false, Options()).kind == Kind::kMember);
  SetWord(set.parts[1].words, kJobSetExclusive, "example.com/rack");
  const PodFacts pod = PodOf(set, "workers", 0, 0);
  CHECK(FindGroup(pod, nullptr, false, Options()).kind == Kind::kNeedsOwner);
  CHECK(Find(set, "workers").kind == Kind::kInvalid);
}

}  // namespace
}  // namespace gangplan::exclusive_test
