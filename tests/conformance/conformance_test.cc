// The recorded cases: every answer of ours is the recorded one.
#include "fmt/format.h"
#include "tests/conformance/case_file.h"
#include "tests/conformance/handlers.h"
#include "tests/conformance/judge.h"
#include "tests/conformance/placement_answer.h"
#include "tests/support/catch.h"
#include "tests/support/tas_reference/reference.h"
#include "topology/base/text.h"

namespace gangplan::conformance {
namespace {

CaseFile Recorded(const std::string& name, std::string_view system = "kueue") {
  const std::string folder = fmt::format("{}/tests/conformance/{}/", GANGPLAN_SOURCE_DIR, system);
  absl::StatusOr<CaseFile> file = LoadCases(folder + name);
  INFO(Message(file.status()));
  REQUIRE(file.ok());
  REQUIRE(!file->json["cases"].Empty());
  return *std::move(file);
}

// Checks every case that is no own choice; gives how many of the others agree all the same.
int CheckAnswers(const CaseFile& file, Handler handler) {
  int same_by_choice = 0;
  for (const rapidjson::Value& recorded : file.json["cases"].GetArray()) {
    INFO(recorded["id"].GetString());
    const absl::StatusOr<std::string> text = handler(recorded);
    INFO(Message(text.status()));
    REQUIRE(text.ok());
    rapidjson::Document answer;
    answer.Parse(text->data(), text->size());
    REQUIRE(!answer.HasParseError());
    const Verdict verdict = Judge(file.kind, recorded, answer);
    if (IsOwnChoice(file.kind, recorded))
      same_by_choice += verdict.ok() ? 1 : 0;
    else
      CHECK(verdict.got == verdict.want);
  }
  return same_by_choice;
}

template <Compatibility compatibility>
absl::StatusOr<std::string> ByReference(const rapidjson::Value& json) {
  const absl::StatusOr<PlacementCase> placement_case = ReadPlacementCase(json);
  if (!placement_case.ok()) return placement_case.status();
  return ToJson(tas_reference::ReferenceAnswer(*placement_case, compatibility));
}

TEST_CASE("The reference model places as Kueue does, its defects too") {
  CHECK(CheckAnswers(Recorded("kep_examples.json"), ByReference<Compatibility::kExact>) == 0);
  CHECK(CheckAnswers(Recorded("placement.json"), ByReference<Compatibility::kExact>) == 0);
  CHECK(CheckAnswers(Recorded("synthetic.json"), ByReference<Compatibility::kExact>) == 29);
}

TEST_CASE("Without the defects the reference model places all other cases the same") {
  CHECK(CheckAnswers(Recorded("kep_examples.json"), ByReference<Compatibility::kFixed>) == 0);
  CHECK(CheckAnswers(Recorded("placement.json"), ByReference<Compatibility::kFixed>) == 0);
  CHECK(CheckAnswers(Recorded("synthetic.json"), ByReference<Compatibility::kFixed>) < 29);
}

TEST_CASE("Every recorded case is answered as it is recorded") {
  for (const char* name : {"kep_examples.json", "placement.json", "synthetic.json"}) {
    INFO(name);
    const CaseFile file = Recorded(name);
    REQUIRE(FindHandler(file.kind) != nullptr);
    CheckAnswers(file, FindHandler(file.kind));
  }
}

TEST_CASE("Words, ranks, node failures and encodings are answered as they are recorded") {
  for (const char* name :
       {"encoding.json", "node_failure.json", "ungate.json", "validation.json"}) {
    INFO(name);
    const CaseFile file = Recorded(name);
    REQUIRE(FindHandler(file.kind) != nullptr);
    CheckAnswers(file, FindHandler(file.kind));
  }
}

TEST_CASE("What flavors and admission checks tolerate counts when a taint is judged") {
  const std::string tolerations = R"([{"key": "foo", "operator": "Exists"}])";
  const auto unhealthy = [&](std::string_view flavors, std::string_view checks) {
    rapidjson::Document json;
    json.Parse(
        fmt::format(
            R"({{"nodes": [{{"name": "n1", "taints": [{{"key": "foo", "effect": "NoSchedule"}}],
                        "ready_condition": {{"status": "True", "seconds_since_change": 0}}}}],
                      "resource_flavors": {}, "pods": [], "reconcile_nodes": ["n1"],
                      "workloads": [{{"name": "default/w", "admitted": true,
                        "pod_sets": [{{"name": "main"}}], "admission_checks": {},
                        "admission": {{"pod_sets": [
                          {{"pod_set": "main", "flavors": {{"cpu": "spot"}},
                          "assignment": {{"levels": ["kubernetes.io/hostname"],
                            "domains": [{{"values": ["n1"], "count": 1}}]}}}}]}}}}]}})",
            flavors, checks)
            .c_str());
    const absl::StatusOr<std::string> answer = AnswerNodeFailure(json);
    INFO(Message(answer.status()));
    REQUIRE(answer.ok());
    return answer->find(R"("unhealthy_nodes":["n1"])") != std::string::npos;
  };
  const auto flavor = [&](std::string_view name) {
    return fmt::format(R"([{{"name": "{}", "tolerations": {}}}])", name, tolerations);
  };
  const std::string check = fmt::format(
      R"([{{"pod_set_updates": [{{"name": "main", "tolerations": {}}}]}}])", tolerations);
  CHECK(unhealthy("[]", "[]"));
  CHECK(unhealthy(flavor("other"), "[]"));
  CHECK_FALSE(unhealthy(flavor("spot"), "[]"));
  CHECK_FALSE(unhealthy("[]", check));
}

