// Logins by plug-ins and id-tokens, as a kubeconfig asks for them. Each plug-in is a small script.
#include "extender/kube/exec_login.h"

#include <sys/stat.h>

#include "absl/strings/escaping.h"
#include "extender/kube/kubeconfig.h"
#include "kube_fakes.h"
#include "scratch_file.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::exec_login_test {
namespace {

// A program of its own.
struct Script : ScratchFile {
  explicit Script(std::string_view lines) : ScratchFile(fmt::format("#!/bin/sh\n{}\n", lines)) {
    ::chmod(path().c_str(), 0700);
  }
};

std::string ConfigOf(const std::string& user, std::string_view server = "https://10.0.0.1:6443",
                     std::string_view cluster = "") {
  return fmt::format(
      "current-context: c\ncontexts: [{{name: c, context: {{cluster: k, user: u}}}}]\n"
      "clusters:\n- name: k\n  cluster: {{server: '{}'{}}}\nusers:\n- name: u\n  user:\n    {}\n",
      server, cluster, user);
}
std::string ExecOf(const std::string& command, std::string_view more = "",
                   std::string_view version = "v1") {
  return fmt::format(
      "exec: {{apiVersion: client.authentication.k8s.io/{}, command: {}, interactiveMode: "
      "IfAvailable{}}}",
      version, command, more);
}
// Prints what it gives.
std::string Gives(std::string_view status, std::string_view version = "v1") {
  return fmt::format(
      "cat <<'END'\n{{\"apiVersion\":\"client.authentication.k8s.io/{}\",\"kind\":"
      "\"ExecCredential\",\"status\":{{{}}}}}\nEND",
      version, status);
}

absl::StatusOr<Credentials> Login(const std::string& config, ExecBounds bounds = {}) {
  FakeClock clock;
  const ScratchFile file(config);
  absl::StatusOr<Credentials> login = LogInByKubeconfig({file.path()}, bounds, clock);
  if (login.ok()) return login;
  std::string why = Message(login.status());
  CHECK(why.starts_with(file.path() + ": "));
  why.erase(0, std::min(why.size(), file.path().size() + 2));
  return absl::Status(login.status().code(), ToAbsl(why));
}
// Of a plug-in with these lines; "PLUGIN" stands for its name.
absl::Status FaultOf(std::string_view lines, std::string_view more = "", ExecBounds bounds = {}) {
  const Script plugin(lines);
  const absl::Status status = Login(ConfigOf(ExecOf(plugin.path(), more)), bounds).status();
  std::string why = Message(status);
  if (const size_t at = why.find(plugin.path()); at != std::string::npos)
    why.replace(at, plugin.path().size(), "PLUGIN");
  return absl::Status(status.code(), ToAbsl(why));
}

TEST_CASE("a plug-in gives a token or a certificate, in both versions of its protocol") {
  for (const char* version : {"v1", "v1beta1"}) {
    const Script plugin(
        Gives(R"("token":"secret","expirationTimestamp":"2999-01-01T00:00:00Z")", version));
    const auto login = Login(ConfigOf(ExecOf(plugin.path(), "", version)));
    REQUIRE(login.ok());
    CHECK(login->token == "secret");
  }
  const Script shows(Gives(R"("clientCertificateData":"A\nB","clientKeyData":"C")"));
  const auto login = Login(ConfigOf(ExecOf(shows.path())));
  REQUIRE(login.ok());
  CHECK(login->client_certificate.text == "A\nB");
  CHECK(login->client_key.text == "C");
}

TEST_CASE("a plug-in has its arguments, its environment and what it is told of the cluster") {
  const Script plugin(
      "told=$(printf %s \"$KUBERNETES_EXEC_INFO\" | od -An -v -tx1 | tr -d ' \\n')\n" +
      std::string("printf '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":"
                  "\"ExecCredential\",\"status\":{\"token\":\"%s,%s,%s,%s\"}}' \"$1\" \"$2\" "
                  "\"$MINE\" \"$told\""));
  const auto token = [&](std::string_view more) {
    const auto login =
        Login(ConfigOf(ExecOf(plugin.path(), fmt::format(", args: [a, '2'], env: [{{name: MINE, "
                                                         "value: x}}]{}",
                                                         more)),
                       "https://10.0.0.1:6443",
                       ", certificate-authority-data: Q0E=, extensions: [{name: "
                       "client.authentication.k8s.io/exec, extension: {audience: me}}]"));
    REQUIRE(login.ok());
    CHECK(login->token.starts_with("a,2,x,"));
    return absl::HexStringToBytes(login->token.substr(std::string_view("a,2,x,").size()));
  };
  CHECK(token("") == R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
                     R"("spec":{"interactive":false}})");
  CHECK(token(", provideClusterInfo: true") ==
        R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":)"
        R"({"interactive":false,"cluster":{"server":"https://10.0.0.1:6443",)"
        R"("certificate-authority-data":"Q0E=","config":{"audience":"me"}}}})");
}

TEST_CASE("a plug-in without a use is told by its name and what was expected") {
  const auto says = [](std::string_view lines, std::string_view why) {
    const absl::Status status = FaultOf(lines);
    INFO(lines);
    CHECK(absl::IsUnauthenticated(status));
    CHECK(Message(status) == fmt::format("the login program PLUGIN: {}", why));
  };
  says("exit 3", "it has ended with exit code 3");
  says("kill -9 $$", "it was ended by signal 9");
  says("echo hello", "it prints no ExecCredential");
  says(Gives(R"("token":"t")", "v1beta1"),
       "it prints apiVersion \"client.authentication.k8s.io/v1beta1\"; expected "
       "client.authentication.k8s.io/v1, as the kubeconfig says");
  says(Gives(""), "there is no status.token and no status.clientCertificateData in what it prints");
  says(Gives(R"("clientKeyData":"C")"), "clientCertificateData and clientKeyData belong together");
  says(Gives(R"("token":"t","expirationTimestamp":"2001-01-01T00:00:00Z")"),
       "what it gives has expired at 2001-01-01T00:00:00Z; expected a login that holds: log in "
       "anew");
  says(Gives(R"("token":"t","expirationTimestamp":"soon")"),
       "status.expirationTimestamp is \"soon\"; expected a time");
}

TEST_CASE("a plug-in is bounded in time and in what it prints, and asks nobody where nobody is") {
  ExecBounds bounds;
  bounds.bytes = 1000;
  CHECK(Message(FaultOf("yes", "", bounds)) ==
        "the login program PLUGIN: it prints more than 1000 bytes");
  bounds.time = absl::Milliseconds(100);
  CHECK(Message(FaultOf("sleep 1000 & wait", "", bounds)) ==
        "the login program PLUGIN: it has not ended within 100ms");
  CHECK(Message(FaultOf("exec >&-; sleep 1000", "", bounds)) ==
        "the login program PLUGIN: it has not ended within 100ms");
  // It has no input, so that it cannot wait for any.
  CHECK(Message(FaultOf("read -r answer || exit 7")) ==
        "the login program PLUGIN: it has ended with exit code 7");
  const Script asks("exit 0");
  const std::string always = fmt::format(
      "exec: {{apiVersion: client.authentication.k8s.io/v1, command: {}, interactiveMode: Always}}",
      asks.path());
  CHECK(Message(Login(ConfigOf(always)).status()) ==
        fmt::format("the login program {}: its interactiveMode is Always, and there is no terminal",
                    asks.path()));
}

TEST_CASE("a plug-in that is not there is told with how to install it") {
  const std::string user = ExecOf("no-such-login", ", installHint: ' see example.com '");
  const absl::Status status = Login(ConfigOf(user)).status();
  CHECK(absl::IsUnauthenticated(status));
  CHECK(Message(status) ==
        "the login program no-such-login: there is no such program on the PATH; see example.com");
}

TEST_CASE("a plug-in is not run where there is a token, nor by who serves") {
  const auto static_token = Login(ConfigOf("token: t\n    " + ExecOf("no-such-login")));
  REQUIRE(static_token.ok());
  CHECK(static_token->token == "t");
  const ScratchFile file(ConfigOf(ExecOf("no-such-login")));
  CHECK(absl::IsUnimplemented(ReadKubeconfig(file.path()).status()));
  CHECK(Message(Login(ConfigOf(ExecOf("x", "", "v1alpha1"))).status()) ==
        "line 9: exec.apiVersion is \"client.authentication.k8s.io/v1alpha1\"; expected "
        "client.authentication.k8s.io/v1 or v1beta1: the login program may have a newer release");
  CHECK(Message(Login(ConfigOf("exec: {apiVersion: client.authentication.k8s.io/v1}")).status()) ==
        "line 9: exec.command is missing");
  CHECK(Message(Login(ConfigOf(ExecOf("x", ", args: y"))).status()) ==
        "line 9: exec.args must be a list");
  const Script plugin(Gives(R"("token":"t")"));
  CHECK(Message(Login(ConfigOf(ExecOf(plugin.path()), "http://h:1")).status())
            .find("everybody between could read the token") != std::string::npos);
}

std::string IdToken(std::string_view claims) {
  return fmt::format("{}.{}.x", absl::WebSafeBase64Escape("{}"),
                     absl::WebSafeBase64Escape(std::string(claims)));
}

TEST_CASE("an id-token of the auth provider oidc is used until it expires") {
  const auto login = [](std::string_view config, std::string_view name = "oidc") {
    return Login(ConfigOf(fmt::format("auth-provider: {{name: {}, config: {}}}", name, config)));
  };
  const auto with = [&](std::string_view claims) {
    return login(fmt::format("{{id-token: {}}}", IdToken(claims)));
  };
  const std::string good = R"({"exp":32503680000,"sub":"me"})";
  REQUIRE(with(good).ok());
  CHECK(with(good)->token == IdToken(good));
  constexpr std::string_view kCure =
      "; expected a fresh one: any command of kubectl renews it there";
  const absl::Status expired = with(R"({"exp":978307200})").status();
  CHECK(absl::IsUnauthenticated(expired));
  CHECK(Message(expired) ==
        fmt::format("line 9: id-token has expired at 2001-01-01T00:00:00Z{}", kCure));
  CHECK(Message(with("{}").status()) ==
        fmt::format("line 9: id-token does not tell when it expires{}", kCure));
  CHECK(Message(login("{id-token: abc}").status()) ==
        fmt::format("line 9: id-token does not tell when it expires{}", kCure));
  CHECK(Message(login("{}").status()) ==
        fmt::format("line 9: auth-provider oidc has no id-token{}", kCure));
  const absl::Status other = login("{}", "gcp").status();
  CHECK(absl::IsUnimplemented(other));
  CHECK(Message(other).starts_with("line 9: auth-provider gcp is not supported, nor is it by"));
}

}  // namespace
}  // namespace gangplan::exec_login_test
