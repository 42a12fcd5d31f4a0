// What certificates say: of a peer, and of ourselves.
//
// Pure; any thread, of one session one at a time.
#pragma once

#include <string>

#include "absl/time/time.h"

struct ssl_st;   // OpenSSL's SSL
struct x509_st;  // and X509

namespace gangplan {

// Until when it is good.
absl::Time EndOf(const x509_st& certificate);
// Whether that is over of the one that the peer has shown, which may be none.
bool HasExpired(ssl_st* session, absl::Time now);
// The one common name of the peer's; empty: there is none, or several.
std::string CommonName(ssl_st* session);

}  // namespace gangplan
