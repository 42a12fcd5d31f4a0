// A list that comes in pages, of which each is asked for when the one before has been taken. For
// lists that are read at once; those that are followed have a reflector, which asks for pages of
// the same size.
//
// A page that is larger than an answer may be is asked for in smaller ones, down to one object:
// large objects lie next to each other.
//
// Thread rule: one transport, any thread.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "extender/kube/limits.h"
#include "extender/kube/patience.h"

namespace gangplan {

// How many items the next page is asked for.
class PageSize {
 public:
  explicit PageSize(int most) : most_(most), items_(most) {}
  int items() const { return items_; }
  // One was too large; false: it had one item.
  bool Halve() {
    if (items_ <= 1) return false;
    items_ /= 2;
    return true;
  }
  // One came; those after it grow again.
  void Grow() { items_ = std::min(items_ * 2, most_); }

 private:
  int most_;
  int items_;
};

struct PagedList {
  std::string path;
  std::string filter = {};  // "&labelSelector=...", escaped
  std::string_view what;    // for people: "listing Events"
  int page_items = kListPageItems;
};

// `take` gets the text of a page, and returns the token of the next one; empty: there is none, or
// no more is wanted. ResourceExhausted: an object is larger than an answer, or there are more than
// kMaxListPages; InvalidArgument: a page leads back to itself.
absl::Status EachPage(Transport& transport, const PagedList& list, const CallTools& tools,
                      const std::function<absl::StatusOr<std::string>(std::string& page)>& take);

}  // namespace gangplan
