// Structured logs: one JSON object a line, for machines first and people second:
//   {"time":"2026-01-02T03:04:05.678Z","level":"warn","message":"node lost","node":"n1"}
// Keys are `time`, `level`, `message`, then the fields in the order given. A line is one write.
// Whoever logs never waits for who reads: lines beyond a limit are dropped, counted, and told
// (LineWriter).
//
//   Log(LogLevel::kInfo, "group planned", {{"group", name}, {"members", 64}});
//
// Thread rule: every function from any thread.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "absl/time/time.h"
#include "topology/base/clock.h"
#include "topology/base/json_text.h"
#include "topology/base/mutex.h"

namespace gangplan {

enum class LogLevel { kDebug, kInfo, kWarn, kError };

// "debug", "info", "warn" or "error"; nothing for any other text.
std::optional<LogLevel> ParseLogLevel(std::string_view text);

// A field's value: text, a whole number, a fraction or a truth. Text is not copied.
class LogValue {
 public:
  LogValue(std::string_view text) : value_(text) {}                      // NOLINT: implicit
  LogValue(const char* text) : value_(std::string_view(text)) {}         // NOLINT: implicit
  LogValue(const std::string& text) : value_(std::string_view(text)) {}  // NOLINT: implicit
  LogValue(bool truth) : value_(truth) {}                                // NOLINT: implicit
  LogValue(double fraction) : value_(fraction) {}                        // NOLINT: implicit
  template <std::integral Number>
  LogValue(Number number) : value_(static_cast<int64_t>(number)) {}  // NOLINT: implicit

  void WriteTo(JsonText& json) const;

 private:
  std::variant<std::string_view, int64_t, double, bool> value_;
};

struct LogField {
  std::string_view key;
  LogValue value;
};
using LogFields = std::initializer_list<LogField>;

class Logger {
 public:
  using Sink = std::function<void(std::string_view line)>;  // a whole line with its newline

  // `sink` is called under the logger's lock, one line at a time.
  Logger(const Clock& clock, Sink sink, LogLevel level = LogLevel::kInfo);
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  void set_level(LogLevel level) { level_.store(level, std::memory_order_relaxed); }
  bool Wants(LogLevel level) const { return level >= level_.load(std::memory_order_relaxed); }
  const Clock& clock() const { return clock_; }

  void Log(LogLevel level, std::string_view message, LogFields fields = {});

 private:
  friend class RepeatedLog;
  void Write(LogLevel level, std::string_view message, LogFields fields, int64_t suppressed);

  const Clock& clock_;
  std::atomic<LogLevel> level_;
  Mutex mutex_;
  Sink sink_ ABSL_GUARDED_BY(mutex_);
};

// The process's logger: standard error, level info until set.
Logger& ProcessLogger();
// Before the process ends: waits until all lines are written; false when `timeout` passed before.
bool FlushLog(absl::Duration timeout);
// What is logged before an abort (a broken invariant, say) is written then, for half a second at
// most. Once, before any thread aborts.
void FlushLogOnAbort();
// Of the process's logger, since its start.
int64_t DroppedLogLines();
std::string DroppedLinesNotice(int64_t lines);

inline void Log(LogLevel level, std::string_view message, LogFields fields = {}) {
  ProcessLogger().Log(level, message, fields);
}

// For a message that may repeat without end: at most one line an interval; the first line after a
// silence carries "suppressed", the number of lines that were left out since the one before.
class RepeatedLog {
 public:
  explicit RepeatedLog(absl::Duration interval, Logger& logger = ProcessLogger());

  void Log(LogLevel level, std::string_view message, LogFields fields = {});

 private:
  const absl::Duration interval_;
  Logger& logger_;
  Mutex mutex_;
  absl::Time next_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  int64_t suppressed_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace gangplan
