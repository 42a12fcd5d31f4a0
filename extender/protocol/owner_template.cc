#include "extender/protocol/owner_template.h"

#include <algorithm>
#include <string>
#include <utility>

#include "extender/protocol/template_requests.h"
#include "fmt/format.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// What is wrong in the template, its place seen from the owner. The walk's own words name the place
// from the list or the line on.
std::string TemplateFault(const ObjectDraft& pod, std::string_view path, const std::string& told) {
  if (pod.fault.ok()) return fmt::format("{}: {}", path, told);
  return told.substr(std::min(told.find(path), told.size()));
}

}  // namespace

PodFacts TakeTemplate(std::optional<ObjectDraft>& draft, const OwnerFacts& owner,
                      std::string_view path, TemplateNeeds& needs, LabelSet made_with) {
  if (!draft) draft.emplace();
  ObjectDraft& pod = *draft;
  LabelSet labels = std::move(pod.metadata.labels);
  LabelSet annotations = std::move(pod.metadata.annotations);
  pod.metadata = {};
  pod.metadata.ns = owner.ns;
  pod.metadata.name = owner.ref.name;
  pod.metadata.labels = std::move(labels);
  pod.metadata.annotations = std::move(annotations);
  pod.made_with = TakeLabels(made_with);
  const bool placed = !std::exchange(pod.node_name, {}).empty();
  if (placed && pod.fault.ok())
    pod.fault = Invalid("{}.spec.nodeName: is set; expected the scheduler to choose", path);
  const bool empty = pod.requests.containers.empty();
  needs = NeedsOf(pod.requests);
  needs.runtime_class = std::string(pod.runtime_class);
  needs.priority_class = std::string(pod.priority_class);
  PodFacts facts = TakeNamedPod(pod);
  facts.controller = owner.ref;
  if (empty && facts.fault.empty()) facts.fault = "spec.containers is missing";
  if (!facts.fault.empty()) facts.fault = TemplateFault(pod, path, facts.fault);
  return facts;
}

}  // namespace gangplan
