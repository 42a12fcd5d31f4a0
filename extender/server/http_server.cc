#include "extender/server/http_server.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "extender/observe/log.h"
#include "extender/server/connection_table.h"
#include "extender/server/event_sender.h"
#include "extender/server/http2_connection.h"
#include "extender/server/listen_address.h"
#include "extender/server/listener.h"
#include "extender/server/request_rules.h"
#include "extender/server/route_desk.h"
#include "extender/server/worker_threads.h"
#include "fmt/format.h"
#include "httplib.h"
#include "topology/base/check.h"
#include "topology/base/clock.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// The HTTP library asks for bytes through this; `Wire` has the rules.
class WireStream : public httplib::Stream {
 public:
  WireStream(Wire& wire, const std::string& address, int port)
      : wire_(wire), address_(address), port_(port) {}

  bool is_readable() const override { return wire_.fault() == WireFault::kNone; }
  bool is_writable() const override { return wire_.fault() != WireFault::kPeerGone; }
  ssize_t read(char* data, size_t size) override { return wire_.Read(data, size); }
  ssize_t write(const char* data, size_t size) override { return wire_.Write(data, size); }
  // Nobody reads the peer's address.
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip = address_;
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    ip = address_;
    port = port_;
  }
  socket_t socket() const override { return wire_.socket(); }

 private:
  Wire& wire_;
  const std::string& address_;
  const int port_;
};

// What is known of the request that this thread serves. The library's callbacks get no pointer of
// ours; a connection has its thread, so a thread-local one does.
struct Session {
  ByteStream& bytes;
  Wire wire;
  int64_t connection = 0;
  std::string peer;                            // its address
  absl::Time accepted = absl::InfinitePast();  // the request
  AdmittedRequest admission = {};
  bool head_read = false;
  bool close_after = false;
  LongCalls* long_calls = nullptr;  // among which this call counts until its reply is out
  std::shared_ptr<EventStream> events = nullptr;  // that follow this reply
};
thread_local Session* t_session = nullptr;

constexpr std::string_view kNotBelieved =
    "only the API server's front proxy, by its certificate, is answered here: ask the API server";

void Fill(httplib::Response& response, HttpReply reply) {
  response.status = reply.status;
  response.body = std::move(reply.body);
  response.set_header("Content-Type", reply.content_type);
  for (const auto& [name, value] : reply.headers) response.set_header(name, value);
  if (reply.events == nullptr) return;
  t_session->events = std::move(reply.events);
  t_session->close_after = true;  // its end is the reply's
}

RequestHead HeadOf(const httplib::Request& request) {
  const auto all = [&request](const char* name) {
    std::vector<std::string> values;
    const auto [begin, end] = request.headers.equal_range(name);
    for (auto it = begin; it != end; ++it) values.push_back(it->second);
    return values;
  };
  return {request.method,
          request.path,
          all("Host"),
          request.get_header_value("Content-Type"),
          all("Content-Length"),
          request.has_header("Transfer-Encoding"),
          request.has_header("Content-Encoding")};
}

// A client that is not believed, a reply with events and a share of a processor are known to
// HTTP/1.1 alone here.
bool MayBeHttp2(const TlsOptions& tls, const Routes& routes) {
  return tls.believed == nullptr &&
         std::none_of(routes.begin(), routes.end(),
                      [](const Route& one) { return one.is_long || one.has_events; });
}

DeskOptions DeskOf(const HttpServerOptions& options) {
  return {{options.max_body_bytes, options.loopback_only},
          options.max_long_calls,
          options.long_share,
          options.max_event_streams,
          options.refusal};
}

}  // namespace

