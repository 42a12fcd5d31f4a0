#include "tests/support/tas_words.h"

#include "topology/tree.h"

namespace gangplan {
namespace {

using Kind = TasFailure::Kind;

TasFailure Refusal(Kind kind, std::string name = "") {
  TasFailure failure;
  failure.kind = kind;
  failure.name = std::move(name);
  return failure;
}

// -1 where the topology has no such level; an implicit level of nodes is not placed on.
int LevelAt(const Tree& tree, int lowest, const std::string& name) {
  int level = tree.FindLevel(name);
  return level <= lowest ? level : -1;
}

std::optional<TasFailure> SetLevel(const Tree& tree, int lowest, const TasWords& words,
                                   TasRequest& request) {
  if (words.given && !words.required && !words.preferred && !words.unconstrained &&
      words.slices.empty())
    return Refusal(Kind::kLevelNotSpecified);
  request.level = SlicesAlone(words) ? 0 : lowest;
  if (words.unconstrained || (!words.required && !words.preferred)) return std::nullopt;
  request.mode = words.required ? TasRequest::Mode::kRequired : TasRequest::Mode::kPreferred;
  const std::string& name = words.required ? *words.required : *words.preferred;
  request.level = LevelAt(tree, lowest, name);
  if (request.level < 0) return Refusal(Kind::kUnknownLevel, name);
  return std::nullopt;
}

std::optional<TasFailure> SetSlices(const Tree& tree, int lowest, const TasWords& words,
                                    TasRequest& request) {
  for (const TasSliceWords& slice : words.slices) {
    int level = LevelAt(tree, lowest, slice.level);
    if (level < 0) return Refusal(Kind::kUnknownSliceLevel, slice.level);
    if (!slice.size || *slice.size < 1) return Refusal(Kind::kSliceSizeMissing);
    request.slices.push_back({level, *slice.size});
  }
  if (!request.slices.empty() && request.slices.front().level < request.level)
    return Refusal(Kind::kSliceLevelAbovePodSetLevel);
  for (size_t i = 1; i < request.slices.size(); ++i) {
    const TasLayer& outer = request.slices[i - 1];
    const TasLayer& inner = request.slices[i];
    if (inner.level <= outer.level) return Refusal(Kind::kSliceLayersNotDescending);
    if (outer.size % inner.size != 0) return Refusal(Kind::kSliceLayerSizeNotDivisor);
  }
  return std::nullopt;
}

}  // namespace

std::variant<TasRequest, TasFailure> ResolveTas(const Tree& tree, int lowest, const TasWords& words,
                                                int32_t count) {
  TasRequest request;
  request.count = count;
  if (auto failure = SetLevel(tree, lowest, words, request)) return *failure;
  if (auto failure = SetSlices(tree, lowest, words, request)) return *failure;
  return request;
}

}  // namespace gangplan
