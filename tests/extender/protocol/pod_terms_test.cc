// A pod's required affinity and anti-affinity towards other pods.
#include <functional>
#include <string>

#include "extender/protocol/limits.h"
#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"
#include "topology/implied_resource.h"

namespace gangplan::pod_terms_test {
namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

PodFacts PodWith(std::string_view affinity) {
  std::string text = fmt::format(
      R"({{"metadata":{{"name":"p","namespace":"team","uid":"u","labels":{{"app":"x"}}}},)"
      R"("spec":{{"affinity":{{{}}}}}}})",
      affinity);
  const absl::StatusOr<PodFacts> pod = DecodePod(text);
  REQUIRE(ErrorOf(pod) == "");
  return *pod;
}

PodAffinity Near(std::string_view terms) {
  return PodWith(fmt::format(R"("podAffinity":{{"{}":[{}]}})", kRequired, terms)).affinity;
}
PodAffinity Apart(std::string_view terms) {
  return PodWith(fmt::format(R"("podAntiAffinity":{{"{}":[{}]}})", kRequired, terms)).affinity;
}

std::string Term(std::string_view rest, std::string_view key = "rack") {
  return fmt::format(R"({{"topologyKey":"{}",{}}})", key, rest);
}
const std::string kByApp = R"("labelSelector":{"matchLabels":{"app":"x"}})";

// The selectors as text, one after another.
std::string TextOf(const std::vector<PodAffinityTerm>& terms) {
  std::string text;
  for (const PodAffinityTerm& term : terms)
    text += fmt::format("[{}: {}]", term.topology_key, SelectorText(term.pods));
  return text;
}

std::string Times(size_t count, std::string_view item) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += fmt::format("{}{}", i > 0 ? "," : "", item);
  return text;
}

}  // namespace

TEST_CASE("Pod terms: selectors by labels, in their one order") {
  CHECK(TextOf(Apart(Term(kByApp)).apart) == "[rack: app=x of team]");
  CHECK(TextOf(Near(Term(R"("labelSelector":{"matchExpressions":[
      {"key":"z","operator":"DoesNotExist"},{"key":"b","operator":"NotIn","values":["2","1","2"]},
      {"key":"a","operator":"Exists"}],"matchLabels":{"c":"3"}})"))
                   .near) == "[rack: a,b notin (1,2),c=3,!z of team]");
  CHECK(TextOf(Apart(Term(R"("labelSelector":{})")).apart) == "[rack: all pods of team]");
}

TEST_CASE("Pod terms: whose pods") {
  CHECK(TextOf(Apart(Term(kByApp + R"(,"namespaces":["b","a"])")).apart) == "[rack: app=x of a,b]");
  CHECK(TextOf(Apart(Term(kByApp + R"(,"namespaceSelector":{})")).apart) ==
        "[rack: app=x of all namespaces]");
  CHECK(TextOf(Apart(Term(kByApp + R"(,"namespaceSelector":null)")).apart) ==
        "[rack: app=x of team]");
}

TEST_CASE("Pod terms: keys of labels mean the pod's own values, as the API server writes them") {
  const auto with = [](std::string_view keys) {
    return TextOf(Apart(Term(fmt::format("{},{}", kByApp, keys))).apart);
  };
  CHECK(with(R"("mismatchLabelKeys":["app"])") == "[rack: app=x,app!=x of team]");
  CHECK(with(R"("matchLabelKeys":["app"])") == "[rack: app=x of team]");
  CHECK(with(R"("matchLabelKeys":["none"],"mismatchLabelKeys":["job-name"])") ==
        "[rack: app=x of team]");
}

TEST_CASE("Pod terms: of a template the keys mean what its pods will have") {
  const auto terms = [](std::string_view job_labels, std::string_view key) {
    std::string text = fmt::format(
        R"({{"metadata":{{"name":"j","namespace":"team","uid":"ju"}},"spec":{{"suspend":true,)"
        R"("template":{{"metadata":{{"labels":{{"app":"x"{}}}}},"spec":{{"containers":[{{}}],)"
        R"("affinity":{{"podAntiAffinity":{{"{}":[{}]}}}}}}}}}}}})",
        job_labels, kRequired, Term(fmt::format(R"({},"mismatchLabelKeys":["{}"])", kByApp, key)));
    const absl::StatusOr<JobFacts> job = DecodeJob(text);
    REQUIRE(ErrorOf(job) == "");
    return TextOf(job->pods.front().affinity.apart);
  };
  const std::string name = "batch.kubernetes.io/job-name";
  CHECK(terms("", name) == "[rack: app=x,batch.kubernetes.io/job-name!=j of team]");
  CHECK(terms(R"(,"batch.kubernetes.io/job-name":"j")", name) == terms("", name));
  CHECK(terms("", "app") == "[rack: app=x,app!=x of team]");
  CHECK(terms("", "batch.kubernetes.io/job-completion-index").empty());
  CHECK(terms("", "other") == "[rack: app=x of team]");
}

TEST_CASE("Pod terms: what is not modelled is left out") {
  const std::string labelled = Term(kByApp + R"(,"namespaceSelector":{"matchLabels":{"a":"b"}})");
  const std::string compares =
      Term(R"("labelSelector":{"matchExpressions":[{"key":"k","operator":"Gt","values":["1"]}]})");
  const std::string nobody = Term(R"("namespaces":[])");
  for (const std::string& term : {labelled, compares, nobody, Term(kByApp, "")}) {
    INFO(term);
    CHECK(TextOf(Apart(term + "," + Term(kByApp)).apart) == "[rack: app=x of team]");
    CHECK(Near(term + "," + Term(kByApp)).near.empty());
  }
  CHECK(TextOf(Near(Term(kByApp) + "," + Term(kByApp, "zone")).near) ==
        "[rack: app=x of team][zone: app=x of team]");
}

