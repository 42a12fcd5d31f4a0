#include "extender/cli/list_answer.h"

#include <limits>

#include "extender/cli/server_call.h"
#include "extender/kube/limits.h"
#include "extender/protocol/json_sax.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr size_t kMostListText = size_t{1} << 20;
constexpr size_t kMostGangs = 10'000'000;
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

template <auto kMember>
constexpr JsonShape Number() {
  return json::Integer<kMember, kLeast, kAnyCount>();
}
template <auto kMember>
constexpr JsonShape String() {
  return json::Text<kMember>(kMostListText);
}

using Problems = std::vector<std::string>;
constexpr JsonShape MakeProblem() {
  JsonShape shape;
  shape.text = [](void* target, const JsonPlace&, std::string_view text) {
    static_cast<Problems*>(target)->emplace_back(text);
    return absl::OkStatus();
  };
  shape.most = kMostListText;
  return shape;
}
constexpr JsonShape kProblem = MakeProblem();

constexpr JsonField kListedFields[] = {
    {"name", String<&GangLine::name>()},
    {"kind", String<&GangLine::kind>()},
    {"uid", String<&GangLine::uid>()},
    {"state", String<&GangLine::state>()},
    {"road", String<&GangLine::road>()},
    {"place", String<&GangLine::place>()},
    {"where", String<&GangLine::where>()},
    {"why", String<&GangLine::why>()},
    {"size", Number<&GangLine::size>()},
    {"seen", Number<&GangLine::seen>()},
    {"bound", Number<&GangLine::bound>()},
    {"priority", Number<&GangLine::priority>()},
    {"createdUnix", Number<&GangLine::created>()},
    {"problems", json::In<&GangLine::problems>(json::Array(kProblem, kMostGangs))},
};
struct ListAnswer {
  std::vector<GangLine> groups;
  bool told = false;
};
absl::Status NoteTold(ListAnswer& answer) {
  answer.told = true;
  return absl::OkStatus();
}
constexpr JsonShape kGang = json::Appended<std::vector<GangLine>>(json::Object(kListedFields));
constexpr JsonField kListFields[] = {{"groups", json::Then<&NoteTold>(json::In<&ListAnswer::groups>(
                                                    json::Array(kGang, kMostGangs)))}};
constexpr JsonShape kListAnswer = json::Object(kListFields);

constexpr JsonShape kOneGang = json::Object(kListedFields);

}  // namespace

absl::Status CheckGang(std::string body) {
  GangLine gang;
  absl::Status read = ParseJson(body, kMaxAnswerBytes, "the gang", kOneGang, &gang);
  if (read.ok() && (gang.name.empty() || gang.state.empty()))
    read = Invalid("\"name\" or \"state\" is missing");
  if (read.ok()) return read;
  return absl::DataLossError(ToAbsl(fmt::format("no gang came: {}", Message(read))));
}

absl::StatusOr<std::vector<GangLine>> ReadList(std::string& body) {
  ListAnswer answer;
  absl::Status read = ParseJson(body, kMaxAnswerBytes, "the list", kListAnswer, &answer);
  if (read.ok() && !answer.told) read = Invalid("\"groups\" is missing");
  if (!read.ok())
    return absl::DataLossError(ToAbsl(fmt::format("no list of gangs came: {}", Message(read))));
  return std::move(answer.groups);
}

}  // namespace gangplan
