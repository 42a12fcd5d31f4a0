// The page for people: its files, which are in the program, and what it shows of the planner.
//
// Thread rule: Start, then Stop, from one thread; the rest from any.
#pragma once

#include <memory>
#include <string>

#include "extender/app/page_feed.h"
#include "extender/server/page_routes.h"

namespace gangplan {

class Page : public PageHandler {
 public:
  // Both outlive the page.
  Page(LockedPlanner& planner, const Clock& clock) : feed_(planner, clock) {}

  void Start() { feed_.Start(); }
  void Stop() { feed_.Stop(); }

  Answer File(const std::string& name) override;
  Answer Figures(const std::string& name) override;
  std::shared_ptr<EventStream> Follow() override { return feed_.Follow(); }

 private:
  PageFeed feed_;
};

}  // namespace gangplan
