#include "extender/server/event_sender.h"

#include <poll.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace gangplan {
namespace {

constexpr std::string_view kSign = ":\n\n";

bool Send(Wire& wire, std::string_view bytes) {
  wire.BeginPart();
  return wire.Write(bytes.data(), bytes.size()) >= 0 && wire.Flush();
}

}  // namespace

void SendEvents(Wire& wire, EventStream& events, absl::Duration sign) {
  enum { kPeer, kNews };
  std::array<pollfd, 2> entries{};
  entries[kPeer] = {wire.socket(), POLLIN | POLLRDHUP, 0};
  entries[kNews] = {events.news(), POLLIN, 0};
  const auto wait = static_cast<int>(absl::ToInt64Milliseconds(sign));
  bool silent = false;
  while (entries[kPeer].revents == 0) {
    const std::shared_ptr<const std::string> fresh = events.Take();
    if (fresh != nullptr && !Send(wire, *fresh)) return;
    if (fresh == nullptr && silent && !Send(wire, kSign)) return;
    silent = ::poll(entries.data(), entries.size(), wait) == 0;
  }
}

}  // namespace gangplan
