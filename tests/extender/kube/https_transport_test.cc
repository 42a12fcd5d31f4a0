#include "extender/kube/https_transport.h"

#include <atomic>
#include <csignal>
#include <future>

#include "extender/kube/guarded_transport.h"
#include "extender/kube/pause.h"
#include "loopback_server.h"
#include "scratch_file.h"
#include "tests/support/catch.h"
#include "topology/base/mutex.h"
#include "topology/base/text.h"

namespace gangplan::https_transport_test {
namespace {

// As the application does: a connection that is closed while it is written to must not end us.
[[maybe_unused]] const auto kSigpipeIgnored = std::signal(SIGPIPE, SIG_IGN);

HttpResponse Ok(std::string body) { return {200, std::move(body), absl::ZeroDuration()}; }

HttpResponse Echo(const LoopbackServer::Seen& seen) {
  return Ok(seen.method + " " + seen.target + " " + seen.body);
}

Credentials At(const LoopbackServer& server, bool tls = false) {
  Credentials credentials;
  credentials.server = {tls, "127.0.0.1", server.port(), ""};
  return credentials;
}

std::unique_ptr<Transport> Connect(Credentials credentials, HttpsOptions options = {}) {
  return HttpsTransportFactory(std::move(credentials), options, SystemClock()).Make();
}

HttpRequest Get(std::string target) { return {.target = std::move(target)}; }

// One authority and a server's certificate for 127.0.0.1 and kube.test.
struct Tls {
  TestCertificate authority = MakeAuthority("authority");
  TestCertificate server = MakeCertificate(authority, "server", "DNS:kube.test,IP:127.0.0.1");

  Credentials At(const LoopbackServer& loopback) const {
    Credentials credentials = https_transport_test::At(loopback, true);
    credentials.ca.text = authority.CertificatePem();
    return credentials;
  }
};

TEST_CASE("a request arrives as it was meant, on a connection that is kept") {
  Mutex mutex;
  std::vector<LoopbackServer::Seen> requests;
  const Tls tls;
  LoopbackServer server(
      [&](const LoopbackServer::Seen& request) {
        MutexLock lock(mutex);
        requests.push_back(request);
        return Echo(request);
      },
      tls.server, nullptr);
  Credentials credentials = tls.At(server);
  credentials.server.path = "/prefix";
  credentials.token = "secret";
  auto transport = Connect(credentials);
  const HttpRequest patch{.method = "PATCH",
                          .target = "/a%2Fb?limit=5&continue=x%3D%3D",
                          .content_type = "application/merge-patch+json",
                          .body = R"({"a":1})"};
  auto answer = transport->Send(patch);
  REQUIRE(answer.ok());
  CHECK(answer->status == 200);
  CHECK(answer->body == R"(PATCH /prefix/a%2Fb?limit=5&continue=x%3D%3D {"a":1})");
  CHECK(transport->Send(Get("/b"))->body == "GET /prefix/b ");
  const std::vector<LoopbackServer::Seen> seen = [&] {
    MutexLock lock(mutex);
    return requests;
  }();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].client_port == seen[1].client_port);
  CHECK(seen[0].Header("Content-Type") == "application/merge-patch+json");
  CHECK(seen[0].Header("Authorization") == "Bearer secret");
  CHECK(seen[0].Header("Accept-Encoding") == "identity");
  CHECK(seen[0].Header("Host") == "127.0.0.1:" + std::to_string(server.port()));
  CHECK(seen[0].Header("User-Agent") == "gangplan");
}

