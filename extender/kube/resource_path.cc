#include "extender/kube/resource_path.h"

#include "topology/base/text.h"

namespace gangplan {
namespace {

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

bool IsVowel(char c) { return std::string_view("aeiou").find(c) != std::string_view::npos; }

bool EndsWithSibilant(std::string_view word) {
  return word.ends_with('s') || word.ends_with('x') || word.ends_with("ch") || word.ends_with("sh");
}

std::string PluralOf(std::string_view kind) {
  std::string word;
  for (char c : kind) word.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  if (EndsWithSibilant(word)) return word + "es";
  if (word.size() > 1 && word.back() == 'y' && !IsVowel(word[word.size() - 2])) {
    word.back() = 'i';
    return word + "es";
  }
  return word + "s";
}

}  // namespace

std::string PercentEncode(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (IsUnreserved(c)) {
      out.push_back(c);
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string PodPath(std::string_view ns, std::string_view name, std::string_view subresource) {
  std::string path =
      fmt::format("/api/v1/namespaces/{}/pods/{}", PercentEncode(ns), PercentEncode(name));
  if (!subresource.empty()) path += fmt::format("/{}", subresource);
  return path;
}

std::string LeasesPath(std::string_view ns) {
  return fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases", PercentEncode(ns));
}

std::string WorkloadPath(std::string_view ns, std::string_view name, std::string_view subresource) {
  std::string path = fmt::format("/apis/kueue.x-k8s.io/v1beta2/namespaces/{}/workloads/{}",
                                 PercentEncode(ns), PercentEncode(name));
  if (!subresource.empty()) path += fmt::format("/{}", subresource);
  return path;
}

std::string AdmissionCheckStatusPath(std::string_view name) {
  return fmt::format("/apis/kueue.x-k8s.io/v1beta2/admissionchecks/{}/status", PercentEncode(name));
}

std::string ConfigMapPath(std::string_view ns, std::string_view name) {
  if (ns.empty()) return "/api/v1/configmaps";
  std::string path = fmt::format("/api/v1/namespaces/{}/configmaps", PercentEncode(ns));
  if (!name.empty()) path += fmt::format("/{}", PercentEncode(name));
  return path;
}

std::string KindPath(const OwnerKind& kind, std::string_view ns, std::string_view name,
                     std::string_view subresource) {
  std::string path =
      fmt::format("/apis/{}/namespaces/{}/{}", kind.api_version, PercentEncode(ns), kind.plural);
  if (!name.empty()) path += fmt::format("/{}", PercentEncode(name));
  if (!subresource.empty()) path += fmt::format("/{}", subresource);
  return path;
}

absl::StatusOr<std::string> OwnerPath(std::string_view ns, const OwnerRef& owner) {
  if (owner.kind.empty() || owner.name.empty() || ns.empty()) {
    return Invalid("an owner needs a namespace, a kind and a name; got \"{}\", \"{}\", \"{}\"", ns,
                   owner.kind, owner.name);
  }
  const std::string_view api = owner.api_version;
  const size_t slash = api.find('/');
  const std::string_view group = slash == std::string_view::npos ? "" : api.substr(0, slash);
  const std::string_view version = slash == std::string_view::npos ? api : api.substr(slash + 1);
  const bool bad_group = slash != std::string_view::npos && group.empty();
  if (version.empty() || bad_group || version.find('/') != std::string_view::npos) {
    return Invalid("apiVersion \"{}\" of {} {}/{} is neither VERSION nor GROUP/VERSION", api,
                   owner.kind, ns, owner.name);
  }
  const std::string root =
      group.empty() ? fmt::format("/api/{}", PercentEncode(version))
                    : fmt::format("/apis/{}/{}", PercentEncode(group), PercentEncode(version));
  return fmt::format("{}/namespaces/{}/{}/{}", root, PercentEncode(ns),
                     PercentEncode(PluralOf(owner.kind)), PercentEncode(owner.name));
}

}  // namespace gangplan
