#include "tests/bench/pairs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr int kTurns = 3;  // of each program

using Times = std::vector<double>;                        // of one line, microseconds
using Lines = std::map<std::string, std::vector<Times>>;  // by name: one a turn

// The numbers before " us".
Times TimesOf(std::string_view text) {
  Times times;
  for (size_t at = text.find(" us"); at != std::string_view::npos; at = text.find(" us", at + 1)) {
    const size_t begin = text.find_last_not_of("0123456789", at - 1) + 1;
    int64_t number = 0;
    std::from_chars(text.data() + begin, text.data() + at, number);
    times.push_back(static_cast<double>(number));
  }
  return times;
}

void Read(std::string_view line, Lines& lines) {
  const size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return;
  Times times = TimesOf(line.substr(colon));
  if (!times.empty()) lines[std::string(line.substr(0, colon))].push_back(std::move(times));
}

bool Run(const std::string& program, const std::string& workload, Lines& lines) {
  const std::string command = fmt::format("'{}' {}", program, workload);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (pipe == nullptr) return false;
  std::array<char, 4096> buffer;
  const size_t before = lines.size();
  while (fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) Read(buffer.data(), lines);
  return before > 0 || !lines.empty();
}

double Median(std::vector<double> numbers) {
  std::nth_element(numbers.begin(), numbers.begin() + static_cast<int64_t>(numbers.size() / 2),
                   numbers.end());
  return numbers[numbers.size() / 2];
}

// Of each time of a line, over the turns; empty: the turns do not agree on how many there are.
Times Medians(const std::vector<Times>& turns) {
  Times medians;
  for (size_t i = 0; i < turns.front().size(); ++i) {
    std::vector<double> all;
    for (const Times& turn : turns) {
      if (turn.size() != turns.front().size()) return {};
      all.push_back(turn[i]);
    }
    medians.push_back(Median(std::move(all)));
  }
  return medians;
}

// What lines whose names begin alike have in common: how many times faster each is here.
using Groups = std::map<std::string, std::vector<double>>;

void Add(const std::string& name, size_t time, double ratio, Groups& groups) {
  const size_t kind = name.find(','), rule = name.find(',', kind + 1);
  groups[fmt::format("{}, time {}", name.substr(0, kind), time)].push_back(ratio);
  if (rule < name.size())
    groups[fmt::format("{}, time {}", name.substr(0, rule), time)].push_back(ratio);
}

void Print(const Groups& groups) {
  for (const auto& [name, ratios] : groups) {
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
    double sum_of_logs = 0;
    for (const double ratio : ratios) sum_of_logs += std::log(std::max(ratio, 1e-6));
    fmt::print(
        "pairs/{}: {} times, faster by {:.2f} (geometric mean), {:.2f} at the least, "
        "{:.2f} at the most",
        name, ratios.size(), std::exp(sum_of_logs / static_cast<double>(ratios.size())), *least,
        *most);
    for (const int goal : {1, 3, 10, 30})
      fmt::print("; {} reach {}x",
                 std::count_if(ratios.begin(), ratios.end(), [&](double r) { return r >= goal; }),
                 goal);
    fmt::print("\n");
  }
}

}  // namespace

bool RunPairs(const std::string& own, const std::string& other, const std::string& workload) {
  Lines ours, theirs;
  for (int turn = 0; turn < kTurns; ++turn) {
    if (!Run(own, workload, ours) || !Run(other, workload, theirs)) {
      fmt::print(stderr, "{} or {} printed no line of {}\n", own, other, workload);
      return false;
    }
  }
  Groups groups;
  size_t alone = 0;
  for (const auto& [name, turns] : ours) {
    const auto fellow = theirs.find(name);
    const Times our = Medians(turns);
    const Times their = fellow == theirs.end() ? Times() : Medians(fellow->second);
    if (our.empty() || our.size() != their.size()) {
      ++alone;
      continue;
    }
    std::string text;
    for (size_t i = 0; i < our.size(); ++i) {
      const double ratio = their[i] / std::max(our[i], 1.0);
      text += fmt::format(" {:.0f} us here, {:.0f} us there, x{:.2f};", our[i], their[i], ratio);
      Add(name, i + 1, ratio, groups);
    }
    text.pop_back();
    fmt::print("{}:{}\n", name, text);
  }
  Print(groups);
  fmt::print("pairs: {} lines have no fellow\n", alone);
  return !groups.empty();
}

}  // namespace gangplan
