// Mutual TLS: whom the server lets in, how long it waits for whom, and certificates that change
// while it serves.
#include "extender/server/tls_server.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fmt/format.h"
#include "openssl/ssl.h"
#include "tests/extender/kube/scratch_file.h"
#include "tests/extender/kube/test_certificates.h"
#include "tests/extender/server/echo_server.h"
#include "tests/extender/server/gate.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

[[maybe_unused]] const auto kSigpipeIgnored = std::signal(SIGPIPE, SIG_IGN);

struct SslFree {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* session) const { SSL_free(session); }
};

// A client that believes whatever it is shown, and shows `own` or nothing.
class TlsClient {
 public:
  TlsClient(int port, const TestCertificate* own, int version = TLS1_3_VERSION) : plain_(port) {
    context_.reset(SSL_CTX_new(TLS_client_method()));
    SSL_CTX_set_cipher_list(context_.get(), "DEFAULT@SECLEVEL=0");
    SSL_CTX_set_min_proto_version(context_.get(), version);
    SSL_CTX_set_max_proto_version(context_.get(), version);
    if (own != nullptr) {
      REQUIRE(SSL_CTX_use_certificate(context_.get(), own->certificate.get()) == 1);
      REQUIRE(SSL_CTX_use_PrivateKey(context_.get(), own->key.get()) == 1);
    }
    session_.reset(SSL_new(context_.get()));
    SSL_set_fd(session_.get(), plain_.socket());
    SSL_connect(session_.get());  // what it comes to shows when something is said
  }
  bool Send(const std::string& text) {
    return SSL_write(session_.get(), text.data(), static_cast<int>(text.size())) ==
           static_cast<int>(text.size());
  }
  // What comes until `end`, or all of it.
  std::string ReadTo(std::string_view end) {
    std::string text;
    char some[16384];
    while (text.find(end) == std::string::npos) {
      const int n = SSL_read(session_.get(), some, sizeof some);
      if (n <= 0) break;
      text.append(some, static_cast<size_t>(n));
    }
    return text;
  }
  bool Echoes(const std::string& word) {
    return Send(PostText("/echo", word)) && ReadTo(word).starts_with("HTTP/1.1 200");
  }
  // The common name that the server showed.
  std::string Server() const {
    char name[64] = "";
    const X509* shown = SSL_get0_peer_certificate(session_.get());
    if (shown != nullptr)
      X509_NAME_get_text_by_NID(X509_get_subject_name(shown), NID_commonName, name, sizeof name);
    return name;
  }
  void Close() { plain_.Close(); }

 private:
  LoopbackClient plain_;
  std::unique_ptr<SSL_CTX, SslFree> context_;
  std::unique_ptr<SSL, SslFree> session_;
};

// A server with files of its own, and a client that it lets in.
struct World {
  explicit World(WireLimits wire = {}, Routes routes = EchoRoutes())
      : test(Options(std::move(wire)), std::move(routes)) {}

  HttpServerOptions Options(WireLimits wire) const {
    HttpServerOptions options;
    options.loopback_only = false;
    options.tls = Tls();
    options.wire = wire;
    return options;
  }
  TlsOptions Tls() const {
    return {certificate.path(), key.path(), client_ca.path(), {"scheduler"}};
  }
  void Replace(const TestCertificate& next) const {
    certificate.Write(next.CertificatePem());
    key.Write(next.KeyPem());
  }
  TlsClient Connect() const { return TlsClient(test.server->port(), &scheduler); }
  bool Serves(const TestCertificate* shown, int version = TLS1_3_VERSION) const {
    return TlsClient(test.server->port(), shown, version).Echoes("hello");
  }
  bool Counted(std::string_view line) const {
    return test.metrics.Text().find(fmt::format("\n{}\n", line)) != std::string::npos;
  }

