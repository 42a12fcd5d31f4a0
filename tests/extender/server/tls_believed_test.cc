// A listener that lets in all and believes some: who shows no certificate that it believes is told
// so and nothing else, and gives way to who does.
#include <memory>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "tests/extender/server/tls_world.h"

namespace gangplan::tls_believed_test {
namespace {

class SetTrust : public ClientTrustSource {
 public:
  void Set(std::shared_ptr<const ClientTrust> trust) {
    MutexLock lock(mutex_);
    trust_ = std::move(trust);
  }
  std::shared_ptr<const ClientTrust> Now() const override {
    MutexLock lock(mutex_);
    return trust_;
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const ClientTrust> trust_ ABSL_GUARDED_BY(mutex_);
};

HttpReply Say(int status, std::string_view text) {
  return {status, fmt::format("no: {}", text), "text/plain"};
}

struct World {
  explicit World(int connections = 64) : test(Options(connections), {{"GET", "/", true, Serve}}) {}

  HttpServerOptions Options(int connections) {
    Believe({"front-proxy"});
    HttpServerOptions options;
    options.loopback_only = false;
    options.max_connections = connections;
    options.keeps_heads = true;
    options.refusal = Say;
    options.tls = {certificate.path(), key.path(), {}, {}, trust};
    return options;
  }
  void Believe(std::vector<std::string> names) {
    trust->Set(
        std::make_shared<const ClientTrust>(ClientTrust{ours.CertificatePem(), std::move(names)}));
  }
  static HttpReply Serve(HttpCall& call) { return {200, "served " + call.head, "text/plain"}; }

  std::string Ask(const TestCertificate* shown) const {
    TlsClient client(test.server->port(), shown);
    return Ask(client);
  }
  static std::string Ask(TlsClient& client) {
    client.Send("GET /x HTTP/1.1\r\nHost: h\r\nX-Remote-User: a%40b\r\n\r\n");
    return client.ReadTo("a%40b\r\n\r\n");
  }

  std::shared_ptr<SetTrust> trust = std::make_shared<SetTrust>();
  TestCertificate ours = MakeAuthority("ours");
  TestCertificate theirs = MakeAuthority("theirs");
  TestCertificate first = MakeCertificate(theirs, "first", "IP:127.0.0.1");
  TestCertificate proxy = MakeCertificate(ours, "front-proxy", "");
  TestCertificate other = MakeCertificate(ours, "other", "");
  TestCertificate forged = MakeCertificate(theirs, "front-proxy", "");
  ScratchFile certificate{first.CertificatePem()};
  ScratchFile key{first.KeyPem()};
  TestServer test;
};

bool IsServed(const std::string& reply) {
  return reply.starts_with("HTTP/1.1 200") && reply.find("served GET /x") != std::string::npos;
}
bool IsRefused(const std::string& reply) {
  return reply.starts_with("HTTP/1.1 401") &&
         reply.find("no: only the API server's front proxy") != std::string::npos;
}

TEST_CASE("TLS: only who is believed is served, and its head comes as it was sent") {
  World world;
  CHECK(IsServed(world.Ask(&world.proxy)));
  CHECK(IsRefused(world.Ask(nullptr)));
  CHECK(IsRefused(world.Ask(&world.other)));
  CHECK(IsRefused(world.Ask(&world.forged)));
}

TEST_CASE("TLS: without names every certificate of the authority is believed") {
  World world;
  world.Believe({});
  CHECK(IsServed(world.Ask(&world.other)));
  CHECK(IsRefused(world.Ask(&world.forged)));
}

TEST_CASE("TLS: whom it believes may change while somebody asks") {
  World world;
  TlsClient client(world.test.server->port(), &world.proxy);
  CHECK(IsServed(World::Ask(client)));
  CHECK(IsServed(World::Ask(client)));
  world.Believe({"other"});
  CHECK(IsRefused(World::Ask(client)));
  CHECK(World::Ask(client).empty());  // that was the end of the connection
  CHECK(IsServed(world.Ask(&world.other)));
  world.trust->Set(nullptr);
  CHECK(IsRefused(world.Ask(&world.other)));
}

TEST_CASE("TLS: an authority that cannot be read changes nothing") {
  World world;
  world.trust->Set(std::make_shared<const ClientTrust>(ClientTrust{"no certificate", {}}));
  CHECK(IsServed(world.Ask(&world.proxy)));
  CHECK(IsRefused(world.Ask(&world.other)));
}

TEST_CASE("TLS: whom it believes changes also while its own certificate cannot be read") {
  World world;
  CHECK(IsServed(world.Ask(&world.proxy)));
  world.certificate.Write("no certificate");
  world.Believe({"other"});
  CHECK(IsRefused(world.Ask(&world.proxy)));
  CHECK(IsServed(world.Ask(&world.other)));  // under the certificate that it had
}

TEST_CASE("TLS: who is not believed gives way to who is") {
  constexpr int kMost = 4;
  World world(kMost);
  TlsClient proxy(world.test.server->port(), &world.proxy);
  CHECK(IsServed(World::Ask(proxy)));
  std::vector<std::unique_ptr<TlsClient>> silent;
  for (int i = 0; i < 3 * kMost; ++i)
    silent.push_back(std::make_unique<TlsClient>(world.test.server->port(), nullptr));
  CHECK(IsServed(World::Ask(proxy)));
  CHECK(IsServed(world.Ask(&world.proxy)));
}

}  // namespace
}  // namespace gangplan::tls_believed_test
