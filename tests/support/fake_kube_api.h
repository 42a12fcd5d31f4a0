// An API server in memory, behind the transport that the real one is behind: lists in pages,
// ConfigMaps by label, watches that wait for what happens, versions that expire, bindings with the
// real rules, patches with a UID, owners, Events; and faults that a test puts in its way.
//
// Thread rule: everything from any thread. Nothing waits for time: a watch waits for a change, an
// end or an interrupt.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "extender/kube/transport.h"
#include "topology/base/mutex.h"

namespace gangplan {

struct FakePod {
  std::string ns = "ns";
  std::string name;
  std::string uid;
  std::string node = {};
  std::string nominated = {};
  std::string phase = "Pending";
  bool terminating = false;
  std::map<std::string, std::string> annotations = {};
  std::map<std::string, std::string> labels = {};
  int64_t version = 0;
};

struct FakeConfigMap {
  std::string ns = "ns";
  std::string name;
  std::string uid;
  std::map<std::string, std::string> labels = {};
  std::map<std::string, std::string> data = {};
  int64_t version = 0;
};

// One that waits: in the lists of its labels. Its template is as far as patches change it.
struct FakeJob {
  std::string ns = "ns";
  std::string name;
  std::string uid;
  std::map<std::string, std::string> labels = {{"gangplan.io/suspended", "true"}};
  std::map<std::string, std::string> annotations = {};
  bool suspended = true;
  bool has_start_time = false;
  std::string node_affinity = "{}";  // of the template, JSON
  std::string condition = {};        // the type of one that is True
  int64_t version = 0;

  friend bool operator==(const FakeJob&, const FakeJob&) = default;
};

class FakeKubeApi : public TransportFactory {
 public:
  // --- The state.
  void PutNode(const std::string& name);  // a new version each time
  void DeleteNode(const std::string& name);
  void PutPod(FakePod pod);
  void DeletePod(const std::string& ns, const std::string& name);
  FakePod GetPod(const std::string& ns, const std::string& name);
  // Kueue's Topology, with these node labels as its levels. Served once a version is.
  void PutTopology(const std::string& name, const std::vector<std::string>& labels);
  void DeleteTopology(const std::string& name);
  void ServeTopologies(const std::string& version);  // "v1beta2"; empty: not installed
  // In the lists of its labels, of its namespace and of all.
  void PutConfigMap(FakeConfigMap object);
  void DeleteConfigMap(const std::string& ns, const std::string& name);
  FakeConfigMap GetConfigMap(const std::string& ns, const std::string& name);
  void PutJob(FakeJob job);
  void DeleteJob(const std::string& ns, const std::string& name);
  FakeJob GetJob(const std::string& ns, const std::string& name);
  void PutObject(const std::string& path, const std::string& json);  // an owner
  // What admission follows, in "limitranges", "runtimeclasses" or "priorityclasses", or one of
  // "leases": the rest of the object's fields as JSON, without braces.
  void PutRule(const std::string& collection, const std::string& name, const std::string& fields);
  void SetMinorVersion(int minor);
  // Lists come in pages of at most this many, whatever is asked for.
  void SetPageItems(size_t items);

  // --- Watches.
  void EndWatches();    // as after timeoutSeconds
  void BreakWatches();  // the connection goes
  void
  ExpireVersions();  // what happened so far can be watched no more; watches under way get a 410
  void Bookmark();

  // --- Faults: the next request that `matches` "METHOD PATH?QUERY" gets `answer`, before or after
  // its effect.
  enum class When { kBefore, kAfter };
  void FailNext(std::function<bool(std::string_view)> matches, When when,
                absl::StatusOr<HttpResponse> answer);
  // The requests that match wait until the function's result is called; or until interrupted.
  std::function<void()> HoldAll(std::function<bool(std::string_view)> matches);

  // --- What was asked: "METHOD PATH?QUERY" in the order of arrival, and bodies of writes.
  std::vector<std::string> Requests();
  std::vector<std::string> Bodies(std::string_view method_and_path);
  // Waits until so many requests of this text or beginning have come in.
  void WaitForRequests(std::string_view beginning, size_t count);

