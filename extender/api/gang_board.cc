#include "extender/api/gang_board.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "extender/api/limits.h"
#include "extender/api/percent.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr char kEscape = '~';

bool StandsAsItIs(char c) {
  return absl::ascii_isgraph(static_cast<unsigned char>(c)) && c != '/' && c != '%' && c != kEscape;
}

// Of "namespace/name": the name may have a slash.
std::string_view OwnName(const GroupReport& report) {
  const std::string_view name = report.name;
  return name.substr(std::min(report.key.ns.size() + 1, name.size()));
}

std::vector<ListedGang> Named(std::vector<ListedGroup> groups) {
  std::vector<ListedGang> gangs;
  gangs.reserve(groups.size());
  for (ListedGroup& group : groups) {
    std::string name = ObjectName(OwnName(group.report));
    gangs.push_back({std::move(name), std::move(group)});
  }
  // Those of one name: the last that came first.
  std::sort(gangs.begin(), gangs.end(), [](const ListedGang& a, const ListedGang& b) {
    return std::tuple(std::string_view(a.group.report.key.ns), std::string_view(a.name),
                      -a.group.report.id) < std::tuple(std::string_view(b.group.report.key.ns),
                                                       std::string_view(b.name),
                                                       -b.group.report.id);
  });
  std::string last;
  for (ListedGang& gang : gangs) {
    const std::string own = fmt::format("{}/{}", gang.group.report.key.ns, gang.name);
    if (own != last) {
      last = own;
      continue;
    }
    const GroupReport& report = gang.group.report;
    gang.name += fmt::format(
        "{}{}{}", kEscape, kEscape,
        report.id > 0 ? fmt::format("{}", report.id) : ObjectName(report.key.incarnation));
  }
  return gangs;
}

auto KeyOf(const ListedGang& gang) {
  return std::pair(std::string_view(gang.group.report.key.ns), std::string_view(gang.name));
}

}  // namespace

std::string ObjectName(std::string_view gang) {
  const bool dots = gang.find_first_not_of('.') == std::string_view::npos;
  std::string name;
  for (const char c : gang) {
    if (StandsAsItIs(c) && !dots) {
      name += c;
    } else {
      name += fmt::format("{}{:02X}", kEscape, static_cast<unsigned char>(c));
    }
  }
  return name;
}

std::optional<std::string> GangName(std::string_view object) {
  std::string coded(object);
  if (!std::all_of(coded.begin(), coded.end(),
                   [](char c) { return c == kEscape || StandsAsItIs(c); }))
    return std::nullopt;
  std::replace(coded.begin(), coded.end(), kEscape, '%');
  return PercentDecoded(coded);
}

GangBoard::GangBoard(GangSource& source, const Clock& clock)
    : source_(source),
      clock_(clock),
      all_(kSnapshotLasts, 1, clock),
      whole_(kSnapshotLasts, kMaxWholeGangs, clock),
      explained_(kSnapshotLasts, kMaxWholeGangs, clock),
      told_(kSnapshotLasts, kMaxWholeGangs, clock) {}

absl::StatusOr<std::shared_ptr<const GangList>> GangBoard::All() {
  using Answer = absl::StatusOr<std::shared_ptr<const GangList>>;
  return all_.Get("", [this]() -> Answer {
    if (const std::string why = source_.WhyNotReady(); !why.empty())
      return absl::UnavailableError(ToAbsl(why));
    auto list = std::make_shared<GangList>();
    list->gangs = Named(source_.Listed());
    std::sort(list->gangs.begin(), list->gangs.end(),
              [](const auto& a, const auto& b) { return KeyOf(a) < KeyOf(b); });
    list->version = absl::ToUnixMillis(clock_.Now());
    return std::shared_ptr<const GangList>(std::move(list));
  });
}

absl::StatusOr<std::shared_ptr<const ListedGang>> GangBoard::Find(std::string_view ns,
                                                                  std::string_view name) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::shared_ptr<const GangList> all, All());
  const std::pair key(ns, name);
  const auto it = std::lower_bound(all->gangs.begin(), all->gangs.end(), key,
                                   [](const auto& gang, const auto& k) { return KeyOf(gang) < k; });
  if (it == all->gangs.end() || KeyOf(*it) != key) return nullptr;
  return std::shared_ptr<const ListedGang>(all, &*it);
}

absl::StatusOr<NamedGang> GangBoard::NameOf(std::string_view ns, std::string_view object) {
  if (std::optional<std::string> gang = GangName(object)) return NamedGang{*std::move(gang)};
  GANGPLAN_ASSIGN_OR_RETURN(const std::shared_ptr<const ListedGang> listed, Find(ns, object));
  if (listed == nullptr) return absl::NotFoundError("no such gang");
  return NamedGang{std::string(OwnName(listed->group.report)), listed};
}

absl::StatusOr<std::shared_ptr<const ListedGang>> GangBoard::Whole(std::string_view ns,
                                                                   std::string_view name) {
  using Answer = absl::StatusOr<std::shared_ptr<const ListedGang>>;
  return whole_.Get(fmt::format("{}/{}", ns, name), [&]() -> Answer {
    GANGPLAN_ASSIGN_OR_RETURN(const std::shared_ptr<const ListedGang> listed, Find(ns, name));
    if (listed == nullptr) return absl::NotFoundError("no such gang");
    std::optional<GroupReport> whole = source_.Whole(listed->group.report.name);
    if (!whole || whole->key != listed->group.report.key) return listed;
    std::string where = WhereText(*whole);
    return std::make_shared<const ListedGang>(
        ListedGang{listed->name, {*std::move(whole), std::move(where)}});
  });
}

absl::StatusOr<InfoHandler::Answer> GangBoard::Info(const std::string& path) {
  return told_.Get(path,
                   [&]() -> absl::StatusOr<InfoHandler::Answer> { return source_.Info(path); });
}

absl::StatusOr<InfoHandler::Answer> GangBoard::Explain(const GangSource::Asked& asked) {
  const std::string question =
      fmt::format("{} {} {} {}/{}", asked.of_pod ? "pod" : "gang", asked.json ? "json" : "text",
                  asked.id, asked.ns, asked.name);
  return explained_.Get(
      question, [&]() -> absl::StatusOr<InfoHandler::Answer> { return source_.Explain(asked); });
}

}  // namespace gangplan
