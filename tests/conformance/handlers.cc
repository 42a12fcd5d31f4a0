#include "tests/conformance/handlers.h"

#include <algorithm>

namespace gangplan::conformance {
namespace {

struct Row {
  std::string_view kind;
  Handler handler;
};

constexpr Row kRows[] = {
    {"encoding", AnswerEncoding},
    {"node_failure", AnswerNodeFailure},
    {"placement", AnswerPlacement},
    {"sakkara config", AnswerConfig},
    {"sakkara placement", AnswerSakkaraPlacement},
    {"sakkara preemption", AnswerPreemption},
    {"sakkara rank", AnswerRank},
    {"sakkara repair", AnswerSakkaraPlacement},
    {"ungate", AnswerUngate},
    {"validation", AnswerValidation},
};

}  // namespace

Handler FindHandler(std::string_view kind) {
  const Row* row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& r) { return r.kind == kind; });
  return row == std::end(kRows) ? nullptr : row->handler;
}

}  // namespace gangplan::conformance
