// The scheduler's verbs and the probe pages from wire bytes to wire bytes.
#include "extender/server/routes.h"

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "extender/server/http_server.h"
#include "tests/extender/app/standard_error.h"
#include "tests/extender/server/loopback_client.h"
#include "tests/support/catch.h"
#include "topology/base/json_text.h"
#include "topology/base/text.h"

namespace gangplan::routes_test {
namespace {

// Lets only node "n2" pass; binds everything but to node "full".
class TestVerbs : public VerbHandler {
 public:
  FilterReply Filter(const FilterRequest& request) override {
    FilterReply reply;
    if (request.pod.name == "broken") throw std::runtime_error("broken");
    if (request.pod.name == "lost") {
      reply.error = "not synced";
      return reply;
    }
    if (!request.nodes) return reply;
    RejectedNodes rejected{{}, "waits"};
    const std::vector<std::string_view>& names = request.nodes->names;
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == "n2") {
        reply.passed.push_back(static_cast<int32_t>(i));
      } else {
        rejected.names.push_back(names[i]);
      }
    }
    reply.unresolvable.push_back(rejected);
    return reply;
  }
  std::vector<HostScore> Prioritize(const FilterRequest& request) override {
    return {{request.nodes->names.at(0), 7}};
  }
  std::string Bind(const BindRequest& request, const PeerConnection& connection) override {
    std::lock_guard lock(mutex_);
    bound_.push_back(request.pod_namespace + "/" + request.pod_name + "=" + request.node);
    last_call_ = connection.id;
    return request.node == "full" ? "no room" : "";
  }
  std::vector<PreemptReplyNode> Preempt(const PreemptRequest& request) override {
    return {{request.nodes.at(0).node, {request.nodes.at(0).victim_uids.at(0)}, 2}};
  }

  std::vector<std::string> bound() {
    std::lock_guard lock(mutex_);
    return bound_;
  }
  int64_t last_call() {
    std::lock_guard lock(mutex_);
    return last_call_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> bound_;
  int64_t last_call_ = 0;
};

class TestInfo : public InfoHandler {
 public:
  std::string WhyNotAlive() override { return alive ? "" : "it hangs"; }
  std::string WhyNotReady() override { return ready ? "" : "it reads"; }
  std::string Metrics() override { return "figure 1\n"; }
  Answer Info(const std::string& path) override {
    if (path == "groups/a/b") return {200, R"({"name":"b"})"};
    if (path == "page") return {200, "words", "text/plain"};
    return {404, R"({"error":"no such group"})"};
  }

  std::atomic<bool> alive = true;
  std::atomic<bool> ready = false;
};

struct VerbServer {
  VerbServer() : server(*HttpServer::Start({}, VerbRoutes(verbs, metrics), &metrics)) {}
  ClientReply Call(const std::string& verb, const std::string& body) {
    return LoopbackClient(server->port()).Call(PostText("/v1/extender/" + verb, body));
  }
  bool Counted(const std::string& verb, const std::string& result) const {
    return metrics.Text().find("gangplan_verb_calls_total{result=\"" + result + "\",verb=\"" +
                               verb + "\"} 1\n") != std::string::npos;
  }

  Metrics metrics;
  TestVerbs verbs;
  std::unique_ptr<HttpServer> server;
};

std::string FilterBody(const std::string& pod, const std::string& names) {
  return R"({"Pod":{"metadata":{"name":")" + pod +
         R"(","namespace":"a","uid":"u"},"spec":{"containers":[]}},"Nodes":null,"NodeNames":)" +
         names + "}";
}

TEST_CASE("filter answers with the nodes that pass") {
  VerbServer test;
  const ClientReply reply = test.Call("filter", FilterBody("p", R"(["n1","n2","n3"])"));
  CHECK(reply.status == 200);
  CHECK(reply.headers.at("Content-Type") == "application/json");
  CHECK(reply.body == R"({"Nodes":null,"NodeNames":["n2"],"FailedNodes":{},)"
                      R"("FailedAndUnresolvableNodes":{"n1":"waits","n3":"waits"},"Error":""})");
  CHECK(test.Counted("filter", "ok"));
}

TEST_CASE("a filter reply with an error is a 200 and counts as an error") {
  VerbServer test;
  const ClientReply reply = test.Call("filter", FilterBody("lost", R"(["n1"])"));
  CHECK(reply.status == 200);
  CHECK(reply.body.find(R"("Error":"not synced")") != std::string::npos);
  CHECK(test.Counted("filter", "error"));
}

TEST_CASE("filter without any list of nodes is answered") {
  VerbServer test;
  CHECK(test.Call("filter", FilterBody("p", "null")).status == 200);
}

TEST_CASE("prioritize answers with scores") {
  VerbServer test;
  CHECK(test.Call("prioritize", FilterBody("p", R"(["n1","n2"])")).body ==
        R"([{"Host":"n1","Score":7}])");
  CHECK(test.Counted("prioritize", "ok"));
}

