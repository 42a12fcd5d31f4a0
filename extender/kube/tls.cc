#include "extender/kube/tls.h"

#include "openssl/err.h"
#include "openssl/pem.h"
#include "openssl/x509_vfy.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

struct BioFree {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct KeyFree {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

std::unique_ptr<BIO, BioFree> Open(const std::string& text) {
  return std::unique_ptr<BIO, BioFree>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// No terminal is asked for a password; an encrypted key is an error.
int NoPassword(char*, int, int, void*) { return 0; }

int VerifyAgainst(X509_STORE_CTX* verification, void* trusted) {
  X509_STORE_CTX_set0_trusted_stack(verification, static_cast<STACK_OF(X509)*>(trusted));
  return X509_verify_cert(verification);
}

}  // namespace

absl::StatusOr<CertificateStack> ParseCertificates(const std::string& pem) {
  CertificateStack stack(sk_X509_new_null());
  const auto bio = Open(pem);
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, NoPassword, nullptr)) {
    sk_X509_push(stack.get(), certificate);
  }
  ERR_clear_error();  // the end of the text is one
  if (sk_X509_num(stack.get()) == 0) return Invalid("there is no PEM certificate");
  return stack;
}

void TrustOnly(SSL_CTX* context, STACK_OF(X509) * trusted) {
  SSL_CTX_set_cert_verify_callback(context, VerifyAgainst, trusted);
}

absl::Status UseClientCertificate(SSL_CTX* context, const std::string& certificate_pem,
                                  const std::string& key_pem) {
  auto chain = ParseCertificates(certificate_pem);
  if (!chain.ok()) return Invalid("client certificate: {}", ToStd(chain.status().message()));
  const auto bio = Open(key_pem);
  const std::unique_ptr<EVP_PKEY, KeyFree> key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassword, nullptr));
  ERR_clear_error();
  if (key == nullptr) return Invalid("client key: there is no PEM key without a password");
  bool used = SSL_CTX_use_certificate(context, sk_X509_value(chain->get(), 0)) == 1;
  for (int i = 1; used && i < sk_X509_num(chain->get()); ++i) {
    used = SSL_CTX_add1_chain_cert(context, sk_X509_value(chain->get(), i)) == 1;
  }
  used = used && SSL_CTX_use_PrivateKey(context, key.get()) == 1 &&
         SSL_CTX_check_private_key(context) == 1;
  ERR_clear_error();
  return used ? absl::OkStatus()
              : Invalid("the client key does not belong to the client certificate");
}

}  // namespace gangplan
