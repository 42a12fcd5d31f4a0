// A login by a program that the kubeconfig names, as kubectl does it: the protocol
// client.authentication.k8s.io (v1 and v1beta1). For commands that people run; a Gangplan that
// serves starts no programs.
//
// Blocks until the program has ended, within its bounds; any thread. Not in the program's hands:
// its output is bounded, and what it gives must be a token or a certificate that has not expired.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "extender/kube/credentials.h"
#include "topology/base/clock.h"

namespace gangplan {

struct ExecPlugin {
  // Whether it may ask the person at the terminal.
  enum class Asks { kNever, kIfThereIsOne, kAlways };

  std::string api_version;  // "client.authentication.k8s.io/v1"
  std::string command;      // a path where it has a '/', else looked for in PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // beside our own
  std::string install_hint;                              // told where there is no such program
  Asks asks = Asks::kIfThereIsOne;
  std::string cluster;  // JSON that tells it of the cluster; empty: it is not told
};

struct ExecBounds {
  absl::Duration time = absl::Seconds(60);
  absl::Duration time_asking = absl::Minutes(5);  // where a person is asked
  size_t bytes = size_t{1} << 20;                 // of its output
  bool terminal = false;                          // there is a person
};

// Adds what the program has printed, of that version, and what of it holds beyond `now`. Pure, and
// holds on any bytes. InvalidArgument: what was expected.
absl::Status TakeLogin(const std::string& printed, std::string_view api_version, absl::Time now,
                       Credentials* credentials);

// Adds what the program gives. Unauthenticated: it gives nothing that can be used; errors name it,
// and what was expected.
absl::Status LogIn(const ExecPlugin& plugin, const ExecBounds& bounds, const Clock& clock,
                   Credentials* credentials);

}  // namespace gangplan
