// A GangApi before which somebody stands whom the front proxy names. For tests only.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/api/gang_api.h"
#include "fmt/format.h"
#include "tests/extender/api/api_world.h"
#include "tests/extender/kube/kube_fakes.h"

namespace gangplan {

inline const std::string kOurs = "/apis/gangplan.io/v1alpha1";

// `Source`: who tells gangs; `Judge`: who may see them. The page says by what it was asked.
template <typename Source, typename Judge>
struct GangApiWorld {
  explicit GangApiWorld(std::vector<ListedGroup> groups) {
    proxy.Set({{"authority", {}}, {{"X-Remote-User"}, {}, {"X-Remote-Group"}, {}}});
    source.groups = std::move(groups);
  }
  HttpReply Send(const std::string& head) {
    HttpCall call;
    call.head = head;
    return api.Serve(call);
  }
  HttpReply Get(const std::string& target, const std::string& user = "jane",
                const std::string& headers = "") {
    return Send(
        fmt::format("GET {} HTTP/1.1\r\nX-Remote-User: {}\r\n{}\r\n", target, user, headers));
  }

  FakeClock clock;
  Source source;
  Judge judge;
  KnownFrontProxy proxy;
  Metrics metrics;
  GangApi api{source,
              judge,
              proxy,
              metrics,
              clock,
              {{"page", "v1", [](std::string_view path) {
                  return HttpReply{200, fmt::format("page: {}", path), "text/html"};
                }}}};
};

}  // namespace gangplan
