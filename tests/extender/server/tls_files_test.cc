// Mutual TLS: files that cannot be used, and certificates that change while it serves.
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "extender/server/listener.h"
#include "extender/server/tls_server.h"
#include "openssl/rsa.h"
#include "tests/extender/app/standard_error.h"
#include "tests/extender/kube/kube_fakes.h"
#include "tests/extender/server/gate.h"
#include "tests/extender/server/tls_world.h"
#include "topology/base/text.h"

namespace gangplan::tls_files_test {
namespace {

TestCertificate RsaKey() {
  TestCertificate made;
  made.key.reset(EVP_RSA_gen(2048));
  return made;
}

Routes HoldRoutes(Gate& gate) {
  return {{"POST", "/echo", false, [&gate](HttpCall& call) {
             if (call.body == "held") gate.Pass();
             return HttpReply{200, call.body};
           }}};
}

TEST_CASE("TLS: certificates are replaced while calls are held, and no call is lost") {
  constexpr int kHeld = 500;
  Gate gate;
  TlsWorld world({}, HoldRoutes(gate));
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
  for (const auto& client : held) CHECK_FALSE(client->Echoes("again"));  // shut out by now
}

TEST_CASE("TLS: whom new certificates do not let in asks nothing more, others ask on") {
  TlsWorld world;
  TlsClient client = world.Connect();
  CHECK(client.Echoes("hello"));
  const TestCertificate theirs = MakeAuthority("theirs");
  world.client_ca.Write(theirs.CertificatePem() + world.ours.CertificatePem());
  CHECK(client.Echoes("both"));
  world.client_ca.Write(theirs.CertificatePem());
  CHECK_FALSE(client.Echoes("theirs"));
  CHECK(world.Counted("gangplan_tls_reloads_total{result=\"done\"} 2"));
  CHECK(world.Counted("gangplan_tls_handshakes_total{result=\"shut_out\"} 1"));
}

TEST_CASE("TLS: a client asks nothing more once its certificate has expired") {
  const TlsWorld world;
  Metrics metrics;
  FakeClock clock, steady;
  clock.Advance(SystemClock().Now() - clock.Now());
  // The host was set back since the start.
  steady.Advance(SystemClock().Now() + absl::Hours(2) - steady.Now());
  auto server = TlsServer::Load(world.Tls(), metrics, steady, clock);
  REQUIRE(server.ok());
  auto listener = Listener::Open("127.0.0.1", 0);
  REQUIRE(listener.ok());
  std::promise<int> accepted;
  (*listener)->Start([&](int socket) { accepted.set_value(socket); });
  const auto client = std::async(std::launch::async, [&] {
    return std::make_unique<TlsClient>((*listener)->port(), &world.scheduler);
  });
  const int socket = accepted.get_future().get();
  auto stream = (*server)->Admit(socket, SystemClock().Now() + absl::Seconds(30));
  REQUIRE(stream != nullptr);
  CHECK(stream->MayAsk());
  clock.Advance(absl::Minutes(59));  // of the hour that it has
  CHECK(stream->MayAsk());
  clock.Advance(absl::Minutes(2));
  CHECK_FALSE(stream->MayAsk());
  CHECK(CountIn(metrics.Text(), "handshakes_total{result=\"shut_out\"} 1\n") == 1);
  close(socket);
}

// Until when the certificate is good that is shown, by the metric.
int64_t EndTold(const Metrics& metrics, const std::string& listener) {
  const std::string text = metrics.Text();
  const std::string name = fmt::format(
      "\ngangplan_tls_certificate_expiry_timestamp_seconds{{listener=\"{}\"}} ", listener);
  const size_t at = text.find(name);
  INFO(text);
  REQUIRE(at != std::string::npos);
  return std::strtoll(text.c_str() + at + name.size(), nullptr, 10);
}

TEST_CASE("TLS: when the certificate ends that is shown is a metric, of new ones, too") {
  const TlsWorld world;
  Metrics metrics;
  TlsOptions options = world.Tls();
  options.listener = "verbs";
  const int64_t soonest = absl::ToUnixSeconds(SystemClock().Now()) + 3600 - 600;
  auto server = TlsServer::Load(options, metrics);
  REQUIRE(server.ok());
  CHECK(EndTold(metrics, "verbs") > soonest);
  CHECK(EndTold(metrics, "verbs") <= soonest + 600);
  const TestCertificate longer = MakeCertificate(world.ours, "second", "IP:127.0.0.1");
  X509_gmtime_adj(X509_getm_notAfter(longer.certificate.get()), 7'200);
  REQUIRE(X509_sign(longer.certificate.get(), world.ours.key.get(), EVP_sha256()) > 0);
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  close(ends[1]);
  const auto look = [&] {
    (*server)->Admit(ends[0], absl::InfinitePast());
    return EndTold(metrics, "verbs");
  };
  world.certificate.Write("no certificate");
  CHECK(look() <= soonest + 600);  // the old one is shown on
  world.Replace(longer);
  CHECK(look() > soonest + 3'600);
  close(ends[0]);
}

TEST_CASE("TLS: a new key of another kind than the certificate's is not taken") {
  TlsWorld world;
  world.key.Write(RsaKey().KeyPem());
  CHECK(world.Serves(&world.scheduler));
  CHECK(world.Counted("gangplan_tls_reloads_total{result=\"refused\"} 1"));
}

// No file can be opened for as long as it lives.
class NoFiles {
 public:
  NoFiles() {
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before_) == 0);
    rlimit none = before_;
    none.rlim_cur = 3;  // those that are there from the start
    REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  }
  ~NoFiles() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_CASE(
    "TLS: files that were refused are tried again although they are the same, and told once") {
  const TlsWorld world;
  Metrics metrics;
  FakeClock clock;
  auto server = TlsServer::Load(world.Tls(), metrics, clock);
  REQUIRE(server.ok());
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  close(ends[1]);
  const auto reloads = [&] {
    (*server)->Admit(ends[0], absl::InfinitePast());
    const std::string text = metrics.Text();
    return std::pair(CountIn(text, "reloads_total{result=\"refused\"} 1\n"),
                     CountIn(text, "reloads_total{result=\"done\"} 1\n"));
  };
  CHECK(reloads() == std::pair(0, 0));
  world.Replace(world.first);
  {
    const NoFiles full;
    for (int i = 0; i < 3; ++i) {
      CHECK(reloads() == std::pair(1, 0));
      clock.Advance(kTlsRetry);
    }
  }
  CHECK(reloads() == std::pair(1, 1));
  clock.Advance(kTlsRetry);
  CHECK(reloads() == std::pair(1, 1));
  close(ends[0]);
}

TEST_CASE("TLS: new files that cannot be used change nothing until they can") {
  TlsWorld world;
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
  TlsWorld world;
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
  for (const std::string& key : {world.scheduler.KeyPem(), RsaKey().KeyPem()}) {
    const ScratchFile other(key);
    CHECK(why(&TlsOptions::key_file, other.path()).starts_with(other.path() + ": no key of that"));
  }
  unlink(pipe.c_str());
  HttpServerOptions options = world.Options({});
  options.tls->key_file = "/no/such";
  CHECK(absl::IsInvalidArgument(HttpServer::Start(options, EchoRoutes(), &metrics).status()));
}

}  // namespace
}  // namespace gangplan::tls_files_test
