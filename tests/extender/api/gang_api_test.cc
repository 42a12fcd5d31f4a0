// One request, one reply: what is refused to whom, and what is told.
#include "extender/api/gang_api.h"

#include "extender/api/limits.h"
#include "tests/extender/api/gang_api_world.h"
#include "tests/support/catch.h"

namespace gangplan::gang_api_test {
namespace {

const std::string kTable =
    "Accept: application/json;as=Table;v=v1;g=meta.k8s.io,application/json\r\n";

// Jane may see the namespace ml, root everything; of the namespace lost nobody knows.
class Judge : public Reviewer {
 public:
  absl::StatusOr<bool> May(const User& user, const Access& access) override {
    last = access;
    if (access.ns == "lost") return absl::UnavailableError("no connection");
    return user.name == "root" || (user.name == "jane" && access.ns == "ml");
  }
  Access last;
};

struct World : GangApiWorld<FakeSource, Judge> {
  World()
      : GangApiWorld({{MakeReport("ml", "done", 1), "b0/r1 (4 nodes)"},
                      {MakeBlocked("ml", "a b", 2), ""},
                      {MakeReport("other", "secret", 3), "b1"}}) {}
  bool Counted(std::string_view line) const {
    return metrics.Text().find(fmt::format("\n{}\n", line)) != std::string::npos;
  }
};

void CheckStatus(const HttpReply& reply, int code, const std::string& reason,
                 const std::string& message) {
  INFO(reply.body);
  CHECK(reply.status == code);
  CHECK(reply.content_type == "application/json");
  CHECK(reply.body.starts_with(R"({"kind":"Status","apiVersion":"v1","metadata":{},)"
                               R"("status":"Failure","message":")"));
  CHECK(reply.body.find(fmt::format(R"("reason":"{}")", reason)) != std::string::npos);
  CHECK(reply.body.ends_with(fmt::format(R"("code":{}}})", code)));
  CHECK(reply.body.find(message) != std::string::npos);
}

TEST_CASE("GangApi: who may see a namespace sees its gangs, and no others") {
  World world;
  const HttpReply list = world.Get(kOurs + "/namespaces/ml/gangs");
  CHECK(list.status == 200);
  CHECK(list.body.find(R"("kind":"GangList")") != std::string::npos);
  CHECK(list.body.find(R"("name":"done")") != std::string::npos);
  CHECK(list.body.find(R"("name":"a~20b")") != std::string::npos);
  CHECK(list.body.find("secret") == std::string::npos);
  CheckStatus(world.Get(kOurs + "/namespaces/other/gangs"), 403, "Forbidden",
              R"(gangs.gangplan.io is forbidden: User \"jane\" cannot list resource \"gangs\" in )"
              R"(API group \"gangplan.io\" in the namespace \"other\")");
  CheckStatus(world.Get(kOurs + "/gangs"), 403, "Forbidden", "at the cluster scope");
  CheckStatus(world.Get(kOurs + "/namespaces/other/gangs/secret"), 403, "Forbidden",
              R"(gangs.gangplan.io \"secret\" is forbidden)");
  CheckStatus(world.Get(kOurs + "/namespaces/ml/gangs/done", "john"), 403, "Forbidden", "john");
  const HttpReply all = world.Get(kOurs + "/gangs", "root");
  CHECK(all.body.find("secret") != std::string::npos);
  CHECK(world.Counted("gangplan_api_requests_total{result=\"ok\"} 2"));
  CHECK(world.Counted("gangplan_api_requests_total{result=\"refused\"} 4"));
}

TEST_CASE("GangApi: who is nobody is told nothing") {
  World world;
  const std::string line = "GET " + kOurs + "/namespaces/ml/gangs HTTP/1.1\r\n";
  CheckStatus(world.Send(line + "\r\n"), 401, "Unauthorized", "no header names a user");
  CheckStatus(world.Send(line + "X-Remote-User: jane\r\nX-Remote-User: root\r\n\r\n"), 401,
              "Unauthorized", "X-Remote-User is there 2 times");
  CheckStatus(world.Send(line + "X-Remote-User : jane\r\n\r\n"), 400, "BadRequest", "malformed");
  CheckStatus(world.Send(""), 400, "BadRequest", "malformed");
  CheckStatus(world.Send("GET /apis HTTP/1.1\r\n\r\n"), 401, "Unauthorized", "no header");
  World unknown;
  KnownFrontProxy none;
  GangApi api(unknown.source, unknown.judge, none, unknown.metrics, unknown.clock, {});
  HttpCall call;
  call.head = line + "X-Remote-User: root\r\n\r\n";
  CheckStatus(api.Serve(call), 401, "Unauthorized", "the front proxy is not known yet");
}

TEST_CASE("GangApi: a right that nobody knows is none") {
  World world;
  CheckStatus(world.Get(kOurs + "/namespaces/lost/gangs", "root"), 503, "ServiceUnavailable",
              "whether you may is not known: no connection");
  CHECK(world.Counted("gangplan_api_requests_total{result=\"failed\"} 1"));
}

TEST_CASE("GangApi: an object, a table, and what is not there") {
  World world;
  const HttpReply one = world.Get(kOurs + "/namespaces/ml/gangs/a~20b");
  CHECK(one.status == 200);
  CHECK(one.body.find(R"("evidence":["rack: most room now in b0/r1: 3, 1 short",)") !=
        std::string::npos);
  const HttpReply table = world.Get(kOurs + "/namespaces/ml/gangs", "jane", kTable);
  CHECK(table.body.starts_with(R"({"kind":"Table")"));
  CHECK(table.body.find(
            R"row(["done","Running","4/4","b0/r1 (4 nodes)","60m","","Job",4,0,"none",)row"
            R"("rack=pack!"])") != std::string::npos);
  const HttpReply row = world.Get(kOurs + "/namespaces/ml/gangs/done", "jane", kTable);
  CHECK(row.body.find(R"("cells":["done",)") != std::string::npos);
  CHECK(row.body.find("a~20b") == std::string::npos);
  for (const std::string& headers : {std::string(), kTable})
    CheckStatus(world.Get(kOurs + "/namespaces/ml/gangs/nobody", "jane", headers), 404, "NotFound",
                R"(gangs.gangplan.io \"nobody\" not found)");
}

TEST_CASE("GangApi: explanations and histories, each by its own right") {
  World world;
  const HttpReply told = world.Get(kOurs + "/namespaces/ml/gangs/a~20b/explanation");
  CHECK(told.body == "explained: ml/a b\n");
  CHECK(told.content_type.starts_with("text/plain"));
  CHECK(world.judge.last.subresource == "explanation");
  CHECK(world.judge.last.verb == "get");
  CHECK(world.judge.last.name == "a~20b");
  world.Get(kOurs + "/namespaces/ml/gangs/a-0/explanation?of=pod");
  CHECK(world.source.asked_for == "pod ml/a-0");
  // A namespace is what it is called, and no word of ours.
  world.Get(kOurs + "/namespaces/pod/gangs/team~2Fa/explanation", "root");
  CHECK(world.source.asked_for == "pod/team/a");
  CHECK(world.Get(kOurs + "/namespaces/ml/gangs/a/history").body == R"("history/ml/a")");
  CHECK(world.judge.last.subresource == "history");
  CheckStatus(world.Get(kOurs + "/namespaces/ml/gangs/none/history"), 404, "NotFound", "none");
  CheckStatus(world.Get(kOurs + "/namespaces/other/gangs/secret/explanation"), 403, "Forbidden",
              R"(cannot get resource \"gangs/explanation\")");
  for (const std::string path : {"a~/explanation", "a~~1/history"})
    CheckStatus(world.Get(kOurs + "/namespaces/ml/gangs/" + path), 404, "NotFound", "not found");
  world.clock.Advance(kSnapshotLasts);
  world.source.explained = InfoHandler::Answer{404, "no group ml/a b\n", "text/plain"};
  CheckStatus(world.Get(kOurs + "/namespaces/ml/gangs/a~20b/explanation"), 404, "NotFound",
              "no group ml/a b");
}

TEST_CASE("GangApi: of several of one name each can be explained, and has that name's history") {
  World world;
  world.source.groups.push_back({MakeReport("ml", "done", 7), "b0/r2"});
  world.source.groups.push_back({MakeBlocked("ml", "done", 0), ""});  // without a group
  const std::string gangs = kOurs + "/namespaces/ml/gangs/";
  CHECK(world.Get(gangs + "done~~1").status == 200);
  CHECK(world.Get(gangs + "done~~1/explanation").body == "explained: ml/done that is 1\n");
  CHECK(world.judge.last.name == "done~~1");
  CHECK(world.Get(gangs + "done/explanation").body == "explained: ml/done\n");
  CHECK(world.Get(gangs + "done~~1/history").body == R"("history/ml/done")");
  const HttpReply alone = world.Get(gangs + "done~~uid-0/explanation");
  CHECK(alone.status == 200);
  CHECK(alone.body.starts_with("Job ml/done: Blocked"));
  CheckStatus(world.Get(gangs + "done~~3/explanation"), 404, "NotFound",
              R"(gangs.gangplan.io \"done~~3\" not found)");
}

TEST_CASE("GangApi: the nodes and the page are of the cluster, not of a namespace") {
  World world;
  CHECK(world.Get(kOurs + "/topology", "root").body == R"("topology")");
  CheckStatus(world.Get(kOurs + "/topology"), 403, "Forbidden", "cluster scope");
  CHECK(world.Get(kOurs + "/page/", "root").body == "page: ");
  CHECK(world.judge.last.verb == "list");  // as the API server has it of a path without a name
  CHECK(world.Get(kOurs + "/page/v1/groups/ml/a", "root").body == R"("groups/ml/a")");
  CHECK(world.judge.last.resource == "page");
  CHECK(world.judge.last.subresource == "groups");
  CHECK(world.Get(kOurs + "/page/page/map.js", "root").body == "page: page/map.js");
  CHECK(world.judge.last.subresource.empty());
  CHECK(world.judge.last.verb == "get");
  CheckStatus(world.Get(kOurs + "/page/v1/list"), 403, "Forbidden",
              R"(cannot get resource \"page/list\")");
}

TEST_CASE("GangApi: what there is not") {
  World world;
  const std::string ns = kOurs + "/namespaces/ml/";
  for (const std::string& path :
       {std::string("/"), std::string("/openapi/v2"), std::string("/openapi/v3"),
        std::string("/apis/other.io"), kOurs + "/pods", kOurs + "/gangs/done", ns + "topology",
        ns + "page", ns + "gangs/done/scale", ns + "gangs/done/history/more", kOurs + "/topology/x",
        kOurs + "/namespaces/ml"}) {
    INFO(path);
    CheckStatus(world.Get(path, "root"), 404, "NotFound", "could not find the requested resource");
  }
  CheckStatus(world.Get(ns + "gangs?watch=1"), 405, "MethodNotAllowed", "cannot be watched");
  CheckStatus(world.Get(ns + "gangs?labelSelector=a"), 400, "BadRequest", "no labels");
  CheckStatus(world.Get(ns + "gangs/%2e%2e"), 400, "BadRequest", "no name");
  CheckStatus(world.Get(ns + "gangs", "jane", "Accept: application/yaml\r\n"), 406, "NotAcceptable",
              "application/json");
}

TEST_CASE("GangApi: before the cluster is read it says so") {
  World world;
  world.source.not_ready = "the nodes are being read";
  for (const std::string path : {"gangs", "gangs/done"})
    CheckStatus(world.Get(kOurs + "/namespaces/ml/" + path), 503, "ServiceUnavailable",
                "the nodes are being read");
}

TEST_CASE("GangApi: discovery is for everybody whom the proxy names") {
  World world;
  const HttpReply groups = world.Get("/apis", "system:anonymous");
  CHECK(groups.body.starts_with(R"({"kind":"APIGroupList","apiVersion":"v1","groups":[{)"
                                R"("name":"gangplan.io","versions":[)"));
  const HttpReply aggregated =
      world.Get("/apis", "x",
                "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
                "application/json\r\n");
  CHECK(aggregated.content_type ==
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  CHECK(aggregated.body.find(R"("resource":"gangs","responseKind":{"group":"gangplan.io",)"
                             R"("version":"v1alpha1","kind":"Gang"},"scope":"Namespaced",)"
                             R"("singularResource":"gang","verbs":["get","list"],)"
                             R"("shortNames":["gg"])") != std::string::npos);
  CHECK(world.Get("/apis/gangplan.io", "x").body.starts_with(R"({"kind":"APIGroup",)"));
  CHECK(world.Get(kOurs, "x").body ==
        R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"gangplan.io/v1alpha1",)"
        R"("resources":[{"name":"gangs","singularName":"gang","namespaced":true,"kind":"Gang",)"
        R"("verbs":["get","list"],"shortNames":["gg"]},{"name":"gangs/explanation",)"
        R"("singularName":"","namespaced":true,"kind":"Gang","verbs":["get"]},)"
        R"({"name":"gangs/history","singularName":"","namespaced":true,"kind":"Gang",)"
        R"("verbs":["get"]}]})");
  CHECK(world.Get(kOurs + "/", "x").status == 200);
}

TEST_CASE("GangApi: the routes take GET of everything") {
  World world;
  const Routes routes = ApiRoutes(world.api);
  REQUIRE(routes.size() == 2);
  CHECK(routes[0].path == kOurs + "/");
  CHECK(routes[0].is_long);
  CHECK(routes[1].path == "/");
  CHECK_FALSE(routes[1].is_long);
  for (const Route& route : routes) CHECK((route.method == "GET" && route.below));
}

}  // namespace
}  // namespace gangplan::gang_api_test
