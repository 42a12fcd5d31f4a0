#include "extender/demo/extender_client.h"

#include <charconv>

#include "extender/demo/object_text.h"
#include "extender/kube/https_transport.h"
#include "extender/kube/yaml_json.h"
#include "topology/base/clock.h"
#include "topology/base/json_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// As in the scheduler's configuration that we ship: 2 s, and bind alone 600 s.
constexpr absl::Duration kVerbTimeout = absl::Seconds(2);
constexpr absl::Duration kBindTimeout = absl::Seconds(600);

std::unique_ptr<Transport> Connect(int port) {
  Credentials credentials;
  credentials.server = {false, "127.0.0.1", port, ""};
  return HttpsTransportFactory(std::move(credentials), HttpsOptions(), SystemClock()).Make();
}

absl::StatusOr<std::string> BodyOf(absl::StatusOr<HttpResponse> response) {
  GANGPLAN_RETURN_IF_ERROR(response.status());
  if (response->ok()) return std::move(response->body);
  return absl::FailedPreconditionError(
      ToAbsl(fmt::format("HTTP {}: {}", response->status, response->body)));
}

// JSON is YAML.
absl::StatusOr<YamlNode> Parse(std::string_view body) {
  GANGPLAN_ASSIGN_OR_RETURN(std::vector<YamlNode> documents,
                            ParseYaml(body, kKubernetesYaml, "line "));
  if (documents.size() != 1) return Invalid("the reply is not one JSON value");
  return std::move(documents.front());
}

std::string TextOf(const YamlNode& object, std::string_view key) {
  const YamlNode* value = object.Find(key);
  return value != nullptr ? value->text : std::string();
}

// ExtenderArgs.
std::string ArgsJson(const PodFacts& pod, const std::vector<std::string>& nodes) {
  JsonText args;
  args.Begin().Key("Pod").Raw(PodJson(pod)).Key("Nodes").Null().Key("NodeNames").BeginList();
  for (const std::string& node : nodes) args.Value(std::string_view(node));
  return args.EndList().End().Take();
}

}  // namespace

ExtenderClient::ExtenderClient(int port) : transport_(Connect(port)) {}

absl::StatusOr<std::string> ExtenderClient::Post(std::string_view verb, std::string body,
                                                 absl::Duration timeout) {
  HttpRequest request;
  request.method = "POST";
  request.target = fmt::format("/v1/extender/{}", verb);
  request.content_type = "application/json";
  request.body = std::move(body);
  request.read_timeout = timeout;
  return BodyOf(transport_->Send(request));
}

absl::StatusOr<FilterAnswer> ExtenderClient::Filter(const PodFacts& pod,
                                                    const std::vector<std::string>& nodes) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::string body,
                            Post("filter", ArgsJson(pod, nodes), kVerbTimeout));
  GANGPLAN_ASSIGN_OR_RETURN(const YamlNode reply, Parse(body));
  FilterAnswer answer;
  answer.error = TextOf(reply, "Error");
  if (const YamlNode* names = reply.Find("NodeNames")) {
    for (const YamlNode& name : names->items) answer.passed.push_back(name.text);
  }
  for (std::string_view key : {"FailedNodes", "FailedAndUnresolvableNodes"}) {
    const YamlNode* failed = reply.Find(key);
    if (failed != nullptr && !failed->items.empty()) answer.reason = failed->items.front().text;
  }
  return answer;
}

absl::StatusOr<std::vector<ScoredNode>> ExtenderClient::Prioritize(
    const PodFacts& pod, const std::vector<std::string>& nodes) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::string body,
                            Post("prioritize", ArgsJson(pod, nodes), kVerbTimeout));
  GANGPLAN_ASSIGN_OR_RETURN(const YamlNode reply, Parse(body));
  std::vector<ScoredNode> scores;
  for (const YamlNode& entry : reply.items) {
    const std::string score = TextOf(entry, "Score");
    scores.push_back({TextOf(entry, "Host"), 0});
    std::from_chars(score.data(), score.data() + score.size(), scores.back().score);
  }
  return scores;
}

absl::StatusOr<std::string> ExtenderClient::Bind(const PodFacts& pod, std::string_view node) {
  JsonText body;
  body.Begin().Field("PodName", std::string_view(pod.name));
  body.Field("PodNamespace", std::string_view(pod.ns)).Field("PodUID", std::string_view(pod.uid));
  body.Field("Node", node).End();
  GANGPLAN_ASSIGN_OR_RETURN(const std::string reply, Post("bind", body.Take(), kBindTimeout));
  GANGPLAN_ASSIGN_OR_RETURN(const YamlNode value, Parse(reply));
  return TextOf(value, "Error");
}

absl::StatusOr<std::string> ExtenderClient::Explain(std::string_view group) {
  HttpRequest request;
  request.target = fmt::format("/v1/explain/{}", group);
  return BodyOf(transport_->Send(request));
}

}  // namespace gangplan
