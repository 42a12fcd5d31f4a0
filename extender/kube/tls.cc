#include "extender/kube/tls.h"

#include "openssl/err.h"
#include "openssl/pem.h"
#include "openssl/x509v3.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

struct PartFree {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(STACK_OF(X509) * stack) const { sk_X509_pop_free(stack, X509_free); }
};
template <typename Part>
using Owned = std::unique_ptr<Part, PartFree>;

Owned<BIO> Open(const std::string& text) {
  return Owned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// No terminal is asked for a password; an encrypted key is an error.
int NoPassword(char*, int, int, void*) { return 0; }

// Every certificate of a PEM text, in order. InvalidArgument when there is none.
absl::StatusOr<Owned<STACK_OF(X509)>> ParseCertificates(std::string_view what,
                                                        const std::string& pem) {
  Owned<STACK_OF(X509)> stack(sk_X509_new_null());
  const auto bio = Open(pem);
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, NoPassword, nullptr)) {
    sk_X509_push(stack.get(), certificate);
  }
  ERR_clear_error();  // the end of the text is one
  if (sk_X509_num(stack.get()) == 0) return Invalid("{}: there is no PEM certificate", what);
  return stack;
}

absl::Status Trust(SSL_CTX* context, const PemSource& authority) {
  if (authority.empty()) {
    SSL_CTX_set_default_verify_paths(context);
    return absl::OkStatus();
  }
  GANGPLAN_ASSIGN_OR_RETURN(const std::string pem, authority.Read());
  GANGPLAN_ASSIGN_OR_RETURN(const auto trusted, ParseCertificates("certificate authority", pem));
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  for (int i = 0; i < sk_X509_num(trusted.get()); ++i)
    X509_STORE_add_cert(store, sk_X509_value(trusted.get(), i));
  ERR_clear_error();
  return absl::OkStatus();
}

// The client's certificate, with those of its issuers that follow it, and its key.
absl::Status Show(SSL_CTX* context, const Credentials& credentials) {
  if (credentials.client_certificate.empty()) return absl::OkStatus();
  GANGPLAN_ASSIGN_OR_RETURN(const std::string pem, credentials.client_certificate.Read());
  GANGPLAN_ASSIGN_OR_RETURN(const std::string key_pem, credentials.client_key.Read());
  GANGPLAN_ASSIGN_OR_RETURN(const auto chain, ParseCertificates("client certificate", pem));
  const auto bio = Open(key_pem);
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassword, nullptr));
  ERR_clear_error();
  if (key == nullptr) return Invalid("client key: there is no PEM key without a password");
  bool used = SSL_CTX_use_certificate(context, sk_X509_value(chain.get(), 0)) == 1;
  for (int i = 1; used && i < sk_X509_num(chain.get()); ++i) {
    used = SSL_CTX_add1_chain_cert(context, sk_X509_value(chain.get(), i)) == 1;
  }
  used = used && SSL_CTX_use_PrivateKey(context, key.get()) == 1 &&
         SSL_CTX_check_private_key(context) == 1;
  ERR_clear_error();
  return used ? absl::OkStatus()
              : Invalid("the client key does not belong to the client certificate");
}

// The server may have a certificate for each of its names.
bool AskFor(SSL* session, std::string name) {
  return SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()) ==
         1;
}

}  // namespace

absl::StatusOr<TlsContext> MakeTlsContext(const Credentials& credentials) {
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return absl::InternalError("OpenSSL gives no context");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_verify(context.get(),
                     credentials.insecure_skip_tls_verify ? SSL_VERIFY_NONE : SSL_VERIFY_PEER,
                     nullptr);
  GANGPLAN_RETURN_IF_ERROR(Trust(context.get(), credentials.ca));
  GANGPLAN_RETURN_IF_ERROR(Show(context.get(), credentials));
  return context;
}

absl::StatusOr<TlsSession> MakeTlsSession(SSL_CTX* context, const std::string& name, int socket) {
  TlsSession session(SSL_new(context));
  if (session == nullptr) return absl::InternalError("OpenSSL gives no session");
  X509_VERIFY_PARAM* rules = SSL_get0_param(session.get());
  X509_VERIFY_PARAM_set_hostflags(
      rules, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  bool set = SSL_set_fd(session.get(), socket) == 1;
  if (X509_VERIFY_PARAM_set1_ip_asc(rules, name.c_str()) != 1) {
    set = set && X509_VERIFY_PARAM_set1_host(rules, name.data(), name.size()) == 1 &&
          AskFor(session.get(), name);
  }
  ERR_clear_error();
  if (!set) return absl::InternalError("OpenSSL takes no such name");
  return session;
}

}  // namespace gangplan
