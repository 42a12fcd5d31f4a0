// The project's own files as the style tests see them. Read once; read-only afterwards.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gangplan::style {

struct SourceFile {
  std::string path;  // from the project's root
  std::string text;
  std::vector<std::string> lines;
};

// Every .h and .cc of the rooms and the tests, ordered by path.
const std::vector<SourceFile>& Sources();

// Every text file that people wrote: sources, documents, scripts, build files, examples.
const std::vector<SourceFile>& Texts();

SourceFile ReadFile(const std::string& path);
std::vector<std::string> Lines(std::string_view text);

// The lines of tests/style/NAME without comments and empty lines.
std::vector<std::string> DataLines(const std::string& name);

// Words of a line, separated by spaces.
std::vector<std::string> Words(std::string_view line);

// The file is this path or lies in this folder.
bool IsIn(std::string_view path, std::string_view file_or_folder);

// C++ text with comments, and the insides of texts and letters, replaced by spaces; line breaks
// stay. Preprocessor lines are blanked as well.
std::string CodeOnly(std::string_view text);

// The paths that a file includes, as they are written.
std::vector<std::string> Includes(const SourceFile& file);

}  // namespace gangplan::style
