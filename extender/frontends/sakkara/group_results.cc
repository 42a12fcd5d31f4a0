#include "extender/frontends/sakkara/group_results.h"

#include <array>

#include "extender/frontends/fitting_data.h"

namespace gangplan {

ResultsToWrite FindResultsToWrite(const ConfigMapFacts& object,
                                  const SakkaraGroupResults& results) {
  constexpr std::array<std::string_view, 2> kLeftOut = {"placement", "rank"};
  ResultsToWrite write;
  write.data = SakkaraGroupData(results);
  write.too_big = RemoveTooBig(BytesBeside(object.data, write.data), kLeftOut, write.data);
  write.data = ChangesOf(object.data, std::move(write.data));
  return write;
}

}  // namespace gangplan
