// One workload of this program against that of another build, line by line: both are run in turns,
// and lines of one name are compared by the medians of their times. Machines differ from day to day
// by more than programs do, so only such pairs tell which is faster.
//
// Read are lines as "NAME: 5120 nodes 93 us (placed), 51200 nodes 413 us (placed)": every number
// before " us" is a time. Lines that only one program has are counted.
#pragma once

#include <string>

namespace gangplan {

// False: a program could not be run, or no line of one has a fellow.
bool RunPairs(const std::string& own, const std::string& other, const std::string& workload);

}  // namespace gangplan
