// The aggregated API v1alpha1.gangplan.io: who asks is who the front proxy says it is, and it is
// told what its role allows. Read only; every reply is JSON of Kubernetes (objects, a Table, a
// Status) but for explanations, which are text.
//
//   .../gangs, .../namespaces/NS/gangs[/NAME[/explanation|/history]]
//   .../topology, and what is mounted: whole trees of paths below one name
//
// Discovery needs no right, all else one that the API server was asked for: it is 403 without, and
// 503 when nobody can say. Who has had its share of the time is told 429 before.
//
// Thread rule: any thread. Blocks on reviews, for seconds at most; never on the planner for longer
// than one of its turns.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "extender/api/front_proxy.h"
#include "extender/api/gang_board.h"
#include "extender/api/permissions.h"
#include "extender/api/question.h"
#include "extender/api/reader_shares.h"
#include "extender/observe/log.h"
#include "extender/observe/metrics.h"
#include "extender/server/http_call.h"
#include "topology/base/clock.h"

namespace gangplan {

// Everything below /apis/gangplan.io/v1alpha1/RESOURCE/, for who may `get` the resource. Below its
// part `reports` stands what GangSource::Info has, and each is a subresource: page/v1/list is
// page/list.
struct Mount {
  std::string resource;
  std::string reports;
  std::function<HttpReply(std::string_view path)> serve;  // all else below it, decoded
};

class GangApi {
 public:
  // All outlive it.
  GangApi(GangSource& source, Reviewer& reviewer, const KnownFrontProxy& proxy, Metrics& metrics,
          const Clock& clock, std::vector<Mount> mounts);

  HttpReply Serve(const HttpCall& call);

 private:
  HttpReply Answer(const HttpCall& call);
  HttpReply Judged(const User& user, const Question& question, AnswerForm form);
  HttpReply Allowed(const Question& question, AnswerForm form);
  HttpReply Mounted(const Mount& mount, const Question& question);
  HttpReply List(const Question& question, AnswerForm form);
  HttpReply One(const Question& question, AnswerForm form);
  HttpReply Explanation(const Question& question);
  HttpReply History(const Question& question);
  HttpReply Report(const Question& question, const std::string& path);
  HttpReply Failed(const absl::Status& why, const Access& access) const;
  const Mount* MountOf(const Access& access) const;
  Access RightFor(const Question& question) const;
  bool IsServed(const Question& question) const;

  GangSource& source_;
  const KnownFrontProxy& proxy_;
  Metrics& metrics_;
  const Clock& clock_;
  const std::vector<Mount> mounts_;
  ReaderShares shares_;
  Permissions permissions_;
  GangBoard board_;
  RepeatedLog unknown_{absl::Minutes(1)};
};

// GET of everything; what is below our version may take long. `api` outlives the routes.
Routes ApiRoutes(GangApi& api);

}  // namespace gangplan
