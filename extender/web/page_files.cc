#include "extender/web/page_files.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "extender/web/page_texts.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

std::string_view TypeOf(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

// FNV-1a: the same on every machine, for texts that nobody else can choose.
std::string VersionOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return fmt::format("{:016x}", hash);
}

std::vector<PageFile> AllFiles() {
  std::vector<PageFile> files;
  for (const auto& [name, text] : PageTexts())
    files.push_back({name, text, TypeOf(name), VersionOf(text)});
  return files;
}

}  // namespace

const PageFile* FindPageFile(std::string_view name) {
  static const auto& files = *new std::vector<PageFile>(AllFiles());
  const auto found = std::find_if(files.begin(), files.end(),
                                  [name](const PageFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

}  // namespace gangplan
