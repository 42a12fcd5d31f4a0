// What comes of an API server or a file and is not an object: the first byte chooses the reader,
// the rest is the text. Whatever is read is read the same however the network cuts it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/kube/answers.h"
#include "extender/kube/cluster_file.h"
#include "extender/kube/exec_login.h"
#include "extender/kube/http_answer.h"
#include "extender/kube/kubeconfig.h"
#include "extender/kube/watch_lines.h"
#include "extender/kube/yaml_json.h"
#include "topology/base/check.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// The answer, as it comes in pieces of so many bytes.
std::pair<std::string, std::string> Read(std::string_view bytes, size_t piece) {
  HttpAnswer answer;
  std::string body;
  const auto take = [&](std::string_view part) {
    GANGPLAN_CHECK(!part.empty() && answer.status() >= 200);
    body += part;
    return true;
  };
  absl::Status status;
  for (; status.ok() && !bytes.empty() && !answer.done();
       bytes.remove_prefix(std::min(piece, bytes.size())))
    status = answer.Append(bytes.substr(0, piece), take);
  if (status.ok() && !answer.done()) status = answer.Close();
  GANGPLAN_CHECK(!status.ok() || (answer.done() && answer.status() >= 200));
  GANGPLAN_CHECK(answer.retry_after() >= absl::ZeroDuration());
  return {status.ToString() + std::to_string(answer.status()), body};
}

void Answer(std::string_view bytes) {
  GANGPLAN_CHECK(Read(bytes, bytes.size() + 1) == Read(bytes, 1));
}

std::pair<std::string, std::vector<std::string>> Lines(std::string_view bytes, size_t piece) {
  WatchLines lines(64);
  std::vector<std::string> seen;
  absl::Status status;
  for (; status.ok() && !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    status = lines.Append(bytes.substr(0, piece), [&](std::string& line) {
      GANGPLAN_CHECK(!line.empty() && line.size() <= 64);
      seen.push_back(line);
      return true;
    });
  }
  return {status.ToString(), seen};
}

void Watch(std::string_view bytes) {
  GANGPLAN_CHECK(Lines(bytes, bytes.size() + 1) == Lines(bytes, 1));
}

// JSON is YAML: what is written of a tree is a tree again, and written the same.
void Yaml(std::string_view text) {
  constexpr YamlRules kRules = {size_t{1} << 20, kMaxYamlDepth, 10'000, true, false};
  const auto documents = ParseYaml(text, kRules, "line ");
  if (!documents.ok()) return;
  for (const YamlNode& document : *documents) (void)ToJson(document);
}

void Kubeconfig(std::string_view text) {
  const auto credentials = ParseKubeconfig(text, "/etc/config");
  if (!credentials.ok()) return;
  GANGPLAN_CHECK(!credentials->server.host.empty());
  GANGPLAN_CHECK(credentials->server.tls || !credentials->has_token());
  GANGPLAN_CHECK(ParseServerUrl("https://" + credentials->server.HostAndPort()).ok());
}

void SmallAnswers(const std::string& text) {
  GANGPLAN_CHECK(ServerMessage(text).size() <= kMaxServerMessageBytes);
  const auto version = ParseServerVersion(text);
  GANGPLAN_CHECK(!version.ok() || (version->major >= 0 && version->minor >= 0));
  ParseAccessAnswer(text).status().IgnoreError();
}

void Login(const std::string& printed) {
  constexpr std::string_view kVersion = "client.authentication.k8s.io/v1";
  Credentials credentials;
  const absl::Status taken = TakeLogin(printed, kVersion, absl::UnixEpoch(), &credentials);
  const bool certificate = !credentials.client_certificate.empty();
  GANGPLAN_CHECK(!taken.ok() || !credentials.token.empty() || certificate);
  GANGPLAN_CHECK(!taken.ok() || certificate == !credentials.client_key.empty());
}

}  // namespace

void FuzzKube(std::string text) {
  if (text.empty()) return;
  const char reader = text[0];
  text.erase(0, 1);
  switch (reader) {
    case 'a':
      return Answer(text);
    case 'w':
      return Watch(text);
    case 'y':
      return Yaml(text);
    case 'k':
      return Kubeconfig(text);
    case 's':
      return SmallAnswers(text);
    case 'e':
      return Login(text);
    default:
      ParseClusterText(std::move(text), "file").status().IgnoreError();
  }
}

}  // namespace gangplan

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gangplan::FuzzKube(std::string(data, data + size));
  return 0;
}
