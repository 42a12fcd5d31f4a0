// What the server asks of the service behind it. The server owns bytes, connections and threads;
// the handler owns decisions.
//
// Thread rule: called from many server threads at once. Bind may block for minutes; the others
// answer in microseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "extender/protocol/scheduler_reply.h"
#include "extender/protocol/scheduler_request.h"

namespace gangplan {

// Identifies a call on its connection, so that a held call can be found again when its peer goes
// (HttpServer::ClosedCalls).
struct PeerConnection {
  int64_t id = 0;       // of this call; unique for the life of the process
  absl::Time accepted;  // when the request's first byte reached this machine, or earlier
};

class VerbHandler {
 public:
  virtual ~VerbHandler() = default;
  virtual FilterReply Filter(const FilterRequest& request) = 0;
  virtual std::vector<HostScore> Prioritize(const FilterRequest& request) = 0;
  // Returns the reply's Error, empty for success. Blocks until the binding is settled.
  virtual std::string Bind(const BindRequest& request, const PeerConnection& connection) = 0;
  virtual std::vector<PreemptReplyNode> Preempt(const PreemptRequest& request) = 0;
};

// Read-only questions on the probe listener.
class InfoHandler {
 public:
  virtual ~InfoHandler() = default;
  // Of the probes: for people, empty for yes. Wait for nobody.
  virtual std::string WhyNotAlive() = 0;
  virtual std::string WhyNotReady() = 0;
  virtual std::string Metrics() = 0;  // Prometheus text
  struct Answer {
    int status = 200;
    std::string body;
    std::string content_type = "application/json";
  };
  // GET /v1/groups, /v1/groups/NAMESPACE/NAME, /v1/explain/NAMESPACE/NAME, /v1/topology: `path`
  // without /v1/.
  virtual Answer Info(const std::string& path) = 0;
};

}  // namespace gangplan
