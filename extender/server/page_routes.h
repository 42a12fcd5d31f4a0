// The page for people: which path is which of its files and figures, and what every browser is told
// of it. The page names all of its own by relative paths, so these routes may stand below any other
// path as well.
#pragma once

#include <memory>
#include <string>

#include "extender/server/event_stream.h"
#include "extender/server/http_call.h"

namespace gangplan {

// Thread rule: called from many server threads at once.
class PageHandler {
 public:
  virtual ~PageHandler() = default;
  struct Answer {
    int status = 200;
    std::string body;
    std::string content_type = "application/json";
    std::string version;  // of the body; empty: it has none
  };
  // `name`: of a file; empty: the page itself.
  virtual Answer File(const std::string& name) = 0;
  // `name`: what is shown, "tree" or "state".
  virtual Answer Figures(const std::string& name) = 0;
  // The same state and what changes of it.
  virtual std::shared_ptr<EventStream> Follow() = 0;
};

// GET /, /page/FILE, /figures/NAME and /figures/live. A body that the browser has already, by its
// version, is a 304. The handler outlives the routes.
Routes PageRoutes(PageHandler& handler);

}  // namespace gangplan
