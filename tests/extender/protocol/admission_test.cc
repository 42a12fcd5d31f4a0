// What admission follows: LimitRanges, RuntimeClasses and PriorityClasses, and what they make of a
// template's requests.

#include <string>
#include <string_view>

#include "extender/protocol/limits.h"
#include "extender/protocol/template_requests.h"
#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::admission_test {
namespace {

using Kind = AdmissionRule::Kind;

constexpr std::string_view kLimitRange =
    R"({"metadata":{"name":"l","namespace":"n"},"spec":{"limits":[)"
    R"({"type":"Pod","defaultRequest":{"cpu":"9"}},)"
    R"({"type":"Container","defaultRequest":{"memory":"1Gi","cpu":"250m"}}]}})";
constexpr std::string_view kRuntimeClass =
    R"({"metadata":{"name":"heavy"},"handler":"h","overhead":{"podFixed":{"cpu":"100m"}},)"
    R"("scheduling":{"nodeSelector":{"pool":"vm"},"tolerations":[{"key":"vm"}]}})";
constexpr std::string_view kPriorityClass =
    R"({"metadata":{"name":"high"},"value":-7,"globalDefault":true})";

std::string ListOf(std::string_view item) { return fmt::format(R"({{"items":[{}]}})", item); }

AdmissionRule Listed(std::string_view item, std::string_view kind) {
  std::string text = ListOf(item);
  absl::StatusOr<ObjectList> list = DecodeList(text, kind);
  INFO(ErrorOf(list));
  REQUIRE(list.ok());
  REQUIRE(list->bad.empty());
  REQUIRE(list->rules.size() == 1);
  return list->rules[0];
}

AdmissionRule Watched(std::string_view item, std::string_view kind) {
  std::string text = fmt::format(R"({{"type":"ADDED","object":{}}})", item);
  absl::StatusOr<WatchEvent> event = DecodeWatchEvent(text, kind);
  REQUIRE(ErrorOf(event) == "");
  REQUIRE(event->bad.ok());
  return event->rule;
}

// A Job whose template has this spec.
JobFacts JobWith(std::string_view spec) {
  std::string text = fmt::format(
      R"({{"metadata":{{"name":"j","uid":"u"}},"spec":{{"template":{{"spec":{{{}}}}}}}}})", spec);
  absl::StatusOr<JobFacts> job = DecodeJob(text);
  REQUIRE(ErrorOf(job) == "");
  REQUIRE(job->pods[0].fault.empty());
  return *std::move(job);
}

ResourceList Completed(std::string_view spec, const ResourceList& defaults,
                       const ResourceList& overhead = {}) {
  const JobFacts job = JobWith(spec);
  return CompletedRequests(job.pods[0].requests, job.needs[0], defaults,
                           overhead.empty() ? job.needs[0].overhead : overhead);
}

}  // namespace

TEST_CASE("Rules of admission are read, the same from a list and a watch") {
  const AdmissionRule range = Listed(kLimitRange, "LimitRange");
  CHECK(range ==
        AdmissionRule{
            Kind::kLimitRange, "n", "l", {{"cpu", 250}, {"memory", 1 << 30}}, {}, {}, 0, false});
  CHECK(Watched(kLimitRange, "LimitRange") == range);
  const AdmissionRule runtime = Listed(kRuntimeClass, "RuntimeClass");
  CHECK(runtime.name == "heavy");
  CHECK(runtime.amounts == ResourceList{{"cpu", 100}});
  CHECK(runtime.node_selector == LabelSet{{"pool", "vm"}});
  REQUIRE(runtime.tolerations.size() == 1);
  CHECK(runtime.tolerations[0].key == "vm");
  CHECK(Watched(kRuntimeClass, "RuntimeClass") == runtime);
  const AdmissionRule priority = Listed(kPriorityClass, "PriorityClass");
  CHECK(priority.priority == -7);
  CHECK(priority.is_default);
  CHECK(Watched(kPriorityClass, "PriorityClass") == priority);
}

