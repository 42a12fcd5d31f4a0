// Rows of texts in columns that are as wide as their widest cell. Pure; any thread.
#pragma once

#include <string>
#include <vector>

namespace gangplan {

struct Cell {
  std::string text;         // fit for a terminal
  std::string colour = {};  // the digits of an ANSI colour, as "32"; empty: none
};
using TableRow = std::vector<Cell>;

// One line a row, two blanks between columns, none at a line's end. Colours only where `coloured`.
// The last column is not padded, and cut to `most_of_last` letters (0: never), which "..." tells.
std::string TableText(const std::vector<TableRow>& rows, bool coloured, size_t most_of_last = 0);

}  // namespace gangplan
