#include "extender/web/advice_view.h"

#include "extender/web/view.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::advice_view_test {
namespace {

constexpr int64_t kEnd = 1'000'000;

Advice Full() {
  Advice advice;
  advice.domain = "block-1";
  advice.resource = "example.com/gpu";
  advice.holders = {{"Job", "ml/finetune", 0, 32, 4, kEnd},
                    {"JobSet", "prod/serve", 7, 8, 1, 0},
                    {"", "", 0, 6, 2, 0}};
  advice.untold_holders = 2;
  advice.fewer = {"", 34, 41};
  advice.rule = {"block=pack", "block=pack!", ""};
  advice.nodes = {2, "b1-r1-n01", "block-1"};
  advice.gangs = {{"Job", "ml/finetune", 0, 32, 4, 0}};
  advice.lower = true;
  advice.fits_by = kEnd;
  return advice;
}

std::string Json(const Advice& advice) {
  JsonText json;
  WriteAdvice(json, advice);
  return json.Take();
}

TEST_CASE("Advice: of what can never be, what would make it possible") {
  Advice advice;
  advice.impossible = true;
  advice.fewer_when_empty = Advice::Fewer{"", 80, 100};
  advice.rule_when_empty = Advice::Rule{"block=pack!", "rack=pack!", ""};
  CHECK(AdviceText(advice) ==
        "  to make it possible: 80 members instead of 100\n"
        "  to make it possible: block=pack! instead of rack=pack!\n");
  JsonText json;
  WriteAdvice(json, advice);
  CHECK_THAT(json.Take(), ContainsText(R"("possible":[{"kind":"members",)"));
  advice.fewer_when_empty.reset();
  advice.rule_when_empty.reset();
  CHECK(AdviceText(advice) ==
        "  to make it possible: nothing that was tried is enough by itself\n");
}

TEST_CASE("Advice: each action and who holds the room is a line") {
  CHECK(AdviceText(Full()) ==
        "  held in block-1: Job ml/finetune (priority 0, 32 example.com/gpu on 4 nodes; ends by "
        "1970-01-12T13:46:40Z at the latest), JobSet prod/serve (priority 7, 8 example.com/gpu on "
        "1 node), pods of no gang (6 example.com/gpu on 2 nodes), 2 more with less\n"
        "  to start now: 34 members instead of 41\n"
        "  to start now: block=pack instead of block=pack!\n"
        "  to start now: 2 more nodes like b1-r1-n01 in block-1\n"
        "  to start now: Job ml/finetune (priority 0) gives way\n"
        "  to start later: by 1970-01-12T13:46:40Z at the latest, as others end and nobody takes "
        "their room\n");
}

TEST_CASE("Advice: pod sets and amounts of cpu and room that comes free are told") {
  Advice advice;
  advice.resource = "cpu";
  advice.holders = {{"", "", 0, 1'500, 1, 0}};
  advice.ending_alone = 500;
  advice.ending_alone_by = kEnd;
  advice.fewer = {"workers", 1, 2};
  advice.rule = {"preferred rack", "required rack", "workers"};
  advice.nodes = {1, "n1", ""};
  advice.gangs = {{"Job", "a/b", 1, 0, 0, kEnd}, {"Job", "a/c", 9, 0, 0, 0}};
  advice.fits_by = 0;
  CHECK(AdviceText(advice) ==
        "  held in the cluster: pods of no gang (1.5 cpu on 1 node; 0.5 cpu of it free by "
        "1970-01-12T13:46:40Z at the latest)\n"
        "  to start now: 1 member of pod set workers instead of 2\n"
        "  to start now: preferred rack instead of required rack for pod set workers\n"
        "  to start now: 1 more node like n1\n"
        "  to start now: Job a/b (priority 1; ends by 1970-01-12T13:46:40Z at the latest), Job a/c "
        "(priority 9) end\n"
        "  to start later: when the pods that are stopping have gone\n");
}

TEST_CASE("Advice: of six who would have to go five are named") {
  Advice advice;
  for (int i = 0; i < 5; ++i) advice.gangs.push_back({"Job", fmt::format("a/{}", i), 0, 0, 0, 0});
  CHECK(AdviceText(advice).find("more") == std::string::npos);
  advice.gangs.push_back({"Job", "a/5", 0, 0, 0, 0});
  CHECK_THAT(AdviceText(advice), ContainsText("Job a/4 (priority 0) and 1 more end\n"));
  CHECK(AdviceText(advice).find("a/5") == std::string::npos);
  CHECK(Json(advice).find("a/5") != std::string::npos);
}

TEST_CASE("Advice: where nothing is enough or nothing was asked that is said") {
  CHECK(AdviceText({}) == "  to start now: nothing that was tried is enough by itself\n");
  Advice later;
  later.later = true;
  CHECK_THAT(AdviceText(later), ContainsText("ask again"));
  CHECK(Json(later) == R"({"later":true})");
}

TEST_CASE(
    "Advice: what is not decided is no question of who asks, and who holds the room is told") {
  Advice undecided;
  undecided.undecided = true;
  undecided.domain = "block-1";
  undecided.resource = "example.com/gpu";
  undecided.holders = {{"JobSet", "prod/serve", 7, 8, 1, 0}};
  const std::string text = AdviceText(undecided);
  CHECK_THAT(text, ContainsText("  held in block-1: JobSet prod/serve (priority 7, 8"));
  CHECK_THAT(text, ContainsText("  to start now: not known: whether it fits now is not decided"));
  CHECK(text.find("too many") == std::string::npos);
  CHECK(text.find("nothing that was tried") == std::string::npos);
  CHECK_THAT(Json(undecided), ContainsText(R"({"later":false,"undecided":"not known: )"));
  CHECK_THAT(Json(undecided), ContainsText(R"("text":"held in block-1: JobSet prod/serve)"));
}

TEST_CASE("Advice: programs get numbers and names beside the text") {
  const std::string json = Json(Full());
  INFO(json);
  CHECK_THAT(json, ContainsText(R"("held":{"domain":"block-1","resource":"example.com/gpu","by":[)"
                                R"({"kind":"Job","name":"ml/finetune","priority":0,"amount":32,)"
                                R"("nodes":4,"endsByUnix":1000000})"));
  CHECK_THAT(json, ContainsText(R"("more":2,"text":"held in block-1: Job ml/finetune)"));
  CHECK_THAT(json, ContainsText(R"({"kind":"members","text":"34 members instead of 41",)"
                                R"("podSet":"","members":34,"insteadOf":41})"));
  CHECK_THAT(json, ContainsText(R"({"kind":"rule","text":"block=pack instead of block=pack!",)"
                                R"("podSet":"","rule":"block=pack","insteadOf":"block=pack!"})"));
  CHECK_THAT(json, ContainsText(R"("nodes":2,"like":"b1-r1-n01","domain":"block-1"})"));
  CHECK_THAT(json, ContainsText(R"("lowerPriority":true,"gangs":[{"kind":"Job",)"
                                R"("name":"ml/finetune","priority":0}]})"));
  CHECK_THAT(json, ContainsText(R"("byUnix":1000000}]})"));
}

TEST_CASE("Advice: it follows the evidence of a gang that waits") {
  GroupReport report;
  report.name = "default/trainer";
  report.outcome = Outcome::kWait;
  report.reason = "64 members";
  report.evidence = "  rack: 40";
  report.advice = Full();
  CHECK_THAT(GroupText(report, absl::UnixEpoch()),
             ContainsText("\n  rack: 40\n  held in block-1: Job ml/finetune"));
  CHECK_THAT(GroupJson(report), ContainsText(R"("advice":{"later":false,"held":{)"));
}

TEST_CASE("Advice: gangs of other namespaces keep their priority alone") {
  Advice advice = Full();
  advice.gangs.push_back({"Job", "mlops/other", 3, 0, 0, 0});
  HideOthers(advice, "ml");
  const std::string text = AdviceText(advice);
  CHECK_THAT(text, ContainsText("Job ml/finetune (priority 0, 32"));
  CHECK_THAT(text, ContainsText("a gang of another namespace (priority 7, 8 example.com/gpu"));
  CHECK_THAT(text, ContainsText("Job ml/finetune (priority 0), a gang of another namespace "
                                "(priority 3) give way"));
  CHECK(text.find("serve") == std::string::npos);
  CHECK(Json(advice).find("other/") == std::string::npos);
  CHECK(Json(advice).find("mlops") == std::string::npos);
}

}  // namespace
}  // namespace gangplan::advice_view_test
