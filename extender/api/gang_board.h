// All gangs as they were read at one moment, in the order of their names, for everybody who asks
// within half a second; and single ones with all that is known of them, likewise. So reads cost the
// planner the same, however many ask.
//
// A gang's object has the gang's own name, with what a path cannot hold as ~XX: '/', '%', '~',
// blanks, controls, bytes beyond ASCII, and a name of dots alone. So names are reversible, and kept
// as they are where they are names of Kubernetes. Of several gangs of one name in a namespace
// (of two kinds, or one that ends beside its next run) the last that came has it; the others have
// "~~" and a number behind it, which is their own for the life of the process.
//
// Thread rule: any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "extender/api/gang_source.h"
#include "extender/api/recent.h"
#include "topology/base/clock.h"

namespace gangplan {

std::string ObjectName(std::string_view gang);
// What the gang of an object name is called; nothing: no name of an object.
std::optional<std::string> GangName(std::string_view object);

struct ListedGang {
  std::string name;  // of the object
  ListedGroup group;
};

// What an object's gang is called in its namespace; `older`: it, where a later one has that name.
struct NamedGang {
  std::string gang;
  std::shared_ptr<const ListedGang> older = nullptr;
};

struct GangList {
  std::vector<ListedGang> gangs;  // by namespace and name
  int64_t version = 0;            // a later list has a greater one
};

class GangBoard {
 public:
  // Both outlive it.
  GangBoard(GangSource& source, const Clock& clock);

  // Unavailable: the service cannot say yet.
  absl::StatusOr<std::shared_ptr<const GangList>> All();
  // Null: there is no such object.
  absl::StatusOr<std::shared_ptr<const ListedGang>> Find(std::string_view ns,
                                                         std::string_view name);
  // The same with evidence, slots and place in line, where it is still there.
  absl::StatusOr<std::shared_ptr<const ListedGang>> Whole(std::string_view ns,
                                                          std::string_view name);
  // NotFound: there is no such object. Of one that has its gang's own name it is not looked whether
  // there is: that may be the name of an owner, or of a pod, as well.
  absl::StatusOr<NamedGang> NameOf(std::string_view ns, std::string_view object);
  // Of all namespaces: what stands behind /v1/ under this path.
  absl::StatusOr<InfoHandler::Answer> Info(const std::string& path);
  absl::StatusOr<InfoHandler::Answer> Explain(const GangSource::Asked& asked);

 private:
  GangSource& source_;
  const Clock& clock_;
  Recent<std::shared_ptr<const GangList>> all_;
  Recent<std::shared_ptr<const ListedGang>> whole_;
  Recent<InfoHandler::Answer> explained_;
  Recent<InfoHandler::Answer> told_;
};

}  // namespace gangplan
