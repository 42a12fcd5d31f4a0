// The head of a request as its bytes say it, for who must know exactly what was sent: the HTTP
// library decodes what looks percent-encoded in the values of headers, which makes one name of two.
// Stricter than the library: what two readers could take for different things is no head. Pure; any
// thread.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace gangplan {

struct HttpHead {
  std::string_view target;  // path and query, as they came
  // In their order, values without the blanks around them.
  std::vector<std::pair<std::string_view, std::string_view>> headers;
};

// Of a request line and headers up to the empty line; views into `text`. Nothing: malformed.
std::optional<HttpHead> ReadHead(std::string_view text);

// The values of all headers of this name, in any case of its letters.
std::vector<std::string_view> HeadersOf(const HttpHead& head, std::string_view name);

}  // namespace gangplan