// The library reads a request from a stream of ours, asks the handler and writes the reply; it
// gives that to classes that derive from its server only. It never sees a socket.
class HttpServer::Impl : public httplib::Server {
 public:
  Impl(const HttpServerOptions& options, Routes routes, Metrics& metrics)
      : options_(options),
        desk_(DeskOf(options), std::move(routes), metrics),
        metrics_(metrics),
        table_({options.max_connections, options.max_bodies_bytes, options.max_handshakes}),
        workers_(options.max_connections + kMaxLeaving,
                 std::min(kSpareThreads, options.max_connections)),
        http2_{desk_,
               table_,
               workers_,
               metrics_,
               options_.wire,
               options_.max_connections,
               options_.max_bodies_bytes} {
    SetUp();
  }

  TlsServer* tls() const { return tls_.get(); }  // null: plain
  absl::Status Listen();
  void StopServing();

  int port() const { return listener_->port(); }
  const ConnectionTable& table() const { return table_; }
  const WorkerThreads& workers() const { return workers_; }

 private:
  void SetUp();
  void OnAccepted(int socket);
  void ServeSocket(int socket, int64_t connection, const std::string& peer);
  std::unique_ptr<ByteStream> Shake(int socket, int64_t connection);
  bool tells_apart() const { return options_.tls && options_.tls->believed != nullptr; }
  void Close(int socket, std::optional<int64_t> connection);
  void ServeConnection(ByteStream& bytes, int64_t connection, const std::string& peer);
  bool ServeRequest(Session& session, WireStream& stream);
  bool Process(WireStream& stream, bool& peer_closes);
  HttpReply Ask(Session& session, HttpCall call);
  void OnHead(httplib::Request& request);
  void OnBody(const httplib::Request& request, httplib::Response& response,
              const httplib::ContentReader& reader);

  const HttpServerOptions options_;
  RouteDesk desk_;
  Metrics& metrics_;
  ConnectionTable table_;
  WorkerThreads workers_;
  const Http2Shared http2_;
  std::unique_ptr<TlsServer> tls_;  // null: plain
  std::unique_ptr<Listener> listener_;
};

void HttpServer::Impl::SetUp() {
  set_payload_max_length(options_.max_body_bytes);
  set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    Session& session = *t_session;
    if (session.admission.refusal) {
      Fill(response, desk_.Say(*session.admission.refusal));
    } else if (session.admission.route->method == "POST") {
      return HandlerResponse::Unhandled;  // OnBody
    } else {
      const std::string known = request.get_header_value("If-None-Match");
      Fill(response, Ask(session, {request.path, {}, {}, session.wire.head(), known}));
      if (request.method == "HEAD") session.events = nullptr;
    }
    return HandlerResponse::Handled;
  });
  for (const Route& route : desk_.routes()) {
    if (route.method != "POST") continue;
    Post(route.path,
         [this](const httplib::Request& request, httplib::Response& response,
                const httplib::ContentReader& reader) { OnBody(request, response, reader); });
  }
  set_error_handler(Handler([this](const httplib::Request&, httplib::Response& response) {
    if (!response.body.empty()) return;
    t_session->close_after = true;
    Fill(response, desk_.Say(FaultOf(t_session->wire.fault(), response.status)));
  }));
  set_exception_handler(
      [this](const httplib::Request&, httplib::Response& response, std::exception_ptr exception) {
        Fill(response, desk_.Thrown(exception));
      });
  set_post_routing_handler([](const httplib::Request&, httplib::Response& response) {
    response.headers.erase("Keep-Alive");
    response.headers.erase("Connection");
    if (t_session->close_after) response.set_header("Connection", "close");
    const bool has_length = t_session->events == nullptr && response.status != 304;
    if (!has_length) response.headers.erase("Content-Length");
  });
}

absl::Status HttpServer::Impl::Listen() {
  if (options_.tls) {
    GANGPLAN_ASSIGN_OR_RETURN(tls_, TlsServer::Load(*options_.tls, metrics_));
  }
  GANGPLAN_ASSIGN_OR_RETURN(listener_, Listener::Open(options_.address, options_.port));
  listener_->Start([this](int socket) { OnAccepted(socket); });
  return absl::OkStatus();
}

