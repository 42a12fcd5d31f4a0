#include "tests/style/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/support/catch.h"

namespace gangplan::style {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolders[] = {"topology", "algorithms", "config",   "extender",
                                         "tests",    "docs",       "examples", ".ci"};

bool EndsIn(const std::string& path, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [&](std::string_view end) { return path.ends_with(end); });
}

bool IsSource(const std::string& path) { return EndsIn(path, {".h", ".cc"}); }

bool IsText(const std::string& path) {
  return IsSource(path) || EndsIn(path, {".md", ".yaml", ".go", "CMakeLists.txt", ".sh", "/run",
                                         ".html", ".js", ".css", ".cmake"});
}

std::vector<SourceFile> Collect(bool (*wanted)(const std::string&)) {
  std::vector<SourceFile> files;
  const fs::path root = GANGPLAN_SOURCE_DIR;
  for (const std::string_view folder : kFolders) {
    if (!fs::exists(root / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string path = fs::relative(entry.path(), root).generic_string();
      if (entry.is_regular_file() && wanted(path)) files.push_back(ReadFile(path));
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

// Walks over C++ text and blanks what is no code.
class Blanker {
 public:
  explicit Blanker(std::string_view text) : text_(text) {}

  std::string Run() {
    while (at_ < text_.size()) Step();
    return std::move(out_);
  }

 private:
  bool Sees(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void Keep() { out_ += text_[at_++]; }
  void Blank() {
    out_ += text_[at_] == '\n' ? '\n' : ' ';
    ++at_;
  }
  // Blanks up to and with `end`.
  void BlankPast(std::string_view end) {
    while (at_ < text_.size() && !Sees(end)) Blank();
    for (size_t i = 0; i < end.size() && at_ < text_.size(); ++i) Blank();
  }

  void Step() {
    if (Sees("//")) {
      BlankPast("\n");
    } else if (Sees("/*")) {
      BlankPast("*/");
    } else if (Sees("R\"")) {
      RawText();
    } else if (Sees("\"")) {
      Quoted('"');
    } else if (Sees("'") && !AfterDigit()) {
      Quoted('\'');
    } else if (Sees("#") && AtLineStart()) {
      Directive();
    } else {
      Keep();
    }
  }

  bool AfterDigit() const {
    return at_ > 0 && std::isxdigit(static_cast<unsigned char>(text_[at_ - 1])) != 0;
  }
  bool AtLineStart() const {
    const size_t line = out_.find_last_of('\n');
    return out_.find_first_not_of(' ', line == std::string::npos ? 0 : line + 1) ==
           std::string::npos;
  }
  void RawText() {
    const size_t open = text_.find('(', at_);
    const std::string end = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    BlankPast(end);
  }
  void Quoted(char quote) {
    Keep();
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\') Blank();
      Blank();
    }
    if (at_ < text_.size()) Keep();
  }
  void Directive() {
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (Sees("\\\n")) Blank();
      Blank();
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string out_;
};

}  // namespace

const std::vector<SourceFile>& Sources() {
  static const auto& files = *new std::vector<SourceFile>(Collect(IsSource));
  return files;
}

const std::vector<SourceFile>& Texts() {
  static const auto& files = *new std::vector<SourceFile>([] {
    std::vector<SourceFile> all = Collect(IsText);
    for (const char* path : {"dev", "CMakeLists.txt", "Dockerfile", "README.md"}) {
      if (fs::exists(fs::path(GANGPLAN_SOURCE_DIR) / path)) all.push_back(ReadFile(path));
    }
    return all;
  }());
  return files;
}

SourceFile ReadFile(const std::string& path) {
  std::ifstream stream(std::string(GANGPLAN_SOURCE_DIR "/") + path, std::ios::binary);
  INFO(path);
  REQUIRE(stream);
  SourceFile file;
  file.path = path;
  file.text.assign(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  file.lines = Lines(file.text);
  return file;
}

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> DataLines(const std::string& name) {
  std::vector<std::string> kept;
  for (const std::string& line : ReadFile("tests/style/" + name).lines) {
    if (!line.empty() && line[0] != '#') kept.push_back(line);
  }
  return kept;
}

std::vector<std::string> Words(std::string_view line) {
  std::istringstream stream{std::string(line)};
  return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

bool IsIn(std::string_view path, std::string_view file_or_folder) {
  return path.starts_with(file_or_folder) &&
         (path.size() == file_or_folder.size() || path[file_or_folder.size()] == '/');
}

std::string CodeOnly(std::string_view text) { return Blanker(text).Run(); }

std::vector<std::string> Includes(const SourceFile& file) {
  std::vector<std::string> paths;
  for (const std::string& line : file.lines) {
    if (!line.starts_with("#include")) continue;
    const size_t open = line.find_first_of("\"<");
    const size_t close = line.find_last_of("\">");
    if (open != std::string::npos && close > open + 1) {
      paths.push_back(line.substr(open + 1, close - open - 1));
    }
  }
  return paths;
}

}  // namespace gangplan::style
