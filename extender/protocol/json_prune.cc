#include "extender/protocol/json_prune.h"

#include <utility>
#include <vector>

#include "extender/protocol/json_reader.h"
#include "extender/protocol/limits.h"
#include "topology/base/json_text.h"
#include "topology/base/status_macros.h"

namespace gangplan {
namespace {

using Nesting = JsonShape::Nesting;

// Copies of the items of a list what their shape names.
class Pruner : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Pruner> {
 public:
  Pruner(const JsonShape& item, const JsonRewrite& rewrite,
         const std::function<void(std::string)>& take)
      : item_(item), rewrite_(rewrite), take_(take) {}

  bool Null() { return true; }
  bool Bool(bool truth) {
    if (Next() != nullptr) Put(truth ? "true" : "false");
    return true;
  }
  bool RawNumber(const char* data, rapidjson::SizeType size, bool) {
    if (Next() != nullptr) Put({data, size});
    return true;
  }
  bool String(const char* data, rapidjson::SizeType size, bool) {
    if (in_token_ && depth_ == 2) token_.assign(data, size);
    if (Next() == nullptr) return true;
    std::string text(data, size);
    std::vector<std::string_view> path;
    for (const Frame& frame : frames_) path.push_back(frame.key);
    if (rewrite_(path, text)) Put(JsonText().Value(std::string_view(text)).Take());
    return true;
  }
  bool Key(const char* data, rapidjson::SizeType size, bool) {
    if (frames_.empty()) {
      if (depth_ == 1) in_items_ = SameKey({data, size}, "items");
      if (depth_ == 1) in_metadata_ = SameKey({data, size}, "metadata");
      in_token_ = depth_ == 2 && in_metadata_ && SameKey({data, size}, "continue");
      return true;
    }
    if (skipped_ > 0) return true;
    Frame& frame = frames_.back();
    const JsonField* field = nullptr;
    const bool map = frame.shape->nesting == Nesting::kMap;
    if (!map) field = FindField(*frame.shape, {data, size});
    frame.key = field != nullptr ? field->key : std::string_view(data, size);
    frame.next = map ? frame.shape->element : field != nullptr ? &field->shape : nullptr;
    return true;
  }
  bool StartObject() { return Start(false); }
  bool StartArray() { return Start(true); }
  bool EndObject(rapidjson::SizeType) { return End(false); }
  bool EndArray(rapidjson::SizeType) { return End(true); }

  std::string TakeToken() { return std::move(token_); }

 private:
  struct Frame {
    const JsonShape* shape;
    const JsonShape* next;
    std::string_view key = {};
  };

  // A value of another kind than its shape's is copied, or an empty one of its kind: what is wrong
  // stays wrong.
  const JsonShape* Next() const {
    return frames_.empty() || skipped_ > 0 ? nullptr : frames_.back().next;
  }
  void Put(std::string_view json) {
    if (frames_.back().shape->nesting != Nesting::kArray) text_.Key(frames_.back().key);
    text_.Raw(json);
  }
  // An item begins at depth 2: the list's object, its array.
  bool Start(bool array) {
    const bool item = frames_.empty() && depth_ == 2 && in_items_ && !array;
    ++depth_;
    if (depth_ > kMaxSkippedDepth) return false;
    if (frames_.empty() && !item) return true;
    const JsonShape* shape = item ? &item_ : Next();
    const bool fits = shape != nullptr && shape->nesting != Nesting::kNone &&
                      (shape->nesting == Nesting::kArray) == array;
    if (!fits) {
      if (shape != nullptr) Put(array ? "[]" : "{}");
      ++skipped_;
      return true;
    }
    if (!item && frames_.back().shape->nesting != Nesting::kArray) text_.Key(frames_.back().key);
    array ? text_.BeginList() : text_.Begin();
    frames_.push_back({shape, shape->element});
    return true;
  }
  bool End(bool array) {
    --depth_;
    if (skipped_ > 0) {
      --skipped_;
      return true;
    }
    if (frames_.empty()) return true;
    frames_.pop_back();
    array ? text_.EndList() : text_.End();
    if (frames_.empty()) take_(text_.Take());
    return true;
  }

  const JsonShape& item_;
  const JsonRewrite& rewrite_;
  const std::function<void(std::string)>& take_;
  std::vector<Frame> frames_;
  size_t depth_ = 0;
  size_t skipped_ = 0;  // open objects and arrays of what is left out
  bool in_items_ = false;
  bool in_metadata_ = false;  // the list's own
  bool in_token_ = false;     // the next value is its token
  std::string token_;
  JsonText text_;
};

}  // namespace

absl::StatusOr<std::string> PruneItems(std::string& body, size_t most_bytes, const JsonShape& item,
                                       const JsonRewrite& rewrite,
                                       const std::function<void(std::string json)>& take) {
  Pruner pruner(item, rewrite, take);
  GANGPLAN_RETURN_IF_ERROR(ReadJson(
      body, most_bytes, [&](rapidjson::InsituStringStream&, auto read) { return read(pruner); }));
  return pruner.TakeToken();
}

}  // namespace gangplan
