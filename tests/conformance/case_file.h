// A file of cases: {"meta": {"kind": ...}, "cases": [{"id": ..., ...}, ...]}, or without `meta` and
// with `kind` at the top: then the kind is "sakkara " and what stands there. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "rapidjson/document.h"

namespace gangplan::conformance {

struct CaseFile {
  std::string kind;          // of Sakkara's with "sakkara " before it, since both have placements
  rapidjson::Document json;  // `cases` is a list of objects, each with a text `id`
};

// Fails with the place and what was expected there.
absl::StatusOr<CaseFile> ParseCases(std::string_view text);
absl::StatusOr<CaseFile> LoadCases(const std::string& path);

// One line a case, in the file's order: {"id": ..., "answer": ...} or {"id": ..., "skip": reason}.
std::string AnswerCases(const CaseFile& file);

}  // namespace gangplan::conformance
