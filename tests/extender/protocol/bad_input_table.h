// A table of texts that are refused: a line WHO and the text, then two blanks and the exact error;
// lines that begin with # are for people. One thread.
#pragma once

#include <fstream>
#include <string>
#include <vector>

namespace gangplan {

struct BadInput {
  std::string decoder;
  std::string text;
  std::string error;
};

inline std::vector<BadInput> ReadBadInputs(const std::string& path) {
  std::ifstream file(GANGPLAN_SOURCE_DIR "/" + path);
  std::vector<BadInput> table;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    const size_t blank = line.find(' ');
    if (blank > 0) {
      table.push_back({line.substr(0, blank), line.substr(blank + 1), ""});
    } else {
      table.back().error = line.substr(2);
    }
  }
  return table;
}

}  // namespace gangplan
