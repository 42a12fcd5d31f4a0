// Finds the functions of a C++ file by its braces: good enough to measure them, not a parser. A
// lambda counts as a part of the function around it. Stateless; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gangplan::style {

struct Function {
  std::string name;
  int first_line = 0;  // of the opening line of its head
  int line_count = 0;  // up to the line of its closing brace
};

std::vector<Function> FindFunctions(std::string_view text);

}  // namespace gangplan::style