TEST_CASE("What the owner's kind says of its pods stands in the parsed topology") {
  rapidjson::Document json;
  json.Parse(
      R"({"category": "annotation_parsing", "input": {"pod_index_label": "i",
          "subgroup_index_label": "s", "subgroup_count": 2,
          "annotations": {"kueue.x-k8s.io/podset-required-topology": "rack",
                          "kueue.x-k8s.io/podset-group-name": "g"}}})");
  CHECK(AnswerValidation(json).value() ==
        R"({"topology":{"required":"rack","pod_index_label":"i","subgroup_index_label":"s",)"
        R"("subgroup_count":2,"group":"g"}})");
}

TEST_CASE("Sakkara's objects, ranks and victims are answered as they are recorded") {
  for (const char* name : {"config.json", "preemption.json", "rank.json"}) {
    INFO(name);
    const CaseFile file = Recorded(name, "sakkara");
    REQUIRE(FindHandler(file.kind) != nullptr);
    CheckAnswers(file, FindHandler(file.kind));
  }
}

TEST_CASE("Sakkara's placements and repairs are found where they exist, and are the best") {
  int cases = 0;
  for (const char* name : {"placement-designed.json", "placement-random.json",
                           "placement-uniform.json", "repair.json"}) {
    INFO(name);
    const CaseFile file = Recorded(name, "sakkara");
    REQUIRE(FindHandler(file.kind) != nullptr);
    CheckAnswers(file, FindHandler(file.kind));
    cases += static_cast<int>(file.json["cases"].Size());
  }
  CHECK(cases == 230);
}

TEST_CASE("A wrong answer to a case of Sakkara's is seen") {
  rapidjson::Document recorded, answer;
  const std::string_view text_of_case = R"({"levels":["node"],"tree":{"a":{},"b":{}},"size":3,
      "nodes":{"a":{"capacity":[3],"allocated":[0]},"b":{"capacity":[2],"allocated":[0]}},
      "demand":[1],"constraints":{"node":{"type":"spread"}},
      "expect":{"feasible":true,"ideal":{"node":{"sum_squares":5}}}})";
  recorded.Parse(text_of_case.data(), text_of_case.size());
  const auto is_right = [&](std::string_view text) {
    answer.Parse(text.data(), text.size());
    REQUIRE(!answer.HasParseError());
    return Judge("sakkara placement", recorded, answer).ok();
  };
  CHECK(is_right(R"({"feasible":true,"placement":{"a":1,"b":2}})"));
  CHECK(!is_right(R"({"feasible":true,"placement":{"a":3}})"));
  CHECK(!is_right(R"({"feasible":true,"placement":{"a":1,"b":1}})"));
  CHECK(!is_right(R"({"feasible":true,"placement":{"b":3}})"));
  CHECK(!is_right(R"({"feasible":true,"placement":{"a":1,"c":2}})"));
  CHECK(!is_right(R"({"feasible":false})"));
}

TEST_CASE("A wrong answer is seen") {
  rapidjson::Document recorded, answer;
  const std::string_view text_of_case = R"({"expect":{"a":{"assignment":{"levels":["l"],"domains":[
      {"values":["x"],"count":1}]}},"b":{"failure":{"kind":"no_fit","fit":1}}}})";
  recorded.Parse(text_of_case.data(), text_of_case.size());
  const auto is_right = [&](std::string_view text) {
    answer.Parse(text.data(), text.size());
    REQUIRE(!answer.HasParseError());
    return Judge("placement", recorded, answer).ok();
  };
  CHECK(is_right(R"({"b":{"failure":{"kind":"no_fit"}},"a":{"assignment":{"levels":["l"],"domains":[
      {"count":1,"values":["x"]}]}}})"));
  CHECK(
      !is_right(R"({"a":{"assignment":{"levels":["l"],"domains":[{"values":["x"],"count":1}]}}})"));
  CHECK(!is_right(R"({"a":{"assignment":{"levels":["l"],"domains":[{"values":["x"],"count":2}]}},
      "b":{"failure":{"kind":"no_fit"}}})"));
  CHECK(!is_right(R"({"a":{"assignment":{"levels":["l"],"domains":[{"values":["x"],"count":1.0}]}},
      "b":{"failure":{"kind":"no_fit"}}})"));
  CHECK(!is_right(R"({"a":{"assignment":{"levels":["l"],"domains":[{"values":["x"],"count":1}]}},
      "b":{"failure":{"kind":"stale"}}})"));
}

