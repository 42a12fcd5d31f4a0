#include "extender/app/provisioning_request.h"

#include <charconv>
#include <cstdint>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "fmt/format.h"
#include "topology/digest.h"

namespace gangplan {
namespace {

constexpr size_t kMaxNameInName = 180;  // of 253, with what stands around it
constexpr int kMaxAttempt = 1'000;

// Who finds two asks of one digest has two requests taken for one, both of his own gang.
class AskDigest : public Digest {
 public:
  using Digest::Add;
  void Add(int64_t number) { Add(fmt::format("{}", number)); }
  void Add(const LabelSet& labels) {
    for (const auto& [key, value] : labels) Add(key), Add(value);
    Step(1);
  }
  void Add(const std::vector<PodAffinityTerm>& terms) {
    for (const PodAffinityTerm& term : terms) {
      Add(term.topology_key);
      Add(term.pods.labels);
      for (const std::string& ns : term.pods.namespaces) Add(ns);
      Step(term.pods.all_namespaces ? 1 : 0);
    }
    Step(3);
  }
  void Add(const NodeFilter& filter) {
    Add(filter.node_selector);
    Step(filter.required_terms ? 1 : 0);
    if (filter.required_terms) {
      for (const NodeSelectorTerm& term : *filter.required_terms)
        Add(term.labels), Add(term.fields);
    }
    Step(4);
    for (const Toleration& one : filter.tolerations) {
      Add(one.key);
      Add(one.value);
      Step(one.exists ? 1 : 0);
      Step(one.effect ? static_cast<uint8_t>(*one.effect) : uint8_t{255});
      Step(static_cast<uint8_t>(one.comparison));
    }
    Step(5);
  }
  void Add(const ProvisioningPods& pods) {
    Add(int64_t{pods.count});
    for (const ResourceAmount& one : pods.requests) Add(one.name), Add(one.amount);
    Step(6);
    Add(pods.filter);
    Add(pods.labels);
    Add(pods.affinity.near);
    Add(pods.affinity.apart);
  }
};

// As a part of an object's name.
std::string InName(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, kMaxNameInName)) {
    const auto letter = static_cast<unsigned char>(c);
    name += absl::ascii_isalnum(letter) ? absl::ascii_tolower(letter) : '-';
  }
  return name;
}

void NoteKeys(const std::vector<PodAffinityTerm>& terms, std::set<std::string, std::less<>>& keys) {
  for (const PodAffinityTerm& term : terms) {
    for (const SelectorRequirement& one : term.pods.labels) keys.insert(one.key);
  }
}

// Others differ from pod to pod.
std::set<std::string, std::less<>> KeysOfAffinity(const RoomAsk& ask) {
  std::set<std::string, std::less<>> keys;
  for (const RoomAsk::PodSet& set : ask.pod_sets) {
    if (set.profile == nullptr) continue;
    NoteKeys(set.profile->affinity.near, keys);
    NoteKeys(set.profile->affinity.apart, keys);
  }
  return keys;
}

}  // namespace

ProvisioningWrite RequestOf(const RoomAsk& ask, const std::string& gang,
                            const ProvisioningSettings& settings, const std::string& scheduler) {
  ProvisioningWrite write;
  write.ns = ask.ns;
  write.by = scheduler;
  write.gang = gang;
  write.owner = ask.maker;
  write.class_name = settings.class_name;
  write.parameters = settings.parameters;
  AskDigest digest;
  digest.Add(scheduler);
  digest.Add(gang);
  digest.Add(ask.incarnation);
  digest.Add(ask.maker_uid);
  digest.Add(settings.class_name);
  digest.Add(settings.parameters);
  const std::set<std::string, std::less<>> keys = KeysOfAffinity(ask);
  for (const RoomAsk::PodSet& set : ask.pod_sets) {
    ProvisioningPods pods{set.count, set.requests, set.filter, {}, {}, ask.ns};
    if (set.profile != nullptr) {
      pods.affinity = set.profile->affinity;
      set.profile->labels.ForEach([&](std::string_view key, std::string_view value) {
        if (keys.contains(key)) SetLabel(pods.labels, key, std::string(value));
      });
    }
    digest.Add(pods);
    write.pod_sets.push_back(std::move(pods));
  }
  const std::string own = gang.substr(gang.find('/') + 1);
  write.name = fmt::format("gangplan-{}-{}", InName(own), digest.text());
  return write;
}

std::string AttemptName(std::string_view base, int attempt) {
  return fmt::format("{}-{}", base, attempt);
}

int AttemptOf(std::string_view name, std::string_view base) {
  if (!name.starts_with(base) || name.size() <= base.size() + 1 || name[base.size()] != '-')
    return 0;
  const std::string_view digits = name.substr(base.size() + 1);
  int attempt = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), attempt);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole && attempt >= 1 && attempt <= kMaxAttempt ? attempt : 0;
}

}  // namespace gangplan
