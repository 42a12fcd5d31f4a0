#include "extender/observe/log.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <utility>

#include "extender/observe/line_writer.h"

namespace gangplan {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames = {"debug", "info", "warn", "error"};

std::string LineOf(absl::Time time, LogLevel level, std::string_view message, LogFields fields,
                   int64_t suppressed) {
  JsonText json;
  json.Begin().Field("time", absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone()));
  json.Field("level", kLevelNames[static_cast<size_t>(level)]).Field("message", message);
  for (const LogField& field : fields) {
    json.Key(field.key);
    field.value.WriteTo(json);
  }
  if (suppressed > 0) json.Field("suppressed", suppressed);
  return json.End().Take() + "\n";
}

// Never destroyed: threads may log while the process ends.
LineWriter& StandardErrorLines() {
  static LineWriter& lines = *new LineWriter(STDERR_FILENO, DroppedLinesNotice);
  return lines;
}

}  // namespace

std::optional<LogLevel> ParseLogLevel(std::string_view text) {
  for (size_t i = 0; i < kLevelNames.size(); ++i) {
    if (kLevelNames[i] == text) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

void LogValue::WriteTo(JsonText& json) const {
  std::visit([&json](auto value) { json.Value(value); }, value_);
}

Logger::Logger(const Clock& clock, Sink sink, LogLevel level)
    : clock_(clock), level_(level), sink_(std::move(sink)) {}

void Logger::Log(LogLevel level, std::string_view message, LogFields fields) {
  if (Wants(level)) Write(level, message, fields, 0);
}

void Logger::Write(LogLevel level, std::string_view message, LogFields fields, int64_t suppressed) {
  const std::string line = LineOf(clock_.Now(), level, message, fields, suppressed);
  MutexLock lock(mutex_);
  sink_(line);
}

Logger& ProcessLogger() {
  static Logger& logger =
      *new Logger(SystemClock(), [](std::string_view line) { StandardErrorLines().Write(line); });
  return logger;
}

bool FlushLog(absl::Duration timeout) { return StandardErrorLines().Flush(timeout); }

namespace {

// abort() calls it on the thread that aborts, and raises the signal once more when it returns.
// Where it is the writer of lines that is broken this may wait for itself: the alarm ends that.
void FlushAndGo(int) {
  std::signal(SIGABRT, SIG_DFL);
  alarm(2);
  FlushLog(absl::Milliseconds(500));
}

}  // namespace

void FlushLogOnAbort() {
  ProcessLogger();
  std::signal(SIGABRT, FlushAndGo);
}

int64_t DroppedLogLines() { return StandardErrorLines().dropped(); }

std::string DroppedLinesNotice(int64_t lines) {
  return LineOf(SystemClock().Now(), LogLevel::kWarn,
                "lines of this log are missing here: they were too long, or were not taken in time",
                {{"lines", lines}}, 0);
}

RepeatedLog::RepeatedLog(absl::Duration interval, Logger& logger)
    : interval_(interval), logger_(logger) {}

void RepeatedLog::Log(LogLevel level, std::string_view message, LogFields fields) {
  if (!logger_.Wants(level)) return;
  int64_t suppressed = 0;
  {
    MutexLock lock(mutex_);
    const absl::Time now = logger_.clock().Now();
    if (now < next_) {
      ++suppressed_;
      return;
    }
    next_ = now + interval_;
    suppressed = std::exchange(suppressed_, 0);
  }
  logger_.Write(level, message, fields, suppressed);
}

}  // namespace gangplan
