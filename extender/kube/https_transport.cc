#include "extender/kube/https_transport.h"

#include <netdb.h>

#include <atomic>
#include <charconv>
#include <exception>

#include "extender/kube/tls.h"
#include "httplib.h"
#include "topology/base/mutex.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// A folder of certificates that there is not.
constexpr char kNoAuthorities[] = "/nonexistent";

// Kubernetes sends seconds, never a date.
absl::Duration RetryAfter(const httplib::Response& response) {
  const std::string text = response.get_header_value("Retry-After");
  int seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return absl::Seconds(std::max(seconds, 0));
}

// Newer versions of the library have a word of its own for a certificate of another host.
template <typename Error>
bool NamesAnotherHost(Error error) {
  if constexpr (requires { Error::SSLServerHostnameVerification; }) {
    return error == Error::SSLServerHostnameVerification;
  }
  return false;
}

bool SurelyNotSent(httplib::Error error) {
  return error == httplib::Error::Connection || error == httplib::Error::ConnectionTimeout ||
         error == httplib::Error::BindIPAddress || error == httplib::Error::SSLConnection ||
         error == httplib::Error::SSLLoadingCerts ||
         error == httplib::Error::SSLServerVerification || NamesAnotherHost(error);
}

// The first address of `host`, as text.
absl::StatusOr<std::string> ResolveHost(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0) {
    return absl::UnavailableError(ToAbsl(fmt::format("{}: {}", host, gai_strerror(error))));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  char text[NI_MAXHOST];
  if (getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text, nullptr, 0,
                  NI_NUMERICHOST) != 0) {
    return absl::UnavailableError(ToAbsl(fmt::format("{}: it has no address", host)));
  }
  return std::string(text);
}

// One connection's settings and the authorities that it trusts.
struct Connection {
  CertificateStack trusted;
  std::unique_ptr<httplib::ClientImpl> client;
};

absl::Status SetUpTls(const Credentials& credentials, httplib::SSLClient& client,
                      CertificateStack* trusted) {
  SSL_CTX* context = client.ssl_context();
  if (context == nullptr) return absl::InternalError("OpenSSL gives no context");
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  client.enable_server_certificate_verification(!credentials.insecure_skip_tls_verify);
  if (!credentials.ca.empty()) {
    GANGPLAN_ASSIGN_OR_RETURN(const std::string pem, credentials.ca.Read());
    auto parsed = ParseCertificates(pem);
    if (!parsed.ok()) {
      return Invalid("certificate authority: {}", ToStd(parsed.status().message()));
    }
    *trusted = *std::move(parsed);
    TrustOnly(context, trusted->get());
    // Else the library reads all authorities of the machine, for each connection some milliseconds,
    // which are never asked.
    client.set_ca_cert_path("", kNoAuthorities);
  }
  if (!credentials.client_certificate.empty()) {
    GANGPLAN_ASSIGN_OR_RETURN(const std::string certificate, credentials.client_certificate.Read());
    GANGPLAN_ASSIGN_OR_RETURN(const std::string key, credentials.client_key.Read());
    GANGPLAN_RETURN_IF_ERROR(UseClientCertificate(context, certificate, key));
  }
  return absl::OkStatus();
}

absl::Status MakeClient(const Credentials& credentials, Connection* connection) {
  const ServerAddress& server = credentials.server;
  if (!server.tls) {
    connection->client = std::make_unique<httplib::ClientImpl>(server.host, server.port);
    return absl::OkStatus();
  }
  // The library verifies the name that it was made for, so that one leads to the real host.
  const std::string& name =
      credentials.tls_server_name.empty() ? server.host : credentials.tls_server_name;
  auto client = std::make_unique<httplib::SSLClient>(name, server.port);
  if (name != server.host) {
    GANGPLAN_ASSIGN_OR_RETURN(const std::string address, ResolveHost(server.host));
    client->set_hostname_addr_map({{name, address}});
  }
  GANGPLAN_RETURN_IF_ERROR(SetUpTls(credentials, *client, &connection->trusted));
  connection->client = std::move(client);
  return absl::OkStatus();
}

template <typename Setter>
void SetTimeout(absl::Duration duration, Setter setter) {
  const int64_t micros = absl::ToInt64Microseconds(duration);
  setter(static_cast<time_t>(micros / 1'000'000), static_cast<time_t>(micros % 1'000'000));
}

std::string WhyVerificationFailed(const httplib::ClientImpl& client) {
  const auto* tls = dynamic_cast<const httplib::SSLClient*>(&client);
  const long result = tls == nullptr ? X509_V_OK : tls->get_openssl_verify_result();
  return result == X509_V_OK ? "" : fmt::format(" ({})", X509_verify_cert_error_string(result));
}

class HttpsTransport : public Transport {
 public:
  HttpsTransport(std::shared_ptr<const Credentials> credentials, const HttpsOptions& options)
      : credentials_(std::move(credentials)), options_(options) {}

  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override {
    return Exchange(request, nullptr);
  }
  absl::StatusOr<HttpResponse> Stream(const HttpRequest& request,
                                      const ChunkReceiver& on_chunk) override {
    return Exchange(request, &on_chunk);
  }
  void Interrupt() override {
    interrupted_ = true;
    MutexLock lock(mutex_);
    if (connection_.client != nullptr) connection_.client->stop();
  }

 private:
  // What an exchange gathers.
  struct Gathered {
    HttpResponse answer;
    bool ended_by_receiver = false;
    bool too_large = false;
  };

