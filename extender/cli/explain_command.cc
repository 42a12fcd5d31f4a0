#include "extender/cli/explain_command.h"

#include <algorithm>
#include <memory>

#include "extender/cli/form.h"
#include "extender/cli/list_answer.h"
#include "extender/cli/server_call.h"
#include "extender/kube/resource_path.h"
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

// Of whom is asked.
struct AskedGang {
  bool pod = false;  // and of nothing else of that name
  std::string ns;
  std::string name;

  std::string Path() const {
    return fmt::format("{}{}/{}", pod ? "pod/" : "", PercentEncode(ns), PercentEncode(name));
  }
};

enum class Kind { kNone, kPod, kOther };

Kind KindOf(std::string_view word) {
  for (const char* pod : {"pod", "pods", "po"})
    if (word == pod) return Kind::kPod;
  for (const char* other : {"job", "jobs", "jobset", "jobsets", "group", "gang"})
    if (word == other) return Kind::kOther;
  return Kind::kNone;
}

std::vector<std::string_view> SplitAtSlashes(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t end = text.find('/'); end != std::string_view::npos; end = text.find('/')) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

// NAME, KIND/NAME, NAMESPACE/NAME or KIND/NAMESPACE/NAME.
absl::StatusOr<AskedGang> Read(const ExplainWords& words) {
  std::vector<std::string_view> parts = SplitAtSlashes(words.asked);
  AskedGang asked;
  const Kind kind = parts.size() > 1 ? KindOf(parts[0]) : Kind::kNone;
  if (kind != Kind::kNone) parts.erase(parts.begin());
  asked.pod = kind == Kind::kPod;
  const bool whole =
      std::none_of(parts.begin(), parts.end(), [](std::string_view part) { return part.empty(); });
  if (parts.size() > 2 || !whole) {
    return Invalid("\"{}\"; expected NAME, NAMESPACE/NAME, pod/NAME or job/NAME",
                   Shown(words.asked));
  }
  asked.name = parts.back();
  asked.ns = words.ns.empty() ? "default" : words.ns;
  if (parts.size() == 1) return asked;
  if (!words.ns.empty() && words.ns != parts[0]) {
    return Invalid("\"{}\" and -n {}: two namespaces; expected one of them", Shown(words.asked),
                   Shown(words.ns));
  }
  asked.ns = parts[0];
  return asked;
}

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
  const absl::StatusOr<AskedGang> asked = Read(words);
  if (!asked.ok()) return TellWrongWords(kExplain, asked.status(), output);
  const bool json = IsForPrograms(words.form);
  const absl::StatusOr<std::string> answer =
      AskServer(words.server, fmt::format("{}/{}", json ? "groups" : "explain", asked->Path()));
  if (absl::IsNotFound(answer.status())) return TellUnknown(*asked, answer.status(), output);
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
