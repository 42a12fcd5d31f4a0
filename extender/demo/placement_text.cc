#include "extender/demo/placement_text.h"

#include <algorithm>
#include <charconv>

#include "extender/cluster/annotations.h"
#include "topology/base/text.h"

namespace gangplan {

std::vector<PlacedRank> ReadPlacement(const std::vector<PodFacts>& pods, std::string_view job) {
  std::vector<PlacedRank> placement;
  for (const PodFacts& pod : pods) {
    if (!pod.controller || pod.controller->name != job) continue;
    PlacedRank placed{-1, ""};
    const std::string* rank = FindLabel(pod.annotations, kAssignedRankAnnotation);
    const std::string* path = FindLabel(pod.annotations, kAssignedDomainAnnotation);
    if (rank != nullptr) std::from_chars(rank->data(), rank->data() + rank->size(), placed.rank);
    if (path != nullptr) placed.path = *path;
    placement.push_back(std::move(placed));
  }
  std::sort(placement.begin(), placement.end(),
            [](const PlacedRank& a, const PlacedRank& b) { return a.rank < b.rank; });
  return placement;
}

std::string Prefix(const std::string& path, int names) {
  size_t end = 0;
  for (int i = 0; i < names && end != std::string::npos; ++i) {
    end = path.find('/', i == 0 ? 0 : end + 1);
  }
  return path.substr(0, end);
}

bool StandsInOne(const std::vector<PlacedRank>& placement, int names) {
  for (size_t i = 0; i < placement.size(); ++i) {
    const PlacedRank& placed = placement[i];
    if (placed.rank != static_cast<int32_t>(i) || placed.path.empty()) return false;
    if (Prefix(placed.path, names) != Prefix(placement.front().path, names)) return false;
    if (i > 0 && placed.path < placement[i - 1].path) return false;
  }
  return !placement.empty();
}

std::string RanksByDomain(const std::vector<PlacedRank>& placement, int names) {
  std::string text;
  for (size_t i = 0; i < placement.size();) {
    const std::string domain = Prefix(placement[i].path, names);
    size_t end = i + 1;
    while (end < placement.size() && Prefix(placement[end].path, names) == domain) ++end;
    const std::string name = domain.substr(domain.rfind('/') + 1);
    if (i > 0) text += ", ";
    text += end == i + 1
                ? fmt::format("{} {}", name, placement[i].rank)
                : fmt::format("{} {}-{}", name, placement[i].rank, placement[end - 1].rank);
    i = end;
  }
  return text;
}

std::string Wrap(const std::string& text, size_t indent, size_t width) {
  const size_t deeper = std::min(text.find_first_not_of(' '), text.size()) + 2;
  std::string blanks(indent, ' ');
  std::string lines;
  size_t begin = 0;
  while (text.size() - begin + blanks.size() > width) {
    const size_t last = begin + width - blanks.size() - 1;
    size_t mark = last;
    while (mark > begin && !(text[mark + 1] == ' ' && (text[mark] == ',' || text[mark] == ';')))
      --mark;
    if (mark == begin) break;
    lines += blanks + text.substr(begin, mark + 1 - begin) + "\n";
    blanks.assign(indent + deeper, ' ');
    begin = mark + 2;
  }
  return lines + blanks + text.substr(begin) + "\n";
}

}  // namespace gangplan
