#include "extender/api/front_proxy.h"

#include <chrono>
#include <utility>
#include <vector>

#include "extender/api/limits.h"
#include "extender/kube/answers.h"
#include "extender/protocol/json_sax.h"
#include "extender/protocol/text_list.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kPath =
    "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";

// Lists are JSON in texts.
struct Data {
  std::string authorities, names, user, uid, groups, extra;
};
struct Object {
  Data data;
};
template <auto kMember>
constexpr JsonShape DataText() {
  return json::Text<kMember>(kMaxFrontProxyBytes);
}
constexpr JsonField kDataFields[] = {
    {"requestheader-client-ca-file", DataText<&Data::authorities>()},
    {"requestheader-allowed-names", DataText<&Data::names>()},
    {"requestheader-username-headers", DataText<&Data::user>()},
    {"requestheader-uid-headers", DataText<&Data::uid>()},
    {"requestheader-group-headers", DataText<&Data::groups>()},
    {"requestheader-extra-headers-prefix", DataText<&Data::extra>()}};
constexpr JsonField kFields[] = {{"data", json::In<&Object::data>(json::Object(kDataFields))}};
constexpr JsonShape kObject = json::Object(kFields);

constexpr JsonShape kText = json::ListedText(kMaxFrontProxyBytes);
constexpr JsonShape kList = json::Array(kText, kMaxFrontProxyNames);

absl::StatusOr<std::vector<std::string>> ReadNames(std::string& json, std::string_view key) {
  std::vector<std::string> names;
  if (json.empty()) return names;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(json, kMaxFrontProxyBytes, key, kList, &names));
  return names;
}

bool Same(const FrontProxyFacts& a, const FrontProxyFacts& b) {
  return a.trust.authorities == b.trust.authorities && a.trust.names == b.trust.names &&
         a.headers == b.headers;
}

}  // namespace

absl::StatusOr<FrontProxyFacts> ParseFrontProxy(std::string& json) {
  Object object;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(json, kMaxFrontProxyBytes, "ConfigMap", kObject, &object));
  Data& data = object.data;
  FrontProxyFacts facts;
  facts.trust.authorities = std::move(data.authorities);
  GANGPLAN_ASSIGN_OR_RETURN(facts.trust.names,
                            ReadNames(data.names, "requestheader-allowed-names"));
  GANGPLAN_ASSIGN_OR_RETURN(facts.headers.user,
                            ReadNames(data.user, "requestheader-username-headers"));
  GANGPLAN_ASSIGN_OR_RETURN(facts.headers.uid, ReadNames(data.uid, "requestheader-uid-headers"));
  GANGPLAN_ASSIGN_OR_RETURN(facts.headers.groups,
                            ReadNames(data.groups, "requestheader-group-headers"));
  GANGPLAN_ASSIGN_OR_RETURN(facts.headers.extra,
                            ReadNames(data.extra, "requestheader-extra-headers-prefix"));
  if (facts.trust.authorities.empty())
    return Invalid("requestheader-client-ca-file is missing: the API server has no front proxy");
  if (facts.headers.user.empty()) return Invalid("requestheader-username-headers is missing");
  return facts;
}

bool KnownFrontProxy::Set(FrontProxyFacts facts) {
  MutexLock lock(mutex_);
  if (facts_ != nullptr && Same(*facts_, facts)) return false;
  facts_ = std::make_shared<const FrontProxyFacts>(std::move(facts));
  return true;
}

std::shared_ptr<const ClientTrust> KnownFrontProxy::Now() const {
  MutexLock lock(mutex_);
  return facts_ == nullptr ? nullptr : std::shared_ptr<const ClientTrust>(facts_, &facts_->trust);
}

std::shared_ptr<const ProxyHeaders> KnownFrontProxy::headers() const {
  MutexLock lock(mutex_);
  return facts_ == nullptr ? nullptr
                           : std::shared_ptr<const ProxyHeaders>(facts_, &facts_->headers);
}

FrontProxyReader::FrontProxyReader(std::unique_ptr<Transport> transport,
                                   std::shared_ptr<KnownFrontProxy> known)
    : transport_(std::move(transport)), known_(std::move(known)), thread_([this] { Run(); }) {}

FrontProxyReader::~FrontProxyReader() {
  pause_.Stop();
  {
    MutexLock lock(mutex_);
    while (!over_) {
      transport_->Interrupt();
      ended_.wait_for(mutex_, kInterruptEvery);
    }
  }
  thread_.join();
}

absl::Status FrontProxyReader::Read() {
  GANGPLAN_ASSIGN_OR_RETURN(HttpResponse answer, transport_->Send({.target = std::string(kPath)}));
  GANGPLAN_RETURN_IF_ERROR(AnswerStatus(answer, "get"));
  GANGPLAN_ASSIGN_OR_RETURN(FrontProxyFacts facts, ParseFrontProxy(answer.body));
  if (known_->Set(std::move(facts)))
    Log(LogLevel::kInfo, "the API server's front proxy is known, the aggregated API answers it");
  return absl::OkStatus();
}

void FrontProxyReader::Run() {
  for (bool more = true; more;) {
    const absl::Status read = Read();
    if (!read.ok() && !pause_.stopped()) {
      failed_.Log(LogLevel::kWarn, "who the API server's front proxy is cannot be read",
                  {{"why", fmt::format("{}: {}", kPath, Message(read))}});
    }
    more = pause_.For(read.ok() ? kFrontProxyEvery : kFrontProxyRetry);
  }
  MutexLock lock(mutex_);
  over_ = true;
  ended_.notify_all();
}

}  // namespace gangplan