TEST_CASE("Pod terms: what is wrong in them loses no pod, nor the other list") {
  const PodFacts pod =
      PodWith(fmt::format(R"("podAffinity":{{"{0}":[{1},7]}},"podAntiAffinity":{{"{0}":[{1}]}},)"
                          R"("nodeAffinity":{{"{0}":{{"nodeSelectorTerms":[{{"matchExpressions":[)"
                          R"({{"key":"k","operator":"Exists"}}]}}]}}}})",
                          kRequired, Term(kByApp)));
  CHECK(pod.affinity.near.empty());
  CHECK(pod.affinity.apart.size() == 1);
  CHECK(pod.filter.required_terms.has_value());
  CHECK(PodWith(R"("podAffinity":5,"podAntiAffinity":[])").affinity.empty());
  const std::string unknown = R"("labelSelector":{"matchExpressions":[{"key":"k"}]})";
  CHECK(Near(Term(unknown)).near.empty());
  CHECK(Apart(Term(unknown)).apart.empty());
}

TEST_CASE("Pod terms: limits, beyond which a list or a term is not modelled") {
  CHECK(Apart(Times(kMaxPodTerms, Term(kByApp))).apart.size() == kMaxPodTerms);
  CHECK(Apart(Times(kMaxPodTerms + 1, Term(kByApp))).apart.empty());
  CHECK(Near(Times(kMaxPodTerms, Term(kByApp))).near.size() == kMaxPodTerms);
  CHECK(Near(Times(kMaxPodTerms + 1, Term(kByApp))).near.empty());
  // "team" and "k", each with one byte between.
  const auto sized = [](size_t bytes) {
    std::string values;
    for (size_t left = bytes - 7, i = 0; left > 0; ++i) {
      const size_t value = std::min<size_t>(left, 200) - 1;
      values += fmt::format("{}\"{:03}{}\"", i > 0 ? "," : "", i, std::string(value - 3, 'v'));
      left -= value + 1;
    }
    return Term(fmt::format(
        R"("labelSelector":{{"matchExpressions":[{{"key":"k","operator":"In","values":[{}]}}]}})",
        values));
  };
  CHECK(Apart(sized(kMaxPodTermBytes)).apart.size() == 1);
  CHECK(Apart(sized(kMaxPodTermBytes + 1)).apart.empty());
}

TEST_CASE("Pod terms: who keeps apart from its like on a node takes the node of such pods") {
  const PodFacts alone = PodWith(fmt::format(R"("podAntiAffinity":{{"{}":[{}]}})", kRequired,
                                             Times(2, Term(kByApp, "kubernetes.io/hostname"))));
  CHECK(alone.requests ==
        ResourceList{{"pod anti-affinity to app=x of team", kWholeNode}, {"pods", 1}});
  const std::string other = R"("labelSelector":{"matchLabels":{"app":"y"}})";
  for (const std::string& term :
       {Term(other, "kubernetes.io/hostname"), Term(kByApp),
        Term(kByApp + R"(,"namespaces":["b"])", "kubernetes.io/hostname")}) {
    INFO(term);
    const PodFacts pod =
        PodWith(fmt::format(R"("podAntiAffinity":{{"{}":[{}]}})", kRequired, term));
    CHECK(pod.affinity.apart.size() == 1);
    CHECK(pod.requests == ResourceList{{"pods", 1}});
  }
}

// As the webhook of LeaderWorkerSets writes them.
TEST_CASE("Pod terms: the sub-group of a LeaderWorkerSet is the replica's business") {
  const auto pod_of = [](std::string_view sub_group) {
    const std::string own = fmt::format(
        R"("key":"leaderworkerset.sigs.k8s.io/subgroup-key","values":["{}"])", sub_group);
    const std::string_view any =
        R"({"key":"leaderworkerset.sigs.k8s.io/subgroup-key","operator":"Exists"})";
    std::string text = fmt::format(
        R"({{"metadata":{{"name":"p","namespace":"team","uid":"u","labels":{{)"
        R"("leaderworkerset.sigs.k8s.io/group-key":"r","app":"x",)"
        R"("leaderworkerset.sigs.k8s.io/subgroup-key":"s1"}}}},"spec":{{"affinity":{{)"
        R"("podAffinity":{{"{0}":[{1},{2}]}},"podAntiAffinity":{{"{0}":[{3}]}}}}}}}})",
        kRequired, Term(kByApp),
        Term(
            fmt::format(R"("labelSelector":{{"matchExpressions":[{{{},"operator":"In"}}]}})", own)),
        Term(fmt::format(R"("labelSelector":{{"matchExpressions":[{},{{{},"operator":"NotIn"}}]}})",
                         any, own)));
    const absl::StatusOr<PodFacts> pod = DecodePod(text);
    REQUIRE(ErrorOf(pod) == "");
    return pod->affinity;
  };
  const PodAffinity own = pod_of("s1");
  CHECK(TextOf(own.near) == "[rack: app=x of team]");
  CHECK(TextOf(own.apart) ==
        "[rack: leaderworkerset.sigs.k8s.io/group-key!=r,leaderworkerset.sigs.k8s.io/subgroup-key "
        "of team]");
  // Somebody else's words about them are taken as they are.
  const PodAffinity other = pod_of("s2");
  CHECK(other.near.size() == 2);
  CHECK(TextOf(other.apart) ==
        "[rack: leaderworkerset.sigs.k8s.io/subgroup-key!=s2,leaderworkerset.sigs.k8s.io/"
        "subgroup-key of team]");
}

}  // namespace gangplan::pod_terms_test
