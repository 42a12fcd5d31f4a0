// How one gang is told of in what the readers of another one see: reasons, Events, words on its
// pods. Whoever sees those may see that gang's namespace alone, so nobody else's gangs have names
// there. Gangs are named "namespace/name".
//
// Thread rule: free functions.
#pragma once

#include <string>
#include <string_view>

#include "fmt/format.h"

namespace gangplan {

inline constexpr std::string_view kGangElsewhere = "a gang of another namespace";

inline bool OfOneNamespace(std::string_view gang, std::string_view other) {
  const size_t slash = gang.find('/');
  return slash != std::string_view::npos && other.starts_with(gang.substr(0, slash + 1));
}

// "gang team/train", in the namespace team alone.
inline std::string ToldTo(std::string_view reader, std::string_view gang) {
  return OfOneNamespace(reader, gang) ? fmt::format("gang {}", gang) : std::string(kGangElsewhere);
}

}  // namespace gangplan
