#include "extender/web/advice_view.h"

#include <string_view>
#include <vector>

#include "topology/base/text.h"
#include "topology/base/time_text.h"

namespace gangplan {
namespace {

std::string EndText(int64_t end) { return UtcText(absl::FromUnixSeconds(end)); }

std::string Amount(int64_t amount, const Advice& advice) {
  if (advice.resource == "cpu") return fmt::format("{} cpu", static_cast<double>(amount) / 1'000);
  return fmt::format("{} {}", amount, advice.resource);
}

std::string_view Nodes(int64_t nodes) { return nodes == 1 ? "node" : "nodes"; }

// "Job ml/finetune", "a gang of another namespace"
std::string NameText(const Advice::Gang& gang) {
  if (gang.name.empty())
    return fmt::format("a {} of another namespace", gang.kind == kSinglePod ? "pod" : "gang");
  return fmt::format("{} {}", gang.kind, gang.name);
}

std::string HolderText(const Advice& advice, const Advice::Gang& holder) {
  const std::string room =
      fmt::format("{} on {} {}", Amount(holder.amount, advice), holder.nodes, Nodes(holder.nodes));
  if (!holder.kind.empty()) {
    std::string text = fmt::format("{} (priority {}, {}", NameText(holder), holder.priority, room);
    if (holder.ends > 0) text += fmt::format("; ends by {} at the latest", EndText(holder.ends));
    return text + ")";
  }
  std::string text = fmt::format("pods of no gang ({}", room);
  if (advice.ending_alone > 0) {
    text += fmt::format("; {} of it free by {} at the latest", Amount(advice.ending_alone, advice),
                        EndText(advice.ending_alone_by));
  }
  return text + ")";
}

std::string HeldText(const Advice& advice) {
  std::vector<std::string> holders;
  for (const Advice::Gang& holder : advice.holders) holders.push_back(HolderText(advice, holder));
  if (advice.untold_holders > 0)
    holders.push_back(fmt::format("{} more with less", advice.untold_holders));
  return fmt::format("held in {}: {}", advice.domain.empty() ? "the cluster" : advice.domain,
                     fmt::join(holders, ", "));
}

// ---- what would start it

std::string Text(const Advice::Fewer& fewer) {
  std::string of;
  if (!fewer.pod_set.empty()) of = fmt::format(" of pod set {}", fewer.pod_set);
  return fmt::format("{} member{}{} instead of {}", fewer.members, fewer.members == 1 ? "" : "s",
                     of, fewer.asked);
}

std::string Text(const Advice::Rule& rule) {
  const std::string of = rule.pod_set.empty() ? "" : fmt::format(" for pod set {}", rule.pod_set);
  return fmt::format("{} instead of {}{}", rule.rule, rule.instead_of, of);
}

// Who gives way does so by priority; the others have to end by themselves, or be ended.
std::string GangsText(const Advice& advice) {
  constexpr size_t kTold = 5;
  std::vector<std::string> names;
  for (const Advice::Gang& gang : advice.gangs) {
    if (names.size() == kTold) break;
    std::string end;
    if (gang.ends > 0) end = fmt::format("; ends by {} at the latest", EndText(gang.ends));
    names.push_back(fmt::format("{} (priority {}{})", NameText(gang), gang.priority, end));
  }
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (advice.gangs.size() > kTold) text += fmt::format(" and {} more", advice.gangs.size() - kTold);
  const bool one = advice.gangs.size() == 1;
  if (advice.lower) return text + (one ? " gives way" : " give way");
  return text + (one ? " ends" : " end");
}

std::string WaitText(int64_t by) {
  if (by == 0) return "when the pods that are stopping have gone";
  return fmt::format("by {} at the latest, as others end and nobody takes their room", EndText(by));
}

// Of one that the empty cluster does not hold.
std::string PossibleText(const Advice& advice) {
  std::string text;
  const auto tell = [&](const std::string& action) {
    text += fmt::format("  to make it possible: {}\n", action);
  };
  if (advice.fewer_when_empty) tell(Text(*advice.fewer_when_empty));
  if (advice.rule_when_empty) tell(Text(*advice.rule_when_empty));
  if (text.empty()) tell("nothing that was tried is enough by itself");
  return text;
}

constexpr std::string_view kUndecided =
    "not known: whether it fits now is not decided within what one question may look at, or it "
    "does by now; gangplan asks again by itself";

bool AnyNow(const Advice& advice) {
  return advice.fewer || advice.rule || advice.nodes || !advice.gangs.empty();
}

void WriteGang(JsonText& json, const Advice::Gang& gang, bool room) {
  json.Begin().Field("kind", std::string_view(gang.kind));
  json.Field("name", std::string_view(gang.name));
  json.Field("priority", int64_t{gang.priority});
  if (room) json.Field("amount", gang.amount).Field("nodes", int64_t{gang.nodes});
  if (gang.ends > 0) json.Field("endsByUnix", gang.ends);
  json.End();
}

void WriteHeld(JsonText& json, const Advice& advice) {
  json.Key("held").Begin().Field("domain", std::string_view(advice.domain));
  json.Field("resource", std::string_view(advice.resource)).Key("by").BeginList();
  for (const Advice::Gang& holder : advice.holders) WriteGang(json, holder, true);
  json.EndList().Field("more", advice.untold_holders);
  if (!advice.holders.empty()) json.Field("text", HeldText(advice));
  json.End();
}

JsonText& BeginAction(JsonText& json, std::string_view kind, const std::string& text) {
  return json.Begin().Field("kind", kind).Field("text", std::string_view(text));
}

void WriteFewer(JsonText& json, const std::optional<Advice::Fewer>& fewer) {
  if (!fewer) return;
  BeginAction(json, "members", Text(*fewer)).Field("podSet", std::string_view(fewer->pod_set));
  json.Field("members", int64_t{fewer->members}).Field("insteadOf", int64_t{fewer->asked}).End();
}

void WriteRule(JsonText& json, const std::optional<Advice::Rule>& rule) {
  if (!rule) return;
  BeginAction(json, "rule", Text(*rule)).Field("podSet", std::string_view(rule->pod_set));
  json.Field("rule", std::string_view(rule->rule));
  json.Field("insteadOf", std::string_view(rule->instead_of)).End();
}

void WriteActions(JsonText& json, const Advice& advice) {
  json.Key("actions").BeginList();
  WriteFewer(json, advice.fewer);
  WriteRule(json, advice.rule);
  if (advice.nodes) {
    BeginAction(json, "nodes", NodesText(*advice.nodes))
        .Field("nodes", int64_t{advice.nodes->nodes});
    json.Field("like", std::string_view(advice.nodes->like));
    json.Field("domain", std::string_view(advice.nodes->domain)).End();
  }
  if (!advice.gangs.empty()) {
    BeginAction(json, "gangs", GangsText(advice)).Field("lowerPriority", advice.lower);
    json.Key("gangs").BeginList();
    for (const Advice::Gang& gang : advice.gangs) WriteGang(json, gang, false);
    json.EndList().End();
  }
  if (advice.fits_by)
    BeginAction(json, "wait", WaitText(*advice.fits_by)).Field("byUnix", *advice.fits_by).End();
  json.EndList();
  if (!advice.impossible) return;
  json.Key("possible").BeginList();
  WriteFewer(json, advice.fewer_when_empty);
  WriteRule(json, advice.rule_when_empty);
  json.EndList();
}

}  // namespace

std::string NodesText(const Advice::Nodes& more) {
  return fmt::format("{} more {} like {}{}", more.nodes, Nodes(more.nodes), more.like,
                     more.domain.empty() ? "" : fmt::format(" in {}", more.domain));
}

std::string AdviceText(const Advice& advice) {
  if (advice.later)
    return "  to start now: not worked out, too many ask for that at once; ask again\n";
  std::string text;
  const auto now = [&](const std::string& action) {
    text += fmt::format("  to start now: {}\n", action);
  };
  if (!advice.holders.empty()) text += fmt::format("  {}\n", HeldText(advice));
  if (advice.fewer) now(Text(*advice.fewer));
  if (advice.rule) now(Text(*advice.rule));
  if (advice.nodes) now(NodesText(*advice.nodes));
  if (!advice.gangs.empty()) now(GangsText(advice));
  if (advice.impossible) text += PossibleText(advice);
  if (advice.undecided) {
    now(std::string(kUndecided));
  } else if (!AnyNow(advice) && !advice.impossible) {
    now("nothing that was tried is enough by itself");
  }
  if (advice.fits_by) text += fmt::format("  to start later: {}\n", WaitText(*advice.fits_by));
  return text;
}

void WriteAdvice(JsonText& json, const Advice& advice) {
  json.Begin().Field("later", advice.later);
  if (advice.undecided) json.Field("undecided", std::string_view(kUndecided));
  if (!advice.later) {
    WriteHeld(json, advice);
    WriteActions(json, advice);
  }
  json.End();
}

void HideOthers(Advice& advice, std::string_view ns) {
  const auto hide = [&](std::vector<Advice::Gang>& gangs) {
    for (Advice::Gang& gang : gangs) {
      if (!gang.name.starts_with(fmt::format("{}/", ns))) gang.name.clear();
    }
  };
  hide(advice.holders);
  hide(advice.gangs);
}

}  // namespace gangplan
