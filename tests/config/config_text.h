// Texts of configuration files for the tests of the reader. Stateless; any thread.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "config/reader.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan {

// A file with the two lines that each must have, then `rest` from line 3 on.
inline std::string ConfigText(std::string_view rest) {
  return "apiVersion: gangplan.io/v1alpha1\nkind: ExtenderConfiguration\n" + std::string(rest);
}

inline Settings MustRead(std::string_view rest) {
  const absl::StatusOr<Settings> settings = ReadSettings(ConfigText(rest), "x.yaml");
  INFO(Message(settings.status()));
  REQUIRE(settings.ok());
  return *settings;
}

// The error text of a file; empty when there is none.
inline std::string ErrorOf(std::string_view text) {
  return Message(ReadSettings(text, "x.yaml").status());
}

inline std::string FileOfTree(const std::string& path) {
  std::ifstream file(std::string(GANGPLAN_SOURCE_DIR "/") + path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace gangplan
