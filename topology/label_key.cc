#include "topology/label_key.h"

#include <algorithm>
#include <cstddef>

namespace gangplan {
namespace {

constexpr size_t kMaxPrefixBytes = 253;
constexpr size_t kMaxNameBytes = 63;

bool LowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool LetterOrDigit(char c) { return LowerOrDigit(c) || (c >= 'A' && c <= 'Z'); }

// One part of a DNS name between dots.
bool DnsPart(std::string_view part) {
  return !part.empty() && LowerOrDigit(part.front()) && LowerOrDigit(part.back()) &&
         std::all_of(part.begin(), part.end(), [](char c) { return LowerOrDigit(c) || c == '-'; });
}

bool DnsSubdomain(std::string_view text) {
  for (;;) {
    const size_t dot = text.find('.');
    if (!DnsPart(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool NameCharacters(std::string_view name) {
  return !name.empty() && LetterOrDigit(name.front()) && LetterOrDigit(name.back()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return LetterOrDigit(c) || c == '-' || c == '_' || c == '.'; });
}

void CheckPrefix(std::string_view prefix, std::vector<std::string>& faults) {
  if (prefix.empty()) {
    faults.emplace_back("expected a DNS subdomain before \"/\"");
    return;
  }
  if (prefix.size() > kMaxPrefixBytes)
    faults.emplace_back("expected at most 253 bytes before \"/\"");
  if (!DnsSubdomain(prefix)) {
    faults.emplace_back(
        "expected a DNS subdomain before \"/\": lower case letters, digits, '-' and '.'");
  }
}

void CheckName(std::string_view name, std::vector<std::string>& faults) {
  if (name.empty()) faults.emplace_back("expected a name, found none");
  if (name.size() > kMaxNameBytes) faults.emplace_back("expected a name of at most 63 bytes");
  if (!NameCharacters(name)) {
    faults.emplace_back(
        "expected a name of letters, digits, '-', '_' and '.', a letter or digit first and last");
  }
}

}  // namespace

std::vector<std::string> LabelKeyFaults(std::string_view key) {
  std::vector<std::string> faults;
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) {
    CheckName(key, faults);
  } else if (key.find('/', slash + 1) != std::string_view::npos) {
    faults.emplace_back("expected one \"/\" at most, between prefix and name");
  } else {
    CheckPrefix(key.substr(0, slash), faults);
    CheckName(key.substr(slash + 1), faults);
  }
  return faults;
}

}  // namespace gangplan