  TestCertificate ours = MakeAuthority("ours");
  TestCertificate first = MakeCertificate(ours, "first", "IP:127.0.0.1");
  TestCertificate scheduler = MakeCertificate(ours, "scheduler", "");
  ScratchFile certificate{first.CertificatePem()};
  ScratchFile key{first.KeyPem()};
  ScratchFile client_ca{ours.CertificatePem()};
  TestServer test;
};

TEST_CASE("TLS: who has an allowed name of the clients' authority is served, nobody else") {
  World world;
  CHECK(world.Serves(&world.scheduler));
  CHECK(world.Serves(&world.scheduler, TLS1_2_VERSION));
  CHECK(world.Counted("gangplan_tls_handshakes_total{result=\"done\"} 2"));

  CHECK_FALSE(world.Serves(nullptr));
  const TestCertificate theirs = MakeAuthority("ours");
  const TestCertificate stranger = MakeCertificate(theirs, "scheduler", "");
  CHECK_FALSE(world.Serves(&stranger));
  CHECK_FALSE(world.Serves(&world.scheduler, TLS1_1_VERSION));
  CHECK(world.Counted("gangplan_tls_handshakes_total{result=\"failed\"} 3"));

  const TestCertificate other = MakeCertificate(world.ours, "somebody", "DNS:scheduler");
  CHECK_FALSE(world.Serves(&other));
  CHECK_FALSE(world.Serves(&other, TLS1_2_VERSION));
  CHECK(world.Counted("gangplan_tls_handshakes_total{result=\"not_allowed\"} 2"));
  CHECK(world.Serves(&world.scheduler));
}

TEST_CASE("TLS: bytes that are no handshake are not answered") {
  World world;
  for (const std::string& bytes : {GetText("/path/a"), std::string(5000, '\x16'),
                                   std::string("\x16\x03\x01\x00\x05hello", 10)}) {
    LoopbackClient client = world.test.Connect();
    client.Send(bytes);
    CHECK(client.Receive().status == 0);
  }
  CHECK(world.Serves(&world.scheduler));
}

TEST_CASE("TLS: a handshake has its time, and keeps nobody waiting") {
  WireLimits limits;
  limits.handshake = absl::Milliseconds(500);
  World world(limits);
  std::vector<LoopbackClient> slow;
  for (int i = 0; i < 100; ++i) {
    slow.push_back(world.test.Connect());
    if (i % 2 == 0) REQUIRE(slow.back().Send("\x16"));
  }
  CHECK(world.Serves(&world.scheduler));
  for (LoopbackClient& client : slow) CHECK(client.EndedByServer());
  CHECK(world.Counted("gangplan_tls_handshakes_total{result=\"too_slow\"} 100"));
}

TEST_CASE("TLS: large bodies, requests one after the other, and refusals arrive whole") {
  World world;
  TlsClient client = world.Connect();
  const std::string large = std::string(5'000'000, 'x') + "end";
  REQUIRE(client.Send(PostText("/echo", large)));
  CHECK(client.ReadTo("end").size() > large.size());
  REQUIRE(client.Send(PostText("/echo", "one") + PostText("/echo", "two")));
  CHECK(client.ReadTo("two").find("one") != std::string::npos);
  REQUIRE(client.Send(PostText("/echo", large, "Content-Encoding: gzip\r\n")));
  const std::string refusal = client.ReadTo("never said");
  CHECK(refusal.starts_with("HTTP/1.1 415"));
  CHECK(refusal.ends_with("\"}"));
}

Routes HoldRoutes(Gate& gate) {
  return {{"POST", "/echo", false, [&gate](HttpCall& call) {
             if (call.body == "held") gate.Pass();
             return HttpReply{200, call.body};
           }}};
}

