// What a request asks for, read from its target as the API server reads it (RequestInfo), so that
// both ask for the same right: resource, namespace, name, verb; and how a list is to be cut and
// shown.
//
// Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/kube/access.h"
#include "extender/server/http_head.h"

namespace gangplan {

// The one resource whose lists are asked for one name by a selector.
inline constexpr std::string_view kGangResource = "gangs";

inline constexpr std::string_view kApiGroup = "gangplan.io";
inline constexpr std::string_view kApiVersionName = "v1alpha1";
inline constexpr std::string_view kGroupVersion = "gangplan.io/v1alpha1";

// One term of a fieldSelector.
struct FieldTerm {
  std::string field;
  std::string value;
  bool equal = true;
};

struct Question {
  std::vector<std::string> path;  // parts, decoded
  Access access;                  // of what is below our version; else without a resource
  std::string rest;               // parts beyond name and subresource, with '/' between them
  // Of lists.
  int64_t limit = 0;  // 0: all
  std::string after;  // `continue`, decoded
  std::vector<FieldTerm> fields;
  // Of the query beside these.
  bool of_pod = false;               // the name is a pod's
  bool json = false;                 // an explanation for programs
  std::string include = "Metadata";  // includeObject of a table
};

// InvalidArgument: it cannot be read, or asks for what there is not (labels); Unimplemented: a
// watch.
absl::StatusOr<Question> ReadQuestion(std::string_view target);

// What `continue` holds: NAMESPACE/NAME of the last one told.
std::string ContinueAfter(std::string_view last);

// How the answer is wanted, of those that there are, by the header Accept.
enum class AnswerForm {
  kObject,     // JSON as it is
  kTable,      // a Table of meta.k8s.io/v1
  kDiscovery,  // an APIGroupDiscoveryList of apidiscovery.k8s.io/v2
  kNone,       // in no form that there is
};
AnswerForm FormOf(const HttpHead& head);

}  // namespace gangplan
