// Whether an answer about a newcomer's victims is right, as sakkara/README.md says it is judged.
// Any thread.
#pragma once

#include "rapidjson/document.h"
#include "tests/conformance/judge.h"

namespace gangplan::conformance {

// The victims are one of the cheapest sets; with them gone the placement has room and keeps every
// rule.
Verdict JudgePreemption(const rapidjson::Value& recorded, const rapidjson::Value& answer);

}  // namespace gangplan::conformance
