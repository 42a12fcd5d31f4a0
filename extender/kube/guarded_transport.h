// Connections by which nothing is written while somebody else is to act: the last place that a
// write passes on its way out, whoever asks for it.
//
// Thread rule: as Transport says.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "extender/kube/transport.h"

namespace gangplan {

class GuardedTransports : public TransportFactory {
 public:
  // `may_write` is asked before each request that is no GET, and again when its connection stands:
  // a name of several addresses may take longer than a Lease lasts. What it does not allow is
  // Unavailable: nothing was sent.
  GuardedTransports(std::unique_ptr<TransportFactory> transports, std::function<bool()> may_write)
      : transports_(std::move(transports)), may_write_(std::move(may_write)) {}

  std::unique_ptr<Transport> Make() override;

 private:
  const std::unique_ptr<TransportFactory> transports_;
  const std::function<bool()> may_write_;
};

}  // namespace gangplan
