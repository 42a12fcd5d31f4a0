#include "extender/protocol/sakkara_rule.h"

#include "topology/base/text.h"

namespace gangplan {

SakkaraRule ReadSakkaraRule(const SakkaraConstraint& written, std::string_view place,
                            std::vector<std::string>& notes) {
  const auto note = [&]<typename... Args>(fmt::format_string<Args...> format, Args&&... args) {
    notes.push_back(fmt::format("{}: {}", place, fmt::format(format, std::forward<Args>(args)...)));
  };
  SakkaraRule rule;
  rule.spread = written.type == "spread";
  rule.hard = written.hard;
  if (!rule.spread && !written.type.empty() && written.type != "pack")
    note("type '{}' is read as pack, expected pack or spread", Shown(written.type));
  if (written.min > 0 && written.max >= written.min)
    rule.range = {written.min, written.max};
  else if (written.min != 0 || written.max != 0)
    note("min {} and max {} are ignored, expected both above 0 and min at most max", written.min,
         written.max);
  if (written.partitions > 0)
    rule.partitions = written.partitions;
  else if (written.partitions < 0)
    note("partitions {} is ignored, expected a number above 0", written.partitions);
  if (written.factor > 1)
    rule.factor = written.factor;
  else if (written.factor < 0)
    note("factor {} is ignored, expected a number above 1", written.factor);
  if (!rule.hard || (!rule.range && !rule.partitions && rule.factor == 1)) return rule;
  note("min, max, partitions and factor are ignored beside hard");
  rule.range.reset();
  rule.partitions.reset();
  return rule;
}

}  // namespace gangplan
