#include "extender/api/front_proxy.h"

#include <thread>

#include "extender/api/limits.h"
#include "fmt/format.h"
#include "tests/extender/kube/kube_fakes.h"
#include "tests/support/catch.h"
#include "tests/support/stub_api.h"
#include "topology/base/text.h"

namespace gangplan::front_proxy_test {
namespace {

std::string ConfigMap(const std::string& data) {
  return R"({"kind":"ConfigMap","metadata":{"name":"x"},"data":{)" + data + "}}";
}

const std::string kWhole =
    ConfigMap(R"("client-ca-file":"clients","requestheader-client-ca-file":"proxies",)"
              R"("requestheader-allowed-names":"[\"front-proxy-client\",\"b\"]",)"
              R"("requestheader-username-headers":"[\"X-Remote-User\"]",)"
              R"("requestheader-uid-headers":"[\"X-Remote-Uid\"]",)"
              R"("requestheader-group-headers":"[\"X-Remote-Group\"]",)"
              R"("requestheader-extra-headers-prefix":"[\"X-Remote-Extra-\"]")");

std::string Refusal(std::string json) {
  const auto facts = ParseFrontProxy(json);
  CHECK_FALSE(facts.ok());
  return Message(facts.status());
}

TEST_CASE("FrontProxy: the ConfigMap names an authority, names and headers") {
  std::string json = kWhole;
  const auto facts = ParseFrontProxy(json);
  REQUIRE(facts.ok());
  CHECK(facts->trust.authorities == "proxies");
  CHECK(facts->trust.names == std::vector<std::string>{"front-proxy-client", "b"});
  CHECK(facts->headers ==
        ProxyHeaders{{"X-Remote-User"}, {"X-Remote-Uid"}, {"X-Remote-Group"}, {"X-Remote-Extra-"}});
}

TEST_CASE("FrontProxy: names may be none, as in a cluster that allows all") {
  std::string json =
      ConfigMap(R"("requestheader-client-ca-file":"p","requestheader-username-headers":"[\"U\"]",)"
                R"("requestheader-allowed-names":"[]")");
  const auto facts = ParseFrontProxy(json);
  REQUIRE(facts.ok());
  CHECK(facts->trust.names.empty());
  CHECK(facts->headers.groups.empty());
}

TEST_CASE("FrontProxy: what is not whole is refused") {
  const std::string user = R"("requestheader-username-headers":"[\"U\"]")";
  const std::string authority = R"("requestheader-client-ca-file":"p")";
  CHECK(Refusal(ConfigMap(user)).starts_with("requestheader-client-ca-file is missing"));
  CHECK(Refusal(ConfigMap(authority)) == "requestheader-username-headers is missing");
  CHECK(Refusal("{}").starts_with("requestheader-client-ca-file is missing"));
  CHECK_FALSE(Refusal("[").empty());
  for (const std::string list : {"x", "{}", "[1]", "[\\\"a\\\""}) {
    CHECK_FALSE(Refusal(ConfigMap(authority + "," + user + R"(,"requestheader-allowed-names":")" +
                                  list + "\""))
                    .empty());
  }
}

std::string WithNames(size_t count) {
  std::string names;
  for (size_t i = 0; i < count; ++i) names += fmt::format("{}\\\"n{}\\\"", i == 0 ? "" : ",", i);
  return ConfigMap(
      R"("requestheader-client-ca-file":"p","requestheader-username-headers":"[\"U\"]",)"
      R"("requestheader-allowed-names":"[)" +
      names + "]\"");
}

TEST_CASE("FrontProxy: so many names, and no more") {
  std::string most = WithNames(kMaxFrontProxyNames);
  const auto facts = ParseFrontProxy(most);
  REQUIRE(facts.ok());
  CHECK(facts->trust.names.size() == kMaxFrontProxyNames);
  CHECK_FALSE(Refusal(WithNames(kMaxFrontProxyNames + 1)).empty());
}

TEST_CASE("FrontProxy: another trust is another pointer, the same facts are not") {
  KnownFrontProxy known;
  CHECK(known.Now() == nullptr);
  CHECK(known.headers() == nullptr);
  FrontProxyFacts facts{{"a", {"n"}}, {{"U"}, {}, {}, {}}};
  CHECK(known.Set(facts));
  const auto first = known.Now();
  CHECK(first->authorities == "a");
  CHECK(known.headers()->user == std::vector<std::string>{"U"});
  CHECK_FALSE(known.Set(facts));
  CHECK(known.Now() == first);
  facts.trust.names.push_back("m");
  CHECK(known.Set(facts));
  CHECK(known.Now() != first);
}

TEST_CASE("FrontProxy: it is read from the cluster, and what cannot be read leaves the last") {
  StubApi api;
  const std::string path =
      "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
  api.answers[path] = {200, kWhole};
  const auto known = std::make_shared<KnownFrontProxy>();
  {
    const FrontProxyReader reader(api.Make(), known);
    while (known->Now() == nullptr) std::this_thread::yield();
  }
  CHECK(known->Now()->authorities == "proxies");
  api.answers[path] = {403, "no"};
  { const FrontProxyReader reader(api.Make(), known); }
  CHECK(known->Now()->authorities == "proxies");
}

}  // namespace
}  // namespace gangplan::front_proxy_test
