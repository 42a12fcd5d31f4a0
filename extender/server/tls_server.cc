#include "extender/server/tls_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <utility>

#include "extender/server/certificates.h"
#include "extender/server/limits.h"
#include "extender/server/listen_address.h"
#include "fmt/format.h"
#include "openssl/err.h"
#include "openssl/pem.h"
#include "openssl/ssl.h"
#include "openssl/x509.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

struct SessionFree {
  void operator()(SSL* session) const { SSL_free(session); }
};
using TlsSession = std::unique_ptr<SSL, SessionFree>;

constexpr std::string_view kHttp2 = "h2";
constexpr std::string_view kHttp1 = "http/1.1";

// Of the names that the client offers, each behind its length, the one that is taken. A name that
// nobody knows is passed over: such a client is spoken to in HTTP/1.1, as one that offers none.
int ChooseProtocol(SSL* session, const unsigned char** chosen, unsigned char* size,
                   const unsigned char* offered, unsigned offered_size, void*) {
  const bool http2 = SSL_version(session) >= TLS1_3_VERSION;
  for (const std::string_view known : {kHttp2, kHttp1}) {
    if (known == kHttp2 && !http2) continue;
    for (unsigned at = 0; at < offered_size; at += 1 + offered[at]) {
      const auto* name = reinterpret_cast<const char*>(offered + at + 1);
      if (std::string_view(name, offered[at]) != known) continue;
      *chosen = offered + at + 1;
      *size = offered[at];
      return SSL_TLSEXT_ERR_OK;
    }
  }
  return SSL_TLSEXT_ERR_NOACK;
}

// The socket must not block.
class TlsStream : public ByteStream {
 public:
  TlsStream(int socket, TlsSession session) : ByteStream(socket), session_(std::move(session)) {}
  ~TlsStream() override { EndSession(); }

  ssize_t Handshake(absl::Time deadline) {
    return Drive(deadline, [this] { return SSL_accept(session_.get()); });
  }
  ssize_t Read(char* data, size_t size, absl::Time deadline) override {
    return Drive(deadline, [&] { return SSL_read(session_.get(), data, Bounded(size)); });
  }
  ssize_t Write(const char* data, size_t size, absl::Time deadline) override {
    return Drive(deadline, [&] { return SSL_write(session_.get(), data, Bounded(size)); });
  }
  void EndSending() override {
    EndSession();
    ::shutdown(socket(), SHUT_WR);
  }
  bool MayAsk() override { return may_ask_ == nullptr || may_ask_(); }
  void SetMayAsk(std::function<bool()> may_ask) { may_ask_ = std::move(may_ask); }
  bool IsBelieved() override { return is_believed_ != nullptr && is_believed_(); }
  bool IsHttp2() const override {
    const unsigned char* chosen = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(session_.get(), &chosen, &size);
    return std::string_view(reinterpret_cast<const char*>(chosen), size) == kHttp2;
  }
  void SetIsBelieved(std::function<bool()> is_believed) { is_believed_ = std::move(is_believed); }
  SSL* session() { return session_.get(); }

 private:
  static int Bounded(size_t size) { return static_cast<int>(std::min(size, size_t{1} << 20)); }

  // `step` until it has done something or cannot.
  template <typename Step>
  ssize_t Drive(absl::Time deadline, Step step) {
    while (!broken_) {
      ERR_clear_error();
      const int n = step();
      if (n > 0) return n;
      const int why = SSL_get_error(session_.get(), n);
      broken_ = why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE;
      const short events = why == SSL_ERROR_WANT_WRITE ? POLLOUT : POLLIN;
      if (!broken_ && !AwaitSocket(socket(), events, deadline)) return kTooSlow;
    }
    return kGone;
  }

  // Tells the peer, if it can be told at once.
  void EndSession() {
    if (!broken_ && SSL_is_init_finished(session_.get())) SSL_shutdown(session_.get());
    ERR_clear_error();
  }

