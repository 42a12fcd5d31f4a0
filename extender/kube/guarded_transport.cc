#include "extender/kube/guarded_transport.h"

namespace gangplan {
namespace {

class GuardedTransport : public Transport {
 public:
  GuardedTransport(std::unique_ptr<Transport> transport, const std::function<bool()>& may_write)
      : transport_(std::move(transport)), may_write_(may_write) {}

  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override {
    if (request.method == "GET") return transport_->Send(request);
    if (!may_write_())
      return absl::UnavailableError("this Gangplan writes nothing now: it does not lead");
    HttpRequest write = request;
    write.may_leave = may_write_;
    return transport_->Send(write);
  }

  absl::StatusOr<HttpResponse> Stream(const HttpRequest& request,
                                      const ChunkReceiver& on_chunk) override {
    return transport_->Stream(request, on_chunk);
  }

  void Interrupt() override { transport_->Interrupt(); }

 private:
  const std::unique_ptr<Transport> transport_;
  const std::function<bool()>& may_write_;
};

}  // namespace

std::unique_ptr<Transport> GuardedTransports::Make() {
  return std::make_unique<GuardedTransport>(transports_->Make(), may_write_);
}

}  // namespace gangplan
