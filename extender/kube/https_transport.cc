#include "extender/kube/https_transport.h"

#include <algorithm>

#include "extender/kube/connection.h"
#include "extender/kube/http_answer.h"
#include "topology/base/check.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// What an exchange gathers.
struct Gathered {
  HttpAnswer wire;
  HttpResponse answer;
  bool too_large = false;
};

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
  void Interrupt() override { interruption_.Set(); }

 private:
  absl::StatusOr<HttpResponse> Exchange(const HttpRequest& request, const ChunkReceiver* on_chunk);
  absl::Status Converse(const HttpRequest& request, const ChunkReceiver* on_chunk,
                        Gathered* gathered);
  std::string WireRequest(const HttpRequest& request) const;
  bool TakeBytes(std::string_view bytes, const ChunkReceiver* on_chunk, Gathered* gathered) const;
  absl::Status Open();
  absl::Status Failure(absl::StatusCode code, std::string_view why) const;

  const std::shared_ptr<const Credentials> credentials_;
  const HttpsOptions options_;
  Interruption interruption_;
  std::unique_ptr<Connection> connection_;
};

absl::Status HttpsTransport::Failure(absl::StatusCode code, std::string_view why) const {
  return absl::Status(code, ToAbsl(fmt::format("{}: {}", credentials_->server.HostAndPort(), why)));
}

absl::Status HttpsTransport::Open() {
  if (connection_ != nullptr && connection_->IsQuiet()) return absl::OkStatus();
  connection_.reset();
  TlsContext context;
  if (credentials_->server.tls) {
    auto made = MakeTlsContext(*credentials_);
    if (!made.ok()) return Failure(absl::StatusCode::kUnavailable, Message(made.status()));
    context = *std::move(made);
  }
  const std::string& name = credentials_->tls_server_name.empty() ? credentials_->server.host
                                                                  : credentials_->tls_server_name;
  auto opened = Connection::Open(credentials_->server, context.get(), name,
                                 options_.connect_timeout, interruption_);
  if (!opened.ok()) {
    if (absl::IsCancelled(opened.status())) return opened.status();
    return Failure(absl::StatusCode::kUnavailable,
                   fmt::format("no connection: {}", Message(opened.status())));
  }
  connection_ = *std::move(opened);
  return absl::OkStatus();
}

absl::StatusOr<HttpResponse> HttpsTransport::Exchange(const HttpRequest& request,
                                                      const ChunkReceiver* on_chunk) {
  if (interruption_.is_set()) return absl::CancelledError("interrupted");
  GANGPLAN_RETURN_IF_ERROR(Open());
  if (request.may_leave && !request.may_leave())
    return Failure(absl::StatusCode::kUnavailable, "not sent: it may not be written any more");
  Gathered gathered;
  const absl::Status status = Converse(request, on_chunk, &gathered);
  // Nothing of it may arrive once nobody waits for its answer: others may act by then.
  if (!gathered.wire.done()) connection_->Abandon();
  // A fresh certificate may be what a 401 asks for.
  if (!gathered.wire.done() || !gathered.wire.keeps_connection() || gathered.wire.status() == 401)
    connection_.reset();
  if (gathered.too_large) {
    return Failure(absl::StatusCode::kResourceExhausted,
                   fmt::format("the answer is larger than {} bytes", options_.max_answer_bytes));
  }
  if (absl::IsCancelled(status)) return status;
  if (!status.ok()) {
    return Failure(absl::StatusCode::kUnknown, fmt::format("no whole answer: {}", Message(status)));
  }
  gathered.answer.status = gathered.wire.status();
  gathered.answer.retry_after = gathered.wire.retry_after();
  return std::move(gathered.answer);
}

// OK: the answer is there, or no more of it is wanted.
absl::Status HttpsTransport::Converse(const HttpRequest& request, const ChunkReceiver* on_chunk,
                                      Gathered* gathered) {
  GANGPLAN_RETURN_IF_ERROR(connection_->Write(WireRequest(request), options_.write_timeout));
  const auto take = [&](std::string_view piece) { return TakeBytes(piece, on_chunk, gathered); };
  HttpAnswer& wire = gathered->wire;
  bool told = request.answered == nullptr;
  const absl::Time end = SystemClock().Now() + options_.answer_timeout;
  while (!wire.done() && !wire.refused()) {
    const absl::Duration left = end - SystemClock().Now();
    if (left <= absl::ZeroDuration())
      return absl::UnavailableError(ToAbsl(
          fmt::format("it took longer than {}", absl::FormatDuration(options_.answer_timeout))));
    GANGPLAN_ASSIGN_OR_RETURN(const std::string_view bytes,
                              connection_->Read(std::min(request.read_timeout, left)));
    GANGPLAN_RETURN_IF_ERROR(bytes.empty() ? wire.Close() : wire.Append(bytes, take));
    if (!told && wire.status() >= 200 && wire.status() < 300) {
      told = true;
      request.answered();
    }
  }
  return absl::OkStatus();
}

std::string HttpsTransport::WireRequest(const HttpRequest& request) const {
  std::string text = fmt::format(
      "{} {}{} HTTP/1.1\r\nHost: {}\r\nUser-Agent: gangplan\r\nAccept: {}\r\n"
      "Accept-Encoding: identity\r\n",
      request.method, credentials_->server.path, request.target, credentials_->server.HostAndPort(),
      request.accept);
  if (!request.bearer.empty()) text += fmt::format("Authorization: Bearer {}\r\n", request.bearer);
  if (!request.content_type.empty()) {
    text += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", request.content_type,
                        request.body.size());
  }
  text += "\r\n";
  return request.content_type.empty() ? text : text + request.body;
}

bool HttpsTransport::TakeBytes(std::string_view bytes, const ChunkReceiver* on_chunk,
                               Gathered* gathered) const {
  const int status = gathered->wire.status();
  if (on_chunk != nullptr && status >= 200 && status < 300) return (*on_chunk)(bytes);
  gathered->too_large = gathered->answer.body.size() + bytes.size() > options_.max_answer_bytes;
  if (gathered->too_large) return false;
  gathered->answer.body.append(bytes);
  return true;
}

}  // namespace

HttpsTransportFactory::HttpsTransportFactory(Credentials credentials, HttpsOptions options,
                                             const Clock& clock)
    : credentials_(std::make_shared<const Credentials>(std::move(credentials))),
      options_(options),
      tokens_(std::make_shared<TokenSource>(credentials_->token, credentials_->token_file, clock)) {
  GANGPLAN_CHECK(credentials_->server.tls || !credentials_->has_token());
}

std::unique_ptr<Transport> HttpsTransportFactory::Make() {
  return std::make_unique<TokenTransport>(std::make_unique<HttpsTransport>(credentials_, options_),
                                          tokens_);
}

}  // namespace gangplan
