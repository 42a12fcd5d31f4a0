#include "extender/protocol/json_sax.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

#include "extender/protocol/json_reader.h"
#include "extender/protocol/limits.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

using Nesting = JsonShape::Nesting;

std::string_view Expected(const JsonShape& shape) {
  switch (shape.nesting) {
    case Nesting::kArray:
      return "an array";
    case Nesting::kObject:
    case Nesting::kMap:
      return "an object";
    case Nesting::kNone:
      break;
  }
  if (shape.text != nullptr) return shape.number != nullptr ? "a string or a number" : "a string";
  return shape.number != nullptr ? "a number" : "true or false";
}

// The walk: RapidJSON's events on one side, the tree of shapes on the other.
class Walker : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Walker> {
 public:
  Walker(std::string_view name, const JsonShape& root, void* target,
         rapidjson::InsituStringStream& stream)
      : name_(name), root_(root), target_(target), stream_(stream) {
    frames_.reserve(kMaxJsonDepth);
  }

  // A step refused the text; the text itself may be well formed.
  const absl::Status& error() const { return error_; }

  bool Null() {
    const JsonShape* shape = nullptr;
    if (!Next(shape)) return false;
    if (shape != nullptr && shape->null != nullptr) shape->null(target());
    return true;
  }

  bool Bool(bool truth) {
    const JsonShape* shape = nullptr;
    if (!Next(shape) || shape == nullptr) return error_.ok();
    if (shape->boolean == nullptr) return Mismatch(*shape, "a boolean");
    return Pass(shape->boolean(target(), truth));
  }

  bool RawNumber(const char* data, rapidjson::SizeType size, bool) {
    const JsonShape* shape = nullptr;
    if (!Next(shape) || shape == nullptr) return error_.ok();
    if (shape->number == nullptr) return Mismatch(*shape, "a number");
    if (shape->most != 0 && size > shape->most) return TooLong(shape->most);
    return Pass(shape->number(target(), place_, {data, size}));
  }

  bool String(const char* data, rapidjson::SizeType size, bool) {
    const JsonShape* shape = nullptr;
    if (!Next(shape) || shape == nullptr) return error_.ok();
    if (shape->text == nullptr) return Mismatch(*shape, "a string");
    if (size > shape->most) return TooLong(shape->most);
    return Pass(shape->text(target(), place_, {data, size}));
  }

  bool Key(const char* data, rapidjson::SizeType size, bool) {
    if (skipped_ > 0) return true;
    Frame& frame = frames_.back();
    const std::string_view key(data, size);
    if (frame.shape->nesting == Nesting::kMap) return MapKey(frame, key);
    const JsonField* field = FindField(*frame.shape, key);
    frame.key = field == nullptr ? std::string_view() : field->key;
    frame.next = field == nullptr ? nullptr : &field->shape;
    return true;
  }

  bool StartObject() { return Start(false); }
  bool StartArray() { return Start(true); }
  bool EndObject(rapidjson::SizeType) { return End(); }
  bool EndArray(rapidjson::SizeType) { return End(); }

 private:
  struct Frame {
    const JsonShape* shape;
    void* target;           // of the contents
    const JsonShape* next;  // of the coming value; null: skip it
    std::string_view key;   // of the present member
    size_t count = 0;       // elements so far, with the present one
    absl::Status fault;     // the first one inside, when the shape is forgiving
  };

  void* target() const { return frames_.empty() ? target_ : frames_.back().target; }

  // The shape of the value that comes now, null when it is to be skipped. False ends the parse.
  bool Next(const JsonShape*& shape) {
    if (skipped_ > 0) return true;
    if (frames_.empty()) {
      shape = &root_;
      return true;
    }
    Frame& frame = frames_.back();
    if (frame.shape->nesting == Nesting::kArray) {
      ++frame.count;
      place_ = {{}, frame.count - 1, 0};
      if (frame.count > frame.shape->most) return TooMany(frame);
    } else {
      place_ = {frame.key, 0, 0};
    }
    shape = frame.next;
    return true;
  }

  bool MapKey(Frame& frame, std::string_view key) {
    frame.next = nullptr;
    frame.key = key;
    if (++frame.count > frame.shape->most) return TooMany(frame);
    if (key.size() > kMaxKeyBytes) {
      return Fail(Invalid("the key is longer than {} bytes", kMaxKeyBytes));
    }
    frame.next = frame.shape->element;
    return true;
  }

