// Whether a placement under Sakkara's constraints is right: placed where it can be, by the rules
// and at best; else refused. Any thread.
#pragma once

#include "rapidjson/document.h"
#include "tests/conformance/judge.h"

namespace gangplan::conformance {

// Of the kinds "sakkara placement" and "sakkara repair" (sakkara/README.md).
Verdict JudgeConstraints(const rapidjson::Value& recorded, const rapidjson::Value& answer);

}  // namespace gangplan::conformance
