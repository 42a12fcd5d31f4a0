// Small JSON for the fake API server: what it reads of a body, and what it answers. Pure; any
// thread.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "extender/kube/resource_path.h"
#include "extender/kube/transport.h"
#include "fmt/format.h"
#include "rapidjson/document.h"
#include "topology/base/json_text.h"

namespace gangplan {

inline HttpResponse StatusAnswer(int code, std::string_view message) {
  JsonText json;
  json.Begin().Field("kind", "Status").Field("apiVersion", "v1").Field("message", message);
  return {code, json.Field("code", int64_t{code}).End().Take(), absl::ZeroDuration()};
}

// As the API server refuses a patch whose UID is another one than the object's.
inline HttpResponse OtherUid(std::string_view kind, std::string_view name) {
  return StatusAnswer(
      422, fmt::format("{} '{}' is invalid: metadata.uid: Invalid value: field is immutable", kind,
                       name));
}

using FakeTexts = std::map<std::string, std::string>;

inline std::string JsonOf(const FakeTexts& texts) {
  JsonText json(JsonEscapes::kGo);
  json.Begin();
  for (const auto& [key, value] : texts) json.Field(key, value);
  return json.End().Take();
}

// The label selectors that select these labels, as a request's target has them: by KEY, and by
// KEY=VALUE.
inline std::vector<std::string> SelectorsOf(const FakeTexts& labels) {
  std::vector<std::string> selectors;
  for (const auto& [key, value] : labels) {
    selectors.push_back(PercentEncode(key));
    selectors.push_back(PercentEncode(fmt::format("{}={}", key, value)));
  }
  return selectors;
}

// Null when it is not there.
inline const rapidjson::Value* FindAt(const rapidjson::Value& value,
                                      std::initializer_list<const char*> path) {
  const rapidjson::Value* at = &value;
  for (const char* key : path) {
    if (!at->IsObject() || !at->HasMember(key)) return nullptr;
    at = &(*at)[key];
  }
  return at;
}

// The text at metadata.uid and the like; empty when it is not there.
inline std::string TextAt(const rapidjson::Value& value, std::initializer_list<const char*> path) {
  const rapidjson::Value* at = FindAt(value, path);
  return at != nullptr && at->IsString() ? at->GetString() : "";
}

// A merge patch of texts, as far as `patch` has one at this place.
inline void MergeAt(const rapidjson::Value& patch, std::initializer_list<const char*> path,
                    FakeTexts* texts) {
  const rapidjson::Value* at = FindAt(patch, path);
  if (at == nullptr || !at->IsObject()) return;
  for (const auto& member : at->GetObject()) {
    if (member.value.IsNull()) {
      texts->erase(member.name.GetString());
    } else {
      (*texts)[member.name.GetString()] = member.value.GetString();
    }
  }
}

}  // namespace gangplan
