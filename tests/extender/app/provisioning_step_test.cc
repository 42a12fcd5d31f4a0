#include "extender/app/provisioning_step.h"

#include <memory>
#include <string>

#include "extender/app/provisioning_notes.h"
#include "extender/app/provisioning_request.h"
#include "tests/support/catch.h"

namespace gangplan::provisioning_step_test {
namespace {

using Stand = ProvisioningStep::Stand;

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);
const std::string kBase = "gangplan-train-0123456789abcdef";

struct Bench {
  ProvisioningFacts& Add(const std::string& name) {
    facts.push_back(std::make_unique<ProvisioningFacts>());
    facts.back()->name = name;
    facts.back()->uid = "u-" + name;
    return *facts.back();
  }
  ProvisioningStep Step(absl::Duration after = absl::ZeroDuration()) const {
    std::vector<const ProvisioningFacts*> known;
    for (const auto& one : facts) known.push_back(one.get());
    return NextStep(settings, kNow + after, kBase, known);
  }

  ProvisioningSettings settings = [] {
    ProvisioningSettings made;
    made.class_name = "a.class";
    return made;
  }();
  std::vector<std::unique_ptr<ProvisioningFacts>> facts;
};

TEST_CASE("Provisioning step: the first is made where there is none, and older asks go first") {
  Bench bench;
  CHECK(bench.Step().make == 1);
  ProvisioningFacts& older = bench.Add("gangplan-train-ffffffffffffffff-1");
  CHECK(bench.Step().make == 0);
  CHECK(bench.Step().stand == Stand::kNone);
  CHECK(bench.Step().remove == std::vector<const ProvisioningFacts*>{&older});
  older.going = true;
  CHECK(bench.Step().make == 0);
  CHECK(bench.Step().remove.empty());
}

TEST_CASE("Provisioning step: one that stands is left as it is") {
  Bench bench;
  ProvisioningFacts& one = bench.Add(kBase + "-1");
  CHECK(bench.Step().stand == Stand::kOpen);
  CHECK(bench.Step().make == 0);
  one.provisioned = {true, kNow, ""};
  CHECK(bench.Step(absl::Hours(9)).stand == Stand::kProvisioned);
  CHECK(bench.Step(absl::Hours(9)).remove.empty());
}

TEST_CASE(
    "Provisioning step: what fails is made anew after a back-off that doubles, to its limit") {
  Bench bench;
  bench.settings.max_back_off = absl::Minutes(3);
  bench.settings.retries = 4;
  const auto waits = [&](int attempt, absl::Duration wait) {
    bench.facts.clear();
    bench.Add(AttemptName(kBase, attempt)).failed = {true, kNow, "no GPUs"};
    CHECK(bench.Step(wait - absl::Seconds(1)).make == 0);
    CHECK(bench.Step(wait - absl::Seconds(1)).stand == Stand::kEnded);
    CHECK(bench.Step(wait).make == attempt + 1);
  };
  waits(1, absl::Minutes(1));
  waits(2, absl::Minutes(2));
  waits(3, absl::Minutes(3));
  waits(4, absl::Minutes(3));
  bench.facts.clear();
  bench.Add(AttemptName(kBase, 5)).failed = {true, kNow, "no GPUs"};
  CHECK(bench.Step(absl::Hours(9)).stand == Stand::kGivenUp);
  CHECK(bench.Step(absl::Hours(9)).make == 0);
}

TEST_CASE(
    "Provisioning step: one that nobody answers is overdue when the longest back-off is over") {
  Bench bench;
  const absl::Duration most = bench.settings.max_back_off;
  ProvisioningFacts& one = bench.Add(kBase + "-1");
  CHECK_FALSE(IsOverdue(bench.settings, kNow, one));  // nobody knows how old it is
  one.made = kNow;
  one.awaited = {true, kNow, "no capacity"};
  CHECK_FALSE(IsOverdue(bench.settings, kNow + most - absl::Seconds(1), one));
  CHECK(IsOverdue(bench.settings, kNow + most, one));
  SECTION("it is provisioned") { one.provisioned = {true, kNow, ""}; }
  SECTION("it has failed") { one.failed = {true, kNow, ""}; }
  CHECK_FALSE(IsOverdue(bench.settings, kNow + most, one));
}

TEST_CASE("Provisioning step: what is booked or given no more is made anew likewise") {
  Bench bench;
  ProvisioningFacts& one = bench.Add(kBase + "-1");
  one.provisioned = {true, kNow - absl::Minutes(10), ""};
  SECTION("the booking has expired") { one.expired = {true, kNow, "after 10m"}; }
  SECTION("the capacity is revoked") { one.revoked = {true, kNow, "spot"}; }
  CHECK_FALSE(IsBooked(one));
  CHECK(bench.Step().stand == Stand::kEnded);
  CHECK(bench.Step(absl::Minutes(1)).make == 2);
}

TEST_CASE("Provisioning step: of several attempts the last counts and the others go") {
  Bench bench;
  ProvisioningFacts& first = bench.Add(kBase + "-9");
  first.failed = {true, kNow, ""};
  ProvisioningFacts& second = bench.Add(kBase + "-10");
  CHECK(bench.Step().last == &second);
  CHECK(bench.Step().attempt == 10);
  CHECK(bench.Step().remove == std::vector<const ProvisioningFacts*>{&first});
}

TEST_CASE("Provisioning step: names that are no attempt of the base are none") {
  CHECK(AttemptOf(kBase + "-12", kBase) == 12);
  for (const char* tail :
       {"", "-", "-0", "-x", "-1x", "-1001", "-99999999999999999999", "1", "--1"})
    CHECK(AttemptOf(kBase + tail, kBase) == 0);
}

TEST_CASE("Provisioning notes: what becomes of a request, and why it was of no use") {
  Bench bench;
  ProvisioningFacts& one = bench.Add(kBase + "-1");
  const auto told = [&](absl::Duration after) {
    std::string text;
    for (const ProvisioningNote& note : NotesOf(kNow + after, bench.Step(after), "no room in b0"))
      text += std::string(note.reason) + (note.warning ? "! " : ": ") + note.text + "\n";
    return text;
  };
  CHECK(told(absl::ZeroDuration()).empty());
  one.awaited = {true, kNow, "Capacity is not found"};
  CHECK(told(absl::ZeroDuration()) == "GangNodesAwaited! ProvisioningRequest " + kBase +
                                          "-1 is not provisioned yet: Capacity is not found\n");
  one.provisioned = {true, kNow, ""};
  one.details = {{"pool", "a"}, {"zone", "z"}};
  const std::string provisioned = "GangNodesProvisioned: ProvisioningRequest " + kBase +
                                  "-1 is provisioned (pool: a, zone: z)\n";
  CHECK(told(kNodesFitWithin - absl::Seconds(1)) == provisioned);
  CHECK(told(kNodesFitWithin) == provisioned + "GangNodesUnfit! 5m after ProvisioningRequest " +
                                     kBase +
                                     "-1 was provisioned it has no room yet: no room in b0\n");
  one.failed = {true, kNow, "no GPUs"};
  CHECK(told(absl::Seconds(1)) ==
        "GangNodesFailed! ProvisioningRequest " + kBase +
            "-1 failed: no GPUs; nodes are asked for again at 08:01:00Z\n");
  bench.settings.retries = 0;
  CHECK(told(absl::Seconds(1)) ==
        "GangNodesGivenUp! ProvisioningRequest " + kBase +
            "-1 failed: no GPUs; after 1 requests no more nodes are asked for\n");
}

}  // namespace
}  // namespace gangplan::provisioning_step_test
