#include "test_certificates.h"

#include "openssl/ec.h"
#include "openssl/pem.h"
#include "topology/base/check.h"

namespace gangplan {
namespace {

void AddExtension(X509* certificate, X509* issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str());
  GANGPLAN_CHECK(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

TestCertificate Make(const TestCertificate* issuer, const std::string& name, bool authority,
                     const std::string& alternative_names) {
  static long serial = 1;
  TestCertificate made;
  made.key.reset(EVP_EC_gen("P-256"));
  made.certificate.reset(X509_new());
  X509* certificate = made.certificate.get();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3'600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3'600);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  const TestCertificate& signer = issuer == nullptr ? made : *issuer;
  X509_set_issuer_name(certificate, X509_get_subject_name(signer.certificate.get()));
  X509_set_pubkey(certificate, made.key.get());
  AddExtension(certificate, signer.certificate.get(), NID_basic_constraints,
               authority ? "critical,CA:TRUE" : "CA:FALSE");
  if (!alternative_names.empty()) {
    AddExtension(certificate, signer.certificate.get(), NID_subject_alt_name, alternative_names);
  }
  GANGPLAN_CHECK(X509_sign(certificate, signer.key.get(), EVP_sha256()) > 0);
  return made;
}

template <typename Writer>
std::string Pem(Writer write) {
  BIO* bio = BIO_new(BIO_s_mem());
  GANGPLAN_CHECK(write(bio) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<size_t>(size));
  BIO_free(bio);
  return text;
}

}  // namespace

std::string TestCertificate::CertificatePem() const {
  return Pem([this](BIO* bio) { return PEM_write_bio_X509(bio, certificate.get()); });
}

std::string TestCertificate::KeyPem() const {
  return Pem([this](BIO* bio) {
    return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

TestCertificate MakeAuthority(const std::string& name) { return Make(nullptr, name, true, ""); }

TestCertificate MakeCertificate(const TestCertificate& issuer, const std::string& name,
                                const std::string& alternative_names) {
  return Make(&issuer, name, false, alternative_names);
}

TestCertificate MakeIntermediate(const TestCertificate& issuer, const std::string& name) {
  return Make(&issuer, name, true, "");
}

}  // namespace gangplan
