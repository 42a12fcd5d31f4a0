// A server under mutual TLS with files of its own, and its clients. For tests only.
#pragma once

#include <csignal>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "fmt/format.h"
#include "openssl/ssl.h"
#include "tests/extender/kube/scratch_file.h"
#include "tests/extender/kube/test_certificates.h"
#include "tests/extender/server/echo_server.h"
#include "tests/support/catch.h"
#include "topology/base/check.h"
#include "topology/base/clock.h"

namespace gangplan {

[[maybe_unused]] inline const auto kSigpipeIgnored = std::signal(SIGPIPE, SIG_IGN);

struct SslFree {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* session) const { SSL_free(session); }
};

// A client that believes whatever it is shown, and shows `own` or nothing.
class TlsClient {
 public:
  // `protocols`: what it offers to speak, each name behind its length.
  TlsClient(int port, const TestCertificate* own, int version = TLS1_3_VERSION,
            const std::string& protocols = "")
      : plain_(port) {
    context_.reset(SSL_CTX_new(TLS_client_method()));
    SSL_CTX_set_cipher_list(context_.get(), "DEFAULT@SECLEVEL=0");
    SSL_CTX_set_min_proto_version(context_.get(), version);
    SSL_CTX_set_max_proto_version(context_.get(), version);
    if (own != nullptr) {
      GANGPLAN_CHECK(SSL_CTX_use_certificate(context_.get(), own->certificate.get()) == 1);
      GANGPLAN_CHECK(SSL_CTX_use_PrivateKey(context_.get(), own->key.get()) == 1);
    }
    session_.reset(SSL_new(context_.get()));
    SSL_set_fd(session_.get(), plain_.socket());
    if (!protocols.empty()) {
      SSL_set_alpn_protos(session_.get(), reinterpret_cast<const unsigned char*>(protocols.data()),
                          static_cast<unsigned>(protocols.size()));
    }
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
  // At least one byte, or nothing more comes.
  std::string ReadSome() {
    char some[16384];
    const int n = SSL_read(session_.get(), some, sizeof some);
    return {some, static_cast<size_t>(n > 0 ? n : 0)};
  }
  // Which of them the server has chosen; empty: none.
  std::string Agreed() const {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(session_.get(), &name, &size);
    return {reinterpret_cast<const char*>(name), size};
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
struct TlsWorld {
  explicit TlsWorld(HttpServerOptions options = {}, Routes routes = EchoRoutes())
      : test(Options(std::move(options)), std::move(routes)) {}

  HttpServerOptions Options(HttpServerOptions options) const {
    options.loopback_only = false;
    const bool http2 = options.tls && options.tls->http2;
    options.tls = Tls();
    options.tls->http2 = http2;
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
  // In time: the server counts after the client has seen what it counts.
  bool Counted(std::string_view line) const {
    const absl::Time end = SystemClock().Now() + absl::Seconds(20);
    const std::string whole = fmt::format("\n{}\n", line);
    while (test.metrics.Text().find(whole) == std::string::npos) {
      if (SystemClock().Now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }

  TestCertificate ours = MakeAuthority("ours");
  TestCertificate first = MakeCertificate(ours, "first", "IP:127.0.0.1");
  TestCertificate scheduler = MakeCertificate(ours, "scheduler", "");
  ScratchFile certificate{first.CertificatePem()};
  ScratchFile key{first.KeyPem()};
  ScratchFile client_ca{ours.CertificatePem()};
  TestServer test;
};

}  // namespace gangplan
