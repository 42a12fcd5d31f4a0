#include "extender/api/status_object.h"

#include "fmt/format.h"
#include "topology/base/json_text.h"

namespace gangplan {
namespace {

std::string_view ReasonOf(int code) {
  switch (code) {
    case 400:
      return "BadRequest";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 405:
      return "MethodNotAllowed";
    case 406:
      return "NotAcceptable";
    case 408:
      return "Timeout";
    case 413:
      return "RequestEntityTooLarge";
    case 429:
      return "TooManyRequests";
    case 503:
      return "ServiceUnavailable";
    default:
      return code < 500 ? "BadRequest" : "InternalError";
  }
}

std::string ResourceOf(const Access& access) {
  if (access.subresource.empty()) return access.resource;
  return fmt::format("{}/{}", access.resource, access.subresource);
}

std::string NameOf(const Access& access) {
  const std::string of_group = fmt::format("{}.{}", access.resource, access.group);
  return access.name.empty() ? of_group : fmt::format("{} \"{}\"", of_group, access.name);
}

}  // namespace

HttpReply StatusReply(int code, std::string_view message, const Access* about) {
  JsonText json;
  json.Begin().Field("kind", "Status").Field("apiVersion", "v1");
  json.Key("metadata").Begin().End();
  json.Field("status", "Failure").Field("message", message).Field("reason", ReasonOf(code));
  if (about != nullptr && !about->resource.empty()) {
    json.Key("details").Begin();
    if (!about->name.empty()) json.Field("name", about->name);
    json.Field("group", about->group).Field("kind", about->resource).End();
  }
  json.Field("code", int64_t{code}).End();
  return {code, json.Take()};
}

HttpReply PlainStatus(int code, std::string_view message) {
  return StatusReply(code, message, nullptr);
}

HttpReply ForbiddenReply(const User& user, const Access& access) {
  const std::string where = access.ns.empty() ? "at the cluster scope"
                                              : fmt::format("in the namespace \"{}\"", access.ns);
  return StatusReply(
      403,
      fmt::format("{} is forbidden: User \"{}\" cannot {} resource \"{}\" in API group \"{}\" {}",
                  NameOf(access), user.name, access.verb, ResourceOf(access), access.group, where),
      &access);
}

HttpReply NotFoundReply(const Access& access) {
  return StatusReply(404, fmt::format("{} not found", NameOf(access)), &access);
}

HttpReply NoResourceReply() {
  return PlainStatus(404, "the server could not find the requested resource");
}

}  // namespace gangplan
