#include "extender/app/reload.h"

#include <system_error>
#include <utility>
#include <vector>

#include "config/changes.h"
#include "config/reader.h"
#include "extender/kube/text_file.h"
#include "extender/observe/log.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// Of more than a file of ours may have nothing is read: the reader tells it.
constexpr size_t kMostBytes = size_t{1} << 20;

// Of the files that topologies are read from.
std::vector<Reload::FileSign> SignsOf(const Settings& settings) {
  std::vector<Reload::FileSign> signs;
  for (const TopologySettings& topology : settings.topologies) {
    if (!topology.in_file()) continue;
    std::error_code error;
    signs.emplace_back(std::filesystem::last_write_time(topology.file, error),
                       std::filesystem::file_size(topology.file, error));
  }
  return signs;
}

}  // namespace

Reload::Reload(std::string path, Settings in_force, std::function<void(const Settings&)> apply)
    : path_(std::move(path)),
      in_force_(std::move(in_force)),
      apply_(std::move(apply)),
      last_{{}, SignsOf(in_force_)} {}

void Reload::Look() {
  absl::StatusOr<std::string> text = ReadTextFile(path_, kMostBytes);
  if (!text.ok()) return NoteUnread(Message(text.status()));
  if (text->empty()) return NoteUnread(fmt::format("{}: empty", path_));
  NoteUnread("");
  State now{*std::move(text), SignsOf(in_force_)};
  const bool rests = now == seen_;
  seen_ = now;
  if ((now == last_ && !lacks_files_) || !rests) return;
  last_.files = std::move(now.files);
  Take(now.text, false);
}

void Reload::NoteUnread(std::string_view why) {
  if (why.empty()) {
    if (unread_ >= kUnreadLooks)
      Log(LogLevel::kInfo, "the configuration can be read again", {{"file", path_}});
    unread_ = 0;
  } else if (unread_ < kUnreadLooks && ++unread_ == kUnreadLooks) {
    Log(LogLevel::kError, "the configuration cannot be read, the one before stays in force",
        {{"why", why}});
  }
}

void Reload::Read() {
  absl::StatusOr<std::string> text = ReadTextFile(path_, kMostBytes);
  if (!text.ok()) {
    Log(LogLevel::kError, "the configuration was not read again, the one before stays in force",
        {{"why", Message(text.status())}});
    return;
  }
  Take(*text, true);
}

void Reload::Take(const std::string& text, bool asked) {
  last_.text = text;
  absl::StatusOr<Settings> wanted = ReadSettings(text, path_);
  const absl::Status files = wanted.ok() ? ReadTopologyFiles(*wanted) : absl::OkStatus();
  lacks_files_ = !files.ok();
  if (lacks_files_) wanted = files;
  const std::string before = std::exchange(refused_, wanted.ok() ? "" : Message(wanted.status()));
  if (!wanted.ok()) {
    if (!asked && refused_ == before) return;  // it was said
    Log(LogLevel::kError, "the configuration was not read again, the one before stays in force",
        {{"why", refused_}});
    return;
  }
  std::vector<std::string_view> live;
  for (const KeyRule* rule : ChangedKeys(in_force_, *wanted)) {
    if (rule->live()) {
      live.push_back(rule->key);
    } else {
      Log(LogLevel::kWarn, fmt::format("{}: needs a restart", rule->key), {{"file", path_}});
    }
  }
  if (live.empty() && !asked) return;
  in_force_ = WithLiveKeys(in_force_, *wanted);
  if (!live.empty()) apply_(in_force_);
  Log(LogLevel::kInfo, "the configuration was read again",
      {{"file", path_}, {"changed", fmt::format("{}", fmt::join(live, ", "))}});
}

}  // namespace gangplan
