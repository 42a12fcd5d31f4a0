// Certificates made on the spot: an authority, and what it signs. For tests only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "openssl/x509v3.h"

namespace gangplan {

struct X509Free {
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

struct TestCertificate {
  std::unique_ptr<X509, X509Free> certificate;
  std::unique_ptr<EVP_PKEY, X509Free> key;

  std::string CertificatePem() const;
  std::string KeyPem() const;
};

// A self-signed authority.
TestCertificate MakeAuthority(const std::string& name);
// A certificate for these subject alternative names: "DNS:kube.test,IP:127.0.0.1".
TestCertificate MakeCertificate(const TestCertificate& issuer, const std::string& name,
                                const std::string& alternative_names);
// An authority signed by another.
TestCertificate MakeIntermediate(const TestCertificate& issuer, const std::string& name);

}  // namespace gangplan
