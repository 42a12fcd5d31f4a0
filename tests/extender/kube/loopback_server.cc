#include "loopback_server.h"

#include <condition_variable>

#include "httplib.h"
#include "topology/base/check.h"
#include "topology/base/mutex.h"

namespace gangplan {

struct LoopbackServer::Streams {
  Mutex mutex;
  std::condition_variable_any changed;
  std::deque<std::string> chunks ABSL_GUARDED_BY(mutex);
  bool ended ABSL_GUARDED_BY(mutex) = false;

  // Sends one chunk, when there is one; false after the end.
  bool Provide(httplib::DataSink& sink) {
    std::string chunk;
    {
      MutexLock lock(mutex);
      while (chunks.empty() && !ended) changed.wait(mutex);
      if (chunks.empty()) {
        sink.done();
        return true;
      }
      chunk = std::move(chunks.front());
      chunks.pop_front();
    }
    return sink.write(chunk.data(), chunk.size());
  }
};

struct LoopbackServer::Library {
  std::unique_ptr<httplib::Server> server;
};

std::string LoopbackServer::Seen::Header(const std::string& name) const {
  auto it = headers.find(name);
  return it == headers.end() ? "" : it->second;
}

LoopbackServer::LoopbackServer(Handler handler, const std::string& address)
    : streams_(std::make_unique<Streams>()), library_(std::make_unique<Library>()) {
  library_->server = std::make_unique<httplib::Server>();
  Run(std::move(handler), address);
}

LoopbackServer::LoopbackServer(Handler handler, const TestCertificate& certificate,
                               const TestCertificate* client_authority)
    : streams_(std::make_unique<Streams>()), library_(std::make_unique<Library>()) {
  X509_STORE* clients = nullptr;
  if (client_authority != nullptr) {
    clients = X509_STORE_new();
    X509_STORE_add_cert(clients, client_authority->certificate.get());
  }
  library_->server = std::make_unique<httplib::SSLServer>(certificate.certificate.get(),
                                                          certificate.key.get(), clients);
  Run(std::move(handler), "127.0.0.1");
}

void LoopbackServer::Run(Handler handler, const std::string& address) {
  httplib::Server& server = *library_->server;
  server.set_tcp_nodelay(true);
  server.set_keep_alive_timeout(1);
  server.set_keep_alive_max_count(1'000);
  auto answer = [handler](const httplib::Request& request, httplib::Response& response) {
    Seen seen{request.method, request.target, request.body, {}, request.remote_port};
    for (const auto& [name, value] : request.headers) seen.headers.emplace(name, value);
    const HttpResponse given = handler(seen);
    response.status = given.status;
    if (given.retry_after > absl::ZeroDuration()) {
      response.set_header("Retry-After", std::to_string(absl::ToInt64Seconds(given.retry_after)));
    }
    response.set_content(given.body, "application/json");
  };
  server.Get("/stream", [this](const httplib::Request&, httplib::Response& response) {
    response.set_chunked_content_provider(
        "application/json",
        [this](size_t, httplib::DataSink& sink) { return streams_->Provide(sink); });
  });
  server.Get(".*", answer);
  server.Post(".*", answer);
  server.Patch(".*", answer);
  port_ = server.bind_to_any_port(address.c_str());
  GANGPLAN_CHECK(port_ > 0);
  thread_ = std::thread([this] { library_->server->listen_after_bind(); });
  while (!server.is_running()) std::this_thread::yield();  // before that stop() does nothing
}

LoopbackServer::~LoopbackServer() {
  EndStream();
  library_->server->stop();
  thread_.join();
}

void LoopbackServer::SendChunk(std::string chunk) {
  MutexLock lock(streams_->mutex);
  streams_->chunks.push_back(std::move(chunk));
  streams_->changed.notify_all();
}

void LoopbackServer::EndStream() {
  MutexLock lock(streams_->mutex);
  streams_->ended = true;
  streams_->changed.notify_all();
}

}  // namespace gangplan