void HttpServer::Impl::StopServing() {
  table_.ShutdownAll();
  listener_->Stop();
  workers_.Join();
}

void HttpServer::Impl::OnAccepted(int socket) {
  const bool stranger = tls_ != nullptr;
  const std::string peer = PeerAddress(socket);
  const std::optional<int64_t> connection = table_.Open(socket, peer, stranger);
  const auto serve = [this, socket, connection, peer] { ServeSocket(socket, *connection, peer); };
  if (connection && workers_.Run(serve, kLeavingPatience)) return;
  metrics_.CountRefusedConnection();
  Close(socket, connection);
}

void HttpServer::Impl::ServeSocket(int socket, int64_t connection, const std::string& peer) {
  std::unique_ptr<ByteStream> bytes;
  if (tls_ != nullptr) {
    bytes = Shake(socket, connection);
  } else {
    bytes = std::make_unique<PlainStream>(socket);
  }
  if (bytes != nullptr && bytes->IsHttp2()) {
    Http2Connection(http2_, *bytes, connection).Serve();
  } else if (bytes != nullptr) {
    ServeConnection(*bytes, connection, peer);
  }
  bytes = nullptr;  // it says good-bye
  Close(socket, connection);
}

// Null: the peer is not let in.
std::unique_ptr<ByteStream> HttpServer::Impl::Shake(int socket, int64_t connection) {
  const absl::Time deadline = SystemClock().Now() + options_.wire.handshake;
  if (!table_.AwaitHandshake(connection, deadline)) {
    metrics_.CountHandshake("no_turn");
    return nullptr;
  }
  std::unique_ptr<ByteStream> bytes = tls_->Admit(socket, deadline);
  const bool known = bytes != nullptr && (!tells_apart() || bytes->IsBelieved());
  if (known) table_.Admit(connection);
  return bytes;
}

void HttpServer::Impl::Close(int socket, std::optional<int64_t> connection) {
  if (connection) table_.Close(*connection);
  ::close(socket);
}

void HttpServer::Impl::ServeConnection(ByteStream& bytes, int64_t connection,
                                       const std::string& peer) {
  Session session{bytes, Wire(bytes, options_.wire, options_.keeps_heads), connection, peer};
  WireStream stream(session.wire, options_.address, port());
  t_session = &session;
  while (!session.close_after && session.wire.WaitForRequest() && bytes.MayAsk()) {
    session.accepted = SystemClock().Now() - session.wire.AgeOfFirstByte();
    session.close_after = !ServeRequest(session, stream);
    const bool sent = session.wire.Flush();
    if (sent && session.events != nullptr)
      SendEvents(session.wire, *session.events, options_.event_sign);
    session.events = nullptr;
    if (session.long_calls != nullptr) std::exchange(session.long_calls, nullptr)->End(peer);
    table_.EndRequest(connection);
  }
  if (session.close_after) session.wire.Linger();
  t_session = nullptr;
}

// One request and its reply; false when the connection is to be closed then.
bool HttpServer::Impl::ServeRequest(Session& session, WireStream& stream) {
  session.head_read = false;
  bool peer_closes = false;
  const bool answered = Process(stream, peer_closes);
  if (!answered && !session.head_read && session.wire.fault() == WireFault::kHeadTooLong) {
    // The library drops a request line without an end; its sender may still know why.
    const HttpReply reply = desk_.Say(FaultOf(session.wire.fault(), 400));
    const std::string bytes = fmt::format(
        "HTTP/1.1 {} Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: {}"
        "\r\nContent-Type: {}\r\n\r\n{}",
        reply.status, reply.body.size(), reply.content_type, reply.body);
    session.wire.Write(bytes.data(), bytes.size());
  }
  return answered && !peer_closes && session.head_read && !session.close_after;
}

