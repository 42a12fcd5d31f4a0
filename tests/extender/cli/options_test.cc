#include "extender/cli/options.h"

#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::options_test {
namespace {

struct Words {
  std::string group;
  std::string file;
  bool quick = false;
  int32_t count = 7;
  uint64_t seed = 1;
  std::optional<uint64_t> other;
  size_t form = 0;
};

Options OptionsOf(Words& words) {
  return {Needed(TextOption("GROUP", "", "the group", words.group)),
          TextOption("--file", "FILE", "a file", words.file),
          SwitchOption("--quick", "without waiting", words.quick),
          NumberOption("--count", "N", "how many (7)", words.count, -1, 9),
          SeedOption("--seed", "of chance (1)", words.seed),
          SeedOption("--other", "of another", words.other),
          WordOption("-o", {"text", "json"}, "the form (text)", words.form)};
}

std::string ErrorOf(const std::vector<std::string_view>& args) {
  Words words;
  return Message(ReadOptions(args, OptionsOf(words)));
}

Words Read(const std::vector<std::string_view>& args) {
  Words words;
  CHECK(Message(ReadOptions(args, OptionsOf(words))) == "");
  return words;
}

TEST_CASE("Words reach their places in any order") {
  const Words words = Read({"--count", "-1", "-o", "json", "a/b", "--quick", "--file=x=y", "--seed",
                            "18446744073709551615", "--other", "0"});
  CHECK(words.group == "a/b");
  CHECK(words.file == "x=y");
  CHECK(words.quick);
  CHECK(words.count == -1);
  CHECK(words.seed == UINT64_MAX);
  CHECK(words.other == uint64_t{0});
  CHECK(words.form == 1);
}

TEST_CASE("What is not given keeps its default") {
  const Words words = Read({"a"});
  CHECK(words.file.empty());
  CHECK(!words.quick);
  CHECK(words.count == 7);
  CHECK(!words.other);
  CHECK(words.form == 0);
}

TEST_CASE("Wrong words are named with what was expected") {
  CHECK(ErrorOf({}) == "GROUP is missing");
  CHECK(ErrorOf({"a", "b"}) == "\"b\" is one word too many");
  CHECK(ErrorOf({"a", "--cuont", "3"}) ==
        "\"--cuont\" is not an option; did you mean \"--count\"?");
  CHECK(ErrorOf({"a", "--cuont=3"}) == "\"--cuont\" is not an option; did you mean \"--count\"?");
  CHECK(ErrorOf({"a", "-x"}) == "\"-x\" is not an option");
  CHECK(ErrorOf({"a", "--count"}) == "--count wants a value: N");
  CHECK(ErrorOf({"a", "--count", "--quick"}) == "--count wants a value: N");
  CHECK(ErrorOf({"a", "--quick", "--quick"}) == "--quick is given twice");
  CHECK(ErrorOf({"a", "--quick=yes"}) == "--quick takes no value");
  CHECK(ErrorOf({"a", "--count", "3x"}) == "--count: \"3x\"; expected a whole number");
  CHECK(ErrorOf({"a", "--count="}) == "--count: \"\"; expected a whole number");
  CHECK(ErrorOf({"a", "--count", "2147483648"}) ==
        "--count: \"2147483648\"; expected a whole number");
  CHECK(ErrorOf({"a", "--seed", "-1"}) == "--seed: \"-1\"; expected a whole number");
  CHECK(ErrorOf({"a", "-o", "xml"}) == "-o: \"xml\"; expected text or json");
}

TEST_CASE("A number stays within its range") {
  CHECK(ErrorOf({"a", "--count", "9"}) == "");
  CHECK(ErrorOf({"a", "--count", "10"}) == "--count: 10; expected -1 to 9");
  CHECK(ErrorOf({"a", "--count", "-1"}) == "");
  CHECK(ErrorOf({"a", "--count", "-2"}) == "--count: -2; expected -1 to 9");
}

TEST_CASE("Help has a line for each option, longer ones wrapped") {
  Words words;
  Options options = OptionsOf(words);
  const std::string x(30, 'x'), y(30, 'y'), z(90, 'z'), blanks(22, ' ');
  options[1].help = fmt::format("{} {} {}", x, y, z);
  options[2].name = "--quick-as-lightning";
  CHECK(HelpOf(options) ==
        "  GROUP               the group\n"
        "  --file FILE         " +
            x + "\n" + blanks + y + "\n" + blanks + z +
            "\n"
            "  --quick-as-lightning\n" +
            blanks +
            "without waiting\n"
            "  --count N           how many (7)\n"
            "  --seed SEED         of chance (1)\n"
            "  --other SEED        of another\n"
            "  -o text|json        the form (text)\n");
}

}  // namespace
}  // namespace gangplan::options_test
