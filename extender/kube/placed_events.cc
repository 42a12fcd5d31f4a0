#include "extender/kube/placed_events.h"

#include <algorithm>
#include <tuple>

#include "extender/kube/limits.h"
#include "extender/kube/pages.h"
#include "extender/kube/resource_path.h"
#include "extender/protocol/json_sax.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr size_t kMaxText = 4'096;

struct EventItem {
  std::string by;
  std::string at;       // of its first pod
  std::string created;  // where the one before is not there
};
struct EventPage {
  std::string next;
  std::vector<EventItem> items;
};
constexpr JsonField kEventMetadataFields[] = {
    {"creationTimestamp", json::Text<&EventItem::created>(kMaxText)}};
constexpr JsonField kEventFields[] = {
    {"metadata", json::Object(kEventMetadataFields)},
    {"eventTime", json::Text<&EventItem::at>(kMaxText)},
    {"reportingInstance", json::Text<&EventItem::by>(kMaxText)},
};
constexpr JsonShape kEvent = json::Appended<std::vector<EventItem>>(json::Object(kEventFields));
constexpr JsonField kEventListFields[] = {{"continue", json::Text<&EventPage::next>(kMaxText)}};
constexpr JsonField kEventPageFields[] = {
    {"metadata", json::Object(kEventListFields)},
    {"items", json::In<&EventPage::items>(json::Array(kEvent, kMaxPlacedEvents))},
};
constexpr JsonShape kEventPage = json::Object(kEventPageFields);

}  // namespace

absl::StatusOr<std::vector<PlacedEvent>> ReadPlacedEvents(Transport& transport,
                                                          std::string_view scheduler,
                                                          const CallTools& tools) {
  const std::string of = fmt::format("reason=Scheduled,reportingComponent={}", scheduler);
  const PagedList list = {"/api/v1/events", "&fieldSelector=" + PercentEncode(of),
                          "listing Events"};
  std::vector<PlacedEvent> events;
  size_t pages = 0;
  const auto take = [&](std::string& text) -> absl::StatusOr<std::string> {
    EventPage page;
    GANGPLAN_RETURN_IF_ERROR(ParseJson(text, kMaxAnswerBytes, "Events", kEventPage, &page));
    for (const EventItem& item : page.items) {
      absl::Time at;
      const std::string& told = item.at.empty() ? item.created : item.at;
      if (events.size() < kMaxPlacedEvents && !item.by.empty() &&
          absl::ParseTime(absl::RFC3339_full, told, &at, nullptr))
        events.push_back({at, item.by});
    }
    return ++pages * kListPageItems < kMaxPlacedEvents ? page.next : "";
  };
  GANGPLAN_RETURN_IF_ERROR(EachPage(transport, list, tools, take));
  std::sort(events.begin(), events.end(), [](const PlacedEvent& a, const PlacedEvent& b) {
    return std::tie(a.at, a.by) < std::tie(b.at, b.by);
  });
  return events;
}

}  // namespace gangplan
