#include "extender/kube/http_answer.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/match.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kEndOfLine = "\r\n";
constexpr size_t kMaxChunkDigits = 15;  // of 4 bits each: no sum overflows

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Of the bytes that RFC 9110 lets a header's name have.
bool IsNameByte(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kMarks.find(c) != std::string_view::npos;
}

bool SameWord(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase(ToAbsl(a), ToAbsl(b));
}

// Digits of `base` and nothing else.
std::optional<uint64_t> NumberOf(std::string_view digits, int base) {
  uint64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number, base);
  if (digits.empty() || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// Kubernetes sends seconds, never a date.
absl::Duration SecondsOf(std::string_view value) {
  constexpr uint64_t kMost = 1'000'000'000;
  return absl::Seconds(static_cast<int64_t>(std::min(NumberOf(value, 10).value_or(0), kMost)));
}

}  // namespace

absl::Status HttpAnswer::Append(std::string_view bytes, const BodyTaker& take) {
  while (!bytes.empty() && !done() && !refused_) {
    if (in_data()) {
      TakeData(&bytes, take);
    } else {
      GANGPLAN_RETURN_IF_ERROR(TakeLineBytes(&bytes));
    }
  }
  if (!bytes.empty()) keeps_connection_ = false;  // nobody asked for them
  return absl::OkStatus();
}

absl::Status HttpAnswer::Close() {
  keeps_connection_ = false;
  if (part_ == Part::kUntilClose) Enter(Part::kDone);
  return done() ? absl::OkStatus() : Invalid("the connection ended before the answer did");
}

void HttpAnswer::Enter(Part part, size_t most_bytes) {
  part_ = part;
  room_ = most_bytes;
}

void HttpAnswer::TakeData(std::string_view* bytes, const BodyTaker& take) {
  const bool counted = part_ != Part::kUntilClose;
  const std::string_view piece =
      counted ? bytes->substr(0, std::min<uint64_t>(left_, bytes->size())) : *bytes;
  bytes->remove_prefix(piece.size());
  refused_ = !take(piece);
  if (!counted) return;
  left_ -= piece.size();
  if (left_ > 0) return;
  if (part_ == Part::kChunk) {
    Enter(Part::kChunkEnd, kEndOfLine.size());
  } else {
    Enter(Part::kDone);
  }
}

absl::Status HttpAnswer::TakeLineBytes(std::string_view* bytes) {
  const size_t newline = bytes->find('\n');
  const std::string_view part = bytes->substr(0, newline == bytes->npos ? newline : newline + 1);
  if (part.size() > room_) return Invalid("its head, or what is around a chunk, is too long");
  room_ -= part.size();
  line_ += part;
  bytes->remove_prefix(part.size());
  if (newline == std::string_view::npos) return absl::OkStatus();
  if (!line_.ends_with(kEndOfLine)) return Invalid("a line that does not end in CR LF");
  const std::string line = std::move(line_);
  line_.clear();
  return OnLine(std::string_view(line).substr(0, line.size() - kEndOfLine.size()));
}

absl::Status HttpAnswer::OnLine(std::string_view line) {
  switch (part_) {
    case Part::kStatusLine:
      return OnStatusLine(line);
    case Part::kHeaders:
      return line.empty() ? OnHeadEnd() : OnHeader(line);
    case Part::kChunkSize:
      return OnChunkSize(line);
    case Part::kChunkEnd:
      if (!line.empty()) return Invalid("a chunk longer than it says");
      Enter(Part::kChunkSize, kMaxChunkLineBytes);
      return absl::OkStatus();
    default:  // trailers: nobody reads them
      if (line.empty()) Enter(Part::kDone);
      return absl::OkStatus();
  }
}

// HTTP/1.1 200 OK
absl::Status HttpAnswer::OnStatusLine(std::string_view line) {
  constexpr std::string_view kVersion = "HTTP/1.";
  constexpr size_t kCode = 9;
  const bool shaped = line.starts_with(kVersion) && line.size() >= kCode + 3 &&
                      IsDigit(line[kVersion.size()]) && line[kCode - 1] == ' ' &&
                      (line.size() == kCode + 3 || line[kCode + 3] == ' ');
  const auto status = shaped ? NumberOf(line.substr(kCode, 3), 10) : std::nullopt;
  if (!status.has_value() || *status < 100) return Invalid("it is no HTTP/1.1");
  code_ = static_cast<int>(*status);
  keeps_connection_ = line[kVersion.size()] != '0';
  part_ = Part::kHeaders;
  return absl::OkStatus();
}

absl::Status HttpAnswer::OnHeader(std::string_view line) {
  const size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (colon == std::string_view::npos || name.empty() ||
      !std::all_of(name.begin(), name.end(), IsNameByte)) {
    return Invalid("a header without a name");
  }
  const std::string_view value = Trim(line.substr(colon + 1));
  if (SameWord(name, "Content-Length")) return OnContentLength(value);
  if (SameWord(name, "Transfer-Encoding")) {
    if (chunked_ || !SameWord(value, "chunked")) return Invalid("an encoding that is not chunked");
    chunked_ = true;
  }
  if (SameWord(name, "Connection") && SameWord(value, "close")) keeps_connection_ = false;
  if (SameWord(name, "Retry-After")) retry_after_ = SecondsOf(value);
  return absl::OkStatus();
}

absl::Status HttpAnswer::OnContentLength(std::string_view value) {
  const std::optional<uint64_t> length = NumberOf(value, 10);
  if (!length.has_value()) return Invalid("a Content-Length that is no number");
  if (length_.value_or(*length) != *length) return Invalid("two lengths");
  length_ = length;
  return absl::OkStatus();
}

absl::Status HttpAnswer::OnHeadEnd() {
  if (chunked_ && length_.has_value()) return Invalid("a length beside chunks");
  if (code_ == 101) return Invalid("another protocol");
  if (code_ < 200) {
    // Its lines count with those of the real head: room_ goes on.
    if (chunked_ || length_.has_value()) return Invalid("an interim answer with a body");
    part_ = Part::kStatusLine;
  } else if (code_ == 204 || code_ == 304 || length_ == 0) {
    Enter(Part::kDone);
  } else if (chunked_) {
    Enter(Part::kChunkSize, kMaxChunkLineBytes);
  } else if (length_.has_value()) {
    left_ = *length_;
    Enter(Part::kCounted);
  } else {
    Enter(Part::kUntilClose);
  }
  return absl::OkStatus();
}

// What follows a semicolon is for nobody.
absl::Status HttpAnswer::OnChunkSize(std::string_view line) {
  const std::string_view digits = line.substr(0, line.find(';'));
  const bool bare = digits.size() <= kMaxChunkDigits;
  const std::optional<uint64_t> size = bare ? NumberOf(digits, 16) : std::nullopt;
  if (!size.has_value()) return Invalid("a chunk whose size is no hexadecimal number");
  left_ = *size;
  if (left_ == 0) {
    Enter(Part::kTrailers, kMaxTrailerBytes);
  } else {
    Enter(Part::kChunk);
  }
  return absl::OkStatus();
}

}  // namespace gangplan
