#include "extender/app/provisioning_request.h"

#include <set>

#include "tests/support/catch.h"

namespace gangplan::provisioning_request_test {
namespace {

RoomAsk Ask() {
  RoomAsk ask;
  ask.stand = RoomAsk::Stand::kLacks;
  ask.ns = "team";
  ask.incarnation = "job-train";
  ask.maker_uid = "job-train";
  ask.maker = OwnerRef{"batch/v1", "Job", "train", "job-train"};
  PodProfile profile;
  profile.ns = "team";
  profile.labels = PackedLabels({{"app", "train"}, {"index", "0"}});
  profile.affinity.apart = {
      {"kubernetes.io/hostname", {{"team"}, false, {{"app", SelectorOperator::kIn, {"train"}}}}}};
  ask.pod_sets = {{"",
                   4,
                   {{"cpu", 100}, {"example.com/gpu", 8}},
                   {},
                   std::make_shared<const PodProfile>(profile)}};
  return ask;
}

const ProvisioningSettings kSettings{.class_name = "a.class",
                                     .parameters = {{"ValidUntilSeconds", "60"}}};

std::string NameOf(const RoomAsk& ask, const std::string& scheduler = "gangplan") {
  return RequestOf(ask, "team/train", kSettings, scheduler).name;
}

TEST_CASE("Provisioning request: it asks for what the pods do") {
  const ProvisioningWrite write = RequestOf(Ask(), "team/train", kSettings, "gangplan");
  CHECK(write.ns == "team");
  CHECK(write.by == "gangplan");
  CHECK(write.gang == "team/train");
  CHECK(write.owner->uid == "job-train");
  CHECK(write.class_name == "a.class");
  CHECK(write.parameters == kSettings.parameters);
  REQUIRE(write.pod_sets.size() == 1);
  CHECK(write.pod_sets[0].count == 4);
  CHECK(AmountOf(write.pod_sets[0].requests, "example.com/gpu") == 8);
  CHECK(write.pod_sets[0].affinity.apart.size() == 1);
  // Of the labels those that affinity looks at: others differ from pod to pod.
  CHECK(write.pod_sets[0].labels == LabelSet{{"app", "train"}});
}

TEST_CASE("Provisioning request: the same ask has the same name, and each other one another") {
  const std::string name = NameOf(Ask());
  CHECK(name.starts_with("gangplan-train-"));
  CHECK(NameOf(Ask()) == name);
  RoomAsk relabelled = Ask();
  PodProfile profile = *relabelled.pod_sets[0].profile;
  profile.labels = PackedLabels({{"app", "train"}, {"index", "3"}});
  relabelled.pod_sets[0].profile = std::make_shared<const PodProfile>(profile);
  CHECK(NameOf(relabelled) == name);
  RoomAsk left = Ask();
  left.maker.reset();  // whoever has made the pods is gone, and they are the same
  CHECK(NameOf(left) == name);
  CHECK_FALSE(RequestOf(left, "team/train", kSettings, "gangplan").owner);

  std::set<std::string> names = {name, NameOf(Ask(), "other")};
  const auto other = [&](auto change) {
    RoomAsk ask = Ask();
    change(ask);
    CHECK(names.insert(NameOf(ask)).second);
  };
  other([](RoomAsk& ask) { ask.incarnation = "job-again"; });
  other([](RoomAsk& ask) { ask.maker_uid = "another"; });
  other([](RoomAsk& ask) { ask.pod_sets[0].count = 5; });
  other([](RoomAsk& ask) { ask.pod_sets[0].requests[1].amount = 7; });
  other([](RoomAsk& ask) { ask.pod_sets[0].filter.node_selector = {{"pool", "a"}}; });
  other([](RoomAsk& ask) {
    ask.pod_sets[0].filter.required_terms = {{{{"zone", SelectorOperator::kIn, {"a"}}}, {}}};
  });
  other([](RoomAsk& ask) {
    ask.pod_sets[0].filter.required_terms = {{{{"zone", SelectorOperator::kNotIn, {"a"}}}, {}}};
  });
  other([](RoomAsk& ask) { ask.pod_sets[0].filter.tolerations = {{"gpu", true, "", {}}}; });
  other([](RoomAsk& ask) { ask.pod_sets.push_back(ask.pod_sets[0]); });
  ProvisioningSettings settings = kSettings;
  settings.class_name = "b.class";
  CHECK(names.insert(RequestOf(Ask(), "team/train", settings, "gangplan").name).second);
  settings = kSettings;
  settings.parameters = {};
  CHECK(names.insert(RequestOf(Ask(), "team/train", settings, "gangplan").name).second);
}

TEST_CASE("Provisioning request: any name of a gang makes names of objects") {
  const std::string odd = "team/" + std::string(300, 'A') + "_.b";
  const std::string name = RequestOf(Ask(), odd, kSettings, "gangplan").name;
  CHECK(name.size() + 20 <= 253);
  CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
}

}  // namespace
}  // namespace gangplan::provisioning_request_test