bool HttpServer::Impl::Process(WireStream& stream, bool& peer_closes) {
  const auto on_head = [this](httplib::Request& request) { OnHead(request); };
  // Two signatures: Debian 13's library wants the addresses beside the stream.
  const auto process = [&](auto* server) {
    if constexpr (requires { server->process_request(stream, false, peer_closes, on_head); }) {
      return server->process_request(stream, false, peer_closes, on_head);
    } else {
      return server->process_request(stream, options_.address, 0, options_.address, port(), false,
                                     peer_closes, on_head);
    }
  };
  return process(this);
}

void HttpServer::Impl::OnHead(httplib::Request& request) {
  Session& session = *t_session;
  session.head_read = true;
  session.wire.EndHead();
  if (tells_apart() && !session.bytes.IsBelieved()) {
    session.admission = {nullptr, 0, Refused{401, std::string(kNotBelieved)}};
  } else {
    if (tells_apart()) table_.Admit(session.connection);  // it may be believed since its handshake
    session.admission = desk_.Look(HeadOf(request));
  }
  if (session.admission.refusal) {
    session.close_after = true;  // the body is not read
    request.headers.erase("Expect");
  }
  // Go's client offers gzip by itself, and the library would compress every reply: milliseconds
  // on each side to spare bytes that mostly do not leave the machine. Parts of a reply are nobody's
  // wish.
  request.headers.erase("Accept-Encoding");
  request.ranges.clear();
}

// The request is whole: a call from here on.
HttpReply HttpServer::Impl::Ask(Session& session, HttpCall call) {
  call.connection = {table_.BeginCall(session.connection), session.accepted};
  const absl::Cleanup ended = [&] { table_.EndRoute(session.connection); };
  return desk_.Ask(*session.admission.route, call, session.peer, session.long_calls);
}

void HttpServer::Impl::OnBody(const httplib::Request& request, httplib::Response& response,
                              const httplib::ContentReader& reader) {
  Session& session = *t_session;
  HttpCall call{request.path, {}, {}, session.wire.head()};
  const size_t size = session.admission.body_bytes;
  bool room = true;
  const auto append = [&](const char* data, size_t bytes) {
    room = size <= kFreeBodyBytes || table_.KeepBytes(session.connection, bytes);
    // A length is only a claim: memory is taken as bytes come.
    if (room && call.body.empty()) call.body.reserve(size);
    if (room) call.body.append(data, bytes);
    return room;
  };
  if (reader(append)) return Fill(response, Ask(session, std::move(call)));
  session.close_after = true;
  Fill(response, desk_.Say(room ? FaultOf(session.wire.fault(), 400)
                                : TooManyBodies(options_.max_bodies_bytes)));
}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpServerOptions& options,
                                                              Routes routes, Metrics* metrics) {
  if (options.loopback_only) GANGPLAN_RETURN_IF_ERROR(CheckLoopback(options.address));
  GANGPLAN_CHECK(!options.tls || !options.tls->http2 || MayBeHttp2(*options.tls, routes));
  auto impl = std::make_unique<Impl>(options, std::move(routes), *metrics);
  if (absl::Status status = impl->Listen(); !status.ok()) return status;
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() { Stop(); }

void HttpServer::AllowNames(std::vector<std::string> names) {
  if (impl_->tls() != nullptr) impl_->tls()->AllowNames(std::move(names));
}
int HttpServer::port() const { return impl_->port(); }
int HttpServer::connections() const { return impl_->table().connections(); }
int HttpServer::calls() const { return impl_->table().calls(); }
size_t HttpServer::body_bytes() const { return impl_->table().body_bytes(); }
int HttpServer::threads() const { return impl_->workers().threads(); }
std::vector<int64_t> HttpServer::ClosedCalls() const { return impl_->table().ClosedCalls(); }
bool HttpServer::Drain(absl::Duration timeout) const {
  return impl_->table().WaitUntilIdle(timeout);
}
void HttpServer::Stop() { impl_->StopServing(); }

}  // namespace gangplan
