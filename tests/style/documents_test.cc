// Pages that list what the code has: none is left out, and none is listed that there is not. And
// every page has its place in docs/README.md.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/style/source_tree.h"
#include "tests/support/catch.h"
#include "tests/support/sentences.h"

namespace gangplan::style {
namespace {

namespace fs = std::filesystem;

using Names = std::set<std::string>;

bool InName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("._/-").find(c) != std::string_view::npos;
}

// What stands in the text behind `before`, as far as it is one name.
Names NamesBehind(const std::vector<std::string>& lines, std::string_view before) {
  Names names;
  for (const std::string& line : lines) {
    if (line.find_first_not_of(' ') == line.find("//")) continue;  // a comment
    for (size_t at = line.find(before); at != std::string::npos; at = line.find(before, at + 1)) {
      const size_t from = at + before.size();
      const auto end =
          std::find_if_not(line.begin() + static_cast<ptrdiff_t>(from), line.end(), InName);
      names.emplace(line.begin() + static_cast<ptrdiff_t>(from), end);
    }
  }
  return names;
}

// The first cell of each row that begins with a name in backticks.
Names Rows(const std::string& page, std::string_view beginning) {
  return NamesBehind(ReadFile(page).lines, "| `" + std::string(beginning));
}

Names InSources(std::string_view before) {
  Names all;
  for (const SourceFile& file : Sources()) {
    if (!IsIn(file.path, "tests")) all.merge(NamesBehind(file.lines, before));
  }
  return all;
}

TEST_CASE("docs/words.md has every word of ours and of Kueue's that the code reads or writes") {
  for (const std::string_view system : {"gangplan.io/", "kueue.x-k8s.io/"}) {
    Names words = InSources('"' + std::string(system));
    CHECK(words.size() > 15);
    std::erase_if(words, [](const std::string& word) {
      return word.empty() || word == "v" || word.starts_with("v1");  // beginnings, versions
    });
    CHECK(Rows("docs/words.md", system) == words);
  }
}

TEST_CASE("docs/metrics.md has every metric") {
  const Names metrics = NamesBehind(ReadFile("extender/observe/metrics.cc").lines, "\"gangplan_");
  CHECK(metrics.size() > 25);
  CHECK(Rows("docs/metrics.md", "gangplan_") == metrics);
}

TEST_CASE("docs/metrics.md has every reason of an Event") {
  std::vector<std::string> lines = ReadFile("extender/planner/event_reasons.h").lines;
  std::erase_if(lines,
                [](const std::string& line) { return line.find("Action[]") != std::string::npos; });
  Names reasons = NamesBehind(lines, "[] = \"");
  // Where an Event about the levels, or about an object of Sakkara's, is made.
  for (const std::string_view path : {"extender/app/facts.cc", "extender/app/topology_gaps.h",
                                      "extender/frontends/sakkara/groups.cc"})
    for (const std::string_view of : {"Group", "Results", "Topology"})
      for (const std::string& name :
           NamesBehind(ReadFile(std::string(path)).lines, '"' + std::string(of)))
        reasons.insert(std::string(of) + name);
  CHECK(reasons.size() > 15);
  Names rows = Rows("docs/metrics.md", "");
  std::erase_if(rows, [](const std::string& row) {
    return std::isupper(static_cast<unsigned char>(row[0])) == 0 || row.starts_with("Gangplan");
  });
  CHECK(rows == reasons);
}

// "v1/groups/" of "v1/groups/NAMESPACE/NAME": without what stands for a name.
Names WithoutNames(const Names& paths) {
  Names fixed;
  for (std::string path : paths) {
    while (!path.empty() && std::isupper(static_cast<unsigned char>(path.back())) != 0)
      path.erase(path.rfind('/') + 1);
    while (path.size() > 1 && path.back() == '/') {
      const size_t before = path.rfind('/', path.size() - 2) + 1;
      if (std::isupper(static_cast<unsigned char>(path[before])) == 0) break;
      path.erase(before);
    }
    fixed.insert(path);
  }
  return fixed;
}

TEST_CASE("docs/api.md has every path that is served") {
  const std::vector<std::string> routes = ReadFile("extender/server/routes.cc").lines;
  const std::vector<std::string> page = ReadFile("extender/server/page_routes.cc").lines;
  const std::vector<std::string> views = ReadFile("extender/app/views.cc").lines;
  Names paths = NamesBehind(routes, R"({"GET", "/)");
  CHECK(paths.erase("v1/") == 1);  // what is below it follows
  paths.merge(NamesBehind(page, R"({"GET", "/)"));
  paths.merge(NamesBehind(page, R"( = "/)"));
  for (const std::string& report : NamesBehind(views, R"(path == ")")) paths.insert("v1/" + report);
  for (const std::string& part : NamesBehind(views, R"(constexpr std::string_view k)")) {
    for (const std::string& text : NamesBehind(views, part + R"( = ")")) {
      const bool of_one = text == "pod/" || text == "id/";
      if (of_one) paths.insert({"v1/groups/" + text, "v1/explain/" + text});
      if (!of_one) paths.insert("v1/" + text);
    }
  }
  CHECK(paths.size() > 15);
  CHECK(WithoutNames(Rows("docs/api.md", "GET /")) == paths);
  Names verbs;
  for (const std::string& verb : NamesBehind(routes, R"(VerbRoute(")"))
    verbs.insert("v1/extender/" + verb);
  CHECK(verbs.size() == 4);
  CHECK(Rows("docs/api.md", "POST /") == verbs);
}

// A workload that nobody is told of is one that nobody runs.
TEST_CASE("./dev help has every workload of the bench") {
  const std::string help = ReadFile("dev").text;
  const size_t begin = help.find("  bench [WORKLOAD...]");
  const std::string told = help.substr(begin, help.find("--peers", begin) - begin);
  const Names workloads = NamesBehind(ReadFile("tests/bench/gangplan_bench.cc").lines, "{\"");
  CHECK(workloads.size() > 10);
  for (const std::string& workload : workloads) {
    INFO(workload);
    const size_t at = told.find(" " + workload);
    CHECK((at != std::string::npos && !InName(told[at + 1 + workload.size()])));
  }
}

TEST_CASE("docs/security.md has every target of ./dev fuzz") {
  const std::string page = ReadFile("docs/security.md").text;
  const Names targets = NamesBehind(ReadFile("tests/fuzz/CMakeLists.txt").lines, "gangplan_fuzz(");
  CHECK(targets.size() > 5);
  for (const std::string& target : targets) {
    INFO(target);
    CHECK(page.find("\n| `" + target + "` |") != std::string::npos);
  }
}

// `file` "case", as often as a row has it.
std::vector<std::pair<std::string, std::string>> NamedTests(const std::string& row) {
  std::vector<std::pair<std::string, std::string>> named;
  constexpr std::string_view kBetween = ".cc` \"";
  for (size_t at = row.find(kBetween); at != std::string::npos; at = row.find(kBetween, at + 1)) {
    const size_t file = row.rfind('`', at) + 1;
    const size_t name = at + kBetween.size();
    named.emplace_back("tests/" + row.substr(file, at + 3 - file),
                       row.substr(name - 1, row.find('"', name) - name + 2));
  }
  return named;
}

TEST_CASE("docs/security.md: each attack that was found has a test, which is there") {
  int rows = 0;
  for (const std::string& row : ReadFile("docs/security.md").lines) {
    if (!row.starts_with(fmt::format("| {} | ", rows + 1))) continue;
    ++rows;
    INFO(row);
    const auto named = NamedTests(row);
    CHECK(!named.empty());
    for (const auto& [file, name] : named)
      CHECK(ReadFile(file).text.find(name) != std::string::npos);
  }
  CHECK(rows == 15);
}

TEST_CASE("docs/metrics.md has every alert") {
  const Names alerts =
      NamesBehind(ReadFile("config/chart/files/rules.yaml").lines, "alert: Gangplan");
  CHECK(alerts.size() > 5);
  CHECK(Rows("docs/metrics.md", "Gangplan") == alerts);
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Who is woken by an alert finds its name as a heading, and what to do below it; the alert itself
// tells where.
TEST_CASE("docs/alerts.md has a section of every alert") {
  const std::string page = ReadFile("docs/alerts.md").text;
  const std::string rules = ReadFile("config/chart/files/rules.yaml").text;
  for (const std::string& alert :
       NamesBehind(ReadFile("config/chart/files/rules.yaml").lines, "alert: ")) {
    INFO(alert);
    const size_t heading = page.find("\n## " + alert + "\n");
    REQUIRE(heading != std::string::npos);
    const std::string section = page.substr(heading, page.find("\n## ", heading + 1) - heading);
    CHECK(section.size() > 200);
    CHECK(rules.find("runbook: docs/alerts.md#" + Lower(alert) + "\n") != std::string::npos);
  }
}

// The words in backticks that are the name of a test in Go.
Names NamedGoTests(const std::string& text) {
  Names tests;
  constexpr std::string_view kOpening = "`Test";
  for (size_t at = text.find(kOpening); at != std::string::npos; at = text.find(kOpening, at + 1)) {
    const size_t from = at + 1;
    const size_t end = text.find_first_of("`\n", from);
    const std::string word = text.substr(from, end - from);
    const bool is_name = word.size() > 4 &&
                         std::isupper(static_cast<unsigned char>(word[4])) != 0 &&
                         std::all_of(word.begin(), word.end(), InName);
    if (is_name && end < text.size() && text[end] == '`') tests.insert(word);
  }
  return tests;
}

// Who reads which kinds were tried may run what tried them.
TEST_CASE("Tests that the documents name are there") {
  CHECK(NamedGoTests("`TestA` and `Testing`, `Test A`, `TestB|C`, TestD") == Names{"TestA"});
  Names there;
  for (const SourceFile& file : Texts())
    if (file.path.ends_with("_test.go")) there.merge(NamesBehind(file.lines, "func "));
  size_t named = 0;
  for (const SourceFile& page : Texts()) {
    if (!page.path.ends_with(".md")) continue;
    for (const std::string& test : NamedGoTests(page.text)) {
      INFO(page.path << " names " << test);
      CHECK(there.contains(test));
      ++named;
    }
  }
  CHECK(named > 30);
}

// The first cells of the rows that begin with a sentence in backticks.
Names SentencesOf(const std::string& page) {
  Names sentences;
  for (const std::string& line : ReadFile(page).lines) {
    if (line.starts_with("| `")) sentences.insert(line.substr(3, line.find('`', 3) - 3));
  }
  return sentences;
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// As the page has it: without whose pod it is, with an ellipsis for each argument.
std::string AsShown(std::string sentence) {
  for (const std::string_view whose : {"gang team/{}: ", "gang team/{} of {}: ", "gang team/{} "}) {
    if (!sentence.starts_with(whose)) continue;
    sentence.erase(0, whose.size());
    break;
  }
  return Replaced(std::move(sentence), "{}", "…");
}

// The parts between the ellipses stand in the code, each as a whole or cut by the end of a line.
bool StandsInCode(const std::string& sentence, const std::string& code) {
  for (size_t from = 0; from < sentence.size();) {
    const size_t end = std::min(sentence.find("…", from), sentence.size());
    const std::string part = sentence.substr(from, end - from);
    if (code.find(part) == std::string::npos) return false;
    from = end + std::string_view("…").size();
  }
  return true;
}

std::string CodeOfReasons() {
  std::string code;
  for (const SourceFile& file : Sources()) {
    const bool tells = IsIn(file.path, "algorithms") || IsIn(file.path, "extender");
    if (!tells) continue;
    for (const std::string& line : file.lines) {
      const size_t first = line.find_first_not_of(' ');
      if (first != std::string::npos) code += line.substr(first) + '\n';
    }
  }
  return Replaced(std::move(code), "\"\n\"", "");  // a text over several lines
}

TEST_CASE("docs/why-waiting.md has every sentence that people are told") {
  const Names shown = SentencesOf("docs/why-waiting.md");
  Names frozen;
  for (const SentenceLine& line : ReadSentences()) {
    INFO(line.key << ": " << line.sentence);
    const std::string sentence = AsShown(line.sentence);
    CHECK(shown.contains(sentence));
    frozen.insert(sentence);
  }
  const std::string code = CodeOfReasons();
  for (const std::string& sentence : shown) {
    INFO(sentence);
    CHECK((frozen.contains(sentence) || StandsInCode(sentence, code)));
  }
}

TEST_CASE("A sentence of the page is that of the code, but for its arguments") {
  CHECK(AsShown("gang team/{} of {}: waits for {}") == "waits for …");
  CHECK(AsShown("gang team/{} gives way") == "gives way");
  CHECK(AsShown("namespace {} is full") == "namespace … is full");
  CHECK(StandsInCode("no … has room", "\"no {} has room\""));
  CHECK_FALSE(StandsInCode("no … has space", "\"no {} has room\""));
  CHECK(NamesBehind({"a \"x/b-c\" \"x/d\"", " // \"x/e\""}, "\"x/") == Names{"b-c", "d"});
}

TEST_CASE("Every page has its place in docs/README.md") {
  const std::string text = ReadFile("docs/README.md").text;
  for (const auto& entry : fs::directory_iterator(fs::path(GANGPLAN_SOURCE_DIR) / "docs")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".md" || name == "README.md") continue;
    INFO(name);
    CHECK(text.find("](" + name + ")") != std::string::npos);
  }
}

// The files that the links of a text lead to, without what stands outside of the tree.
Names LinkedFiles(const std::string& text) {
  Names files;
  for (size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
    const std::string link = text.substr(at + 2, text.find_first_of(")#", at + 2) - at - 2);
    if (!link.empty() && link.find("://") == std::string::npos) files.insert(link);
  }
  return files;
}

TEST_CASE("Links of the documents lead to files that there are") {
  CHECK(LinkedFiles("[a](b.md#c) [d](#e) [f](https://g) [h](../i)") == Names{"../i", "b.md"});
  for (const SourceFile& page : Texts()) {
    if (!page.path.ends_with(".md") || IsIn(page.path, "tests")) continue;
    for (const std::string& file : LinkedFiles(page.text)) {
      INFO(page.path << " links to " << file);
      CHECK(fs::exists(fs::path(GANGPLAN_SOURCE_DIR) / fs::path(page.path).parent_path() / file));
    }
  }
}

}  // namespace
}  // namespace gangplan::style