TEST_CASE("a write that may not leave when its connection stands is not sent") {
  std::atomic<int> requests = 0, asked = 0;
  LoopbackServer server([&](const LoopbackServer::Seen& seen) {
    ++requests;
    return Echo(seen);
  });
  GuardedTransports transports(
      std::make_unique<HttpsTransportFactory>(At(server), HttpsOptions(), SystemClock()),
      [&] { return ++asked != 2; });
  const std::unique_ptr<Transport> transport = transports.Make();
  const HttpRequest post{.method = "POST", .target = "/a", .content_type = "x/y", .body = "{}"};
  CHECK(absl::IsUnavailable(transport->Send(post).status()));
  CHECK(requests == 0);
  CHECK(transport->Send(Get("/b"))->body == "GET /b ");
  CHECK(transport->Send(post)->body == "POST /a {}");
  CHECK(requests == 2);
}

TEST_CASE("an answer of any status comes with its body and Retry-After") {
  LoopbackServer server([](const LoopbackServer::Seen&) {
    return HttpResponse{429, "busy", absl::Seconds(7)};
  });
  auto transport = Connect(At(server));
  auto answer = transport->Send(Get("/"));
  REQUIRE(answer.ok());
  CHECK(answer->status == 429);
  CHECK(answer->body == "busy");
  CHECK(answer->retry_after == absl::Seconds(7));
  auto stream = transport->Stream(Get("/"), [](std::string_view) { return false; });
  CHECK(stream->status == 429);
  CHECK(stream->body == "busy");
}

