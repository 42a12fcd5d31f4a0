// Other names for names: in the order of the names, so that what is chosen by the order of names
// stays chosen, and the same names always get the same ones. One thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gangplan {

class Pseudonyms {
 public:
  // Before Close.
  void Note(std::string_view name);
  void Close();
  // After it; "x0007" of a name that was noted. The number at a name's end stays, since some read a
  // rank there: "worker-7" becomes "x0012-7". REQUIRES: it was noted.
  std::string Of(std::string_view name) const;

 private:
  std::vector<std::string> stems_;
  int width_ = 1;
};

}  // namespace gangplan