  std::unique_ptr<Transport> Make() override;

 private:
  friend class FakeKubeTransport;
  struct Change {
    std::string collection;  // empty: all
    int64_t version = 0;
    std::string line;
  };
  struct Fault {
    std::function<bool(std::string_view)> matches;
    When when;
    absl::StatusOr<HttpResponse> answer;
  };
  struct Watcher {
    std::string collection;
    int64_t version = 0;
    size_t next_change = 0;
    uint64_t ends_seen = 0;
  };

  absl::StatusOr<HttpResponse> Serve(const HttpRequest& request, const bool& interrupted)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  HttpResponse Handle(const HttpRequest& request) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What a request's target is a list of: nodes, pods, topologies; of ConfigMaps and Jobs
  // path?selector, which is KEY or KEY=VALUE.
  static std::string CollectionOf(const std::string& target);
  // Its objects by key.
  std::map<std::string, std::string> ObjectsIn(const std::string& collection)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::map<std::string, std::string> ConfigMapsIn(const std::string& collection)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  HttpResponse List(const std::string& collection, const std::string& query)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  HttpResponse HandlePod(const HttpRequest& request, const std::vector<std::string>& parts)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  HttpResponse HandleConfigMap(const HttpRequest& request, const std::string& ns,
                               const std::string& name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Null: there was none, there is none. An object that leaves a list is told there as it was, with
  // the new version.
  void TellConfigMap(const FakeConfigMap* before, const FakeConfigMap* now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::map<std::string, std::string> JobsIn(const std::string& collection)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TellJob(const FakeJob* before, const FakeJob* now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // parts: apis batch v1 namespaces NS jobs NAME [status]
  HttpResponse HandleJob(const HttpRequest& request, const std::vector<std::string>& parts)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  HttpResponse Bind(FakePod& pod, const std::string& body) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  HttpResponse PatchPod(FakePod& pod, bool status, const std::string& body)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string NodeJson(const std::string& name, int64_t version);
  struct FakeTopology {
    std::vector<std::string> labels;
    int64_t version = 0;
  };
  std::string TopologyJson(const std::string& name, const FakeTopology& topology)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool ServesTopologies(const std::string& path) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Changed(const std::string& collection, const std::string& type, const std::string& object)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<HttpResponse> Watch(const HttpRequest& request,
                                     const Transport::ChunkReceiver& on_chunk,
                                     const bool& interrupted);
  void Interrupt(bool* interrupted);

  Mutex mutex_;
  std::condition_variable_any changed_;
  int64_t version_ ABSL_GUARDED_BY(mutex_) = 1;
  int64_t oldest_ ABSL_GUARDED_BY(mutex_) = 0;  // versions below are expired
  uint64_t ends_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status end_reason_ ABSL_GUARDED_BY(mutex_);
  bool end_expired_ ABSL_GUARDED_BY(mutex_) = false;
  int minor_ ABSL_GUARDED_BY(mutex_) = 34;
  size_t page_items_ ABSL_GUARDED_BY(mutex_) = 500;
  std::map<std::string, int64_t> nodes_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, FakePod> pods_ ABSL_GUARDED_BY(mutex_);  // by ns/name
  std::map<std::string, FakeTopology> topologies_ ABSL_GUARDED_BY(mutex_);
  std::string topology_version_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, FakeConfigMap> config_maps_ ABSL_GUARDED_BY(mutex_);  // by ns/name
  std::map<std::string, FakeJob> jobs_ ABSL_GUARDED_BY(mutex_);               // by ns/name
  std::map<std::string, std::string> objects_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::map<std::string, std::string>> rules_ ABSL_GUARDED_BY(mutex_);
  std::vector<Change> changes_ ABSL_GUARDED_BY(mutex_);
  std::deque<Fault> faults_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<std::function<bool(std::string_view)>>> holds_
      ABSL_GUARDED_BY(mutex_);
  std::vector<std::pair<std::string, std::string>> requests_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gangplan
