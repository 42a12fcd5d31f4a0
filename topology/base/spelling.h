// What a mistyped word was probably meant to be. Stateless; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gangplan {

// The number of letters to insert, remove, replace or swap with the neighbour to get from `a` to
// `b`. Cost O(|a| |b|).
int EditDistance(std::string_view a, std::string_view b);

// The nearest known word, the first of equals; empty when none is near: at most two edits, and at
// most a third of the known word's letters. Words of more than 64 letters are near none.
std::string_view NearestWord(std::string_view word, std::span<const std::string_view> known);
// `; did you mean "x"?` for that one.
std::string Suggestion(std::string_view word, std::span<const std::string_view> known);

}  // namespace gangplan
