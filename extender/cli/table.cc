#include "extender/cli/table.h"

#include <algorithm>

#include "fmt/format.h"

namespace gangplan {
namespace {

// Continuation bytes of UTF-8 take no column.
bool Begins(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

size_t WidthOf(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), Begins));
}

std::string Cut(const std::string& text, size_t most) {
  constexpr std::string_view kMore = "...";
  if (most == 0 || WidthOf(text) <= most) return text;
  size_t letters = 0, end = 0;
  while (end < text.size() && letters + Begins(text[end]) <= most - kMore.size())
    letters += Begins(text[end++]);
  const size_t blank = text.rfind(' ', end);
  if (blank != std::string::npos && blank > end / 2) end = blank;
  return text.substr(0, end).append(kMore);
}

std::string Painted(const std::string& text, const std::string& colour, bool coloured) {
  if (!coloured || colour.empty()) return text;
  return fmt::format("\x1b[{}m{}\x1b[0m", colour, text);
}

}  // namespace

std::string TableText(const std::vector<TableRow>& rows, bool coloured, size_t most_of_last) {
  std::vector<size_t> widths;
  for (const TableRow& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], WidthOf(row[i].text));
  }
  std::string text;
  for (const TableRow& row : rows) {
    size_t blanks = 0;  // owed before the next cell that has a text
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string shown =
          i + 1 == widths.size() ? Cut(row[i].text, most_of_last) : row[i].text;
      if (!shown.empty()) text.append(blanks, ' ').append(Painted(shown, row[i].colour, coloured));
      if (!shown.empty()) blanks = 0;
      blanks += widths[i] - std::min(widths[i], WidthOf(shown)) + 2;
    }
    text += '\n';
  }
  return text;
}

}  // namespace gangplan