TEST_CASE("bind answers with its error, and the handler gets the call's id") {
  VerbServer test;
  const auto body = [](const std::string& node) {
    return R"({"PodName":"p","PodNamespace":"a","PodUID":"u","Node":")" + node + R"("})";
  };
  CHECK(test.Call("bind", body("n1")).body == R"({"Error":""})");
  const int64_t first = test.verbs.last_call();
  CHECK(first > 0);
  CHECK(test.Call("bind", body("full")).body == R"({"Error":"no room"})");
  CHECK(test.verbs.last_call() > first);
  CHECK(test.verbs.bound() == std::vector<std::string>{"a/p=n1", "a/p=full"});
  CHECK(test.Counted("bind", "ok"));
  CHECK(test.Counted("bind", "error"));
}

TEST_CASE("preempt answers with victims by node") {
  VerbServer test;
  const ClientReply reply = test.Call(
      "preempt",
      R"({"Pod":{"metadata":{"name":"p","namespace":"a","uid":"u"},"spec":{"containers":[]}},)"
      R"("NodeNameToVictims":null,"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"v1"},)"
      R"({"UID":"v2"}],"NumPDBViolations":0}}})");
  CHECK(reply.body ==
        R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"v1"}],"NumPDBViolations":2}}})");
  CHECK(test.Counted("preempt", "ok"));
}

TEST_CASE("a body that is no request is a 400 in the decoder's words") {
  VerbServer test;
  const auto refusal = [](auto decode) {
    std::string bad = "{";
    return ErrorReply(400, Message(decode(bad).status())).body;
  };
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"filter", refusal(DecodeFilterRequest)},
      {"prioritize", refusal(DecodeFilterRequest)},
      {"bind", refusal(DecodeBindRequest)},
      {"preempt", refusal(DecodePreemptRequest)}};
  for (const auto& [verb, text] : expected) {
    INFO(verb);
    const ClientReply reply = test.Call(verb, "{");
    CHECK(reply.status == 400);
    CHECK(reply.body == text);
    CHECK(test.Counted(verb, "malformed"));
  }
  CHECK(test.verbs.bound().empty());
}

TEST_CASE("a malformed call is logged, once a minute, in the decoder's words") {
  StandardError errors;
  VerbServer test;
  std::string bad = "{";
  const std::string why = Message(DecodeBindRequest(bad).status());
  for (int i = 0; i < 3; ++i) test.Call("bind", "{");
  const std::string text = errors.Take();
  CHECK(CountIn(text, "a call of the scheduler is malformed") == 1);
  CHECK(
      CountIn(text,
              JsonText().Begin().Field("verb", "bind").Field("why", why).End().Take().substr(1)) ==
      1);
}

TEST_CASE("a call that fails is a 500 and counts as failed") {
  VerbServer test;
  CHECK(test.Call("filter", FilterBody("broken", "null")).status == 500);
  CHECK(test.Counted("filter", "failed"));
}

TEST_CASE("the verbs are posted, and nothing else is there") {
  VerbServer test;
  const ClientReply get = LoopbackClient(test.server->port()).Call(GetText("/v1/extender/filter"));
  CHECK(get.status == 405);
  CHECK(get.body == R"({"error":"this path takes POST only"})");
  const ClientReply other = test.Call("other", "{}");
  CHECK(other.status == 404);
  CHECK(other.body ==
        R"({"error":"no such path; this port serves POST /v1/extender/filter, )"
        R"(POST /v1/extender/prioritize, POST /v1/extender/bind, POST /v1/extender/preempt"})");
}

TEST_CASE("the probe pages") {
  Metrics metrics;
  TestInfo info;
  auto server = *HttpServer::Start({}, ProbeRoutes(info), &metrics);
  LoopbackClient client(server->port());
  CHECK(client.Call(GetText("/healthz")).body == "ok\n");
  CHECK(client.Call(GetText("/livez")).status == 200);
  const ClientReply not_ready = client.Call(GetText("/readyz"));
  CHECK(not_ready.status == 503);
  CHECK(not_ready.body == "not ready: it reads\n");
  info.alive = false;
  const ClientReply stuck = client.Call(GetText("/livez"));
  CHECK(stuck.status == 503);
  CHECK(stuck.body == "stuck: it hangs\n");
  CHECK(client.Call(GetText("/healthz")).status == 503);
  info.ready = true;
  CHECK(client.Call(GetText("/readyz")).status == 200);
  const ClientReply figures = client.Call(GetText("/metrics"));
  CHECK(figures.body == "figure 1\n");
  CHECK(figures.headers.at("Content-Type") == "text/plain; version=0.0.4; charset=utf-8");
  const ClientReply group = client.Call(GetText("/v1/groups/a/b"));
  CHECK(group.body == R"({"name":"b"})");
  CHECK(group.headers.at("Content-Type") == "application/json");
  CHECK(client.Call(GetText("/v1/page")).headers.at("Content-Type") == "text/plain");
  const ClientReply unknown = client.Call(GetText("/v1/groups/a/c"));
  CHECK(unknown.status == 404);
  CHECK(unknown.body == R"({"error":"no such group"})");
}

}  // namespace
}  // namespace gangplan::routes_test
