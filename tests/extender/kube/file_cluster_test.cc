#include "extender/kube/file_cluster.h"

#include <future>

#include "file_bench.h"
#include "scratch_file.h"

namespace gangplan::file_cluster_test {
namespace {

using Texts = std::vector<std::string>;

ObjectList TwoPods() {
  ObjectList objects;
  objects.nodes = {Node("n2"), Node("n1")};
  objects.pods = {Pod("b", "2"), Pod("a", "1", "n1")};
  return objects;
}

TEST_CASE("topologies are told before the rest, and what becomes of them") {
  ObjectList objects;
  objects.nodes = {Node("n")};
  objects.topologies = {{"a", {{"rack", "example.com/rack"}}}};
  FileBench bench(std::move(objects));
  CHECK(bench.Settle() == Texts{"topology a: example.com/rack", "node n", "synced"});
  bench.cluster.DeleteTopology("a");
  bench.cluster.DeleteTopology("a");
  bench.cluster.PutTopology({"a", {{"row", "example.com/row"}}});
  CHECK(bench.Settle() == Texts{"-topology a", "topology a: example.com/row"});
}

TEST_CASE("the sink hears of everything, nodes first, then that it is all") {
  FileBench bench(TwoPods());
  CHECK(bench.Settle() == Texts{"node n1", "node n2", "pod 1@n1", "pod 2", "synced"});
}

TEST_CASE("a bound pod has its node, its annotations and runs, the answer comes before the event") {
  FileBench bench(TwoPods());
  bench.Settle();
  CHECK(bench.Nominate("b", "2", "n1").ok());
  CHECK(bench.Bind("b", "2", "n2", {{"gangplan.io/plan", "p7"}}).outcome == BindOutcome::kBound);
  CHECK(bench.Settle() == Texts{"pod 2", "bind b", "pod 2@n2"});
  const PodFacts pod = bench.LastPod();
  CHECK(pod.phase == PodPhase::kRunning);
  CHECK(pod.nominated_node_name.empty());
  CHECK(*FindLabel(pod.annotations, "gangplan.io/plan") == "p7");
}

TEST_CASE("bindings follow the API server's rules") {
  FileBench bench(TwoPods());
  PodFacts gated = Pod("g", "3");
  gated.gates.gang = true;
  bench.cluster.AddPod(gated);
  PodFacts going = Pod("t", "4");
  going.terminating = true;
  bench.cluster.AddPod(going);
  CHECK(bench.Bind("a", "1", "n1").outcome == BindOutcome::kBound);
  const BindResult elsewhere = bench.Bind("a", "1", "n2");
  CHECK(elsewhere.outcome == BindOutcome::kElsewhere);
  CHECK(elsewhere.message == "bound to n1");
  CHECK(bench.Bind("b", "9", "n1").message == "another pod has taken the name");
  CHECK(bench.Bind("x", "1", "n1").message == "the pod does not exist any more");
  CHECK(bench.Bind("t", "4", "n1").message == "the pod is being deleted");
  CHECK(bench.Bind("g", "3", "n1").outcome == BindOutcome::kRefused);
  CHECK(bench.Bind("b", "2", "no-such-node").outcome == BindOutcome::kBound);
}

TEST_CASE("a binding after its time is not written") {
  FileBench bench(TwoPods());
  std::promise<BindResult> done;
  bench.cluster.Bind({{"ns", "b", "2"}, "n1", {}, bench.clock.Now() - absl::Nanoseconds(1)},
                     [&](BindResult result) { done.set_value(std::move(result)); });
  CHECK(done.get_future().get().outcome == BindOutcome::kNotWritten);
}

TEST_CASE("a proof reads what is") {
  FileBench bench(TwoPods());
  auto prove = [&](const std::string& name, const std::string& uid, const std::string& node) {
    std::promise<BindOutcome> done;
    bench.cluster.Prove({{"ns", name, uid}, node},
                        [&](const BindResult& result) { done.set_value(result.outcome); });
    return done.get_future().get();
  };
  CHECK(prove("a", "1", "n1") == BindOutcome::kBound);
  CHECK(prove("a", "1", "n2") == BindOutcome::kElsewhere);
  CHECK(prove("b", "2", "n1") == BindOutcome::kRefused);
  CHECK(prove("b", "9", "n1") == BindOutcome::kGone);
}

TEST_CASE("nominations and wakes are updates of the pod") {
  FileBench bench(TwoPods());
  bench.Settle();
  CHECK(bench.Nominate("b", "2", "n1").ok());
  CHECK(bench.Settle() == Texts{"pod 2"});
  CHECK(bench.LastPod().nominated_node_name == "n1");
  CHECK(absl::IsAborted(bench.Nominate("b", "9", "n1")));
  CHECK(absl::IsNotFound(bench.Nominate("c", "9", "n1")));
  CHECK(absl::IsFailedPrecondition(bench.Nominate("a", "1", "n1")));
  std::promise<absl::Status> woken;
  bench.cluster.Wake({"ns", "b", "2"},
                     [&](absl::Status status) { woken.set_value(std::move(status)); });
  CHECK(woken.get_future().get().ok());
  CHECK(bench.Settle() == Texts{"pod 2"});
  CHECK(FindLabel(bench.LastPod().annotations, "gangplan.io/wake") != nullptr);
}

TEST_CASE("a driver adds and deletes") {
  FileBench bench;
  bench.cluster.PutNode(Node("n1"));
  bench.cluster.AddPod(Pod("a", "1"));
  bench.cluster.AddPod(Pod("a", "2"));
  bench.cluster.DeletePod("2");
  bench.cluster.DeletePod("2");
  bench.cluster.DeleteNode("n1");
  bench.cluster.DeleteNode("n1");
  CHECK(bench.Settle() ==
        Texts{"synced", "node n1", "pod 1", "-pod 1", "pod 2", "-pod 2", "-node n1"});
}

TEST_CASE("owners and Events") {
  FileBench bench;
  const OwnerRef job{"batch/v1", "Job", "train", "u9"};
  OwnerFacts facts;
  facts.ref = job;
  facts.ns = "ns";
  facts.size = 3;
  bench.cluster.AddOwner(facts);
  auto read = [&](OwnerRef ref) {
    std::promise<absl::StatusOr<OwnerFacts>> done;
    bench.cluster.ReadOwner({"ns", std::move(ref)}, [&](absl::StatusOr<OwnerFacts> owner) {
      done.set_value(std::move(owner));
    });
    return done.get_future().get();
  };
  CHECK(read(job)->size == 3);
  CHECK(absl::IsNotFound(read({"batch/v1", "Job", "train", "u10"}).status()));
  CHECK(absl::IsNotFound(read({"batch/v1", "Job", "other", "u9"}).status()));
  bench.cluster.SetEventReader([&](const EventNote& note) { bench.Say("event " + note.reason); });
  bench.cluster.Emit({"ns", job, false, "Planned", "Plan", "all of it"});
  CHECK(bench.Settle() == Texts{"synced", "event Planned"});
}

TEST_CASE("a release takes the gates and gives the nodes, once") {
  FileBench bench;
  const auto release = [&](PodRelease one) {
    std::promise<absl::Status> done;
    bench.cluster.ReleasePod(std::move(one),
                             [&](absl::Status status) { done.set_value(std::move(status)); });
    return done.get_future().get();
  };
  PodFacts pod = Pod("g", "3");
  pod.gates = {.gang = true, .kueue_topology = true};
  bench.cluster.AddPod(pod);
  PodRelease one{.pod = {pod.ns, pod.name, pod.uid}};
  one.kueue = true;
  one.annotations = {{"gangplan.io/pinned", "nodes"}};
  one.required_terms = {{{}, {{"metadata.name", SelectorOperator::kIn, {"n1"}}}}};
  CHECK(release(one).ok());
  CHECK(release(one).ok());
  one.required_terms[0].fields[0].values = {"n2"};
  CHECK(absl::IsFailedPrecondition(release(one)));
  one.pod.uid = "another";
  CHECK(absl::IsAborted(release(one)));
  one.pod.name = "nobody";
  CHECK(absl::IsNotFound(release(one)));
}

TEST_CASE("nobody makes pods anew in a saved cluster") {
  FileBench bench;
  std::promise<absl::Status> done;
  bench.cluster.DeletePod({.pod = {"ns", "p", "u"}, .attempt = 1},
                          [&](absl::Status status) { done.set_value(std::move(status)); });
  CHECK(absl::IsUnimplemented(done.get_future().get()));
}

TEST_CASE("nobody runs Jobs in a saved cluster") {
  FileBench bench;
  std::promise<absl::Status> done;
  bench.cluster.WriteJob({.ns = "ns", .job = {"batch/v1", "Job", "j", "u"}, .resource_version = {}},
                         [&](absl::Status status) { done.set_value(std::move(status)); });
  CHECK(absl::IsUnimplemented(done.get_future().get()));
}

TEST_CASE("after a stop calls are answered and the sink hears nothing") {
  FileBench bench(TwoPods());
  bench.cluster.Stop();
  {
    MutexLock lock(bench.mutex);
    CHECK(bench.heard.size() == 5);
  }
  bench.cluster.AddPod(Pod("c", "3"));
  CHECK(bench.Bind("b", "2", "n1").outcome == BindOutcome::kNotWritten);
  CHECK(absl::IsCancelled(bench.Nominate("b", "2", "n1")));
  MutexLock lock(bench.mutex);
  CHECK(bench.heard.back() == "bind b");
}

TEST_CASE("many callers at once: one pod, one node") {
  FileBench bench(TwoPods());
  constexpr int kCallers = 8;
  std::atomic<int> bound = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < kCallers; ++i) {
    callers.emplace_back([&, i] {
      const BindResult result = bench.Bind("b", "2", "n" + std::to_string(i));
      bound += result.outcome == BindOutcome::kBound;
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(bound == 1);
}

}  // namespace
}  // namespace gangplan::file_cluster_test
