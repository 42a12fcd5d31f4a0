// Other names for names: in the order of the names, so that what is chosen by the order of names
// stays chosen, and the same names always get the same ones. One thread.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gangplan {

class Pseudonyms {
 public:
  // Before Close.
  void Note(std::string_view name);
  // One that is a pod's: "NAME-worker-7" is by what an MPIJob calls the seventh of its workers, who
  // has its rank there, and keeps that behind what NAME becomes, where that was noted.
  void NotePod(std::string_view name);
  void Close();
  // After it; "x0007" of a name that was noted. REQUIRES: it was noted.
  std::string Of(std::string_view name) const;

 private:
  std::string Numbered(std::string_view name) const;

  std::vector<std::string> names_;
  std::set<std::string, std::less<>> workers_;
  int width_ = 1;
};

}  // namespace gangplan
