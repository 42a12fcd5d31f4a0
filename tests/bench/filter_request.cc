#include "tests/bench/filter_request.h"

#include "fmt/format.h"

namespace gangplan {

std::vector<std::string> NodeNames(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(fmt::format("node-{}", i));
  return names;
}

std::string FilterBody(const std::vector<std::string>& names, const std::string& pod) {
  return fmt::format(R"({{"Pod":{},"Nodes":null,"NodeNames":["{}"]}})", pod,
                     fmt::join(names, R"(",")"));
}

}  // namespace gangplan
