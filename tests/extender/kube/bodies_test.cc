#include "extender/kube/bodies.h"

#include "extender/kube/limits.h"
#include "tests/support/catch.h"

namespace gangplan::bodies_test {
namespace {

const absl::Time kNow = absl::FromUnixMicros(1'800'000'000'123'456);

TEST_CASE("a Binding carries the UID and the annotations") {
  const BindingWrite write{{"ns", "p", "u1"}, "n1", {{"gangplan.io/assigned-rank", "3"}}, kNow};
  CHECK(BindingBody(write) ==
        R"({"apiVersion":"v1","kind":"Binding","metadata":{"namespace":"ns","name":"p","uid":"u1",)"
        R"("annotations":{"gangplan.io/assigned-rank":"3"}},)"
        R"("target":{"apiVersion":"v1","kind":"Node","name":"n1"}})");
  CHECK(BindingBody({{"ns", "p", "u1"}, "n1", {}, kNow}).find("annotations") == std::string::npos);
}

TEST_CASE("a Binding carries labels when there are any") {
  BindingWrite write{{"ns", "p", "u1"}, "n1", {}, kNow, {{"sakkara.member.rank", "3"}}};
  CHECK(BindingBody(write) ==
        R"({"apiVersion":"v1","kind":"Binding","metadata":{"namespace":"ns","name":"p","uid":"u1",)"
        R"("labels":{"sakkara.member.rank":"3"}},)"
        R"("target":{"apiVersion":"v1","kind":"Node","name":"n1"}})");
  write.labels.clear();
  CHECK(BindingBody(write).find("labels") == std::string::npos);
}

TEST_CASE("patches of data and labels set and remove") {
  const LabelPatch patch = {{"a", "x\"y"}, {"b", std::nullopt}, {"c", ""}};
  CHECK(DataBody("u1", patch) ==
        R"({"metadata":{"uid":"u1"},"data":{"a":"x\"y","b":null,"c":""}})");
  CHECK(LabelsBody("u1", patch) ==
        R"({"metadata":{"uid":"u1","labels":{"a":"x\"y","b":null,"c":""}}})");
  CHECK(DataBody("u1", {}) == R"({"metadata":{"uid":"u1"},"data":{}})");
}

TEST_CASE("patches carry the UID") {
  CHECK(NominationBody("u1", "n1") ==
        R"({"metadata":{"uid":"u1"},"status":{"nominatedNodeName":"n1"}})");
  CHECK(WakeBody("u1", kNow) ==
        R"({"metadata":{"uid":"u1",)"
        R"("annotations":{"gangplan.io/wake":"2027-01-15T08:00:00.123456Z"}}})");
}

TEST_CASE("an Event has all that the API demands") {
  EventNote note{"ns", {"batch/v1", "Job", "train", "u9"}, true, "Waiting", "Plan", "no \"room\""};
  CHECK(EventBody(note, "train.1", "host-1", kNow) ==
        R"({"apiVersion":"events.k8s.io/v1","kind":"Event",)"
        R"("metadata":{"namespace":"ns","name":"train.1"},)"
        R"("eventTime":"2027-01-15T08:00:00.123456Z","reportingController":"gangplan.io/extender",)"
        R"("reportingInstance":"host-1","action":"Plan","reason":"Waiting",)"
        R"("regarding":{"apiVersion":"batch/v1","kind":"Job",)"
        R"("namespace":"ns","name":"train","uid":"u9"},)"
        R"("note":"no \"room\"","type":"Warning"})");
}

TEST_CASE("an Event's note is cut at its limit") {
  EventNote note{
      "ns", {"v1", "Pod", "p", "u"}, false, "R", "A", std::string(kMaxEventNoteBytes, 'x')};
  const std::string whole = EventBody(note, "e", "i", kNow);
  note.note += "y";
  CHECK(EventBody(note, "e", "i", kNow) == whole);
  CHECK(whole.find(note.note.substr(0, kMaxEventNoteBytes)) != std::string::npos);
}

TEST_CASE("control bytes of any text reach the API server escaped") {
  const BindingWrite write{{"ns", "p\x1c", "u1"}, "n1", {{"k", "\x1a"}}, kNow};
  const std::string body = BindingBody(write);
  CHECK(body.find(R"("name":"p\u001c")") != std::string::npos);
  CHECK(body.find(R"("k":"\u001a")") != std::string::npos);
}

}  // namespace
}  // namespace gangplan::bodies_test
