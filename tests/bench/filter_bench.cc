#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "extender/app/gangplan.h"
#include "extender/demo/generator.h"
#include "extender/demo/object_text.h"
#include "extender/kube/file_cluster.h"
#include "fmt/format.h"
#include "tests/bench/filter_request.h"
#include "tests/bench/latency.h"
#include "tests/bench/workloads.h"
#include "tests/extender/server/loopback_client.h"

namespace gangplan {
namespace {

constexpr int kRuns = 1000;
constexpr int kGang = 64;
constexpr std::string_view kPath = "/v1/extender/filter";

// 5,120 nodes and a gang whose members all wait for their nodes.
ObjectList ClusterWithGang() {
  ClusterPlan plan;
  plan.blocks = 8;
  plan.racks = 20;
  plan.nodes = 32;
  ObjectList cluster = *GenerateCluster(plan);
  for (int i = 0; i < kGang; ++i) {
    PodFacts pod;
    pod.name = fmt::format("member-{}", i);
    pod.ns = "bench";
    pod.uid = fmt::format("uid-{}", i);
    pod.annotations = {{"gangplan.io/group", "gang"}, {"gangplan.io/size", std::to_string(kGang)}};
    pod.scheduler_name = "gangplan";
    pod.requests = {{"nvidia.com/gpu", 8}, {"pods", 1}};
    cluster.pods.push_back(pod);
  }
  return cluster;
}

// The name in a reply that lets one node pass; empty when it does not.
std::string PassedNode(const std::string& reply) {
  const std::string before = R"("NodeNames":[")";
  const size_t begin = reply.find(before);
  if (begin == std::string::npos) return {};
  const size_t name = begin + before.size();
  return reply.substr(name, reply.find('"', name) - name);
}

// Both clients in turn, so that what else the machine does falls on both.
bool TimeAt(LoopbackClient& filter, LoopbackClient& empty, const std::vector<std::string>& names,
            const std::string& pod, const std::string& planned) {
  const std::string request = PostText(kPath, FilterBody(names, pod));
  Latency filter_time, empty_time;
  bool good = true;
  for (int i = 0; i < kRuns; ++i) {
    empty_time.Time([&] { good = empty.Call(request).status == 200 && good; });
    std::string reply;
    filter_time.Time([&] { reply = filter.Call(request).body; });
    good = PassedNode(reply) == planned && good;
  }
  Print(fmt::format("filter/{} names, empty handler", names.size()), empty_time);
  Print(fmt::format("filter/{} names", names.size()), filter_time);
  PrintRatio(fmt::format("filter/{} names against empty", names.size()), filter_time, empty_time);
  return good;
}

void AwaitReady(int probe_port) {
  LoopbackClient probe(probe_port);
  while (probe.Call(GetText("/readyz")).status == 503) {
  }
}

}  // namespace

bool FilterBench() {
  ObjectList objects = ClusterWithGang();
  std::vector<std::string> names;
  for (const NodeFacts& node : objects.nodes) names.push_back(node.name);
  names.resize(5000);
  const std::string pod = PodJson(objects.pods.back());

  FileCluster cluster(std::move(objects));
  Settings settings;
  settings.server.port = 0;
  settings.server.probe_port = 0;
  auto gangplan = Gangplan::Start(settings, cluster);
  Metrics metrics;
  const Route empty_route{"POST", std::string(kPath), false, [](HttpCall&) {
                            return HttpReply{200, "{}"};
                          }};
  auto empty_server = HttpServer::Start({}, {empty_route}, &metrics);
  if (!gangplan.ok() || !empty_server.ok()) return false;
  AwaitReady((*gangplan)->probe_port());

  LoopbackClient filter((*gangplan)->verbs_port());
  LoopbackClient empty((*empty_server)->port());
  const std::string planned = PassedNode(filter.Call(PostText(kPath, FilterBody(names, pod))).body);
  std::swap(names.front(), *std::find(names.begin(), names.end() - 1, planned));
  bool good = !planned.empty();
  for (const size_t count : {size_t{1}, size_t{500}, size_t{5000}}) {
    const std::vector<std::string> offered(names.begin(),
                                           names.begin() + static_cast<ptrdiff_t>(count));
    good = TimeAt(filter, empty, offered, pod, planned) && good;
  }
  return good;
}

}  // namespace gangplan
