// Whether an answer about Sakkara's objects or ranks is right: a copy of the rules that
// sakkara/README.md gives. Any thread.
#pragma once

#include "rapidjson/document.h"
#include "tests/conformance/judge.h"

namespace gangplan::conformance {

// Every field of `expect` but `effect` must be in the answer; null and absent are the same.
Verdict JudgeConfig(const rapidjson::Value& expect, const rapidjson::Value& answer);

// Ranks 0, 1, ... over all pods; rank 0 is an allowed master; blocks, or the distance from the
// master, never fall with the rank.
Verdict JudgeRank(const rapidjson::Value& recorded, const rapidjson::Value& answer);

}  // namespace gangplan::conformance
