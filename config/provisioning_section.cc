#include "config/provisioning_section.h"

#include <string>

#include "config/limits.h"
#include "config/object_names.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr std::string_view kParameters = "parameters";

// As many, and as long, as a ProvisioningRequest takes.
void ReadParameters(Section& section, Problems& problems, LabelSet& parameters) {
  const YamlNode* map = section.Find(kParameters);
  if (map == nullptr) return;
  if (map->kind != YamlNode::Kind::kMap || map->items.size() > kMaxProvisioningParameters) {
    return section.Fail(kParameters, fmt::format("a map of up to {} names and texts expected",
                                                 kMaxProvisioningParameters));
  }
  const std::string path = section.Path(kParameters);
  for (const YamlNode& one : map->items) {
    const std::string of = fmt::format("{}.{}", path, one.key);
    if (FindLabel(parameters, one.key) != nullptr) problems.Add(one.key_line, of, "given twice");
    if (one.kind != YamlNode::Kind::kScalar || one.text.size() > kMaxProvisioningParameterBytes) {
      problems.Add(
          one.line, of,
          fmt::format("a text of up to {} bytes expected", kMaxProvisioningParameterBytes));
      continue;
    }
    SetLabel(parameters, one.key, one.text);
  }
}

}  // namespace

void ReadProvisioning(Section section, Problems& problems, ProvisioningSettings& provisioning) {
  section.ReadText("class", provisioning.class_name);
  if (provisioning.on() && !IsObjectName(provisioning.class_name))
    section.Fail("class",
                 "the name of a class, such as check-capacity.autoscaling.x-k8s.io, expected");
  ReadParameters(section, problems, provisioning.parameters);
  section.ReadDuration("after", provisioning.after);
  section.ReadNumber("retries", 0, kMaxProvisioningRetries, provisioning.retries);
  section.ReadDuration("backOff", provisioning.back_off);
  if (provisioning.back_off <= absl::ZeroDuration())
    section.Fail("backOff", "more than 0s expected");
  section.ReadDuration("maxBackOff", provisioning.max_back_off);
  if (provisioning.max_back_off < provisioning.back_off)
    section.Fail("maxBackOff", "not less than backOff expected");
  section.Finish();
}

}  // namespace gangplan
