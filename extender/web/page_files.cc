#include "extender/web/page_files.h"

#include <algorithm>
#include <vector>

#include "extender/web/page_texts.h"
#include "topology/digest.h"

namespace gangplan {
namespace {

std::string_view TypeOf(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

std::string VersionOf(std::string_view text) {
  Digest digest;
  digest.Bytes(text);
  return digest.text();
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