// Whether `answer` is right for the case.
bool IsRight(std::string_view kind, std::string_view recorded_text, std::string_view answer_text) {
  rapidjson::Document recorded, answer;
  recorded.Parse(recorded_text.data(), recorded_text.size());
  answer.Parse(answer_text.data(), answer_text.size());
  REQUIRE((!recorded.HasParseError() && !answer.HasParseError()));
  return Judge(kind, recorded, answer).ok();
}

TEST_CASE("A wrong answer about Sakkara's objects is seen") {
  const auto is_right = [](std::string_view answer) {
    return IsRight("sakkara config", R"({"expect":{"effect":"x","size":8,"hard":null,
        "node":{"range":[2,4]}}})",
                   answer);
  };
  CHECK(is_right(R"({"size":8,"node":{"range":[2,4],"hard":false},"more":1})"));
  CHECK(is_right(R"({"size":8,"hard":null,"node":{"range":[2,4]}})"));
  CHECK(!is_right(R"({"size":"8","node":{"range":[2,4]}})"));
  CHECK(!is_right(R"({"size":8,"node":{"range":[4,2]}})"));
  CHECK(!is_right(R"({"size":8,"node":null})"));
  CHECK(!is_right(R"({"size":8,"hard":true,"node":{"range":[2,4]}})"));
}

TEST_CASE("A wrong answer about ranks is seen") {
  const std::string placement = R"("placement":{"m":["r0","n0"],"a":["r0","n0"],"b":["r1","n1"]})";
  const std::string by_distance = "{" + placement + R"(,"expect":{"any_master_of":["m","b"]}})";
  const std::string by_blocks =
      "{" + placement + R"(,"expect":{"master":"m","rank_blocks":[["m"],["a"],["b"]]}})";
  const auto is_right = [&](const std::string& recorded, std::string_view answer) {
    return IsRight("sakkara rank", recorded, answer);
  };
  for (const std::string& recorded : {by_distance, by_blocks}) {
    CHECK(is_right(recorded, R"({"master":"m","ranks":{"m":0,"a":1,"b":2}})"));
    CHECK(!is_right(recorded, R"({"ranks":{"m":0,"a":2,"b":1}})"));
    CHECK(!is_right(recorded, R"({"ranks":{"m":1,"a":0,"b":2}})"));
    CHECK(!is_right(recorded, R"({"ranks":{"m":0,"a":1,"b":1}})"));
    CHECK(!is_right(recorded, R"({"ranks":{"m":0,"a":1}})"));
    CHECK(!is_right(recorded, R"({"master":"a","ranks":{"m":0,"a":1,"b":2}})"));
  }
  CHECK(is_right(by_distance, R"({"ranks":{"b":0,"a":1,"m":2}})"));
  CHECK(!is_right(by_blocks, R"({"ranks":{"b":0,"a":1,"m":2}})"));
}

TEST_CASE("A wrong answer about victims is seen") {
  const std::string recorded = R"({"levels":["node"],"resources":["cpu"],"tree":{"n0":{},"n1":{}},
      "nodes":{"n0":{"capacity":[4],"allocated":[0]},"n1":{"capacity":[4],"allocated":[1]}},
      "size":4,"demand":[1],"constraints":{"node":{"hard":true}},"priority":2,
      "running":[{"name":"a","priority":1,"demand":[1],"nodes":{"n0":2}},
                 {"name":"b","priority":1,"demand":[1],"nodes":{"n0":1,"n1":1}}],
      "expect":{"needed":true,"possible":true,"cheapest_victim_sets":[["a","b"]]}})";
  const auto is_right = [&](std::string_view answer) {
    return IsRight("sakkara preemption", recorded, answer);
  };
  CHECK(is_right(R"({"needed":true,"victims":["b","a"],"placement":{"n0":4}})"));
  CHECK(!is_right(R"({"needed":false,"placement":{"n0":4}})"));
  CHECK(!is_right(R"({"needed":true,"possible":false})"));
  CHECK(!is_right(R"({"needed":true,"victims":["a"],"placement":{"n0":4}})"));
  CHECK(!is_right(R"({"needed":true,"victims":["a","b"],"placement":{"n1":4}})"));
  CHECK(!is_right(R"({"needed":true,"victims":["a","b"],"placement":{"n0":3,"n1":1}})"));
  CHECK(!is_right(R"({"needed":true,"victims":["a","b"],"placement":{"n0":3}})"));
}

}  // namespace
}  // namespace gangplan::conformance