  TlsSession session_;
  std::function<bool()> may_ask_;
  std::function<bool()> is_believed_;
  bool broken_ = false;
};

std::string FirstError() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(error)) return std::strerror(ERR_GET_REASON(error));
  const char* const reason = error == 0 ? nullptr : ERR_reason_error_string(error);
  return reason == nullptr ? "no reason is known" : reason;
}

// A pipe in place of a file would be waited for.
absl::Status CheckFile(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return Invalid("{}: {}", path, std::strerror(errno));
  if (!S_ISREG(facts.st_mode)) return Invalid("{}: not a file", path);
  if (facts.st_size > static_cast<off_t>(kMaxTlsFileBytes))
    return Invalid("{}: more than {} bytes", path, kMaxTlsFileBytes);
  return absl::OkStatus();
}

absl::Status Used(bool good, const std::string& path, std::string_view as) {
  if (good) return absl::OkStatus();
  return Invalid("{}: no {}: {}", path, as, FirstError());
}

// The certificate that the peer showed is one that `context` would let in by these authorities, as
// OpenSSL asks at a handshake.
bool Trusts(SSL_CTX* context, X509_STORE* authorities, SSL* session) {
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> check(X509_STORE_CTX_new(),
                                                                              X509_STORE_CTX_free);
  if (check == nullptr ||
      X509_STORE_CTX_init(check.get(), authorities, SSL_get0_peer_certificate(session),
                          SSL_get_peer_cert_chain(session)) != 1) {
    return false;
  }
  X509_STORE_CTX_set_default(check.get(), "ssl_client");
  X509_VERIFY_PARAM* const rules = X509_STORE_CTX_get0_param(check.get());
  X509_VERIFY_PARAM_set_auth_level(rules, SSL_CTX_get_security_level(context));
  X509_VERIFY_PARAM_set1(rules, SSL_CTX_get0_param(context));
  X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_PARTIAL_CHAIN);  // as Go trusts what is listed
  const bool trusted = X509_verify_cert(check.get()) == 1;
  ERR_clear_error();
  return trusted;
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

using Authorities = std::shared_ptr<X509_STORE>;

// Of the text of those who are believed.
absl::StatusOr<Authorities> AuthoritiesOf(const std::string& pem) {
  const Authorities store(X509_STORE_new(), X509_STORE_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  int count = 0;
  for (;; ++count) {
    const std::unique_ptr<X509, decltype(&X509_free)> one(
        PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr), X509_free);
    if (one == nullptr) break;
    X509_STORE_add_cert(store.get(), one.get());
  }
  ERR_clear_error();  // that of the text's end
  if (count > 0) return store;
  return Invalid("no authority is in the text that names those who are believed");
}

}  // namespace

// What comes of the files, who is believed, and who is let in: each may be renewed without the
// others.
struct TlsServer::Setting {
  std::shared_ptr<SSL_CTX> context;
  std::shared_ptr<const ClientTrust> believed;
  Authorities authorities;         // of these
  std::vector<std::string> names;  // of those that are let in

  bool Believes(SSL* session) const {
    if (believed == nullptr || SSL_get0_peer_certificate(session) == nullptr) return false;
    const bool named = believed->names.empty() || Contains(believed->names, CommonName(session));
    return named && Trusts(context.get(), authorities.get(), session);
  }
  // By its name, and the authorities of the files.
  bool LetsIn(SSL* session) const {
    return Contains(names, CommonName(session)) &&
           Trusts(context.get(), SSL_CTX_get_cert_store(context.get()), session);
  }
};

absl::StatusOr<std::unique_ptr<TlsServer>> TlsServer::Load(TlsOptions options, Metrics& metrics,
                                                           const Clock& clock, const Clock& host) {
  std::unique_ptr<TlsServer> server(new TlsServer(std::move(options), metrics, clock, host));
  MutexLock lock(server->mutex_);
  server->stamps_ = server->StampsNow();
  server->believed_ = server->Believed();
  auto setting = std::make_shared<Setting>();
  setting->names = server->options_.allowed_names;
  GANGPLAN_RETURN_IF_ERROR(server->UseFiles(*setting));
  GANGPLAN_RETURN_IF_ERROR(server->Believe(server->believed_, *setting));
  server->Use(std::move(setting));
  return server;
}

