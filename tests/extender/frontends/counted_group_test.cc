// Groups that pods name in the words of other systems, and count in ours.
#include "extender/frontends/owner.h"
#include "tests/extender/frontends/found_group.h"
#include "tests/support/catch.h"

namespace gangplan::counted_group_test {
namespace {

using Kind = GroupSpec::Kind;

TEST_CASE("Counted group: pods of several shapes say by our words which pod set of it they are") {
  for (const char* set : {"leader", "workers"}) {
    PodFacts pod = Bare({{"scheduling.volcano.sh/group-name", "tasks"}});
    SetWord(pod.annotations, "gangplan.io/pod-sets", "leader=1,workers=2");
    SetWord(pod.annotations, "gangplan.io/pod-set", set);
    CHECK_FALSE(OwnerOf(pod));
    const GroupSpec found = Find(pod, nullptr);
    CHECK(found.problem == "");
    CHECK(found.kind == Kind::kMember);
    CHECK(found.key == GroupKey{"Volcano PodGroup", "team", "tasks", ""});
    CHECK(found.pod_sets == std::vector<PodSetCount>{{"leader", 1}, {"workers", 2}});
    CHECK(found.pod_sets[static_cast<size_t>(found.pod_set)].name == set);
  }
}

TEST_CASE("Counted group: Spark's executors are a gang of their run where words count them") {
  PodFacts pod = Bare({});
  pod.controller = OwnerRef{"v1", "Pod", "driver", "uid-of-driver"};
  pod.labels = {{"spark-app-selector", "spark-1"}, {"spark-role", "executor"}};
  CHECK(Find(pod, nullptr).kind == Kind::kForeign);
  CHECK_FALSE(SpeaksOfGroup(pod));
  pod.annotations = {{"gangplan.io/place", "rack=pack!"}};
  CHECK(Find(pod, nullptr).problem ==
        "spark-app-selector: names a Spark application whose size is not known; expected "
        "gangplan.io/size beside it");
  SetWord(pod.annotations, "gangplan.io/size", "3");
  // Nobody is asked who has made them.
  const GroupSpec found = FindGroup(pod, nullptr, false, TwoSchedulers());
  CHECK(found.kind == Kind::kMember);
  CHECK(found.key == GroupKey{"Spark application", "team", "spark-1", ""});
  CHECK(found.size() == 3);
  PodFacts driver = pod;
  driver.controller.reset();
  SetWord(driver.labels, "spark-role", "driver");
  driver.annotations.clear();
  CHECK(Find(driver, nullptr).kind == Kind::kForeign);
  SetWord(pod.annotations, "gangplan.io/group", "mine");
  CHECK(FindGroup(pod, nullptr, false, TwoSchedulers()).key ==
        GroupKey{"group", "team", "mine", ""});
}

}  // namespace
}  // namespace gangplan::counted_group_test
