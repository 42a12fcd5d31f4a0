#include "extender/kube/call_pool.h"

#include <algorithm>
#include <atomic>
#include <future>

#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::call_pool_test {
namespace {

// For what comes at once.
constexpr std::chrono::seconds kPatience{10};

// Blocks in Send until it is interrupted or let go.
class BlockingTransport : public Transport {
 public:
  absl::StatusOr<HttpResponse> Send(const HttpRequest&) override {
    MutexLock lock(mutex_);
    ++inside_;
    changed_.notify_all();
    while (!interrupted_) changed_.wait(mutex_);
    return absl::CancelledError("interrupted");
  }
  absl::StatusOr<HttpResponse> Stream(const HttpRequest& request, const ChunkReceiver&) override {
    return Send(request);
  }
  void Interrupt() override {
    MutexLock lock(mutex_);
    interrupted_ = true;
    changed_.notify_all();
  }
  void WaitUntilInside() {
    MutexLock lock(mutex_);
    while (inside_ == 0) changed_.wait(mutex_);
  }

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  int inside_ ABSL_GUARDED_BY(mutex_) = 0;
  bool interrupted_ ABSL_GUARDED_BY(mutex_) = false;
};

class BlockingFactory : public TransportFactory {
 public:
  std::unique_ptr<Transport> Make() override {
    auto transport = std::make_unique<BlockingTransport>();
    last = transport.get();
    return transport;
  }
  BlockingTransport* last = nullptr;
};

// A pool of one thread that is kept busy until Release.
struct BusyPool {
  BlockingFactory factory;
  std::promise<void> started, release;
  std::vector<std::string> order;  // on the one calling thread
  CallPool pool{factory, 1};       // the last: its threads use the others

