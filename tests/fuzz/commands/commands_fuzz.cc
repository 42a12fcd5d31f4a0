// Any bytes into what commands read: the first byte chooses. A list of gangs, of which each is told
// in a line that commands no terminal; a Job or a JobSet, whose pods are as many as it says and
// apart from each other; a shape.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "extender/cli/capacity.h"
#include "extender/cli/list_answer.h"
#include "extender/cli/list_command.h"
#include "extender/cli/manifest.h"
#include "topology/base/check.h"

namespace gangplan {
namespace {

void List(std::string text) {
  const auto gangs = ReadList(text);
  if (!gangs.ok()) return;
  for (const bool wide : {false, true}) {
    const std::string table = TableText(NewsOf({}, *gangs, wide), false, 40);
    for (const char c : table) GANGPLAN_CHECK(c == '\n' || static_cast<uint8_t>(c) >= ' ');
  }
}

void Job(std::string_view text) {
  const auto manifest = ReadManifest(text, "file", "default", {});
  if (!manifest.ok()) return;
  GANGPLAN_CHECK(!manifest->pods.empty());
  std::set<std::string_view> uids;
  for (const PodFacts& pod : manifest->pods) {
    GANGPLAN_CHECK(uids.insert(pod.uid).second);
    GANGPLAN_CHECK(pod.node_name.empty());
  }
}

void Shape(std::string_view text) {
  const auto shape = ParseShape(text);
  if (!shape.ok()) return;
  const ResourceList& request = shape->request;
  for (size_t i = 0; i < request.size(); ++i) {
    GANGPLAN_CHECK(request[i].amount > 0);
    GANGPLAN_CHECK(i == 0 || request[i - 1].name < request[i].name);
  }
}

}  // namespace

void FuzzCommands(std::string_view text) {
  if (text.empty()) return;
  const char reader = text[0];
  text.remove_prefix(1);
  if (reader == 'l') return List(std::string(text));
  if (reader == 's') return Shape(text);
  Job(text);
}

}  // namespace gangplan

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gangplan::FuzzCommands({reinterpret_cast<const char*>(data), size});
  return 0;
}