TlsServer::Stamps TlsServer::StampsNow() const {
  Stamps stamps = {};
  const std::string* const files[] = {&options_.certificate_file, &options_.key_file,
                                      &options_.client_ca_file};
  for (size_t i = 0; i < stamps.size(); ++i) {
    struct stat facts {};
    if (files[i]->empty() || ::stat(files[i]->c_str(), &facts) != 0) continue;
    stamps[i] = {static_cast<int64_t>(facts.st_dev),
                 static_cast<int64_t>(facts.st_ino),
                 static_cast<int64_t>(facts.st_size),
                 facts.st_mtim.tv_sec,
                 facts.st_mtim.tv_nsec,
                 facts.st_ctim.tv_sec,
                 facts.st_ctim.tv_nsec};
  }
  return stamps;
}

std::shared_ptr<const ClientTrust> TlsServer::Believed() const {
  return options_.believed == nullptr ? nullptr : options_.believed->Now();
}

absl::Status TlsServer::Believe(std::shared_ptr<const ClientTrust> believed,
                                Setting& setting) const {
  if (believed != nullptr) {
    GANGPLAN_ASSIGN_OR_RETURN(setting.authorities, AuthoritiesOf(believed->authorities));
  }
  setting.believed = std::move(believed);
  return absl::OkStatus();
}

absl::Status TlsServer::UseFiles(Setting& setting) const {
  for (const std::string* file :
       {&options_.certificate_file, &options_.key_file, &options_.client_ca_file}) {
    const bool used = options_.believed == nullptr || file != &options_.client_ca_file;
    if (used) GANGPLAN_RETURN_IF_ERROR(CheckFile(*file));
  }
  ERR_clear_error();
  std::shared_ptr<SSL_CTX> made(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  SSL_CTX* const context = made.get();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  if (options_.believed == nullptr) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  } else {  // what is shown is looked at when something is asked
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, [](int, X509_STORE_CTX*) { return 1; });
  }
  if (options_.http2) SSL_CTX_set_alpn_select_cb(context, ChooseProtocol, nullptr);
  SSL_CTX_set_max_cert_list(context, static_cast<long>(kMaxClientChainBytes));
  SSL_CTX_set_default_passwd_cb(context, [](char*, int, int, void*) { return 0; });  // asks nobody
  GANGPLAN_RETURN_IF_ERROR(ReadFiles(context));
  setting.context = std::move(made);
  return absl::OkStatus();
}

absl::Status TlsServer::ReadFiles(SSL_CTX* context) const {
  const std::string& own = options_.certificate_file;
  GANGPLAN_RETURN_IF_ERROR(
      Used(SSL_CTX_use_certificate_chain_file(context, own.c_str()) == 1, own, "certificate"));
  const std::string& key = options_.key_file;
  // A key of another kind than the certificate's is taken, and used for nothing.
  const bool fits = SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) == 1 &&
                    SSL_CTX_check_private_key(context) == 1;
  GANGPLAN_RETURN_IF_ERROR(Used(fits, key, "key of that certificate"));
  if (options_.believed != nullptr) return absl::OkStatus();
  const std::string& clients = options_.client_ca_file;
  GANGPLAN_RETURN_IF_ERROR(
      Used(SSL_CTX_load_verify_file(context, clients.c_str()) == 1, clients, "authority"));
  SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(clients.c_str()));
  return absl::OkStatus();
}

void TlsServer::Use(InForce setting) {
  in_force_ = std::move(setting);
  metrics_.SetCertificateEnd(options_.listener,
                             EndOf(*SSL_CTX_get0_certificate(in_force_->context.get())));
}

