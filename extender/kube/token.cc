#include "extender/kube/token.h"

#include <algorithm>

#include "extender/kube/limits.h"
#include "extender/kube/text_file.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

std::string Trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// It goes into a header as it is.
bool IsToken(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

absl::StatusOr<std::string> TokenSource::Get() {
  MutexLock lock(mutex_);
  if (file_.empty() && !IsToken(token_))
    return absl::UnavailableError("the token has bytes that no token has");
  if (file_.empty() || clock_.Now() - read_at_ < kTokenAge) return token_;
  auto text = ReadTextFile(file_, kMaxCredentialFileBytes);
  std::string fresh = text.ok() ? Trimmed(*text) : std::string();
  if (!fresh.empty() && IsToken(fresh)) {
    token_ = std::move(fresh);
    read_at_ = clock_.Now();
  } else if (token_.empty()) {
    // Nothing was sent: the caller's word for that is Unavailable.
    return absl::UnavailableError(text.ok() ? ToAbsl(fmt::format("{}: no token in it", file_))
                                            : text.status().message());
  }
  return token_;
}

void TokenSource::Expire() {
  MutexLock lock(mutex_);
  read_at_ = absl::InfinitePast();
}

absl::StatusOr<HttpResponse> TokenTransport::Send(const HttpRequest& request) {
  return Try(request,
             [this](const HttpRequest& signed_request) { return inner_->Send(signed_request); });
}

absl::StatusOr<HttpResponse> TokenTransport::Stream(const HttpRequest& request,
                                                    const ChunkReceiver& on_chunk) {
  return Try(request, [this, &on_chunk](const HttpRequest& signed_request) {
    return inner_->Stream(signed_request, on_chunk);
  });
}

absl::StatusOr<HttpResponse> TokenTransport::Try(
    const HttpRequest& request,
    const std::function<absl::StatusOr<HttpResponse>(const HttpRequest&)>& send) {
  for (bool again = true;; again = false) {
    auto token = tokens_->Get();
    if (!token.ok()) return token.status();
    HttpRequest signed_request = request;
    signed_request.bearer = *std::move(token);
    auto answer = send(signed_request);
    if (!again || !answer.ok() || answer->status != 401) return answer;
    tokens_->Expire();
  }
}

}  // namespace gangplan