  absl::StatusOr<HttpResponse> Exchange(const HttpRequest& request, const ChunkReceiver* on_chunk);
  httplib::Request WireRequest(const HttpRequest& request, const ChunkReceiver* on_chunk,
                               Gathered* gathered) const;
  bool TakeBytes(std::string_view bytes, const ChunkReceiver* on_chunk, Gathered* gathered) const;
  absl::Status Failure(httplib::Error error, const Gathered& gathered) const;
  absl::Status Open();
  void Close();

  const std::shared_ptr<const Credentials> credentials_;
  const HttpsOptions options_;
  std::atomic<bool> interrupted_ = false;
  // Guards the pointer against Interrupt; the requesting thread alone changes it.
  Mutex mutex_;
  Connection connection_;
};

absl::Status HttpsTransport::Open() {
  if (connection_.client != nullptr) return absl::OkStatus();
  Connection fresh;
  const absl::Status made = MakeClient(*credentials_, &fresh);
  if (!made.ok()) {
    return absl::UnavailableError(
        ToAbsl(fmt::format("{}: {}", credentials_->server.HostAndPort(), ToStd(made.message()))));
  }
  httplib::ClientImpl& client = *fresh.client;
  client.set_keep_alive(true);
  client.set_tcp_nodelay(true);
  client.set_decompress(false);
  SetTimeout(options_.connect_timeout,
             [&](time_t s, time_t us) { client.set_connection_timeout(s, us); });
  SetTimeout(options_.write_timeout, [&](time_t s, time_t us) { client.set_write_timeout(s, us); });
  MutexLock lock(mutex_);
  connection_ = std::move(fresh);
  return absl::OkStatus();
}

void HttpsTransport::Close() {
  MutexLock lock(mutex_);
  connection_.client.reset();
}

absl::StatusOr<HttpResponse> HttpsTransport::Exchange(const HttpRequest& request,
                                                      const ChunkReceiver* on_chunk) {
  if (interrupted_) return absl::CancelledError("interrupted");
  GANGPLAN_RETURN_IF_ERROR(Open());
  httplib::ClientImpl& client = *connection_.client;
  SetTimeout(request.read_timeout, [&](time_t s, time_t us) { client.set_read_timeout(s, us); });
  Gathered gathered;
  httplib::Error error = httplib::Error::Unknown;
  try {
    error = client.send(WireRequest(request, on_chunk, &gathered)).error();
  } catch (const std::exception&) {
    error = httplib::Error::Unknown;
  }
  if (error == httplib::Error::Success || gathered.ended_by_receiver) {
    // A fresh certificate may be what a 401 asks for.
    if (gathered.answer.status == 401) Close();
    return std::move(gathered.answer);
  }
  const absl::Status failure = Failure(error, gathered);
  Close();
  return failure;
}

httplib::Request HttpsTransport::WireRequest(const HttpRequest& request,
                                             const ChunkReceiver* on_chunk,
                                             Gathered* gathered) const {
  httplib::Request wire;
  wire.method = request.method;
  wire.path = credentials_->server.path + request.target;
  wire.headers = {{"Host", credentials_->server.HostAndPort()},
                  {"User-Agent", "gangplan"},
                  {"Accept", std::string(request.accept)},
                  {"Accept-Encoding", "identity"}};
  if (!request.bearer.empty()) wire.headers.emplace("Authorization", "Bearer " + request.bearer);
  if (!request.content_type.empty()) {
    wire.headers.emplace("Content-Type", request.content_type);
    wire.body = request.body;
  }
  wire.response_handler = [gathered](const httplib::Response& response) {
    gathered->answer.status = response.status;
    gathered->answer.retry_after = RetryAfter(response);
    return true;
  };
  wire.content_receiver = [this, on_chunk, gathered](const char* data, size_t size, uint64_t,
                                                     uint64_t) {
    return TakeBytes({data, size}, on_chunk, gathered);
  };
  return wire;
}

bool HttpsTransport::TakeBytes(std::string_view bytes, const ChunkReceiver* on_chunk,
                               Gathered* gathered) const {
  if (on_chunk != nullptr && gathered->answer.ok()) {
    gathered->ended_by_receiver = !(*on_chunk)(bytes);
    return !gathered->ended_by_receiver;
  }
  gathered->too_large = gathered->answer.body.size() + bytes.size() > options_.max_answer_bytes;
  if (gathered->too_large) return false;
  gathered->answer.body.append(bytes);
  return true;
}

absl::Status HttpsTransport::Failure(httplib::Error error, const Gathered& gathered) const {
  const std::string where = credentials_->server.HostAndPort();
  if (interrupted_) return absl::CancelledError("interrupted");
  if (gathered.too_large) {
    return absl::ResourceExhaustedError(ToAbsl(
        fmt::format("{}: the answer is larger than {} bytes", where, options_.max_answer_bytes)));
  }
  const std::string why = httplib::to_string(error) + WhyVerificationFailed(*connection_.client);
  if (SurelyNotSent(error)) {
    return absl::UnavailableError(ToAbsl(fmt::format("{}: no connection: {}", where, why)));
  }
  return absl::UnknownError(ToAbsl(fmt::format("{}: no whole answer: {}", where, why)));
}

}  // namespace

HttpsTransportFactory::HttpsTransportFactory(Credentials credentials, HttpsOptions options,
                                             const Clock& clock)
    : credentials_(std::make_shared<const Credentials>(std::move(credentials))),
      options_(options),
      tokens_(std::make_shared<TokenSource>(credentials_->token, credentials_->token_file, clock)) {
}

std::unique_ptr<Transport> HttpsTransportFactory::Make() {
  return std::make_unique<TokenTransport>(std::make_unique<HttpsTransport>(credentials_, options_),
                                          tokens_);
}

}  // namespace gangplan
