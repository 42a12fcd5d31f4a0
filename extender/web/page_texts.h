// The texts of the files of page/, which page_texts.cmake makes a source of. Constants only.
#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace gangplan {

// Name and text.
std::span<const std::pair<std::string_view, std::string_view>> PageTexts();

}  // namespace gangplan
