// Writes one JSON text: RapidJSON's writer behind std::string_view, for what we tell people and
// programs (reports, the read-only API). Not thread-safe; cheap to make.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"

namespace gangplan {

class JsonText {
 public:
  JsonText& Begin() { writer_.StartObject(); return *this; }
  JsonText& End() { writer_.EndObject(); return *this; }
  JsonText& BeginList() { writer_.StartArray(); return *this; }
  JsonText& EndList() { writer_.EndArray(); return *this; }
  JsonText& Key(std::string_view key) {
    writer_.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
    return *this;
  }
  JsonText& Value(std::string_view text) {
    writer_.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    return *this;
  }
  JsonText& Value(int64_t number) { writer_.Int64(number); return *this; }
  JsonText& Value(bool truth) { writer_.Bool(truth); return *this; }
  JsonText& Value(const char* text) { return Value(std::string_view(text)); }
  template <typename V>
  JsonText& Field(std::string_view key, const V& value) { return Key(key).Value(value); }

  std::string Take() const { return std::string(buffer_.GetString(), buffer_.GetSize()); }

 private:
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_{buffer_};
};

}  // namespace gangplan
