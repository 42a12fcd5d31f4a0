// What a JSON text may look like, as constant data: a tree of shapes, each with what to do with the
// value that stands there. ParseJson (json_sax.h) walks the text and the tree side by side.
//
// A shape takes a value when it has the step for its kind: `text`, `number`, `boolean`, or
// `nesting` with the contents. What no shape names is skipped whole. A step gets the target, the
// object that the enclosing shape fills in; `enter` chooses the target of the contents.
//
// Immutable, built at compile time; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"

namespace gangplan {

// Where a value stands.
struct JsonPlace {
  std::string_view key;  // of an object's or a map's member; empty for an element of an array
  size_t index = 0;      // of an array's element
  size_t offset = 0;     // objects and arrays: of the opening (enter) or the closing byte (leave)
};

struct JsonField;

struct JsonShape {
  enum class Nesting { kNone, kObject, kArray, kMap };

  absl::Status (*text)(void* target, const JsonPlace& place, std::string_view text) = nullptr;
  absl::Status (*number)(void* target, const JsonPlace& place, std::string_view digits) = nullptr;
  absl::Status (*boolean)(void* target, bool truth) = nullptr;

  Nesting nesting = Nesting::kNone;
  const JsonField* fields = nullptr;  // kObject: keys are matched in any case
  size_t field_count = 0;
  const JsonShape* element = nullptr;  // kArray, kMap
  size_t most = 0;                     // text: bytes; kArray, kMap: elements

  void* (*enter)(void* target, const JsonPlace& place) = nullptr;  // null: the target stays
  absl::Status (*leave)(void* target, const JsonPlace& place) = nullptr;
  // The value is null, which is as if it were absent; for values that a null takes back.
  void (*null)(void* target) = nullptr;
  // Errors inside of the value end here: the wrong part is skipped, the rest goes on, and the first
  // error is told when the value ends. Null: an error ends the parse.
  void (*fault)(void* target, absl::Status status) = nullptr;
};

struct JsonField {
  std::string_view key;
  JsonShape shape;
};

// --- Makers of shapes. Each knows its target's type from the member or function that it is given.
namespace json {

template <typename T>
struct Of;
template <typename Class, typename Value>
struct Of<Value Class::*> {
  using Target = Class;
};
template <typename Result, typename Class, typename... Rest>
struct Of<Result (*)(Class&, Rest...)> {
  using Target = Class;
};
template <auto kWhat>
typename Of<decltype(kWhat)>::Target& Target(void* target) {
  return *static_cast<typename Of<decltype(kWhat)>::Target*>(target);
}

// The digits of an int64 in [least, most].
absl::Status ReadInteger(std::string_view digits, int64_t least, int64_t most, int64_t& result);

// A text into a std::string or std::string_view member (the latter points into the body).
template <auto kMember>
constexpr JsonShape Text(size_t most) {
  JsonShape shape;
  shape.text = [](void* target, const JsonPlace&, std::string_view text) {
    Target<kMember>(target).*kMember = text;
    return absl::OkStatus();
  };
  shape.most = most;
  return shape;
}

// A text for absl::Status Function(Class&, std::string_view).
template <auto kFunction>
constexpr JsonShape TextFor(size_t most) {
  JsonShape shape;
  shape.text = [](void* target, const JsonPlace&, std::string_view text) {
    return kFunction(Target<kFunction>(target), text);
  };
  shape.most = most;
  return shape;
}

// A map's text for absl::Status Function(Class&, std::string_view key, std::string_view text).
template <auto kFunction>
constexpr JsonShape MapTextFor(size_t most) {
  JsonShape shape;
  shape.text = [](void* target, const JsonPlace& place, std::string_view text) {
    return kFunction(Target<kFunction>(target), place.key, text);
  };
  shape.most = most;
  return shape;
}

// A map's quantity, which may be a text or a number, for such a function.
template <auto kFunction>
constexpr JsonShape MapQuantityFor(size_t most) {
  JsonShape shape = MapTextFor<kFunction>(most);
  shape.number = shape.text;
  return shape;
}

// An integer member.
template <auto kMember, int64_t kLeast, int64_t kMost>
constexpr JsonShape Integer() {
  JsonShape shape;
  shape.number = [](void* target, const JsonPlace&, std::string_view digits) {
    int64_t number = 0;
    absl::Status status = ReadInteger(digits, kLeast, kMost, number);
    auto& member = Target<kMember>(target).*kMember;
    if (status.ok()) member = static_cast<std::remove_reference_t<decltype(member)>>(number);
    return status;
  };
  return shape;
}

template <auto kMember>
constexpr JsonShape Boolean() {
  JsonShape shape;
  shape.boolean = [](void* target, bool truth) {
    Target<kMember>(target).*kMember = truth;
    return absl::OkStatus();
  };
  return shape;
}

// Members of an object go to the enclosing target.
template <size_t kCount>
constexpr JsonShape Object(const JsonField (&fields)[kCount]) {
  JsonShape shape;
  shape.nesting = JsonShape::Nesting::kObject;
  shape.fields = fields;
  shape.field_count = kCount;
  return shape;
}

constexpr JsonShape Array(const JsonShape& element, size_t most) {
  JsonShape shape;
  shape.nesting = JsonShape::Nesting::kArray;
  shape.element = &element;
  shape.most = most;
  return shape;
}

constexpr JsonShape Map(const JsonShape& element, size_t most) {
  JsonShape shape = Array(element, most);
  shape.nesting = JsonShape::Nesting::kMap;
  return shape;
}

// The contents go to this member of the enclosing target.
template <auto kMember>
constexpr JsonShape In(JsonShape shape) {
  shape.enter = [](void* target, const JsonPlace&) -> void* {
    return &(Target<kMember>(target).*kMember);
  };
  return shape;
}

// As In; the member is made empty first: of two values the last one stands alone.
template <auto kMember>
constexpr JsonShape Anew(JsonShape shape) {
  shape.enter = [](void* target, const JsonPlace&) -> void* {
    auto& member = Target<kMember>(target).*kMember;
    member = {};
    return &member;
  };
  return shape;
}

// The contents go to Member& Function(Class&).
template <auto kFunction>
constexpr JsonShape At(JsonShape shape) {
  shape.enter = [](void* target, const JsonPlace&) -> void* {
    return &kFunction(Target<kFunction>(target));
  };
  return shape;
}

// The contents go to a new last element of the target, a vector.
template <typename Vector>
constexpr JsonShape Appended(JsonShape shape) {
  shape.enter = [](void* target, const JsonPlace&) -> void* {
    return &static_cast<Vector*>(target)->emplace_back();
  };
  return shape;
}

// absl::Status Function(Class&) when the value has ended. Class is the enclosing target.
template <auto kFunction>
constexpr JsonShape Then(JsonShape shape) {
  shape.leave = [](void* target, const JsonPlace&) { return kFunction(Target<kFunction>(target)); };
  return shape;
}

// void Function(Class&, absl::Status): see JsonShape::fault. Class is the enclosing target.
template <auto kFunction>
constexpr JsonShape Forgiving(JsonShape shape) {
  shape.fault = [](void* target, absl::Status status) {
    kFunction(Target<kFunction>(target), std::move(status));
  };
  return shape;
}

}  // namespace json
}  // namespace gangplan
