// In which form a command answers: a text for people, all of it where it is cut else, or JSON or
// YAML for programs. Pure; any thread.
#pragma once

#include <string>

#include "extender/cli/options.h"

namespace gangplan {

enum class Form { kText, kWide, kJson, kYaml };
constexpr bool IsForPrograms(Form form) { return form == Form::kJson || form == Form::kYaml; }

// "-o"; `wide`: what that tells more, for the help.
Option FormOption(Form& form, std::string_view wide);

// One JSON text as it is, or as YAML; fit for a terminal, with the end of its line. REQUIRES: a
// form for programs.
std::string ForPrograms(Form form, std::string json);

}  // namespace gangplan
