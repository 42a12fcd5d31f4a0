// The kinds of docs/workloads.md with words in all the places where people put them: each pod is
// the member that the table promises, a plain pod, or told why it is neither.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/frontends/find_group.h"
#include "extender/frontends/owner.h"
#include "extender/protocol/kubernetes_objects.h"
#include "fmt/format.h"
#include "tests/extender/frontends/found_group.h"
#include "tests/extender/frontends/kind_rows.h"
#include "tests/support/catch.h"
#include "tests/support/rounds.h"

namespace gangplan::kinds_test {
namespace {

using Kind = GroupSpec::Kind;
// Where the words stand.
enum class Written { kOnPods, kOnObject, kNowhere, kMisspelt, kMisspeltOnObject };

std::string Map(const Words& words) {
  std::string text;
  for (const auto& [key, value] : words)
    text += fmt::format("{}\"{}\":\"{}\"", text.empty() ? "" : ",", key, value);
  return "{" + text + "}";
}

// ---- from the row to what is found

std::string With(std::string text, std::string_view mark, std::string_view value) {
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
    text.replace(at, mark.size(), value);
  return text;
}

PodFacts PodOf(const KindRow& row, Written written) {
  Words annotations = row.annotations;
  if (written == Written::kOnPods) annotations.emplace_back("gangplan.io/place", "rack=pack!");
  if (written == Written::kMisspelt) annotations.emplace_back("gangplan.io/palce", "rack=pack!");
  std::string owner;
  const std::string uid = row.name == "train" ? "uid" : "uid-of-" + row.name;
  if (!row.kind.empty())
    owner = fmt::format(R"(,"ownerReferences":[{{"apiVersion":"{}","kind":"{}","name":"{}",)"
                        R"("uid":"{}","controller":true}}])",
                        row.api_version, row.kind, row.name, uid);
  std::string text =
      fmt::format(R"({{"kind":"Pod","metadata":{{"name":"p","namespace":"team","uid":"p-uid",)"
                  R"("labels":{},"annotations":{}{}}},"spec":{{{}"schedulerName":"gangplan",)"
                  R"("containers":[{{"name":"c","resources":{{"requests":{{"cpu":"1"}}}}}}]}}}})",
                  Map(row.labels), Map(annotations), owner, row.extra);
  absl::StatusOr<PodFacts> pod = DecodePod(text);
  REQUIRE(pod.ok());
  REQUIRE(pod->fault.empty());
  return *std::move(pod);
}

std::optional<OwnerFacts> OwnerOfRow(const KindRow& row, Written written) {
  if (!row.leader.empty()) {
    OwnerFacts owner;
    owner.ref = {row.api_version, row.kind, row.name, "uid-of-" + row.name};
    owner.ns = "team";
    owner.leader = row.leader;
    return owner;
  }
  if (row.object.empty()) return std::nullopt;
  const std::string_view words = R"({"gangplan.io/place":"rack=pack!"})";
  Words own = row.object_words;
  if (written == Written::kOnObject) own.emplace_back("gangplan.io/place", "rack=pack!");
  if (written == Written::kMisspeltOnObject) own.emplace_back("gangplan.io/palce", "rack=pack!");
  std::string text = With(row.object, kOwnWords, Map(own));
  text = With(std::move(text), kTemplateWords, written == Written::kOnPods ? words : "{}");
  absl::StatusOr<OwnerFacts> owner = DecodeOwner(text);
  INFO(owner.status().ToString());
  REQUIRE(owner.ok());
  if (row.by_job) {
    const OwnerRef job{row.api_version, row.kind, row.name, "uid-of-" + row.name};
    owner->part_of = std::exchange(owner->ref, job);
  }
  return *std::move(owner);
}

// As the cluster would answer who reads it.
void CheckAsked(const PodFacts& pod, const OwnerFacts& owner) {
  const std::optional<OwnerRef> asked = OwnerOf(pod);
  REQUIRE(asked);
  CHECK(asked->kind == owner.ref.kind);
  CHECK(asked->name == owner.ref.name);
}

void CheckMember(const KindRow& row, const GroupSpec& spec) {
  CHECK(spec.problem == "");
  REQUIRE(spec.kind == Kind::kMember);
  CHECK(PodSetsText(spec.pod_sets) == row.sets);
  CHECK(spec.pod_sets[static_cast<size_t>(spec.pod_set)].name == row.pod_set);
  CHECK(spec.rank == row.rank);
  CHECK(spec.sizing.at_least == row.at_least);
  CHECK(spec.key.ns == "team");
  CHECK_THAT(spec.origins.size, ContainsText(row.origin));
}

}  // namespace

TEST_CASE("Kinds: each pod of each is the member that the table promises, plain, or told why not") {
  for (uint32_t seed = 0; seed < static_cast<uint32_t>(Rounds(2'000)); ++seed) {
    Dice dice(seed);
    const auto& [name, make] = KindRows()[seed % KindRows().size()];
    const KindRow row = make(dice);
    const auto written = static_cast<Written>(dice.From(0, 4));
    const PodFacts pod = PodOf(row, written);
    const std::optional<OwnerFacts> owner = OwnerOfRow(row, written);
    INFO("seed " << seed << ": " << name << ", words " << static_cast<int>(written) << ": "
                 << row.object);
    if (owner) CheckAsked(pod, *owner);
    const GroupSpec spec = Find(pod, owner ? &*owner : nullptr);
    const bool speaks = written == Written::kOnPods ||
                        (written == Written::kOnObject && !row.by_pod) || !row.needs_word;
    const bool misspelt = written == Written::kMisspelt ||
                          (written == Written::kMisspeltOnObject && !row.object.empty());
    if (misspelt) {
      CHECK(spec.kind == Kind::kInvalid);
      CHECK(spec.misfit == Misfit::kUnknownWord);
      CHECK_THAT(spec.problem, ContainsText("did you mean"));
    } else if (!speaks) {
      CHECK(spec.kind == Kind::kForeign);
    } else {
      CheckMember(row, spec);
    }
    CHECK(SpeaksOfGroup(pod) ==
          (!row.needs_word || written == Written::kOnPods || written == Written::kMisspelt));
  }
}

TEST_CASE("Kinds: whose object cannot be read waits and is told, where it has said a word") {
  for (uint32_t seed = 0; seed < static_cast<uint32_t>(Rounds(600)); ++seed) {
    Dice dice(seed);
    const auto& [name, make] = KindRows()[seed % KindRows().size()];
    const KindRow row = make(dice);
    if (row.object.empty()) continue;
    const auto written = dice.Flip() ? Written::kOnPods : Written::kNowhere;
    const PodFacts pod = PodOf(row, written);
    OwnerFacts unread;
    unread.ref = *OwnerOf(pod);
    unread.ns = "team";
    unread.unread = static_cast<Unread>(dice.From(1, 3));
    INFO("seed " << seed << ": " << name << ", words " << static_cast<int>(written));
    const GroupSpec spec = Find(pod, &unread);
    const bool speaks = written == Written::kOnPods || !row.needs_word;
    CHECK(spec.kind == (speaks ? Kind::kInvalid : Kind::kForeign));
    CHECK(spec.problem.empty() != speaks);
  }
}

}  // namespace gangplan::kinds_test
