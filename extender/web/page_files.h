// The files of the page (page/), as they were when the program was built. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace gangplan {

struct PageFile {
  std::string_view name;  // "index.html"
  std::string_view text;
  std::string_view type;  // of its content
  std::string version;    // equal for equal texts
};

// Null: there is none of that name.
const PageFile* FindPageFile(std::string_view name);

}  // namespace gangplan
