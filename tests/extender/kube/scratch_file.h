// A file of its own for one test, gone with it.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "topology/base/check.h"

namespace gangplan {

class ScratchFile {
 public:
  explicit ScratchFile(std::string_view text) {
    char name[] = "/tmp/gangplan-test-XXXXXX";
    const int descriptor = mkstemp(name);
    GANGPLAN_CHECK(descriptor >= 0);
    close(descriptor);
    path_ = name;
    Write(text);
  }
  ~ScratchFile() { unlink(path_.c_str()); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void Write(std::string_view text) const {
    std::FILE* file = std::fopen(path_.c_str(), "wb");
    GANGPLAN_CHECK(file != nullptr);
    GANGPLAN_CHECK(std::fwrite(text.data(), 1, text.size(), file) == text.size());
    std::fclose(file);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace gangplan
