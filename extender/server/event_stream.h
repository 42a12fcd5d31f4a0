// What a reply goes on with after its head: server-sent events, for as long as the peer listens.
// The server asks for what is new, sends it whole, and waits for more; a peer that reads slowly is
// given the newest by the stream when it is ready for it, so that nothing piles up.
//
// Thread rule: one thread, that of its connection; news() may become readable by any.
#pragma once

#include <memory>
#include <string>

namespace gangplan {

class EventStream {
 public:
  virtual ~EventStream() = default;
  // Whole events that the peer does not have yet, and has from now on; null: there is nothing new.
  virtual std::shared_ptr<const std::string> Take() = 0;
  // A descriptor, open as long as this object: readable when Take has something.
  virtual int news() const = 0;
};

}  // namespace gangplan
