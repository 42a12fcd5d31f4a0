#include "extender/kube/credentials.h"

#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "extender/kube/limits.h"
#include "extender/kube/text_file.h"
#include "scratch_file.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::credentials_test {
namespace {

std::string Parsed(const std::string& url) {
  auto address = ParseServerUrl(url);
  if (!address.ok()) return Message(address.status());
  return fmt::format("{} {} {}", address->tls ? "tls" : "plain", address->HostAndPort(),
                     address->path);
}

TEST_CASE("a server's address in its parts") {
  CHECK(Parsed("https://example.com") == "tls example.com:443 ");
  CHECK(Parsed("http://example.com") == "plain example.com:80 ");
  CHECK(Parsed("https://10.0.0.1:6443/") == "tls 10.0.0.1:6443 ");
  CHECK(Parsed("https://[fd00::1]:6443") == "tls [fd00::1]:6443 ");
  CHECK(Parsed("https://[fd00::1]") == "tls [fd00::1]:443 ");
  CHECK(Parsed("https://example.com:1/k8s/c-1/") == "tls example.com:1 /k8s/c-1");
  CHECK(ParseServerUrl("https://[fd00::1]:6443")->host == "fd00::1");
}

TEST_CASE("what is no server's address") {
  CHECK(Parsed("example.com") ==
        "server \"example.com\": it does not begin with https:// or http://");
  CHECK(Parsed("https://") == "server \"https://\": there is no host");
  CHECK(Parsed("https://a:0") ==
        "server \"https://a:0\": the port \"0\" is not a number from 1 to 65535");
  CHECK(Parsed("https://a:65536") ==
        "server \"https://a:65536\": the port \"65536\" is not a number from 1 to 65535");
  CHECK(Parsed("https://a:65535") == "tls a:65535 ");
  CHECK(Parsed("https://a:1x") ==
        "server \"https://a:1x\": the port \"1x\" is not a number from 1 to 65535");
  CHECK(Parsed("https://[fd00::1") ==
        "server \"https://[fd00::1\": \"[fd00::1\" has no closing bracket");
  CHECK(Parsed("https://[fd00::1]x") ==
        "server \"https://[fd00::1]x\": \"[fd00::1]x\" is not HOST:PORT");
  CHECK(Parsed("https://u@a") ==
        "server \"https://u@a\": it has more than a host, a port and a path");
}

TEST_CASE("inside a cluster the environment and the service account tell") {
  std::map<std::string, std::string> variables;
  auto environment = [&](const char* name) -> const char* {
    auto it = variables.find(name);
    return it == variables.end() ? nullptr : it->second.c_str();
  };
  const absl::Status none = InClusterCredentials(environment).status();
  CHECK(absl::IsNotFound(none));
  CHECK(Message(none) ==
        "not inside a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  variables = {{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  auto credentials = InClusterCredentials(environment, "/sa");
  REQUIRE(credentials.ok());
  CHECK(credentials->server.HostAndPort() == "[fd00::1]:443");
  CHECK(credentials->server.tls);
  CHECK(credentials->ca.file == "/sa/ca.crt");
  CHECK(credentials->token_file == "/sa/token");
  variables["KUBERNETES_SERVICE_PORT"] = "http";
  CHECK(Message(InClusterCredentials(environment).status()) ==
        "KUBERNETES_SERVICE_PORT: the port \"http\" is not a number from 1 to 65535");
}

TEST_CASE("a file is read up to its limit") {
  const ScratchFile file("12345");
  CHECK(*ReadTextFile(file.path(), 5) == "12345");
  const absl::Status larger = ReadTextFile(file.path(), 4).status();
  CHECK(absl::IsResourceExhausted(larger));
  CHECK(Message(larger) == file.path() + ": larger than 4 bytes");
  CHECK(Message(ReadTextFile("/no/such", 4).status()) == "/no/such: No such file or directory");
  CHECK(absl::IsNotFound(ReadTextFile("/no/such", 4).status()));
  CHECK(Message(ReadTextFile("/tmp", 4).status()) == "/tmp: Is a directory");
}

TEST_CASE("what is no file is not waited for") {
  const std::string pipe = fmt::format("/tmp/gangplan-test-pipe-{}", getpid());
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const absl::Status status = ReadTextFile(pipe, 4).status();
  unlink(pipe.c_str());
  CHECK(absl::IsUnavailable(status));
  CHECK(Message(status) == pipe + ": it is a pipe, a socket or a device; expected a file");
  CHECK(Message(ReadTextFile("/dev/zero", 4).status()) ==
        "/dev/zero: it is a pipe, a socket or a device; expected a file");
}

TEST_CASE("a key or certificate comes as text or from a file") {
  const ScratchFile file("pem");
  CHECK(*PemSource{"text", ""}.Read() == "text");
  CHECK(*PemSource{"", file.path()}.Read() == "pem");
  CHECK(absl::IsNotFound(PemSource{"", "/no/such"}.Read().status()));
}

}  // namespace
}  // namespace gangplan::credentials_test
