#include "extender/server/page_routes.h"

#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr std::string_view kFiles = "/page/";
constexpr std::string_view kFigures = "/figures/";
constexpr std::string_view kLive = "/figures/live";

// Scripts, styles and connections of our own alone: a name from the cluster that found its way into
// the page as more than text could load nothing, tell nobody, and be shown in no frame.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' "
    "data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

HttpReply Guarded(HttpReply reply) {
  // A browser keeps it, and asks each time whether it is still the same.
  reply.headers.emplace_back("Cache-Control", "no-cache");
  reply.headers.emplace_back("Content-Security-Policy", kPolicy);
  reply.headers.emplace_back("X-Content-Type-Options", "nosniff");
  reply.headers.emplace_back("Referrer-Policy", "no-referrer");
  reply.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  return reply;
}

HttpReply ReplyOf(PageHandler::Answer answer, const std::string& known) {
  HttpReply reply{answer.status, std::move(answer.body), std::move(answer.content_type)};
  if (answer.version.empty()) return Guarded(std::move(reply));
  const std::string tag = fmt::format("\"{}\"", answer.version);
  reply.headers.emplace_back("ETag", tag);
  if (known == tag) {
    reply.status = 304;
    reply.body.clear();
  }
  return Guarded(std::move(reply));
}

}  // namespace

Routes PageRoutes(PageHandler& handler) {
  const auto file = [&handler](HttpCall& call) {
    const bool whole = call.path == "/";
    return ReplyOf(handler.File(whole ? std::string() : call.path.substr(kFiles.size())),
                   call.known);
  };
  const auto figures = [&handler](HttpCall& call) {
    return ReplyOf(handler.Figures(call.path.substr(kFigures.size())), call.known);
  };
  const auto live = [&handler](HttpCall&) {
    HttpReply reply{200, {}, "text/event-stream"};
    reply.events = handler.Follow();
    return Guarded(std::move(reply));
  };
  return {{"GET", "/", false, file},
          {"GET", std::string(kFiles), true, file},
          {"GET", std::string(kLive), false, live, false, true},
          {"GET", std::string(kFigures), true, figures, true}};
}

}  // namespace gangplan
