// Connections to an API server that a function answers, on whatever thread asks. For tests only.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "extender/kube/transport.h"

namespace gangplan {

class FunctionTransports : public TransportFactory {
 public:
  using Answer = std::function<absl::StatusOr<HttpResponse>(const HttpRequest&)>;

  explicit FunctionTransports(Answer answer) : answer_(std::move(answer)) {}
  std::unique_ptr<Transport> Make() override { return std::make_unique<One>(answer_); }

 private:
  class One : public Transport {
   public:
    explicit One(const Answer& answer) : answer_(answer) {}
    absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override {
      return answer_(request);
    }
    absl::StatusOr<HttpResponse> Stream(const HttpRequest& request, const ChunkReceiver&) override {
      return answer_(request);
    }
    void Interrupt() override {}

   private:
    const Answer& answer_;
  };
  const Answer answer_;
};

}  // namespace gangplan
