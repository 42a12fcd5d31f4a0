#include "extender/cli/history_command.h"

#include <memory>
#include <vector>

#include "extender/cli/form.h"
#include "extender/cli/gang_name.h"
#include "extender/cli/server_call.h"
#include "extender/cli/table.h"
#include "extender/kube/limits.h"
#include "extender/protocol/json_sax.h"
#include "topology/base/status_macros.h"
#include "topology/base/terminal_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kHistory = "history";
constexpr size_t kMostHistoryText = size_t{1} << 16;
constexpr size_t kMostLines = 100'000;

struct Line {
  std::string at;
  std::string state;
  std::string why;
  int64_t bound = 0;
  int64_t size = 0;
};
struct HistoryAnswer {
  std::string name;
  int64_t dropped = 0;
  std::vector<Line> lines;
};
constexpr JsonField kLineFields[] = {
    {"at", json::Text<&Line::at>(kMostHistoryText)},
    {"state", json::Text<&Line::state>(kMostHistoryText)},
    {"why", json::Text<&Line::why>(kMostHistoryText)},
    {"bound", json::Integer<&Line::bound, 0, kAnyCount>()},
    {"size", json::Integer<&Line::size, 0, kAnyCount>()},
};
constexpr JsonShape kLine = json::Appended<std::vector<Line>>(json::Object(kLineFields));
constexpr JsonField kHistoryFields[] = {
    {"name", json::Text<&HistoryAnswer::name>(kMostHistoryText)},
    {"dropped", json::Integer<&HistoryAnswer::dropped, 0, kAnyCount>()},
    {"lines", json::In<&HistoryAnswer::lines>(json::Array(kLine, kMostLines))},
};
constexpr JsonShape kHistoryAnswer = json::Object(kHistoryFields);

struct HistoryWords {
  std::string server;
  std::string gang;
  std::string ns;
  Form form = Form::kText;
};

std::string HistoryText(const HistoryAnswer& answer) {
  std::vector<TableRow> rows = {{{"TIME"}, {"STATE"}, {"PODS"}, {"WHY"}}};
  for (const Line& line : answer.lines) {
    rows.push_back({{TerminalLine(line.at)},
                    {TerminalLine(line.state)},
                    {fmt::format("{}/{}", line.bound, line.size)},
                    {TerminalLine(line.why)}});
  }
  const std::string older =
      answer.dropped == 0 ? "" : fmt::format("{} older changes are not kept\n", answer.dropped);
  return older + TableText(rows, false);
}

absl::StatusOr<std::string> Ask(const HistoryWords& words) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::vector<AskedGang> asked, ReadGang(words.gang, words.ns));
  const absl::StatusOr<std::string> told = AskGang(words.server, kHistory, asked);
  if (absl::IsNotFound(told.status()) && asked.back().pod)
    return Invalid("\"{}\"; expected a gang, whose history it is: gangplan why tells that of a pod",
                   Shown(words.gang));
  GANGPLAN_RETURN_IF_ERROR(told.status());
  const std::string& body = *told;
  HistoryAnswer answer;
  std::string read = body;
  absl::Status status = ParseJson(read, kMaxAnswerBytes, "the history", kHistoryAnswer, &answer);
  if (status.ok() && answer.lines.empty()) status = Invalid("\"lines\" are missing");
  if (!status.ok()) {
    return NotOurs(words.server, absl::DataLossError(
                                     ToAbsl(fmt::format("no history came: {}", Message(status)))));
  }
  if (IsForPrograms(words.form)) return ForPrograms(words.form, body);
  return HistoryText(answer);
}

}  // namespace

Command HistoryCommand() {
  const auto words = std::make_shared<HistoryWords>();
  const auto run = [words](const Output& output) {
    const absl::StatusOr<std::string> answer = Ask(*words);
    if (!answer.ok()) return TellNoAnswer(kHistory, answer.status(), output);
    return output.out(*answer) ? kExitDone : kExitFailed;
  };
  return {std::string(kHistory),
          "what has become of a gang since gangplan has started",
          "Example: gangplan history -n ml trainer\n",
          {Needed(TextOption("NAME", "",
                             "of the gang, or NAMESPACE/NAME, as list tells it; or job/NAME",
                             words->gang)),
           TextOption("-n", "NAMESPACE", "of a NAME alone (default)", words->ns),
           ServerOption(words->server), FormOption(words->form, "as text")},
          run};
}

}  // namespace gangplan
