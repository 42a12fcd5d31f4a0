#include <limits>

#include "tests/conformance/assignment.h"
#include "tests/conformance/handlers.h"
#include "tests/conformance/topology_assignment.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan::conformance {
namespace {

struct EncodingCase {
  AssignmentSlices slices = AssignmentSlices::kSmallest;
  TopologyAssignment assignment;
};

absl::StatusOr<EncodingCase> ReadEncodingCase(const rapidjson::Value& value) {
  absl::Status error;
  const JsonCursor json(value, "case", error);
  EncodingCase result;
  const std::string function = json.At("function").Text();
  if (function == "encode_prefix_runs_only") {
    result.slices = AssignmentSlices::kByHostname;
  } else if (function != "encode") {
    json.At("function").Expected("encode or encode_prefix_runs_only");
  }
  Assignment given = ReadAssignment(json.At("assignment"));
  result.assignment.levels = std::move(given.levels);
  for (DomainCount& domain : given.domains) {
    if (domain.count < 1 || domain.count > std::numeric_limits<int32_t>::max())
      json.At("assignment").Expected("counts of 32 bits, at least 1");
    result.assignment.domains.push_back(
        {std::move(domain.values), static_cast<int32_t>(domain.count)});
  }
  if (!error.ok()) return error;
  return result;
}

}  // namespace

absl::StatusOr<std::string> AnswerEncoding(const rapidjson::Value& json) {
  GANGPLAN_ASSIGN_OR_RETURN(const EncodingCase encoding, ReadEncodingCase(json));
  GANGPLAN_ASSIGN_OR_RETURN(const std::string text,
                            EncodeCompactAssignment(encoding.assignment, encoding.slices));
  return fmt::format(R"({{"v1beta2":{}}})", text);
}

}  // namespace gangplan::conformance
