#include "extender/cli/map_command.h"

#include <memory>

#include "extender/cli/form.h"
#include "extender/cli/gang_name.h"
#include "extender/cli/map.h"
#include "extender/cli/server_call.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kMap = "map";

struct MapWords {
  std::string server;
  std::string gang;
  std::string ns;
  Form form = Form::kText;
};

absl::StatusOr<std::set<std::string>> NodesOf(const MapWords& words) {
  if (words.gang.empty() && !words.ns.empty()) return Invalid("-n is of a --gang; expected both");
  if (words.gang.empty()) return std::set<std::string>();
  const absl::StatusOr<std::vector<AskedGang>> asked = ReadGang(words.gang, words.ns);
  if (!asked.ok()) return Invalid("--gang: {}", Message(asked.status()));
  GANGPLAN_ASSIGN_OR_RETURN(std::string body, AskGang(words.server, "groups", *asked));
  absl::StatusOr<std::set<std::string>> nodes = ReadNodesOfGang(body);
  if (!nodes.ok()) return NotOurs(words.server, nodes.status());
  return nodes;
}

absl::StatusOr<std::string> AnswerOf(const MapWords& words, bool coloured) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::set<std::string> gang, NodesOf(words));
  GANGPLAN_ASSIGN_OR_RETURN(std::string body, AskServer(words.server, "topology"));
  std::string read = body;
  const absl::StatusOr<TopologyAnswer> topology = ReadTopology(read);
  if (!topology.ok()) return NotOurs(words.server, topology.status());
  if (IsForPrograms(words.form)) return ForPrograms(words.form, std::move(body));
  return MapText(*topology, gang, coloured);
}

}  // namespace

Command MapCommand(bool coloured) {
  const auto words = std::make_shared<MapWords>();
  const auto run = [words, coloured](const Output& output) {
    const absl::StatusOr<std::string> answer = AnswerOf(*words, coloured);
    if (!answer.ok()) return TellNoAnswer(kMap, answer.status(), output);
    return output.out(*answer) ? kExitDone : kExitFailed;
  };
  return {std::string(kMap),
          "the cluster that a running gangplan sees, a letter for each node",
          "Example: gangplan map --gang ml/trainer\n",
          {ServerOption(words->server),
           TextOption("--gang", "NAME", "whose nodes are shown among the others; or NAMESPACE/NAME",
                      words->gang),
           TextOption("-n", "NAMESPACE", "of a --gang NAME alone (default)", words->ns),
           FormOption(words->form, "as text")},
          run};
}

}  // namespace gangplan
