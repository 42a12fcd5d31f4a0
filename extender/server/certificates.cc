#include "extender/server/certificates.h"

#include <ctime>

#include "openssl/ssl.h"
#include "openssl/x509.h"

namespace gangplan {

absl::Time EndOf(const X509& certificate) {
  std::tm end{};
  ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &end);  // of one that was read it is a time
  return absl::FromTimeT(timegm(&end));
}

bool HasExpired(SSL* session, absl::Time now) {
  const X509* const certificate = SSL_get0_peer_certificate(session);
  return certificate == nullptr || EndOf(*certificate) <= now;
}

std::string CommonName(SSL* session) {
  const X509* const certificate = SSL_get0_peer_certificate(session);
  if (certificate == nullptr) return {};
  X509_NAME* const subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0 || X509_NAME_get_index_by_NID(subject, NID_commonName, at) >= 0) return {};
  unsigned char* text = nullptr;
  const int size =
      ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  if (size < 0) return {};
  const std::string name(reinterpret_cast<const char*>(text), static_cast<size_t>(size));
  OPENSSL_free(text);
  return name;
}

}  // namespace gangplan
