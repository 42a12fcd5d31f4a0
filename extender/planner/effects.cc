#include "extender/planner/effects.h"

#include "extender/planner/solve_task.h"

namespace gangplan {

EventNote Explained(ExplainGroup explain) {
  EventNote note = std::move(explain.note);
  const auto add = [&](const std::string& text) {
    if (!text.empty()) note.note += (note.note.empty() ? "" : "\n") + text;
  };
  if (explain.question != nullptr) add(explain.question->Evidence());
  add(explain.rest);
  return note;
}

}  // namespace gangplan
