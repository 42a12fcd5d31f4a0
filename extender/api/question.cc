#include "extender/api/question.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "extender/api/limits.h"
#include "extender/api/percent.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

std::vector<std::string_view> Split(std::string_view text, char between) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(between), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// A part that is empty, or leads elsewhere, is nobody's name.
absl::StatusOr<std::vector<std::string>> ReadPath(std::string_view path) {
  std::vector<std::string> parts;
  if (path.empty() || path.front() != '/') return Invalid("the path begins with no /");
  for (const std::string_view part : Split(path.substr(1), '/')) {
    std::optional<std::string> decoded = PercentDecoded(part);
    if (!decoded || decoded->empty() || *decoded == "." || *decoded == ".." ||
        decoded->find('/') != std::string::npos || decoded->size() > kMaxApiNameBytes)
      return Invalid("the path has a part that is no name: {}", Shown(part));
    parts.push_back(*std::move(decoded));
  }
  return parts;
}

// Below /apis/gangplan.io/v1alpha1.
void ReadResource(Question& question) {
  const std::vector<std::string>& path = question.path;
  if (path.size() < 4 || path[0] != "apis" || path[1] != kApiGroup || path[2] != kApiVersionName)
    return;
  Access& access = question.access;
  access.group = kApiGroup;
  access.version = kApiVersionName;
  size_t at = 3;
  if (path[at] == "namespaces" && path.size() > at + 2) {
    access.ns = path[at + 1];
    at += 2;
  }
  access.resource = path[at++];
  if (at < path.size()) access.name = path[at++];
  if (at < path.size()) access.subresource = path[at++];
  for (; at < path.size(); ++at) question.rest += (question.rest.empty() ? "" : "/") + path[at];
  access.verb = access.name.empty() ? "list" : "get";
}

absl::Status ReadFields(std::string_view selector, Question& question) {
  if (selector.size() > kMaxSelectorBytes)
    return Invalid("fieldSelector is longer than {} bytes", kMaxSelectorBytes);
  constexpr std::string_view kSelectable[] = {"metadata.name", "metadata.namespace",
                                              "status.state"};
  for (std::string_view term : Split(selector, ',')) {
    const size_t sign = term.find('=');
    if (sign == std::string_view::npos || sign == 0)
      return Invalid("fieldSelector: \"{}\"; expected FIELD=VALUE", Shown(term));
    const bool equal = term[sign - 1] != '!';
    const std::string_view field = term.substr(0, equal ? sign : sign - 1);
    std::string_view value = term.substr(sign + 1);
    if (equal && !value.empty() && value.front() == '=') value.remove_prefix(1);
    if (std::find(std::begin(kSelectable), std::end(kSelectable), field) == std::end(kSelectable)) {
      return Invalid("fieldSelector: field label not supported: {}; expected {}", Shown(field),
                     fmt::join(kSelectable, ", "));
    }
    question.fields.push_back({std::string(field), std::string(value), equal});
    // One name of a list is asked for by its name.
    const bool names =
        field == kSelectable[0] && equal && question.access.resource == kGangResource;
    if (names && question.access.name.empty()) question.access.name = value;
  }
  return absl::OkStatus();
}

absl::Status ReadContinue(std::string_view token, Question& question) {
  std::string after;
  if (token.size() > kMaxContinueBytes || !absl::WebSafeBase64Unescape(ToAbsl(token), &after) ||
      after.find('/') == std::string::npos)
    return Invalid("continue: no token of ours");
  question.after = std::move(after);
  return absl::OkStatus();
}

absl::Status ReadLimit(std::string_view text, Question& question) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), question.limit);
  if (error == std::errc() && end == text.data() + text.size() && question.limit >= 0 &&
      question.limit <= kMaxPageItems)
    return absl::OkStatus();
  return Invalid("limit: \"{}\"; expected 0 to {}", Shown(text), kMaxPageItems);
}

