// Time that tests move, waits that only move it, and a transport that answers from a script.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "extender/kube/patience.h"
#include "extender/kube/transport.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"

namespace gangplan {

class FakeClock : public Clock {
 public:
  absl::Time Now() const override {
    MutexLock lock(mutex_);
    return now_;
  }
  void Advance(absl::Duration duration) {
    MutexLock lock(mutex_);
    now_ += duration;
  }

 private:
  mutable Mutex mutex_;
  absl::Time now_ ABSL_GUARDED_BY(mutex_) = absl::FromUnixSeconds(1'800'000'000);
};

// Each wait moves the clock and is remembered; after `stop_after` of them it says stop.
class FakePause : public Pause {
 public:
  explicit FakePause(FakeClock* clock) : clock_(clock) {}
  bool For(absl::Duration duration) override {
    waits.push_back(duration);
    clock_->Advance(duration);
    return waits.size() < stop_after;
  }

  size_t stop_after = 1'000;
  std::vector<absl::Duration> waits;

 private:
  FakeClock* const clock_;
};

// Answers in order. A stream hands its body out as one chunk.
class ScriptedTransport : public Transport {
 public:
  using Answer = absl::StatusOr<HttpResponse>;

  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override {
    requests.push_back(request);
    if (on_request) on_request(request);
    if (answers.empty()) return absl::InternalError("the script has no answer left");
    Answer answer = std::move(answers.front());
    answers.pop_front();
    return answer;
  }
  absl::StatusOr<HttpResponse> Stream(const HttpRequest& request,
                                      const ChunkReceiver& on_chunk) override {
    Answer answer = Send(request);
    if (!answer.ok() || !answer->ok()) return answer;
    if (request.answered) request.answered();
    if (!answer->body.empty()) on_chunk(answer->body);
    answer->body.clear();
    if (stream_end.ok()) return answer;
    return stream_end;
  }
  void Interrupt() override { ++interrupts; }

  std::deque<Answer> answers;
  std::vector<HttpRequest> requests;
  std::function<void(const HttpRequest&)> on_request;
  absl::Status stream_end;  // how a stream ends after its bytes
  int interrupts = 0;
};

inline HttpResponse Answer(int status, std::string body = "",
                           absl::Duration retry_after = absl::ZeroDuration()) {
  return {status, std::move(body), retry_after};
}

// What a call needs, with fake time.
struct FakeTools {
  FakeClock clock;
  FakePause pause{&clock};
  Jitter jitter{1};
  CallTools tools{&clock, &pause, &jitter, absl::Seconds(10)};
};

}  // namespace gangplan
