// What a command line printed, and its exit code.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "extender/cli/command.h"

namespace gangplan {

struct Told {
  int code = -1;
  std::string out;
  std::string err;
  friend bool operator==(const Told&, const Told&) = default;
  friend std::ostream& operator<<(std::ostream& stream, const Told& told) {
    return stream << told.code << "\nout: " << told.out << "\nerr: " << told.err;
  }
};

inline Told RunOf(const std::vector<Command>& commands, const std::vector<std::string_view>& args) {
  Told told;
  const auto into = [](std::string& text) {
    return [&text](std::string_view more) {
      text += more;
      return true;
    };
  };
  told.code = RunCommandLine(commands, args, {into(told.out), into(told.err)});
  return told;
}

}  // namespace gangplan
