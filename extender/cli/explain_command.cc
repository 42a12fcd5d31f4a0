#include "extender/cli/explain_command.h"

#include <memory>

#include "extender/cli/form.h"
#include "extender/cli/gang_name.h"
#include "extender/cli/list_answer.h"
#include "extender/cli/server_call.h"
#include "topology/base/terminal_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kExplain = "explain";

struct ExplainWords {
  std::string asked;
  std::string ns;
  std::string server;
  Form form = Form::kText;
};

// Nothing of that name is a member, nor a gang.
int TellUnknown(const AskedGang& asked, const absl::Status& why, const Output& output) {
  output.err(fmt::format(
      "gangplan {}: {}\nThe gangs that there are: gangplan list -n {}. A pod is of a gang when it "
      "has our schedulerName and a word of ours, or its owner has one\n",
      kExplain, Message(why), asked.ns));
  return kExitFailed;
}

absl::Status CheckExplained(const std::string& answer, bool json) {
  if (json) return CheckGang(answer);
  return MayBeOurs(answer) ? absl::OkStatus() : absl::DataLossError("no text about a gang came");
}

int RunExplain(const ExplainWords& words, const Output& output) {
  const absl::StatusOr<std::vector<AskedGang>> asked = ReadGang(words.asked, words.ns);
  if (!asked.ok()) return TellWrongWords(kExplain, asked.status(), output);
  const bool json = IsForPrograms(words.form);
  const absl::StatusOr<std::string> answer =
      AskGang(words.server, json ? "groups" : "explain", *asked);
  if (absl::IsNotFound(answer.status())) return TellUnknown(asked->back(), answer.status(), output);
  if (!answer.ok()) return TellNoAnswer(kExplain, answer.status(), output);
  if (const absl::Status ours = CheckExplained(*answer, json); !ours.ok())
    return TellNoAnswer(kExplain, NotOurs(words.server, ours), output);
  const std::string text = json ? ForPrograms(words.form, *answer) : TerminalText(*answer);
  return output.out(text) ? kExitDone : kExitFailed;
}

}  // namespace

Command ExplainCommand() {
  const auto words = std::make_shared<ExplainWords>();
  Command command = {
      std::string(kExplain),
      "where a gang stands, or why it waits",
      "POD|JOB|GROUP: NAME or NAMESPACE/NAME of a gang, as Events name it, of its Job, or of a "
      "pod\n"
      "of it; job/NAME and pod/NAME are read, too.\n"
      "Example: gangplan why -n ml trainer\n",
      {Needed(TextOption("POD|JOB|GROUP", "", "of whom is asked", words->asked)),
       TextOption("-n", "NAMESPACE", "of a NAME alone (default)", words->ns),
       ServerOption(words->server), FormOption(words->form, "as text")},
      [words](const Output& output) { return RunExplain(*words, output); }};
  command.also = "why";
  return command;
}

}  // namespace gangplan