TEST_CASE("an answer as large as allowed passes, one byte more does not") {
  LoopbackServer server([](const LoopbackServer::Seen& seen) {
    return Ok(std::string(seen.target == "/n" ? 1'000 : 1'001, 'x'));
  });
  HttpsOptions options;
  options.max_answer_bytes = 1'000;
  auto transport = Connect(At(server), options);
  CHECK(transport->Send(Get("/n"))->body.size() == 1'000);
  const absl::Status status = transport->Send(Get("/more")).status();
  CHECK(absl::IsResourceExhausted(status));
  CHECK(Message(status) ==
        fmt::format("127.0.0.1:{}: the answer is larger than 1000 bytes", server.port()));
  CHECK(transport->Send(Get("/n")).ok());
}

TEST_CASE("a receiver ends a stream, and its connection's successor works") {
  LoopbackServer server(Echo);
  auto transport = Connect(At(server));
  server.SendChunk("one\n");
  std::string seen;
  auto answer = transport->Stream(Get("/stream"), [&](std::string_view chunk) {
    seen += chunk;
    return false;
  });
  REQUIRE(answer.ok());
  CHECK(answer->status == 200);
  CHECK(seen == "one\n");
  CHECK(transport->Send(Get("/b"))->body == "GET /b ");
}

TEST_CASE("a stream hands out chunks until the server ends it") {
  LoopbackServer server(Echo);
  auto transport = Connect(At(server));
  server.SendChunk("one\n");
  std::string seen;
  auto answer = transport->Stream(Get("/stream"), [&](std::string_view chunk) {
    seen += chunk;
    if (seen == "one\n") server.SendChunk("two\n");
    if (seen == "one\ntwo\n") server.EndStream();
    return true;
  });
  REQUIRE(answer.ok());
  CHECK(answer->status == 200);
  CHECK(seen == "one\ntwo\n");
}

TEST_CASE("a stream that has nothing to say is told as answered, a refusal is not") {
  LoopbackServer server(Echo);
  auto transport = Connect(At(server));
  int answered = 0;
  HttpRequest request = Get("/stream");
  request.answered = [&] {
    ++answered;
    server.EndStream();
  };
  CHECK(transport->Stream(request, [](std::string_view) { return true; }).ok());
  CHECK(answered == 1);
  request.target = "/refused";
  LoopbackServer refusing([](const LoopbackServer::Seen&) { return HttpResponse{403, "no", {}}; });
  CHECK(Connect(At(refusing))->Stream(request, [](std::string_view) { return true; })->status ==
        403);
  CHECK(answered == 1);
}

TEST_CASE("a silence longer than the read time-out ends a stream as broken") {
  LoopbackServer server(Echo);
  auto transport = Connect(At(server));
  const absl::Status status =
      transport
          ->Stream({.target = "/stream", .read_timeout = absl::Milliseconds(50)},
                   [](std::string_view) { return true; })
          .status();
  CHECK(absl::IsUnknown(status));
  CHECK(Message(status).starts_with(fmt::format("127.0.0.1:{}: no whole answer: ", server.port())));
}

TEST_CASE("an answer that comes drop by drop has an end where it is given one") {
  LoopbackServer server(Echo);
  HttpsOptions options;
  options.answer_timeout = absl::Milliseconds(200);
  auto transport = Connect(At(server), options);
  std::atomic<bool> over = false;
  auto drops = std::async(std::launch::async, [&] {
    StoppablePause pause;
    while (!over) {
      server.SendChunk("x");
      pause.For(absl::Milliseconds(5));
    }
  });
  const absl::Status status = transport->Send(Get("/stream")).status();
  over = true;
  drops.get();
  CHECK(absl::IsUnknown(status));
  CHECK(Message(status).starts_with(
      fmt::format("127.0.0.1:{}: no whole answer: it took ", server.port())));
  CHECK(transport->Send(Get("/a"))->body == "GET /a ");
}

TEST_CASE("an interrupt ends a stream under way and all that follows") {
  LoopbackServer server(Echo);
  auto transport = Connect(At(server));
  server.SendChunk("one\n");
  std::promise<void> inside;
  auto stream = std::async(std::launch::async, [&] {
    return transport->Stream(Get("/stream"), [&](std::string_view) {
      inside.set_value();
      return true;
    });
  });
  inside.get_future().wait();
  transport->Interrupt();
  CHECK(absl::IsCancelled(stream.get().status()));
  CHECK(absl::IsCancelled(transport->Send(Get("/")).status()));
}

TEST_CASE("without a server nothing was sent") {
  int port = 0;
  { port = LoopbackServer(Echo).port(); }
  Credentials credentials;
  credentials.server = {false, "127.0.0.1", port, ""};
  const absl::Status status = Connect(credentials)->Send(Get("/")).status();
  CHECK(absl::IsUnavailable(status));
  CHECK(Message(status).starts_with(fmt::format("127.0.0.1:{}: no connection: ", port)));
}

TEST_CASE("an IPv6 address is reached, and has brackets in Host") {
  Mutex mutex;
  std::string host;
  LoopbackServer server(
      [&](const LoopbackServer::Seen& seen) {
        MutexLock lock(mutex);
        host = seen.Header("Host");
        return Ok("");
      },
      "::1");
  Credentials credentials;
  credentials.server = {false, "::1", server.port(), ""};
  CHECK(Connect(credentials)->Send(Get("/")).ok());
  MutexLock lock(mutex);
  CHECK(host == fmt::format("[::1]:{}", server.port()));
}

TEST_CASE("TLS trusts the given authority alone") {
  const Tls tls;
  LoopbackServer server(Echo, tls.server, nullptr);
  CHECK(Connect(tls.At(server))->Send(Get("/a"))->body == "GET /a ");
  Credentials other = tls.At(server);
  const TestCertificate stranger = MakeAuthority("stranger");
  other.ca.text = stranger.CertificatePem();
  const absl::Status status = Connect(other)->Send(Get("/")).status();
  CHECK(absl::IsUnavailable(status));
  CHECK(Message(status).find("unable to get local issuer certificate") != std::string::npos);
  // Not even one that the system trusts.
  const ScratchFile system(tls.authority.CertificatePem());
  setenv("SSL_CERT_FILE", system.path().c_str(), 1);
  CHECK(absl::IsUnavailable(Connect(other)->Send(Get("/")).status()));
  other.ca.text.clear();
  CHECK(Connect(other)->Send(Get("/")).ok());
  unsetenv("SSL_CERT_FILE");
  other.insecure_skip_tls_verify = true;
  CHECK(Connect(other)->Send(Get("/")).ok());
}

TEST_CASE("the certificate must name the host, or the name that was given instead") {
  const Tls tls;
  const TestCertificate named = MakeCertificate(tls.authority, "named", "DNS:kube.test");
  LoopbackServer server(Echo, named, nullptr);
  Credentials credentials = tls.At(server);
  CHECK(absl::IsUnavailable(Connect(credentials)->Send(Get("/")).status()));
  credentials.tls_server_name = "kube.test";
  CHECK(Connect(credentials)->Send(Get("/")).ok());
  credentials.tls_server_name = "other.test";
  CHECK(absl::IsUnavailable(Connect(credentials)->Send(Get("/")).status()));
}

// As Go has it: a common name is no name of a host, be there others beside it or none.
TEST_CASE("a certificate names a host by its alternative names alone") {
  const Tls tls;
  for (const char* others : {"DNS:other.test", "IP:127.0.0.9", ""}) {
    INFO(others);
    const TestCertificate named = MakeCertificate(tls.authority, "kube.test", others);
    LoopbackServer server(Echo, named, nullptr);
    Credentials credentials = tls.At(server);
    credentials.tls_server_name = "kube.test";
    CHECK(absl::IsUnavailable(Connect(credentials)->Send(Get("/")).status()));
  }
}

TEST_CASE("a client certificate opens, with its issuers") {
  const Tls tls;
  const TestCertificate root = MakeAuthority("clients");
  const TestCertificate middle = MakeIntermediate(root, "middle");
  const TestCertificate client = MakeCertificate(middle, "client", "");
  LoopbackServer server(Echo, tls.server, &root);
  Credentials credentials = tls.At(server);
  CHECK_FALSE(Connect(credentials)->Send(Get("/")).ok());
  credentials.client_certificate.text = client.CertificatePem() + middle.CertificatePem();
  credentials.client_key.text = client.KeyPem();
  CHECK(Connect(credentials)->Send(Get("/")).ok());
  // Without the one between, the server cannot follow.
  credentials.client_certificate.text = client.CertificatePem();
  CHECK_FALSE(Connect(credentials)->Send(Get("/")).ok());
}

TEST_CASE("a renewed authority is seen after a failure") {
  const Tls tls;
  LoopbackServer server(Echo, tls.server, nullptr);
  const TestCertificate stranger = MakeAuthority("stranger");
  const ScratchFile file(stranger.CertificatePem());
  Credentials credentials = tls.At(server);
  credentials.ca = {"", file.path()};
  auto transport = Connect(credentials);
  CHECK_FALSE(transport->Send(Get("/")).ok());
  file.Write(tls.authority.CertificatePem());
  CHECK(transport->Send(Get("/")).ok());
}

TEST_CASE("bad keys and certificates are named") {
  const Tls tls;
  LoopbackServer server(Echo, tls.server, nullptr);
  const std::string at = fmt::format("127.0.0.1:{}: ", server.port());
  auto error = [&](const Credentials& credentials) {
    return Message(Connect(credentials)->Send(Get("/")).status());
  };
  Credentials credentials = tls.At(server);
  credentials.ca.text = "nothing";
  CHECK(error(credentials) == at + "certificate authority: there is no PEM certificate");
  credentials.ca = {"", "/no/such"};
  CHECK(error(credentials) == at + "/no/such: No such file or directory");
  credentials = tls.At(server);
  credentials.client_certificate.text = "nothing";
  credentials.client_key.text = tls.server.KeyPem();
  CHECK(error(credentials) == at + "client certificate: there is no PEM certificate");
  credentials.client_certificate.text = tls.server.CertificatePem();
  credentials.client_key.text = "nothing";
  CHECK(error(credentials) == at + "client key: there is no PEM key without a password");
  credentials.client_key.text = tls.authority.KeyPem();
  CHECK(error(credentials) == at + "the client key does not belong to the client certificate");
}

}  // namespace
}  // namespace gangplan::https_transport_test
