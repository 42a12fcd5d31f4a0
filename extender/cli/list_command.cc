#include "extender/cli/list_command.h"

#include <algorithm>
#include <map>
#include <memory>

#include "extender/cli/form.h"
#include "extender/cli/list_answer.h"
#include "extender/cli/server_call.h"
#include "extender/cli/table.h"
#include "extender/kube/pause.h"
#include "extender/kube/resource_path.h"
#include "topology/base/age_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/terminal_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kList = "list";
constexpr size_t kMostOfWhy = 72;  // letters; wide: all

struct ListWords {
  std::string server;
  std::string ns;
  Form form = Form::kText;
  bool watch = false;
};

std::string_view ColourOf(std::string_view state) {
  if (state == "Running" || state == "Done") return "32";
  if (state == "Blocked" || state == "Repairing") return "33";
  return "36";
}

std::string WhereOrWhy(const GangLine& gang) {
  std::string text = gang.where;
  if (!gang.why.empty()) text += (text.empty() ? "" : "; ") + gang.why;
  for (const std::string& problem : gang.problems) text += (text.empty() ? "" : "; ") + problem;
  if (text.empty() && gang.seen < gang.size)
    text = fmt::format("{} of {} members seen", gang.seen, gang.size);
  return TerminalLine(text);
}

TableRow Heads(bool wide) {
  if (!wide) return {{"GANG"}, {"STATE"}, {"PODS"}, {"PRIORITY"}, {"AGE"}, {"WHERE OR WHY"}};
  return {{"GANG"},     {"KIND"}, {"STATE"}, {"PODS"}, {"SEEN"},
          {"PRIORITY"}, {"ROAD"}, {"PLACE"}, {"AGE"},  {"WHERE OR WHY"}};
}

// Since its Job, or its oldest pod, was made.
std::string AgeOf(const GangLine& gang, absl::Time now) {
  return gang.created > 0 ? AgeText(now - absl::FromUnixSeconds(gang.created)) : "-";
}

TableRow RowOf(const GangLine& gang, bool wide, absl::Time now) {
  const Cell name{TerminalLine(gang.name)},
      state{TerminalLine(gang.state), std::string(ColourOf(gang.state))};
  const Cell pods{fmt::format("{}/{}", gang.bound, gang.size)};
  const Cell priority{fmt::format("{}", gang.priority)}, age{AgeOf(gang, now)};
  const Cell last{WhereOrWhy(gang)};
  if (!wide) return {name, state, pods, priority, age, last};
  return {name,
          {TerminalLine(gang.kind)},
          state,
          pods,
          {fmt::format("{}", gang.seen)},
          priority,
          {gang.road.empty() ? "-" : TerminalLine(gang.road)},
          {gang.place.empty() ? "-" : TerminalLine(gang.place)},
          age,
          last};
}

std::string Ask(const ListWords& words) {
  return words.ns.empty() ? "list" : "list/" + PercentEncode(words.ns);
}

std::string NoGangs(const ListWords& words) {
  return words.ns.empty() ? "There are no gangs.\n"
                          : fmt::format("There are no gangs in namespace {}.\n", words.ns);
}

// By name; one name may have several, one after the other.
using ShownRows = std::map<std::pair<std::string, std::string>, TableRow>;

ShownRows RowsOf(const std::vector<GangLine>& gangs, bool wide, absl::Time now) {
  ShownRows rows;
  for (const GangLine& gang : gangs) rows[{gang.name, gang.uid}] = RowOf(gang, wide, now);
  return rows;
}

// But for the age, the last column but one.
bool SameTexts(const TableRow& a, const TableRow& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (i + 2 != a.size() && a[i].text != b[i].text) return false;
  }
  return true;
}

// What has changed since `before`, a line each; those that are gone as such.
std::vector<TableRow> News(const ShownRows& before, const ShownRows& now) {
  std::vector<TableRow> news;
  for (const auto& [key, row] : now) {
    const auto was = before.find(key);
    if (was == before.end() || !SameTexts(was->second, row)) news.push_back(row);
  }
  for (const auto& [key, row] : before) {
    if (!now.contains(key)) news.push_back({row[0], {"gone"}});
  }
  return news;
}

class Listing {
 public:
  Listing(const ListWords& words, const ListRules& rules, const Output& output)
      : words_(words), rules_(rules), output_(output) {}

  int Run() {
    absl::StatusOr<ShownRows> rows = Look();
    if (!rows.ok()) return TellNoAnswer(kList, rows.status(), output_);
    if (IsForPrograms(words_.form)) return printed_ ? kExitDone : kExitFailed;
    bool took = rows->empty() ? output_.out(NoGangs(words_)) : Print(All(*rows));
    while (took && words_.watch) {
      pause_.For(rules_.pause);
      absl::StatusOr<ShownRows> next = Look();
      if (!next.ok()) return TellNoAnswer(kList, next.status(), output_);
      const std::vector<TableRow> news = News(*rows, *next);
      took = news.empty() || Print(news);
      *rows = *std::move(next);
    }
    return took ? kExitDone : kExitFailed;
  }

 private:
  bool wide() const { return words_.form == Form::kWide; }

  absl::StatusOr<ShownRows> Look() {
    GANGPLAN_ASSIGN_OR_RETURN(std::string body, AskServer(words_.server, Ask(words_)));
    std::string read = body;
    const absl::StatusOr<std::vector<GangLine>> gangs = ReadList(read);
    if (!gangs.ok()) return NotOurs(words_.server, gangs.status());
    if (!IsForPrograms(words_.form)) return RowsOf(*gangs, wide(), rules_.clock->Now());
    printed_ = output_.out(ForPrograms(words_.form, std::move(body)));
    return ShownRows();
  }
  std::vector<TableRow> All(const ShownRows& rows) const {
    std::vector<TableRow> all = {Heads(wide())};
    for (const auto& [key, row] : rows) all.push_back(row);
    return all;
  }
  bool Print(const std::vector<TableRow>& rows) const {
    return output_.out(TableText(rows, rules_.coloured, wide() ? 0 : kMostOfWhy));
  }

  const ListWords& words_;
  const ListRules& rules_;
  const Output& output_;
  StoppablePause pause_;
  bool printed_ = false;
};

}  // namespace

std::vector<TableRow> NewsOf(const std::vector<GangLine>& before, const std::vector<GangLine>& now,
                             bool wide) {
  const absl::Time at = absl::UnixEpoch();
  return News(RowsOf(before, wide, at), RowsOf(now, wide, at));
}

Command ListCommand(const ListRules& rules) {
  const auto words = std::make_shared<ListWords>();
  const auto run = [words, rules](const Output& output) {
    if (words->watch && IsForPrograms(words->form)) {
      return TellWrongWords(
          kList, Invalid("--watch: not with -o json or yaml; expected text or wide"), output);
    }
    return Listing(*words, rules, output).Run();
  };
  return {std::string(kList),
          "the gangs of a running gangplan: where they stand, or why they wait",
          "Example: gangplan list -n ml --watch\n",
          {ServerOption(words->server),
           TextOption("-n", "NAMESPACE", "only gangs of this one (all)", words->ns),
           FormOption(words->form, "kind, pods seen, road, rules, and all of the last column"),
           SwitchOption("--watch", "stays, and tells what changes", words->watch)},
          run};
}

}  // namespace gangplan
