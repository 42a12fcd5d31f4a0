// The watches of the API server in memory: what they hear, and how they end.
#include <algorithm>

#include "fmt/format.h"
#include "tests/support/fake_kube_api.h"
#include "tests/support/query.h"

namespace gangplan {

void FakeKubeApi::EndWatches() {
  MutexLock lock(mutex_);
  ++ends_;
  end_reason_ = absl::OkStatus();
  end_expired_ = false;
  changed_.notify_all();
}

void FakeKubeApi::BreakWatches() {
  MutexLock lock(mutex_);
  ++ends_;
  end_reason_ = absl::UnknownError("connection reset");
  end_expired_ = false;
  changed_.notify_all();
}

void FakeKubeApi::ExpireVersions() {
  MutexLock lock(mutex_);
  oldest_ = ++version_;
  ++ends_;
  end_reason_ = absl::OkStatus();
  end_expired_ = true;
  changed_.notify_all();
}

void FakeKubeApi::Bookmark() {
  MutexLock lock(mutex_);
  const std::string object =
      fmt::format(R"({{"apiVersion":"v1","metadata":{{"resourceVersion":"{}"}}}})", version_);
  Changed("", "BOOKMARK", object);
}

absl::StatusOr<HttpResponse> FakeKubeApi::Watch(const HttpRequest& request,
                                                const Transport::ChunkReceiver& on_chunk,
                                                const bool& interrupted) {
  Watcher watcher;
  {
    MutexLock lock(mutex_);
    requests_.emplace_back(request.method + " " + request.target, "");
    changed_.notify_all();
    const std::string path = request.target.substr(0, request.target.find('?'));
    const bool topologies = path.ends_with("/topologies");
    if (topologies && !ServesTopologies(path)) return HttpResponse{404, "no such path", {}};
    watcher.collection = CollectionOf(request.target);
    watcher.version = NumberAt(
        QueryValue(request.target.substr(request.target.find('?') + 1), "resourceVersion"));
    watcher.ends_seen = ends_;
    if (watcher.version < oldest_) return HttpResponse{410, "too old resource version", {}};
    if (request.answered) request.answered();  // before anybody has seen the request
  }
  while (true) {
    std::string chunk;
    {
      MutexLock lock(mutex_);
      for (; watcher.next_change < changes_.size(); ++watcher.next_change) {
        const Change& change = changes_[watcher.next_change];
        const bool wanted = change.collection.empty() || change.collection == watcher.collection;
        if (wanted && change.version > watcher.version) chunk += change.line;
      }
      watcher.version = std::max(watcher.version, version_);
      const bool ended = ends_ != watcher.ends_seen;
      if (ended && end_expired_) {
        chunk += R"({"type":"ERROR","object":{"kind":"Status",)"
                 R"("message":"too old resource version","code":410}})"
                 "\n";
      }
      if (chunk.empty()) {
        if (interrupted) return absl::CancelledError("interrupted");
        if (ended) {
          if (!end_reason_.ok()) return end_reason_;
          return HttpResponse{200, "", {}};
        }
        changed_.wait(mutex_);
        continue;
      }
    }
    if (!on_chunk(chunk)) return HttpResponse{200, "", {}};
  }
}

}  // namespace gangplan
