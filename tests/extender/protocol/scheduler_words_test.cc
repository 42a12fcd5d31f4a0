#include "extender/protocol/scheduler_words.h"

#include "extender/protocol/limits.h"
#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"
#include "tests/support/sentences.h"

namespace gangplan::scheduler_words_test {
namespace {

std::string WordsOf(std::string_view condition) {
  std::string text = fmt::format(
      R"({{"metadata":{{"name":"p","uid":"u"}},"status":{{"conditions":[{}]}}}})", condition);
  const absl::StatusOr<PodFacts> pod = DecodePod(text);
  REQUIRE(ErrorOf(pod) == "");
  return pod->scheduler_words;
}

}  // namespace

TEST_CASE("The scheduler's words: what its own plugins say") {
  CHECK(SchedulerWords("0/5 nodes are available: 1 Insufficient cpu, 4 node(s) didn't match pod "
                       "anti-affinity rules. preemption: 0/5 nodes are available: 5 No preemption "
                       "victims found for incoming pod.") ==
        "1 Insufficient cpu; 4 node(s) didn't match pod anti-affinity rules");
  CHECK(SchedulerWords("0/9 nodes are available: 9 Insufficient example.com/gpu. no new claims to "
                       "deallocate, preemption: 0/9 nodes are available: 9 Preemption is not "
                       "helpful for scheduling.") == "9 Insufficient example.com/gpu");
  CHECK(SchedulerWords("0/1 nodes are available: pod has unbound immediate "
                       "PersistentVolumeClaims. preemption: 0/1 nodes are available: 1 Preemption "
                       "is not helpful for scheduling.") ==
        "pod has unbound immediate PersistentVolumeClaims");
  CHECK(SchedulerWords("0/2 nodes are available: 2 node(s) had taints {a: b, c: d}.") ==
        "2 node(s) had taints {a: b, c: d}");
  CHECK(SchedulerWords("no nodes available to schedule pods") ==
        "no nodes available to schedule pods");
  CHECK(SchedulerWords("").empty());
  CHECK(SchedulerWords("0/5 nodes are available: ").empty());
}

TEST_CASE("The scheduler's words: our own answers are not its own") {
  CHECK(SchedulerWords(fmt::format("0/5 nodes are available: 2 Insufficient cpu, 3 {}. preemption: "
                                   "no.",
                                   Sentence("planned elsewhere", "train").text())) ==
        "2 Insufficient cpu");
  CHECK(SchedulerWords("0/5 nodes are available: 5 gang team/train waits for room.").empty());
  CHECK(SchedulerWords(
            fmt::format("0/5 nodes are available: 5 {}.", Sentence("held for a gang").text()))
            .empty());
  // Told by us behind a refusal, and given back as a part of our answer.
  const std::string words = SchedulerWords("0/2 nodes are available: 1 one, 1 other.");
  CHECK(words == "1 one; 1 other");
  CHECK(SchedulerWords(fmt::format("0/2 nodes are available: 2 gang a/b waits; refused by the "
                                   "scheduler on 2 nodes: {}.",
                                   words))
            .empty());
}

TEST_CASE("The scheduler's words: cut between characters") {
  const std::string most(kMaxSchedulerWords, 'x');
  CHECK(SchedulerWords(most) == most);
  CHECK(SchedulerWords(most + "y") == most);
  const std::string wide = std::string(kMaxSchedulerWords - 1, 'x');
  CHECK(SchedulerWords(wide + "\u00e9") == wide);
  CHECK(SchedulerWords(std::string(kMaxSchedulerWords - 2, 'x') + "\u00e9y").size() ==
        kMaxSchedulerWords);
}

TEST_CASE("The scheduler's words stand in the condition of a pod that it tried in vain") {
  const std::string_view message = R"("message":"0/1 nodes are available: 1 Too many pods.")";
  const auto condition = [&](std::string_view type, std::string_view status,
                             std::string_view reason) {
    return fmt::format(R"({{"type":"{}","status":"{}","reason":"{}",{}}})", type, status, reason,
                       message);
  };
  CHECK(WordsOf(condition("PodScheduled", "False", "Unschedulable")) == "1 Too many pods");
  CHECK(WordsOf(condition("PodScheduled", "False", "SchedulingGated")).empty());
  CHECK(WordsOf(condition("PodScheduled", "True", "Unschedulable")).empty());
  CHECK(WordsOf(condition("Ready", "False", "Unschedulable")).empty());
  CHECK(WordsOf(R"({"type":"PodScheduled","status":"False","reason":"Unschedulable"})").empty());
}

}  // namespace gangplan::scheduler_words_test
