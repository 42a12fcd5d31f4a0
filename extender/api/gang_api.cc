#include "extender/api/gang_api.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "extender/api/discovery.h"
#include "extender/api/gang_object.h"
#include "extender/api/status_object.h"
#include "extender/web/view.h"
#include "topology/base/terminal_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kTopology = "topology";
constexpr std::string_view kExplanation = "explanation";
constexpr std::string_view kHistory = "history";
constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

std::string_view ResultOf(int status) {
  if (status < 400) return "ok";
  return status < 500 ? "refused" : "failed";
}

// What stands below the resource of a mount.
std::string Below(const Question& question) {
  std::string path = question.access.name;
  for (const std::string& part : {question.access.subresource, question.rest})
    if (!part.empty()) path += "/" + part;
  return path;
}

}  // namespace

GangApi::GangApi(GangSource& source, Reviewer& reviewer, const KnownFrontProxy& proxy,
                 Metrics& metrics, const Clock& clock, std::vector<Mount> mounts)
    : source_(source),
      proxy_(proxy),
      metrics_(metrics),
      clock_(clock),
      mounts_(std::move(mounts)),
      shares_(clock),
      permissions_(reviewer, clock),
      board_(source, clock) {}

HttpReply GangApi::Serve(const HttpCall& call) {
  HttpReply reply = Answer(call);
  metrics_.CountApiCall(ResultOf(reply.status));
  return reply;
}

HttpReply GangApi::Answer(const HttpCall& call) {
  const std::optional<HttpHead> head = ReadHead(call.head);
  if (!head) return PlainStatus(400, "the request line or a header is malformed");
  const std::shared_ptr<const ProxyHeaders> names = proxy_.headers();
  if (names == nullptr) return PlainStatus(401, "the front proxy is not known yet");
  const absl::StatusOr<User> user = CallerOf(*head, *names);
  if (!user.ok()) return PlainStatus(401, Message(user.status()));
  const AnswerForm form = FormOf(*head);
  if (form == AnswerForm::kNone)
    return PlainStatus(406,
                       "only application/json is served, plain or as a Table of meta.k8s.io/v1");
  const absl::StatusOr<Question> question = ReadQuestion(head->target);
  if (absl::IsUnimplemented(question.status())) return PlainStatus(405, Message(question.status()));
  if (!question.ok()) return PlainStatus(400, Message(question.status()));
  if (std::optional<HttpReply> found = Discovery(question->path, form)) return *std::move(found);
  if (!IsServed(*question)) return NoResourceReply();
  return shares_.Serve(*user, [&] { return Judged(*user, *question, form); });
}

HttpReply GangApi::Judged(const User& user, const Question& question, AnswerForm form) {
  const Access right = RightFor(question);
  const absl::StatusOr<bool> may = permissions_.May(user, right);
  if (!may.ok()) {
    unknown_.Log(LogLevel::kWarn, "what a user of the aggregated API may see is not known",
                 {{"why", Message(may.status())}});
    return StatusReply(503, fmt::format("whether you may is not known: {}", Message(may.status())),
                       &right);
  }
  if (!*may) return ForbiddenReply(user, right);
  return Allowed(question, form);
}

const Mount* GangApi::MountOf(const Access& access) const {
  const auto it = std::find_if(mounts_.begin(), mounts_.end(), [&](const Mount& mount) {
    return mount.resource == access.resource;
  });
  return it == mounts_.end() || !access.ns.empty() ? nullptr : &*it;
}

// What the API server is asked whether the user may.
Access GangApi::RightFor(const Question& question) const {
  Access right = question.access;
  const Mount* mount = MountOf(right);
  if (mount == nullptr) return right;
  if (right.name != mount->reports) right.subresource.clear();
  return right;
}

bool GangApi::IsServed(const Question& question) const {
  const Access& access = question.access;
  if (MountOf(access) != nullptr) return true;
  if (!question.rest.empty()) return false;
  const bool list = access.verb == "list";
  if (access.resource == kTopology) return list && access.ns.empty();
  if (access.resource != kGangResource) return false;
  if (list) return true;
  const std::string_view part = access.subresource;
  return !access.ns.empty() && (part.empty() || part == kExplanation || part == kHistory);
}

