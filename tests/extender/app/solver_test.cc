// In which order the questions beside the lock are asked.
#include "extender/app/solver.h"

#include <string>
#include <utility>

#include "tests/extender/app/waiting_question.h"
#include "tests/extender/server/gate.h"
#include "tests/support/catch.h"

namespace gangplan::solver_test {
namespace {

// What was asked, a letter each: s a solve, e the evidence of an Event. The first solve is under
// way when the others come.
std::string OrderOf(int solves, int explanations) {
  Gate gate, all;
  std::string order;  // of the solver's thread, until `all`
  const auto note = [&](char what) {
    if (order.empty()) gate.Pass();
    order += what;
    if (std::cmp_equal(order.size(), solves + explanations)) all.Pass();
  };
  Solver solver([&](const SolveTask&) { note('s'); }, [&](const EventNote&) { note('e'); },
                SystemClock());
  for (int i = 0; i < solves; ++i) {
    solver.Add(SolveOnCopy{WaitingQuestion()});
    if (i == 0) gate.AwaitArrivals(1);
  }
  for (int i = 0; i < explanations; ++i)
    solver.Add(ExplainGroup{.note = {}, .question = WaitingQuestion(), .rest = {}});
  gate.Open();
  all.AwaitArrivals(1);
  all.Open();
  return order;
}

TEST_CASE("Solver: solves go first, and keep no evidence back for ever") {
  CHECK(kMostSolvesInARow == 4);
  CHECK(OrderOf(4, 1) == "sssse");
  CHECK(OrderOf(10, 2) == "ssssessssess");
  CHECK(OrderOf(5, 3) == "ssssesee");
}

TEST_CASE("Solver: while no evidence waits all solves are asked") {
  CHECK(OrderOf(9, 0) == "sssssssss");
}

}  // namespace
}  // namespace gangplan::solver_test