TEST_CASE("Rules of admission are read in lists of their own alone, and what is wrong is told") {
  std::string mixed = ListOf(R"({"kind":"LimitRange","metadata":{"name":"l"}})");
  CHECK(DecodeList(mixed, "Pod")->rules.empty());
  std::string wrong = ListOf(R"({"metadata":{"name":"high"},"value":"much"})");
  const ObjectList list = *DecodeList(wrong, "PriorityClass");
  REQUIRE(list.bad.size() == 1);
  CHECK(list.bad[0].name == "high");
  CHECK_THAT(Message(list.bad[0].status), ContainsText("items[0].value: expected"));
  std::string nameless = ListOf(R"({"value":1})");
  CHECK_THAT(Message(DecodeList(nameless, "PriorityClass")->bad[0].status),
             ContainsText("metadata.name is missing"));
}

TEST_CASE("A LimitRange has so many limits") {
  const auto text = [](size_t limits) {
    return ListOf(fmt::format(R"({{"metadata":{{"name":"l"}},"spec":{{"limits":[{}]}}}})",
                              Repeat(limits, "{}")));
  };
  std::string most = text(kMaxLimits);
  CHECK(DecodeList(most, "LimitRange")->bad.empty());
  std::string beyond = text(kMaxLimits + 1);
  CHECK(DecodeList(beyond, "LimitRange")->bad.size() == 1);
}

// Each template beside the one that says the same by itself.
TEST_CASE("Requests of a template are completed as if its containers had said so") {
  const struct {
    std::string_view before;
    std::string_view after;
  } kPairs[] = {
      {R"("containers":[{}])", R"("containers":[{"resources":{"requests":{"cpu":"2","g":"1"}}}])"},
      {R"("containers":[{},{"resources":{"requests":{"cpu":"7"}}}])",
       R"("containers":[{"resources":{"requests":{"cpu":"2","g":"1"}}},)"
       R"({"resources":{"requests":{"cpu":"7","g":"1"}}}])"},
      {R"("containers":[{"resources":{"limits":{"cpu":"3"},"requests":{"g":"0"}}}])",
       R"("containers":[{"resources":{"requests":{"cpu":"3"}}}])"},
      {R"("containers":[{"resources":{"requests":{"cpu":"1","m":"4"}}}],)"
       R"("initContainers":[{"restartPolicy":"Always"},{"resources":{"limits":{"cpu":"9"}}}])",
       R"("containers":[{"resources":{"requests":{"cpu":"1","m":"4","g":"1"}}}],)"
       R"("initContainers":[{"restartPolicy":"Always",)"
       R"("resources":{"requests":{"cpu":"2","g":"1"}}},)"
       R"({"resources":{"requests":{"cpu":"9","g":"1"}}}])"},
      {R"("resources":{"requests":{"cpu":"5"}},"containers":[{}],"hostNetwork":true)",
       R"("resources":{"requests":{"cpu":"5"}},"hostNetwork":true,)"
       R"("containers":[{"resources":{"requests":{"cpu":"2","g":"1"}}}])"},
      {R"("overhead":{"cpu":"1"},"containers":[{"ports":[{"hostPort":80}]}])",
       R"("overhead":{"cpu":"1"},"containers":[{"ports":[{"hostPort":80}],)"
       R"("resources":{"requests":{"cpu":"2","g":"1"}}}])"},
  };
  for (const auto& [before, after] : kPairs) {
    INFO(before);
    CHECK(Completed(before, {{"cpu", 2'000}, {"g", 1}}) == JobWith(after).pods[0].requests);
    CHECK(Completed(before, {}) == JobWith(before).pods[0].requests);
  }
}

// Its limit is a request before admission looks, where no container asks.
TEST_CASE("A limit of the whole pod counts where nobody asks, and not where a container does") {
  const ResourceList defaults = {{"cpu", 2'000}};
  CHECK(Completed(R"("resources":{"limits":{"cpu":"5"}},"containers":[{}])", defaults) ==
        ResourceList{{"cpu", 5'000}, {"pods", 1}});
  CHECK(Completed(R"("resources":{"limits":{"cpu":"5"}},)"
                  R"("containers":[{"resources":{"requests":{"cpu":"1"}}},{}])",
                  defaults) == ResourceList{{"cpu", 3'000}, {"pods", 1}});
}

TEST_CASE("The overhead of a class stands in place of the template's") {
  CHECK(Completed(R"("overhead":{"cpu":"7"},"containers":[{}])", {}, {{"cpu", 100}}) ==
        ResourceList{{"cpu", 100}, {"pods", 1}});
}

}  // namespace gangplan::admission_test
