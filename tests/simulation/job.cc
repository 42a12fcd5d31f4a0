#include "tests/simulation/job.h"

#include <algorithm>

#include "extender/frontends/gangplan/words.h"

namespace gangplan::simulation {

bool Job::HasSucceeded() const {
  return std::any_of(indices.begin(), indices.end(),
                     [](const Index& index) { return index.succeeded; });
}

std::string GroupName(const Job& job) {
  const std::string* word = FindLabel(job.spec.words, kGroupWord);
  return "team/" + (word == nullptr ? job.spec.name : *word);
}

}  // namespace gangplan::simulation
