// Whether an answer is the recorded one, kind by kind, as kueue/README.md says it is judged. Any
// thread.
#pragma once

#include <string>
#include <string_view>

#include "rapidjson/document.h"

namespace gangplan::conformance {

// Two values compare by what they say: the order of keys does not count, that of lists does; 1 and
// 1.0 differ.
std::string Canonical(const rapidjson::Value& value);

// What an answer is held against, and the answer in the same form; equal when it is right.
struct Verdict {
  std::string want;
  std::string got;
  bool ok() const { return want == got; }
};

// `recorded` is the case with its `expect`; the kind is the file's.
Verdict Judge(std::string_view kind, const rapidjson::Value& recorded,
              const rapidjson::Value& answer);

// Cases where Kueue's own answer is a defect, is not recorded, or hangs on what a case does not
// hold: they are not held against it. Of Sakkara's, those whose answer is left to each project.
bool IsOwnChoice(std::string_view kind, const rapidjson::Value& recorded);

}  // namespace gangplan::conformance