HttpReply GangApi::Allowed(const Question& question, AnswerForm form) {
  const Access& access = question.access;
  if (const Mount* mount = MountOf(access)) return Mounted(*mount, question);
  if (access.resource == kTopology) return Report(question, "topology");
  if (access.subresource == kExplanation) return Explanation(question);
  if (access.subresource == kHistory) return History(question);
  return access.verb == "list" ? List(question, form) : One(question, form);
}

HttpReply GangApi::Mounted(const Mount& mount, const Question& question) {
  const std::string path = Below(question);
  const std::string reports = mount.reports + "/";
  if (!path.starts_with(reports)) return mount.serve(path);
  const auto told = board_.Info(path.substr(reports.size()));
  if (!told.ok()) return Failed(told.status(), question.access);
  return {told->status, told->body, told->content_type};
}

HttpReply GangApi::Failed(const absl::Status& why, const Access& access) const {
  if (absl::IsNotFound(why)) return NotFoundReply(access);
  return StatusReply(503, Message(why), &access);
}

HttpReply GangApi::List(const Question& question, AnswerForm form) {
  const auto all = board_.All();
  if (!all.ok()) return Failed(all.status(), question.access);
  const GangPage page = PageOf(**all, question);
  if (form == AnswerForm::kTable) return {200, GangTableJson(page, question.include, clock_.Now())};
  return {200, GangListJson(page)};
}

HttpReply GangApi::One(const Question& question, AnswerForm form) {
  const Access& access = question.access;
  const auto all = board_.All();
  if (!all.ok()) return Failed(all.status(), access);
  const bool table = form == AnswerForm::kTable;
  const auto gang =
      table ? board_.Find(access.ns, access.name) : board_.Whole(access.ns, access.name);
  if (!gang.ok()) return Failed(gang.status(), access);
  if (*gang == nullptr) return NotFoundReply(access);
  if (!table) return {200, GangJson(**gang, (*all)->version, true)};
  return {200, GangTableJson({{gang->get()}, (*all)->version}, question.include, clock_.Now())};
}

HttpReply GangApi::Explanation(const Question& question) {
  const Access& access = question.access;
  const auto named = board_.NameOf(access.ns, access.name);
  if (!named.ok()) return Failed(named.status(), access);
  GangSource::Asked asked{access.ns, named->gang, question.of_pod, question.json};
  if (named->older != nullptr) {
    const GroupReport& report = named->older->group.report;
    // It waits without a group: there is no more of it than this.
    if (report.id == 0 && question.json) return {200, GroupJson(report)};
    if (report.id == 0)
      return {200, TerminalText(GroupText(report, clock_.Now())), std::string(kPlainText)};
    asked.id = report.id;
  }
  const auto told = board_.Explain(asked);
  if (!told.ok()) return Failed(told.status(), access);
  if (told->status != 200) return StatusReply(told->status, Trim(told->body), &access);
  return {told->status, TerminalText(told->body), told->content_type};
}

// Of the name: what ran under it one after the other shares it.
HttpReply GangApi::History(const Question& question) {
  const Access& access = question.access;
  const auto named = board_.NameOf(access.ns, access.name);
  if (!named.ok()) return Failed(named.status(), access);
  return Report(question, fmt::format("history/{}/{}", access.ns, named->gang));
}

HttpReply GangApi::Report(const Question& question, const std::string& path) {
  const auto told = board_.Info(path);
  if (!told.ok()) return Failed(told.status(), question.access);
  if (told->status == 200) return {200, TerminalText(told->body), told->content_type};
  if (told->status == 404) return NotFoundReply(question.access);
  return StatusReply(told->status, source_.WhyNotReady(), &question.access);
}

Routes ApiRoutes(GangApi& api) {
  const auto serve = [&api](HttpCall& call) { return api.Serve(call); };
  const std::string ours = fmt::format("/apis/{}/", kGroupVersion);
  return {{"GET", ours, true, serve, true}, {"GET", "/", true, serve}};
}

}  // namespace gangplan
