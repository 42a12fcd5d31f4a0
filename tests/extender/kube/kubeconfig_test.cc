#include "extender/kube/kubeconfig.h"

#include "extender/kube/limits.h"
#include "scratch_file.h"
#include "tests/support/catch.h"
#include "topology/base/clock.h"
#include "topology/base/text.h"

namespace gangplan::kubeconfig_test {
namespace {

std::string Config(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\n"
         "kind: Config\n"
         "current-context: here\n"
         "preferences: {}\n"
         "contexts:\n"
         "- name: other\n"
         "  context: {cluster: x, user: y}\n"
         "- name: here\n"
         "  context: {cluster: c, user: u, namespace: n}\n"
         "clusters:\n"
         "- name: c\n"
         "  cluster: {" +
         cluster +
         "}\n"
         "users:\n"
         "- name: u\n"
         "  user: {" +
         user + "}\n";
}

const std::string kServer = "server: 'https://10.0.0.1:6443'";

absl::StatusOr<Credentials> Parse(const std::string& text) {
  return ParseKubeconfig(text, "/etc/kube/config");
}
std::string ErrorOf(const std::string& text) { return Message(Parse(text).status()); }

TEST_CASE("the current context decides, and paths are beside the file") {
  auto credentials =
      Parse(Config(kServer + ", certificate-authority: ca.crt, tls-server-name: kube",
                   "client-certificate: c.crt, client-key: /abs/c.key, tokenFile: t"));
  REQUIRE(credentials.ok());
  CHECK(credentials->server.HostAndPort() == "10.0.0.1:6443");
  CHECK(credentials->tls_server_name == "kube");
  CHECK(credentials->ca.file == "/etc/kube/ca.crt");
  CHECK(credentials->client_certificate.file == "/etc/kube/c.crt");
  CHECK(credentials->client_key.file == "/abs/c.key");
  CHECK(credentials->token_file == "/etc/kube/t");
}

TEST_CASE("data in base64 wins over files") {
  auto credentials =
      Parse(Config(kServer + ", certificate-authority: x, certificate-authority-data: aGVsbG8=",
                   "token: secret"));
  REQUIRE(credentials.ok());
  CHECK(credentials->ca.text == "hello");
  CHECK(credentials->ca.file.empty());
  CHECK(credentials->token == "secret");
}

TEST_CASE("a user may be left out, unknown keys are ignored, empty ones are none") {
  auto credentials = Parse(Config(kServer + ", extensions: [], new-key: 1, proxy-url: ''",
                                  "exec: null, username: '', what: {}"));
  CHECK(credentials.ok());
  CHECK(Parse("current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\n"
              "clusters: [{name: c, cluster: {server: 'http://h:8080', insecure-skip-tls-verify: "
              "false}}]\n")
            .ok());
}

TEST_CASE("a token is for https alone, be it the text or in a file, and to the loopback too") {
  for (const char* url : {"http://h:8080", "http://127.0.0.1:8001"}) {
    for (const char* user : {"token: secret", "tokenFile: t"}) {
      INFO(url << " " << user);
      CHECK(ErrorOf(Config(fmt::format("server: '{}'", url), user)) ==
            fmt::format("/etc/kube/config: server \"{}\": everybody between could read the token; "
                        "expected https://, or a user without a token",
                        url));
    }
  }
}

TEST_CASE("what we cannot do is refused by its name and line") {
  const std::string tail = " is not supported: use a client certificate, a token or a tokenFile";
  CHECK(ErrorOf(Config(kServer, "exec: {command: aws}")) ==
        "/etc/kube/config: line 15: exec" + tail);
  CHECK(ErrorOf(Config(kServer, "auth-provider: {name: gcp}")) ==
        "/etc/kube/config: line 15: auth-provider" + tail);
  CHECK(ErrorOf(Config(kServer, "username: me, password: x")) ==
        "/etc/kube/config: line 15: username" + tail);
  CHECK(ErrorOf(Config(kServer, "as: someone")) == "/etc/kube/config: line 15: as" + tail);
  CHECK(ErrorOf(Config(kServer + ", proxy-url: 'http://p'", "")) ==
        "/etc/kube/config: line 12: proxy-url is not supported: the API server must be reachable "
        "directly");
  CHECK(absl::IsUnimplemented(Parse(Config(kServer, "exec: {command: aws}")).status()));
}

TEST_CASE("a kubeconfig that contradicts itself or is incomplete") {
  const std::string at = "/etc/kube/config: ";
  CHECK(ErrorOf("") == at + "expected one YAML document with the fields of a kubeconfig");
  CHECK(ErrorOf("a: 1") == at + "current-context is not set");
  CHECK(ErrorOf("current-context: a") == at + "contexts has no \"a\"");
  CHECK(ErrorOf("current-context: a\ncontexts:\n- name: a\n") ==
        at + "line 3: contexts \"a\" has no context");
  CHECK(ErrorOf("current-context: a\ncontexts: [{name: a, context: {cluster: c}}]") ==
        at + "clusters has no \"c\"");
  CHECK(ErrorOf(Config("server: here", "")) ==
        at + "server \"here\": it does not begin with https:// or http://");
  CHECK(ErrorOf(Config(kServer + ", certificate-authority-data: '*'", "")) ==
        at + "line 12: certificate-authority-data is not base64");
  CHECK(ErrorOf(Config(kServer + ", insecure-skip-tls-verify: maybe", "")) ==
        at + "line 12: insecure-skip-tls-verify must be true or false");
  CHECK(
      ErrorOf(Config(kServer + ", insecure-skip-tls-verify: true, certificate-authority: x", "")) ==
      at + "line 12: certificate-authority and insecure-skip-tls-verify exclude each other");
  CHECK(ErrorOf(Config(kServer, "client-certificate: x")) ==
        at + "line 15: client-certificate and client-key belong together");
  CHECK(ErrorOf(Config(kServer, "token: [1]")) == at + "line 15: token must be a text");
  CHECK(ErrorOf("a: 1\na: 2\n") == at + "line 2: the key \"a\" is repeated");
}

TEST_CASE("of several kubeconfigs the first one that has a thing tells it, whole") {
  const ScratchFile first("contexts: [{name: c, context: {cluster: k, user: u}}]\n");
  const ScratchFile second(
      "current-context: c\nclusters: [{name: k, cluster: {server: 'https://second:1'}}]\n"
      "users: [{name: u, user: {tokenFile: t}}]\n");
  const ScratchFile third(
      "current-context: d\nclusters: [{name: k, cluster: {server: 'https://third:1', "
      "tls-server-name: other}}]\nusers: [{name: u, user: {token: other}}]\n");
  const auto read = [](const std::vector<std::string>& paths) {
    return LogInByKubeconfig(paths, {}, SystemClock());
  };
  const auto login = read({first.path(), "/no/such", second.path(), third.path()});
  REQUIRE(login.ok());
  CHECK(login->server.HostAndPort() == "second:1");
  CHECK(login->tls_server_name.empty());
  CHECK(login->token.empty());
  CHECK(login->token_file == "/tmp/t");  // beside the file that names it
  CHECK(read({first.path(), third.path(), second.path()}).status().code() ==
        absl::StatusCode::kInvalidArgument);  // there is no context "d"
  CHECK(Message(read({third.path(), first.path()}).status()) ==
        fmt::format("{}:{}: contexts has no \"d\"", third.path(), first.path()));
  CHECK(Message(read({first.path(), first.path()}).status()) ==
        fmt::format("{0}:{0}: current-context is not set", first.path()));
  const ScratchFile bad("a: [");
  CHECK(Message(read({second.path(), bad.path()}).status()).starts_with(bad.path() + ": "));
  CHECK(absl::IsNotFound(read({"/no/such", "/nor/this"}).status()));
  CHECK(Message(read({"/no/such", "/nor/this"}).status()).starts_with("/no/such: "));
}

TEST_CASE("a kubeconfig is read up to its limit") {
  std::string text = Config(kServer, "token: t");
  text.resize(kMaxKubeconfigBytes, '\n');
  const ScratchFile file(text);
  CHECK(ReadKubeconfig(file.path()).ok());
  file.Write(text + "\n");
  CHECK(Message(ReadKubeconfig(file.path()).status()) ==
        fmt::format("{}: larger than {} bytes", file.path(), kMaxKubeconfigBytes));
  CHECK(Message(ReadKubeconfig("/no/such").status()) == "/no/such: No such file or directory");
}

}  // namespace
}  // namespace gangplan::kubeconfig_test
