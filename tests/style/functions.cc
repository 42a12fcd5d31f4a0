#include "tests/style/functions.h"

#include <algorithm>
#include <cctype>

#include "tests/style/source_tree.h"

namespace gangplan::style {
namespace {

bool IsNameLetter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':' || c == '~';
}

// The name before the first parenthesis of a head; empty when it is no function's head.
std::string NameOf(std::string_view head) {
  const size_t paren = head.find('(');
  if (paren == std::string_view::npos || paren == 0) return "";
  if (head.find(" = ") < paren) return "";  // a variable with its value
  size_t end = paren;
  while (end > 0 && head[end - 1] == ' ') --end;
  size_t begin = end;
  while (begin > 0 && IsNameLetter(head[begin - 1])) --begin;
  const std::string name(head.substr(begin, end - begin));
  if (head.find("operator") < paren) return "operator";
  return name == "if" || name == "for" || name == "while" || name == "switch" ? "" : name;
}

// Walks over the braces of a file with the scopes that are open.
class Finder {
 public:
  explicit Finder(std::string_view text) : code_(CodeOnly(text)) {}

  std::vector<Function> Run() {
    for (at_ = 0; at_ < code_.size(); ++at_) Step(code_[at_]);
    return std::move(found_);
  }

 private:
  struct Scope {
    bool is_function = false;
    Function function;
  };

  void Step(char c) {
    if (c == '\n') ++line_;
    if (c == '{') {
      Open();
    } else if (c == '}') {
      Close();
    } else if (c == ';' && depth_ == 0) {
      head_.clear();
    } else {
      if (c == '(') ++depth_;
      if (c == ')' && depth_ > 0) --depth_;
      const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
      if (head_.empty() && !blank) head_line_ = line_;
      if (!head_.empty() || !blank) head_ += blank ? ' ' : c;
    }
  }

  void Open() {
    const bool in_function = !scopes_.empty() && scopes_.back().is_function;
    if (in_function || (depth_ > 0) || IsInitializer()) {
      // Inside a function, an argument or an initializer of a member: no scope of its own.
      SkipBraces();
      return;
    }
    Scope scope;
    const std::string name = NameOf(head_);
    scope.is_function = !name.empty();
    scope.function = {name, head_line_, 0};
    scopes_.push_back(scope);
    head_.clear();
    if (scope.is_function) {
      SkipBraces();
      Close();
    }
  }

  // `Name(int a) : a_{a}, b_{} {`: the brace follows a member's name after the colon.
  bool IsInitializer() const {
    const size_t close = head_.find(')');
    const size_t colon = close == std::string::npos ? close : head_.find(" : ", close);
    return colon != std::string::npos && !head_.empty() && IsNameLetter(head_.back());
  }

  // From an opening brace to the one that closes it, or to the end of a function's body.
  void SkipBraces() {
    int open = 1;
    const size_t start = at_ + 1;
    for (at_ = start; at_ < code_.size() && open > 0; ++at_) {
      if (code_[at_] == '\n') ++line_;
      if (code_[at_] == '{') ++open;
      if (code_[at_] == '}') --open;
    }
    --at_;
    if (!head_.empty()) head_ += "{}";
  }

  void Close() {
    if (scopes_.empty()) return;
    Scope scope = scopes_.back();
    scopes_.pop_back();
    if (scope.is_function) {
      scope.function.line_count = line_ - scope.function.first_line + 1;
      found_.push_back(scope.function);
    }
    head_.clear();
  }

  std::string code_;
  size_t at_ = 0;
  int line_ = 1;
  int head_line_ = 1;
  int depth_ = 0;  // of parentheses
  std::string head_;
  std::vector<Scope> scopes_;
  std::vector<Function> found_;
};

}  // namespace

std::vector<Function> FindFunctions(std::string_view text) { return Finder(text).Run(); }

}  // namespace gangplan::style