void TlsServer::AllowNames(std::vector<std::string> names) {
  MutexLock lock(mutex_);
  if (names == in_force_->names) return;
  auto next = std::make_shared<Setting>(*in_force_);
  next->names = std::move(names);
  in_force_ = std::move(next);
}

TlsServer::InForce TlsServer::Current() {
  MutexLock lock(mutex_);
  const Stamps now = StampsNow();
  const std::shared_ptr<const ClientTrust> believed = Believed();
  const bool changed = now != stamps_ || believed != believed_;
  if (!changed && clock_.Now() < retry_at_) return in_force_;
  stamps_ = now;
  believed_ = believed;
  auto next = std::make_shared<Setting>(*in_force_);
  const absl::Status files = UseFiles(*next);
  const absl::Status trust = Believe(believed, *next);
  const absl::Status& made = files.ok() ? trust : files;
  retry_at_ = made.ok() ? absl::InfiniteFuture() : clock_.Now() + kTlsRetry;
  Tell(made, changed);
  if (files.ok() || (trust.ok() && options_.believed != nullptr)) Use(std::move(next));
  return in_force_;
}

// What was told already is not told again.
void TlsServer::Tell(const absl::Status& made, bool changed) {
  const std::string why = made.ok() ? "" : Message(made);
  if (!changed && !made.ok() && why == refusal_) return;
  refusal_ = why;
  metrics_.CountTlsReload(made.ok() ? "done" : "refused");
  if (made.ok()) {
    Log(LogLevel::kInfo, "new certificates are used", {{"file", options_.certificate_file}});
  } else {
    Log(LogLevel::kError, "new certificates cannot be used, the old ones stay", {{"why", why}});
  }
}

// `known` is the one that it was let in by.
bool TlsServer::StillTrusts(SSL* session, InForce& known) {
  const InForce now = Current();
  const bool expired = HasExpired(session, host_.Now());
  if (expired || (now != known && !now->LetsIn(session))) {
    metrics_.CountHandshake("shut_out");
    ended_log_.Log(LogLevel::kWarn,
                   expired ? "a client's session ends: its certificate has expired"
                           : "a client's session ends: new authorities or names do not let it in",
                   {{"peer", PeerName(SSL_get_fd(session))}});
    return false;
  }
  known = now;
  return true;
}

bool TlsServer::IsAllowed(int socket, SSL* session, const Setting& setting) {
  const std::string name = CommonName(session);
  if (Contains(setting.names, name)) return true;
  metrics_.CountHandshake("not_allowed");
  name_log_.Log(LogLevel::kWarn, "a client's common name is not among server.tls.allowedNames",
                {{"peer", PeerName(socket)}, {"name", name}});
  return false;
}

std::unique_ptr<ByteStream> TlsServer::Admit(int socket, absl::Time deadline) {
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  InForce setting = Current();
  TlsSession session(SSL_new(setting->context.get()));
  if (session == nullptr || SSL_set_fd(session.get(), socket) != 1) return nullptr;
  auto stream = std::make_unique<TlsStream>(socket, std::move(session));
  const ssize_t outcome = stream->Handshake(deadline);
  if (outcome < 0) {
    metrics_.CountHandshake(outcome == ByteStream::kTooSlow ? "too_slow" : "failed");
    failed_log_.Log(LogLevel::kWarn, "a client came to no TLS session",
                    {{"peer", PeerName(socket)},
                     {"why", outcome == ByteStream::kTooSlow ? "too slow" : FirstError()}});
    return nullptr;
  }
  if (options_.believed != nullptr) {
    stream->SetIsBelieved([this, shown = stream->session()] { return Current()->Believes(shown); });
  } else {
    if (!IsAllowed(socket, stream->session(), *setting)) return nullptr;
    stream->SetMayAsk([this, setting, shown = stream->session()]() mutable {
      return StillTrusts(shown, setting);
    });
  }
  metrics_.CountHandshake("done");
  return stream;
}

}  // namespace gangplan