  bool Start(bool array) {
    const JsonShape* shape = nullptr;
    if (!Next(shape)) return false;
    const size_t most = shape == nullptr ? kMaxSkippedDepth : kMaxJsonDepth;
    if ((shape == nullptr ? skipped_ : frames_.size()) == most) {
      error_ = Placed(Invalid("nests deeper than {} levels", most));
      return false;
    }
    if (shape == nullptr) {
      ++skipped_;
      return true;
    }
    const bool wanted = array
                            ? shape->nesting == Nesting::kArray
                            : shape->nesting == Nesting::kObject || shape->nesting == Nesting::kMap;
    if (!wanted) {
      skipped_ = 1;
      return Mismatch(*shape, array ? "an array" : "an object");
    }
    Push(*shape);
    return true;
  }

  void Push(const JsonShape& shape) {
    place_.offset = stream_.Tell();
    void* contents = shape.enter == nullptr ? target() : shape.enter(target(), place_);
    frames_.push_back({&shape, contents, shape.element, {}, 0, absl::OkStatus()});
  }

  bool End() {
    if (skipped_ > 0) {
      --skipped_;
      return true;
    }
    const JsonShape& shape = *frames_.back().shape;
    absl::Status status = std::move(frames_.back().fault);
    frames_.pop_back();
    if (status.ok() && shape.leave != nullptr) {
      status = shape.leave(target(), ClosingPlace());
      if (!status.ok()) status = Placed(status);
    }
    if (status.ok()) return true;
    if (shape.fault == nullptr) return Refuse(std::move(status));
    shape.fault(target(), std::move(status));
    return true;
  }

  JsonPlace ClosingPlace() const {
    if (frames_.empty()) return {{}, 0, stream_.Tell()};
    const Frame& frame = frames_.back();
    if (frame.shape->nesting == Nesting::kArray) return {{}, frame.count - 1, stream_.Tell()};
    return {frame.key, 0, stream_.Tell()};
  }

  bool Pass(const absl::Status& status) { return status.ok() || Fail(status); }
  bool Mismatch(const JsonShape& shape, std::string_view found) {
    const absl::Status status = Invalid("expected {}, found {}", Expected(shape), found);
    if (shape.fault == nullptr) return Fail(status);
    if (shape.enter != nullptr) shape.enter(target(), place_);
    shape.fault(target(), Placed(status));
    return true;
  }
  bool TooLong(size_t most) { return Fail(Invalid("longer than {} bytes", most)); }
  // Told of the array or map, not of the element.
  bool TooMany(const Frame& frame) {
    return Refuse(Invalid("{}: more than {} {}", Path(frames_.size() - 1), frame.shape->most,
                          frame.shape->nesting == Nesting::kMap ? "entries" : "items"));
  }

  bool Fail(const absl::Status& status) { return Refuse(Placed(status)); }

  // True when some enclosing value forgives: the walk goes on behind the value at fault.
  bool Refuse(absl::Status placed) {
    auto forgiving = std::find_if(frames_.rbegin(), frames_.rend(),
                                  [](const Frame& f) { return f.shape->fault != nullptr; });
    if (forgiving == frames_.rend()) {
      error_ = std::move(placed);
      return false;
    }
    if (forgiving->fault.ok()) forgiving->fault = std::move(placed);
    return true;
  }

  absl::Status Placed(const absl::Status& status) const {
    const std::string path = Path(frames_.size());
    if (path.empty()) return status;
    return Invalid("{}: {}", path, Message(status));
  }

  // Where the walk stands, seen from the first `depth` frames.
  std::string Path(size_t depth) const {
    std::string path(name_);
    for (size_t i = 0; i < depth; ++i) {
      const Frame& frame = frames_[i];
      if (frame.shape->nesting == Nesting::kArray) {
        path += fmt::format("[{}]", frame.count - 1);
      } else {
        if (!path.empty() && !frame.key.empty()) path += '.';
        path += Shown(frame.key);
      }
    }
    return path;
  }

  const std::string_view name_;
  const JsonShape& root_;
  void* const target_;
  rapidjson::InsituStringStream& stream_;
  std::vector<Frame> frames_;
  size_t skipped_ = 0;  // open objects and arrays of the value that is being skipped
  JsonPlace place_;     // of the present value
  absl::Status error_;
};

}  // namespace

absl::Status json::ReadInteger(std::string_view digits, int64_t least, int64_t most,
                               int64_t& result) {
  int64_t number = 0;
  const char* end = digits.data() + digits.size();
  auto [stop, code] = std::from_chars(digits.data(), end, number);
  if (code != std::errc() || stop != end || number < least || number > most) {
    return Invalid("expected an integer from {} to {}, found {}", least, most, Shown(digits));
  }
  result = number;
  return absl::OkStatus();
}

absl::Status ParseJson(std::string& body, size_t most_bytes, std::string_view name,
                       const JsonShape& shape, void* target) {
  return ReadJson(body, most_bytes, [&](rapidjson::InsituStringStream& stream, auto read) {
    Walker walker(name, shape, target, stream);
    const absl::Status status = read(walker);
    return walker.error().ok() ? status : walker.error();
  });
}

}  // namespace gangplan