  BusyPool() {
    pool.Add(
        CallClass::kOther,
        [this](Transport&) {
          started.set_value();
          release.get_future().wait();
        },
        [](absl::Status) {});
    started.get_future().wait();
  }
  void Add(CallClass call_class, const std::string& name) {
    pool.Add(
        call_class, [this, name](Transport&) { order.push_back(name); }, [](absl::Status) {});
  }
  // Everything that was queued before has run.
  void Drain() {
    std::promise<void> last;
    pool.Add(
        CallClass::kOther, [&](Transport&) { last.set_value(); }, [](absl::Status) {});
    last.get_future().wait();
  }
};

TEST_CASE("bindings go first, then nominations, then the rest, each in order") {
  BusyPool busy;
  busy.Add(CallClass::kOther, "o1");
  busy.Add(CallClass::kNomination, "n1");
  busy.Add(CallClass::kBinding, "b1");
  busy.Add(CallClass::kNomination, "n2");
  busy.Add(CallClass::kBinding, "b2");
  busy.release.set_value();
  busy.Drain();
  CHECK(busy.order == std::vector<std::string>{"b1", "b2", "n1", "n2", "o1"});
}

TEST_CASE("every second thread takes nominations before bindings") {
  BlockingFactory factory;
  std::promise<void> started[2], release[2];
  std::promise<std::vector<std::string>> done;
  std::vector<std::string> order;  // on the second thread alone, until `done`
  CallPool pool(factory, 2);
  auto ignore = [](absl::Status) {};
  for (int i = 0; i < 2; ++i) {
    pool.Add(
        CallClass::kBinding,
        [&](Transport& transport) {
          const int thread = &transport == factory.last ? 1 : 0;
          started[thread].set_value();
          release[thread].get_future().wait();
        },
        ignore);
  }
  for (auto& one : started) one.get_future().wait();
  for (auto [call_class, name] : {std::pair(CallClass::kResult, "r"),
                                  {CallClass::kOther, "o"},
                                  {CallClass::kBinding, "b"},
                                  {CallClass::kNomination, "n"}}) {
    pool.Add(
        call_class,
        [&, name = std::string(name)](Transport&) {
          order.push_back(name);
          if (order.size() == 4) done.set_value(order);
        },
        ignore);
  }
  release[1].set_value();
  CHECK(done.get_future().get() == std::vector<std::string>{"n", "b", "o", "r"});
  release[0].set_value();
}

void CheckQueueLimit(CallClass call_class, size_t limit) {
  std::atomic<size_t> worked = 0;
  std::promise<void> all_worked;
  std::promise<absl::Status> beyond;
  BusyPool busy;
  auto work = [&](Transport&) {
    if (++worked == limit) all_worked.set_value();
  };
  for (size_t i = 0; i < limit; ++i) busy.pool.Add(call_class, work, [](absl::Status) {});
  busy.pool.Add(call_class, work, [&](absl::Status why) { beyond.set_value(std::move(why)); });
  // Answered although the one calling thread is busy.
  const absl::Status why = beyond.get_future().get();
  CHECK(absl::IsResourceExhausted(why));
  CHECK(Message(why) == "too many calls wait for the API server");
  busy.release.set_value();
  all_worked.get_future().wait();
  CHECK(worked == limit);
}

TEST_CASE("each queue takes as many calls as its limit, and refuses one more") {
  CheckQueueLimit(CallClass::kBinding, kMaxQueuedBindings);
  CheckQueueLimit(CallClass::kNomination, kMaxQueuedNominations);
  CheckQueueLimit(CallClass::kOther, kMaxQueuedOthers);
  CheckQueueLimit(CallClass::kResult, kMaxQueuedResults);
}

TEST_CASE("stop answers what is queued, and interrupts what does not end") {
  BlockingFactory factory;
  CallPool pool(factory, 1);
  absl::StatusOr<HttpResponse> answer = absl::UnknownError("none");
  pool.Add(
      CallClass::kBinding, [&](Transport& transport) { answer = transport.Send({}); },
      [](absl::Status) {});
  factory.last->WaitUntilInside();
  absl::Status refused;
  pool.Add(
      CallClass::kBinding, [](Transport&) {}, [&](absl::Status why) { refused = std::move(why); });
  pool.Stop(absl::ZeroDuration());
  CHECK(absl::IsCancelled(answer.status()));
  CHECK(absl::IsCancelled(refused));
}

TEST_CASE("a call after stop is answered on another thread than its caller's") {
  BlockingFactory factory;
  CallPool pool(factory, 2);
  pool.Stop(absl::ZeroDuration());
  std::promise<std::pair<absl::Status, std::thread::id>> late;
  pool.Add(
      CallClass::kOther, [](Transport&) {},
      [&](absl::Status why) {
        late.set_value({why, std::this_thread::get_id()});
      });
  const auto [why, thread] = late.get_future().get();
  CHECK(absl::IsCancelled(why));
  CHECK(thread != std::this_thread::get_id());
}

TEST_CASE("a second stop waits for the refusals since the first") {
  BlockingFactory factory;
  CallPool pool(factory, 1);
  pool.Stop(absl::ZeroDuration());
  std::atomic<int> refused = 0;
  auto count = [&](absl::Status) { ++refused; };
  pool.Add(
      CallClass::kOther, [](Transport&) {},
      [&](absl::Status) {
        pool.Add(
            CallClass::kOther, [](Transport&) {}, count);  // what is asked for by a refusal
        ++refused;
      });
  pool.Stop(absl::ZeroDuration());
  CHECK(refused == 2);
}

TEST_CASE("calls that are no bindings leave half of the connections to bindings") {
  constexpr int kThreads = 4;
  for (CallClass slow : {CallClass::kNomination, CallClass::kOther, CallClass::kResult}) {
    BlockingFactory factory;
    std::promise<void> end;
    const std::shared_future<void> ended = end.get_future().share();
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    std::promise<void> all, bound;
    std::atomic<int> done = 0;
    CallPool pool(factory, kThreads);
    for (int i = 0; i < kThreads; ++i) {
      pool.Add(
          slow,
          [&, ended](Transport&) {
            most = std::max<int>(most, ++inside);
            ended.wait();
            --inside;
            if (++done == kThreads) all.set_value();
          },
          [](absl::Status) {});
    }
    pool.Add(
        CallClass::kBinding, [&](Transport&) { bound.set_value(); }, [](absl::Status) {});
    CHECK(bound.get_future().wait_for(kPatience) == std::future_status::ready);
    end.set_value();
    all.get_future().wait();
    CHECK(most <= kThreads / 2);
  }
}

TEST_CASE("calls run in parallel, one on each connection") {
  BlockingFactory factory;
  constexpr int kThreads = 8;
  CallPool pool(factory, kThreads);
  std::promise<void> all_in;
  std::atomic<int> inside = 0;
  std::shared_future<void> open = all_in.get_future().share();
  Mutex mutex;
  std::vector<Transport*> seen;
  for (int i = 0; i < kThreads; ++i) {
    pool.Add(
        CallClass::kBinding,
        [&, open](Transport& transport) {
          {
            MutexLock lock(mutex);
            seen.push_back(&transport);
          }
          if (++inside == kThreads) all_in.set_value();
          open.wait();
        },
        [](absl::Status) {});
  }
  open.wait();
  pool.Stop(absl::Seconds(10));
  std::sort(seen.begin(), seen.end());
  CHECK(std::unique(seen.begin(), seen.end()) == seen.end());
  CHECK(seen.size() == kThreads);
}

}  // namespace
}  // namespace gangplan::call_pool_test
