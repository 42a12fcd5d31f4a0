// An API server that answers the lists that a test gives it, behind the transport that the real one
// is behind. One thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "extender/kube/transport.h"

namespace gangplan {

class StubApi : public TransportFactory {
 public:
  // By target, with its query.
  std::map<std::string, HttpResponse> answers;
  // Answers to these are larger than one may be.
  std::set<std::string> too_large;
  // What all else is answered; null: that there is no such thing.
  std::function<HttpResponse(const HttpRequest&)> other;
  std::vector<std::string> asked;

  // A list of these objects: JSON with commas between them.
  void Put(const std::string& target, const std::string& items, const std::string& next = "") {
    answers[target] = {200, R"({"metadata":{"resourceVersion":"7","continue":")" + next +
                                R"("},"items":[)" + items + "]}"};
  }

  std::unique_ptr<Transport> Make() override { return std::make_unique<Connection>(*this); }

 private:
  class Connection : public Transport {
   public:
    explicit Connection(StubApi& api) : api_(api) {}
    absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override {
      api_.asked.push_back(request.target);
      if (api_.too_large.contains(request.target))
        return absl::ResourceExhaustedError("the answer is too large");
      const auto found = api_.answers.find(request.target);
      if (found != api_.answers.end()) return found->second;
      return api_.other ? api_.other(request) : HttpResponse{404, "no such resource"};
    }
    absl::StatusOr<HttpResponse> Stream(const HttpRequest& request, const ChunkReceiver&) override {
      return Send(request);
    }
    void Interrupt() override {}

   private:
    StubApi& api_;
  };
};

}  // namespace gangplan
