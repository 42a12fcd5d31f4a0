// Who answers a case, by the kind of its file. One row a kind; each handler lives in a file of its
// own. Stateless; any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "rapidjson/document.h"

namespace gangplan::conformance {

// Gets one case, gives the answer as one line of JSON. A failure is the reason to skip the case.
using Handler = absl::StatusOr<std::string> (*)(const rapidjson::Value& json);

absl::StatusOr<std::string> AnswerConfig(const rapidjson::Value& json);
absl::StatusOr<std::string> AnswerEncoding(const rapidjson::Value& json);
absl::StatusOr<std::string> AnswerNodeFailure(const rapidjson::Value& json);
absl::StatusOr<std::string> AnswerPlacement(const rapidjson::Value& json);
absl::StatusOr<std::string> AnswerPreemption(const rapidjson::Value& json);
absl::StatusOr<std::string> AnswerRank(const rapidjson::Value& json);
absl::StatusOr<std::string> AnswerSakkaraPlacement(const rapidjson::Value& json);
absl::StatusOr<std::string> AnswerUngate(const rapidjson::Value& json);
absl::StatusOr<std::string> AnswerValidation(const rapidjson::Value& json);

// Null where nobody answers this kind.
Handler FindHandler(std::string_view kind);

}  // namespace gangplan::conformance