TEST_CASE("TLS: certificates are replaced while calls are held, and no call is lost") {
  constexpr int kHeld = 100;
  Gate gate;
  World world({}, HoldRoutes(gate));
  std::vector<std::unique_ptr<TlsClient>> held;
  for (int i = 0; i < kHeld; ++i) {
    held.push_back(std::make_unique<TlsClient>(world.test.server->port(), &world.scheduler));
    REQUIRE(held.back()->Send(PostText("/echo", "held")));
  }
  gate.AwaitArrivals(kHeld);
  CHECK(held.front()->Server() == "first");

  const TestCertificate theirs = MakeAuthority("theirs");
  world.Replace(MakeCertificate(theirs, "second", "IP:127.0.0.1"));
  TlsClient next = world.Connect();
  CHECK(next.Server() == "second");
  CHECK(next.Echoes("hello"));
  CHECK(world.Counted("gangplan_tls_reloads_total{result=\"done\"} 1"));

  world.client_ca.Write(theirs.CertificatePem());
  CHECK_FALSE(world.Serves(&world.scheduler));
  const TestCertificate moved = MakeCertificate(theirs, "scheduler", "");
  CHECK(world.Serves(&moved));

  while (world.test.server->calls() != kHeld) std::this_thread::yield();  // the others' end
  CHECK(world.test.server->ClosedCalls().empty());
  held.back()->Close();
  CHECK(world.test.server->ClosedCalls().size() == 1);
  held.pop_back();
  gate.Open();
  for (const auto& client : held) CHECK(client->ReadTo("held").starts_with("HTTP/1.1 200"));
  for (const auto& client : held) CHECK(client->Echoes("again"));  // on its old session
}

TEST_CASE("TLS: new files that cannot be used change nothing until they can") {
  World world;
  CHECK(world.Connect().Server() == "first");
  const TestCertificate second = MakeCertificate(world.ours, "second", "IP:127.0.0.1");
  world.certificate.Write(second.CertificatePem());  // its key is not there yet
  for (int i = 0; i < 2; ++i) {
    TlsClient client = world.Connect();
    CHECK(client.Server() == "first");
    CHECK(client.Echoes("hello"));
  }
  CHECK(world.Counted("gangplan_tls_reloads_total{result=\"refused\"} 1"));
  world.key.Write(second.KeyPem());
  CHECK(world.Connect().Server() == "second");
  CHECK(world.Counted("gangplan_tls_reloads_total{result=\"done\"} 1"));
  for (const char* bad : {"", "no certificate"}) {
    world.client_ca.Write(bad);
    CHECK(world.Serves(&world.scheduler));
  }
  unlink(world.key.path().c_str());
  CHECK(world.Serves(&world.scheduler));
  CHECK(world.Counted("gangplan_tls_reloads_total{result=\"refused\"} 4"));
}

TEST_CASE("TLS: files that cannot be used are told by name") {
  World world;
  Metrics metrics;
  const ScratchFile junk("no certificate");
  const ScratchFile long_one(std::string((size_t{1} << 20) + 1, '\n'));
  const std::string pipe = junk.path() + ".pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const auto why = [&](std::string TlsOptions::*file, const std::string& path) {
    TlsOptions options = world.Tls();
    options.*file = path;
    return Message(TlsServer::Load(options, metrics).status());
  };
  CHECK(why(&TlsOptions::certificate_file, "/no/such") == "/no/such: No such file or directory");
  CHECK(why(&TlsOptions::key_file, pipe) == pipe + ": not a file");
  CHECK(why(&TlsOptions::client_ca_file, long_one.path()) ==
        long_one.path() + ": more than 1048576 bytes");
  CHECK(why(&TlsOptions::certificate_file, junk.path()).starts_with(junk.path() + ": no cert"));
  CHECK(why(&TlsOptions::client_ca_file, junk.path()).starts_with(junk.path() + ": no authority"));
  const ScratchFile other(world.scheduler.KeyPem());
  CHECK(why(&TlsOptions::key_file, other.path()).starts_with(other.path() + ": no key of that"));
  unlink(pipe.c_str());
  HttpServerOptions options = world.Options({});
  options.tls->key_file = "/no/such";
  CHECK(absl::IsInvalidArgument(HttpServer::Start(options, EchoRoutes(), &metrics).status()));
}

}  // namespace
}  // namespace gangplan
