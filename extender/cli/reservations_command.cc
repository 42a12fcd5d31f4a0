#include "extender/cli/reservations_command.h"

#include <memory>

#include "extender/cli/form.h"
#include "extender/cli/server_call.h"
#include "topology/base/terminal_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kReservations = "reservations";

struct ReservationsWords {
  std::string server;
  Form form = Form::kText;
};

absl::Status CheckReservations(const std::string& answer, bool json) {
  const bool ours = json ? Trim(answer).starts_with("{\"reservations\"") : MayBeOurs(answer);
  return ours ? absl::OkStatus() : absl::DataLossError("nothing about reservations came");
}

int RunReservations(const ReservationsWords& words, const Output& output) {
  const bool json = IsForPrograms(words.form);
  const absl::StatusOr<std::string> answer =
      AskServer(words.server, json ? "reservations" : "reservations/text");
  if (!answer.ok()) return TellNoAnswer(kReservations, answer.status(), output);
  if (const absl::Status ours = CheckReservations(*answer, json); !ours.ok())
    return TellNoAnswer(kReservations, NotOurs(words.server, ours), output);
  const std::string text = json ? ForPrograms(words.form, *answer) : TerminalText(*answer);
  return output.out(text) ? kExitDone : kExitFailed;
}

}  // namespace

Command ReservationsCommand() {
  const auto words = std::make_shared<ReservationsWords>();
  return {std::string(kReservations),
          "room that is reserved by name, how it stands, and whose it is",
          "ConfigMaps with the label gangplan.io/reservation, in the namespace that the\n"
          "configuration names.\n"
          "Example: gangplan reservations -o json\n",
          {ServerOption(words->server), FormOption(words->form, "as text")},
          [words](const Output& output) { return RunReservations(*words, output); }};
}

}  // namespace gangplan
