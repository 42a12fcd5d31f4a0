// A JSON value and the way to it, for readers that state only what they want. The first wrong
// access is kept in the status that all cursors of one document share; it and later ones give
// empty values, so a reader checks once, at the end. The document must outlive the cursors. One
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "rapidjson/document.h"

namespace gangplan::conformance {

class JsonCursor {
 public:
  JsonCursor(const rapidjson::Value& value, std::string place, absl::Status& error)
      : value_(&value), place_(std::move(place)), error_(&error) {}

  // Whether the object has this member and it is not null.
  bool Has(std::string_view key) const;
  // The member, which must be there.
  JsonCursor At(std::string_view key) const;

  std::string Text() const;
  int64_t Integer() const;
  bool Bool() const;
  std::vector<std::string> Texts() const;

  // The member's value, or a default where the object lacks it.
  std::string TextOr(std::string_view key, std::string_view otherwise) const;
  bool BoolOr(std::string_view key, bool otherwise) const;

  // Every element of the list, in order.
  void ForEach(const std::function<void(const JsonCursor&)>& visit) const;
  // The same of the member; nothing where the object lacks it.
  void ForEachIn(std::string_view key, const std::function<void(const JsonCursor&)>& visit) const;
  // Every member of the object, in the file's order.
  void ForEachMember(const std::function<void(std::string, const JsonCursor&)>& visit) const;

  // Remembers that something else was expected here.
  void Expected(std::string_view what) const;

 private:
  JsonCursor Child(const rapidjson::Value& value, std::string_view step) const;

  const rapidjson::Value* value_;
  std::string place_;
  absl::Status* error_;
};

}  // namespace gangplan::conformance
