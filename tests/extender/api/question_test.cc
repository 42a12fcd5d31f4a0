#include "extender/api/question.h"

#include "extender/api/limits.h"
#include "extender/api/percent.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::question_test {
namespace {

const std::string kOurs = "/apis/gangplan.io/v1alpha1";

Question Read(const std::string& target) {
  const auto question = ReadQuestion(target);
  INFO(target << ": " << Message(question.status()));
  REQUIRE(question.ok());
  return *question;
}

std::string Refusal(const std::string& target) {
  const auto question = ReadQuestion(target);
  INFO(target);
  CHECK(absl::IsInvalidArgument(question.status()));
  return Message(question.status());
}

// verb resource/subresource in namespace, name, rest
std::string RightOf(const std::string& target) {
  const Question question = Read(target);
  const Access& access = question.access;
  return fmt::format("{} {}/{} in {}, {}, {}", access.verb, access.resource, access.subresource,
                     access.ns, access.name, question.rest);
}

TEST_CASE("Question: the right is the one that the API server asks for") {
  CHECK(RightOf(kOurs + "/gangs") == "list gangs/ in , , ");
  CHECK(RightOf(kOurs + "/namespaces/ml/gangs") == "list gangs/ in ml, , ");
  CHECK(RightOf(kOurs + "/namespaces/ml/gangs/a") == "get gangs/ in ml, a, ");
  CHECK(RightOf(kOurs + "/namespaces/ml/gangs/a/explanation") ==
        "get gangs/explanation in ml, a, ");
  CHECK(RightOf(kOurs + "/namespaces/ml/gangs/a/b/c/d") == "get gangs/b in ml, a, c/d");
  CHECK(RightOf(kOurs + "/gangs/a") == "get gangs/ in , a, ");
  CHECK(RightOf(kOurs + "/namespaces/ml") == "get namespaces/ in , ml, ");
  CHECK(RightOf(kOurs + "/topology") == "list topology/ in , , ");
  CHECK(RightOf(kOurs + "/page/v1/list") == "get page/list in , v1, ");
  CHECK(RightOf(kOurs + "/page/") == "list page/ in , , ");
  CHECK(RightOf(kOurs + "/namespaces/ml/gangs?fieldSelector=metadata.name%3Da") ==
        "list gangs/ in ml, a, ");
  CHECK(Read(kOurs + "/gangs").access.group == "gangplan.io");
  CHECK(Read(kOurs + "/gangs").access.version == "v1alpha1");
  for (const std::string& other :
       {std::string("/"), std::string("/apis"), kOurs, kOurs + "/",
        std::string("/apis/other.io/v1alpha1/gangs"), std::string("/apis/gangplan.io/v1/gangs"),
        std::string("/openapi/v2")}) {
    CHECK(Read(other).access.resource.empty());
  }
}

TEST_CASE("Question: names are decoded part by part") {
  CHECK(Read(kOurs + "/namespaces/ml/gangs/a~20b").access.name == "a~20b");
  CHECK(Read(kOurs + "/namespaces/ml/gangs/a%20b").access.name == "a b");
  const std::string longest(kMaxApiNameBytes, 'a');
  CHECK(Read(kOurs + "/namespaces/ml/gangs/" + longest).access.name == longest);
  for (const std::string& part : {std::string("a%2Fb"), std::string("%2e%2E"), std::string("."),
                                  std::string("a%"), std::string("a%4"), std::string("a%4g"),
                                  std::string("%-1"), longest + "a", std::string("/x")}) {
    INFO(part);
    CHECK(Refusal(kOurs + "/namespaces/ml/gangs/" + part)
              .starts_with("the path has a part that is "
                           "no name"));
  }
  CHECK(Refusal("http://x/") == "the path begins with no /");
}

TEST_CASE("Question: pages") {
  CHECK(Read(kOurs + "/gangs").limit == 0);
  CHECK(Read(kOurs + "/gangs?limit=500").limit == 500);
  CHECK(Read(kOurs + "/gangs?limit=").limit == 0);
  CHECK(Read(fmt::format("{}/gangs?limit={}", kOurs, kMaxPageItems)).limit == kMaxPageItems);
  for (const std::string& limit : {std::string("-1"), std::string("x"), std::string("1x"),
                                   fmt::format("{}", kMaxPageItems + 1)})
    CHECK(Refusal(kOurs + "/gangs?limit=" + limit).find("expected 0 to 10000000") !=
          std::string::npos);
  const std::string token = ContinueAfter("ml/a b?&=%");
  CHECK(token.find_first_not_of(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=") ==
        std::string::npos);
  CHECK(Read(kOurs + "/gangs?limit=1&continue=" + token).after == "ml/a b?&=%");
  const std::string too_long = ContinueAfter("ml/" + std::string(kMaxContinueBytes, 'a'));
  for (const std::string& wrong : {std::string("!"), ContinueAfter("ml"), too_long})
    CHECK(Refusal(kOurs + "/gangs?continue=" + wrong) == "continue: no token of ours");
}

TEST_CASE("Question: fields choose, labels do not") {
  const auto terms = [](const std::string& selector) {
    std::string text;
    for (const FieldTerm& term : Read(kOurs + "/gangs?fieldSelector=" + selector).fields)
      text += fmt::format("{}{}{} ", term.field, term.equal ? "=" : "!=", term.value);
    return text;
  };
  CHECK(terms("metadata.name=a") == "metadata.name=a ");
  CHECK(terms("metadata.name%3D%3Da%2Cmetadata.namespace!%3Db") ==
        "metadata.name=a metadata.namespace!=b ");
  CHECK(terms("status.state=Blocked").starts_with("status.state=Blocked"));
  CHECK(terms("").empty());
  CHECK(Refusal(kOurs + "/gangs?fieldSelector=spec.size=1") ==
        "fieldSelector: field label not supported: spec.size; expected metadata.name, "
        "metadata.namespace, status.state");
  CHECK(Refusal(kOurs + "/gangs?fieldSelector=metadata.name") ==
        "fieldSelector: \"metadata.name\"; expected FIELD=VALUE");
  CHECK(Refusal(kOurs + "/gangs?fieldSelector=%3Da").ends_with("expected FIELD=VALUE"));
  const std::string most = "metadata.name=" + std::string(kMaxSelectorBytes - 14, 'a');
  CHECK(terms(most) == most + " ");
  CHECK(Refusal(kOurs + "/gangs?fieldSelector=" + most + "a") ==
        "fieldSelector is longer than 4096 bytes");
  CHECK(Refusal(kOurs + "/gangs?labelSelector=a%3Db")
            .starts_with("labelSelector: gangs have no "
                         "labels"));
}

TEST_CASE("Question: other options") {
  CHECK(Read(kOurs + "/gangs?timeout=30s&pretty=true&resourceVersion=0&watch=false").limit == 0);
  CHECK(absl::IsUnimplemented(ReadQuestion(kOurs + "/gangs?watch=true").status()));
  CHECK(absl::IsUnimplemented(ReadQuestion(kOurs + "/gangs?watch=1").status()));
  CHECK(Read(kOurs + "/gangs").include == "Metadata");
  CHECK(Read(kOurs + "/gangs?includeObject=None").include == "None");
  CHECK(Refusal(kOurs + "/gangs?includeObject=All").ends_with("expected None, Metadata or Object"));
  CHECK(Read(kOurs + "/namespaces/ml/gangs/a/explanation?of=pod").of_pod);
  CHECK(Refusal(kOurs + "/gangs?of=job") == "of: \"job\"; expected pod");
  CHECK(Refusal(kOurs + "/gangs?a=%") == "the query has a % without two digits behind it");
}

AnswerForm Form(const std::string& headers) {
  const std::string text = fmt::format("GET / HTTP/1.1\r\n{}\r\n", headers);
  return FormOf(*ReadHead(text));
}

TEST_CASE("Question: of what is accepted the first that there is") {
  CHECK(Form("") == AnswerForm::kObject);
  CHECK(Form("Accept: */*\r\n") == AnswerForm::kObject);
  CHECK(Form("Accept: application/json\r\n") == AnswerForm::kObject);
  CHECK(Form("Accept: application/vnd.kubernetes.protobuf,application/json\r\n") ==
        AnswerForm::kObject);
  CHECK(Form("Accept: application/json;as=Table;v=v1;g=meta.k8s.io,"
             "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json\r\n") ==
        AnswerForm::kTable);
  CHECK(Form("Accept: application/json; g=meta.k8s.io; as=Table; v=v1\r\n") == AnswerForm::kTable);
  CHECK(Form("Accept: application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json\r\n") ==
        AnswerForm::kObject);
  CHECK(Form("Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
             "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
             "application/json\r\n") == AnswerForm::kDiscovery);
  CHECK(Form("Accept: text/plain\r\nAccept: application/json\r\n") == AnswerForm::kObject);
  CHECK(Form("Accept: application/yaml\r\n") == AnswerForm::kNone);
  CHECK(Form("Accept: application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io\r\n") ==
        AnswerForm::kNone);
  CHECK(Form("Accept: \r\n") == AnswerForm::kNone);
}

TEST_CASE("Percent: digits in any case, and nothing else") {
  CHECK(PercentDecoded("a%2fb%2F") == "a/b/");
  CHECK(PercentDecoded("") == "");
  CHECK(PercentDecoded("%00") == std::string(1, '\0'));
  for (const char* wrong : {"%", "%1", "%1g", "% 1", "%+1", "a%"})
    CHECK_FALSE(PercentDecoded(wrong));
}

}  // namespace
}  // namespace gangplan::question_test
