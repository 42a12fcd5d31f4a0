// The scheduler's filter request for benches: one pod, many names.
#pragma once

#include <string>
#include <vector>

namespace gangplan {

// node-0, node-1, ...
std::vector<std::string> NodeNames(int count);

// `pod` is the object's JSON.
std::string FilterBody(
    const std::vector<std::string>& names,
    const std::string& pod =
        R"({"metadata":{"name":"p","namespace":"a","uid":"u"},"spec":{"containers":[]}})");

}  // namespace gangplan
