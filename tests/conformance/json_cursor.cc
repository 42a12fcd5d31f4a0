#include "tests/conformance/json_cursor.h"

#include "topology/base/text.h"

namespace gangplan::conformance {
namespace {

const rapidjson::Value& NullValue() {
  static const rapidjson::Value null;
  return null;
}

const rapidjson::Value* FindMember(const rapidjson::Value& value, std::string_view key) {
  if (!value.IsObject()) return nullptr;
  for (auto it = value.MemberBegin(); it != value.MemberEnd(); ++it) {
    if (std::string_view(it->name.GetString(), it->name.GetStringLength()) == key)
      return &it->value;
  }
  return nullptr;
}

}  // namespace

bool JsonCursor::Has(std::string_view key) const {
  const rapidjson::Value* member = FindMember(*value_, key);
  return member != nullptr && !member->IsNull();
}

JsonCursor JsonCursor::At(std::string_view key) const {
  const rapidjson::Value* member = FindMember(*value_, key);
  if (member == nullptr) Expected(fmt::format("an object with \"{}\"", key));
  return Child(member ? *member : NullValue(), fmt::format(".{}", key));
}

std::string JsonCursor::Text() const {
  if (value_->IsString()) return {value_->GetString(), value_->GetStringLength()};
  Expected("a string");
  return {};
}

int64_t JsonCursor::Integer() const {
  if (value_->IsInt64()) return value_->GetInt64();
  Expected("an integer of 64 bits");
  return 0;
}

bool JsonCursor::Bool() const {
  if (value_->IsBool()) return value_->GetBool();
  Expected("true or false");
  return false;
}

std::vector<std::string> JsonCursor::Texts() const {
  std::vector<std::string> texts;
  ForEach([&](const JsonCursor& element) { texts.push_back(element.Text()); });
  return texts;
}

std::string JsonCursor::TextOr(std::string_view key, std::string_view otherwise) const {
  return Has(key) ? At(key).Text() : std::string(otherwise);
}

bool JsonCursor::BoolOr(std::string_view key, bool otherwise) const {
  return Has(key) ? At(key).Bool() : otherwise;
}

void JsonCursor::ForEach(const std::function<void(const JsonCursor&)>& visit) const {
  if (!value_->IsArray()) return Expected("a list");
  for (rapidjson::SizeType i = 0; i < value_->Size(); ++i)
    visit(Child((*value_)[i], fmt::format("[{}]", i)));
}

void JsonCursor::ForEachIn(std::string_view key,
                           const std::function<void(const JsonCursor&)>& visit) const {
  if (Has(key)) At(key).ForEach(visit);
}

void JsonCursor::ForEachMember(
    const std::function<void(std::string, const JsonCursor&)>& visit) const {
  if (!value_->IsObject()) return Expected("an object");
  for (auto it = value_->MemberBegin(); it != value_->MemberEnd(); ++it) {
    std::string name(it->name.GetString(), it->name.GetStringLength());
    const JsonCursor member = Child(it->value, fmt::format(".{}", name));
    visit(std::move(name), member);
  }
}

void JsonCursor::Expected(std::string_view what) const {
  if (error_->ok()) *error_ = Invalid("{}: expected {}", place_, what);
}

JsonCursor JsonCursor::Child(const rapidjson::Value& value, std::string_view step) const {
  return {value, fmt::format("{}{}", place_, step), *error_};
}

}  // namespace gangplan::conformance
