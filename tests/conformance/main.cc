// gangplan-conformance FILE: answers every case of the file, one JSON object a line.
#include <cstdio>

#include "tests/conformance/case_file.h"
#include "topology/base/text.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: gangplan-conformance FILE\n", stderr);
    return 2;
  }
  const auto file = gangplan::conformance::LoadCases(argv[1]);
  if (!file.ok()) {
    std::fprintf(stderr, "gangplan-conformance: %s\n", gangplan::Message(file.status()).c_str());
    return 1;
  }
  const std::string answers = gangplan::conformance::AnswerCases(*file);
  std::fwrite(answers.data(), 1, answers.size(), stdout);
  return 0;
}