absl::Status ReadOption(std::string_view key, const std::string& value, Question& question) {
  if (value.empty()) return absl::OkStatus();
  if (key == "limit") return ReadLimit(value, question);
  if (key == "continue") return ReadContinue(value, question);
  if (key == "fieldSelector") return ReadFields(value, question);
  if (key == "labelSelector") {
    return Invalid(
        "labelSelector: gangs have no labels; expected a fieldSelector (metadata.name, "
        "metadata.namespace, status.state)");
  }
  if (key == "watch" && value != "0" && value != "false") {
    return absl::UnimplementedError("gangs cannot be watched; ask for the list again");
  }
  if (key == "includeObject") {
    if (value != "None" && value != "Metadata" && value != "Object")
      return Invalid("includeObject: \"{}\"; expected None, Metadata or Object", Shown(value));
    question.include = value;
  }
  if (key == "of") {
    if (value != "pod") return Invalid("of: \"{}\"; expected pod", Shown(value));
    question.of_pod = true;
  }
  if (key == "form") {
    if (value != "json" && value != "text")
      return Invalid("form: \"{}\"; expected text or json", Shown(value));
    question.json = value == "json";
  }
  return absl::OkStatus();
}

// '+' is a blank, as in forms.
std::optional<std::string> QueryDecoded(std::string_view text) {
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), '+', ' ');
  return PercentDecoded(plain);
}

// "as=Table" of " application/json;as=Table;v=v1;g=meta.k8s.io"
bool Has(const std::vector<std::string_view>& words, std::string_view word) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view one) { return Trim(one) == word; });
}

AnswerForm FormOfOne(std::string_view kind) {
  const std::vector<std::string_view> words = Split(kind, ';');
  if (words.empty()) return AnswerForm::kNone;
  const std::string_view media = Trim(words.front());
  if (media != "application/json" && media != "application/*" && media != "*/*")
    return AnswerForm::kNone;
  if (Has(words, "as=Table")) {
    return Has(words, "v=v1") && Has(words, "g=meta.k8s.io") ? AnswerForm::kTable
                                                             : AnswerForm::kNone;
  }
  if (Has(words, "as=APIGroupDiscoveryList")) {
    return Has(words, "v=v2") ? AnswerForm::kDiscovery : AnswerForm::kNone;
  }
  const bool other = std::any_of(words.begin(), words.end(), [](std::string_view word) {
    return Trim(word).starts_with("as=");
  });
  return other ? AnswerForm::kNone : AnswerForm::kObject;
}

}  // namespace

absl::StatusOr<Question> ReadQuestion(std::string_view target) {
  const size_t mark = std::min(target.find('?'), target.size());
  Question question;
  GANGPLAN_ASSIGN_OR_RETURN(question.path, ReadPath(target.substr(0, mark)));
  ReadResource(question);
  for (const std::string_view option :
       Split(target.substr(std::min(mark + 1, target.size())), '&')) {
    const size_t sign = std::min(option.find('='), option.size());
    const auto key = QueryDecoded(option.substr(0, sign));
    const auto value = QueryDecoded(option.substr(std::min(sign + 1, option.size())));
    if (!key || !value) return Invalid("the query has a % without two digits behind it");
    GANGPLAN_RETURN_IF_ERROR(ReadOption(*key, *value, question));
  }
  return question;
}

std::string ContinueAfter(std::string_view last) { return absl::WebSafeBase64Escape(ToAbsl(last)); }

// The first that there is: kubectl names what it likes best first.
AnswerForm FormOf(const HttpHead& head) {
  const std::vector<std::string_view> accepts = HeadersOf(head, "Accept");
  if (accepts.empty()) return AnswerForm::kObject;
  for (const std::string_view accept : accepts) {
    for (const std::string_view kind : Split(accept, ',')) {
      if (const AnswerForm form = FormOfOne(kind); form != AnswerForm::kNone) return form;
    }
  }
  return AnswerForm::kNone;
}

}  // namespace gangplan
