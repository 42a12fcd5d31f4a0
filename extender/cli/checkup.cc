#include "extender/cli/checkup.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "extender/app/dry_run.h"
#include "extender/app/server_check.h"
#include "extender/app/settings_check.h"
#include "extender/cli/saved_cluster.h"
#include "extender/kube/cluster_file.h"
#include "extender/observe/log.h"
#include "topology/base/json_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/terminal_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// As of `at`, at least.
void CheckObjects(const Settings& settings, ObjectList objects, absl::Time at, Findings& findings) {
  ProcessLogger().set_level(LogLevel::kError);  // it would tell of its start
  DryRun(settings, std::move(objects), at).Check(findings);
}

absl::Status CheckListed(const Settings& settings, TransportFactory& transports,
                         Findings& findings) {
  GANGPLAN_ASSIGN_OR_RETURN(SavedCluster saved, SaveCluster(transports, false));
  std::move(saved.notes.begin(), saved.notes.end(), std::back_inserter(findings.unseen));
  ObjectList objects;
  if (saved.nodes + saved.pods > 0) {  // else it is no cluster that could be saved
    GANGPLAN_ASSIGN_OR_RETURN(objects, ParseClusterText(std::move(saved.text), "the cluster"));
  }
  CheckObjects(settings, std::move(objects), SystemClock().Now(), findings);
  return absl::OkStatus();
}

// What to do about a cluster that was not listed.
std::string_view ListingCure(const absl::Status& why) {
  if (absl::IsPermissionDenied(why)) return "the right to list nodes and pods";
  return absl::IsUnavailable(why) ? "an API server that answers"
                                  : "lists of nodes and pods as an API server gives them";
}

// A line each, whatever was read.
std::string FindingsText(const Findings& findings) {
  size_t width = 0;
  for (const Finding& one : findings.all) width = std::max(width, one.about.size());
  std::string text;
  for (const Finding& one : findings.all) {
    const std::string said =
        fmt::format("{}{}{}", one.text, one.cure.empty() ? "" : "; expected: ", one.cure);
    text += fmt::format("{:<4}  {:<{}}  {}\n", Name(one.health), TerminalLine(one.about), width,
                        TerminalLine(said));
  }
  return text;
}

std::string FindingsJson(const Findings& findings) {
  JsonText json;
  json.Begin().Key("findings").BeginList();
  for (const Finding& one : findings.all) {
    json.Begin().Field("health", Name(one.health)).Field("about", one.about);
    json.Field("text", one.text).Field("cure", one.cure).End();
  }
  json.EndList().Key("unseen").BeginList();
  for (const std::string& unseen : findings.unseen) json.Value(unseen);
  json.EndList().End();
  return json.Take();
}

}  // namespace

Findings CheckLiveCluster(const Settings& settings, TransportFactory& transports,
                          const Account& account) {
  StoppablePause pause;
  Jitter jitter(0);
  const CallTools tools = {&SystemClock(), &pause, &jitter};
  const std::unique_ptr<Transport> transport = transports.Make();
  Findings findings;
  CheckSettings(settings, findings);
  CheckServer(*transport, settings, account, tools, findings);
  const absl::Status listed = CheckListed(settings, transports, findings);
  if (!listed.ok())
    findings.Add(Health::kFail, "cluster", Message(listed), std::string(ListingCure(listed)));
  CheckSchedulers(*transport, settings, tools, findings);
  return findings;
}

absl::StatusOr<Findings> CheckSavedCluster(const Settings& settings, const std::string& path) {
  GANGPLAN_ASSIGN_OR_RETURN(ObjectList objects, ReadClusterFile(path));
  Findings findings;
  CheckSettings(settings, findings);
  CheckObjects(settings, std::move(objects), absl::InfinitePast(), findings);
  findings.unseen.push_back("version, rights and schedulers: a saved cluster does not tell them");
  return findings;
}

int TellFindings(std::string_view command, const Findings& findings, const CheckupWords& words,
                 const Output& output) {
  const bool json = IsForPrograms(words.form);
  const std::string text =
      json ? ForPrograms(words.form, FindingsJson(findings)) : FindingsText(findings);
  if (!output.out(text)) return kExitFailed;
  if (!json) {
    for (const std::string& unseen : findings.unseen)
      output.err(fmt::format("gangplan {}: not looked at: {}\n", command, unseen));
  }
  const Health worst = words.strict ? Health::kWarn : Health::kFail;
  const bool fails = std::any_of(findings.all.begin(), findings.all.end(),
                                 [&](const Finding& one) { return one.health >= worst; });
  return fails ? kExitFailed : kExitDone;
}

}  // namespace gangplan
