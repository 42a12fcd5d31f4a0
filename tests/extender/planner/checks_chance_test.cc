// A small Kueue, a scheduler, a user and a Gangplan that is killed, by chance: whatever they do to
// Jobs that wait for admission checks of ours, and however writes fail, no room is lost or given
// twice, and in the end all of them run.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/extender/planner/checks_world.h"

namespace gangplan::checks_chance_test {
namespace {

constexpr int kJobs = 4;
constexpr int kHarmSeconds = 1'500;
constexpr int kCalmSeconds = 4'000;

struct Queued {
  JobSpec job;
  int64_t quota_since = 0;
  int version = 100;
  bool quota = false;
  bool unseen = false;  // the watch has not shown its last version
  CheckState state = CheckState::kPending;
  std::string message;
  LabelSet pinned;
  std::vector<PodFacts> pods;
};

class Chance {
 public:
  explicit Chance(uint32_t seed) : random_(seed), world_(Patient(absl::Minutes(2))) {
    for (int i = 0; i < kJobs; ++i) Make(i);
  }

  void Run() {
    for (int second = 0; second < kHarmSeconds; ++second) {
      Harm();
      Step();
    }
    calm_ = true;
    for (const NodeFacts& node : kNodes) Come(node);
    std::set<int> ran;
    for (int second = 0; second < kCalmSeconds && ran.size() < kJobs; ++second) {
      for (int i = 0; i < kJobs; ++i) {
        if (!Runs(jobs_[i]) || !Likely(20)) continue;
        ran.insert(i);
        Finish(jobs_[i]);
      }
      Step();
    }
    CHECK(ran.size() == kJobs);
    for (Queued& one : jobs_) Finish(one);
    for (int second = 0; second < 700; ++second) Step(false);
    CHECK(world_.HoldCount() == 0);
    CHECK(world_.planner().List(0, 10).empty());
  }

 private:
  bool Likely(uint32_t percent) { return random_() % 100 < percent; }
  static bool Runs(const Queued& one) {
    return !one.pods.empty() && std::all_of(one.pods.begin(), one.pods.end(),
                                            [](const auto& pod) { return !pod.node_name.empty(); });
  }

  void Make(int index) {
    Queued& one = jobs_[index];
    one = Queued();
    one.job = Pair(fmt::format("job{}", index));
    one.job.uid = fmt::format("uid-{}-{}", index, ++made_);
    world_.Register(one.job);
  }
  void Touch(Queued& one) {
    ++one.version;
    one.unseen = true;
  }
  void Show(Queued& one) {
    one.unseen = false;
    CheckIs is = CheckIs::kNone;
    if (one.quota && one.state == CheckState::kPending) is = CheckIs::kWaits;
    if (one.quota && one.state == CheckState::kReady) is = CheckIs::kReady;
    if (one.quota && is == CheckIs::kNone) is = CheckIs::kLost;
    world_.pinned = one.pinned;
    world_.message = one.message;
    world_.quota = one.quota_since;
    world_.version = one.version;
    world_.See(world_.Checked(one.job, is));
  }
  void LoseQuota(Queued& one) {
    for (const PodFacts& pod : one.pods) world_.Delete(pod);
    one.pods.clear();
    one.quota = false;
    one.state = CheckState::kPending;
    one.pinned.clear();
    one.message = "Reset to Pending after eviction";
    Touch(one);
  }
  // Its owner, too; one of the same name is made.
  void Finish(Queued& one) {
    LoseQuota(one);
    Show(one);
    Make(static_cast<int>(&one - jobs_));
  }

  void Kueue(Queued& one, bool gives) {
    if (!one.quota && gives && Likely(30)) {
      one.quota = true;
      one.quota_since = ++quotas_;
      Touch(one);
    } else if (one.quota &&
               (one.state == CheckState::kRetry || one.state == CheckState::kRejected)) {
      if (Likely(50)) LoseQuota(one);
    } else if (one.quota && one.state == CheckState::kReady && one.pods.empty() && Likely(40)) {
      world_.pinned = one.pinned;
      for (int i = 0; i < one.job.size; ++i) {
        one.pods.push_back(JobPod(one.job, i, ++lives_));
        for (const auto& [key, value] : one.pinned)
          SetLabel(one.pods.back().filter.node_selector, key, value);
        world_.Show(one.pods.back());
      }
    }
  }
  void Scheduler() {
    for (Queued& one : jobs_) {
      for (const PodFacts& pod : one.pods)
        if (pod.node_name.empty() && Likely(60)) Try(world_, pod);
    }
    for (const BindingWrite& post : world_.Take<BindingWrite>()) {
      PodFacts* pod = Find(post.pod.uid);
      world_.Settle(post, pod == nullptr ? BindOutcome::kGone : BindOutcome::kBound);
      if (pod == nullptr) continue;
      pod->node_name = post.node;
      for (const auto& [key, value] : post.annotations) SetWord(pod->annotations, key, value);
      world_.Show(*pod);
    }
  }
  PodFacts* Find(std::string_view uid) {
    for (Queued& one : jobs_) {
      for (PodFacts& pod : one.pods)
        if (pod.uid == uid) return &pod;
    }
    return nullptr;
  }

  void Writes() {
    for (const JobWrite& write : world_.Take<JobWrite>()) {
      REQUIRE(write.check);  // nobody else starts or suspends it
      world_.Tell(write, Written(write));
    }
  }
  absl::Status Written(const JobWrite& write) {
    Queued* one = nullptr;
    for (Queued& job : jobs_)
      if (job.job.Uid() == write.job.uid) one = &job;
    if (one == nullptr) return absl::NotFoundError("gone");
    const uint32_t luck = calm_ ? 100 : random_() % 100;
    if (luck < 10) return absl::UnavailableError("time-out");
    if (luck < 15) return absl::PermissionDeniedError("forbidden");
    const bool any = write.resource_version.empty();
    const bool now = any ? one->quota && one->state == CheckState::kReady
                         : write.resource_version == std::to_string(one->version);
    if (!now) return absl::AbortedError("of another version");
    one->state = write.check->state;
    one->message = write.check->message;
    one->pinned = write.check->updates.empty() ? LabelSet() : write.check->updates[0].node_selector;
    Touch(*one);
    return luck < 25 ? absl::UnavailableError("connection reset") : absl::OkStatus();
  }

  void Come(const NodeFacts& node) {
    if (gone_.erase(node.name) > 0) world_.Put(node);
  }
  void Harm() {
    const NodeFacts& node = kNodes[random_() % kNodes.size()];
    if (Likely(2) && gone_.insert(node.name).second) world_.DeleteNode(node.name);
    if (Likely(4)) Come(node);
    Queued& one = jobs_[random_() % kJobs];
    if (one.quota && Likely(1)) LoseQuota(one);
    if (Likely(1)) Finish(one);
    if (one.quota && Likely(1)) Touch(one);  // somebody writes something else
    if (Likely(1)) Kill();
  }
  void Kill() {
    world_.Restart();
    for (const NodeFacts& node : kNodes)
      if (!gone_.contains(node.name)) world_.Put(node);
    for (Queued& one : jobs_) {
      if (one.quota) Show(one);
      for (const PodFacts& pod : one.pods) world_.Show(pod);
    }
    world_.Sync();
  }
  void Step(bool gives = true) {
    for (Queued& one : jobs_) {
      Kueue(one, gives);
      if (one.unseen && (calm_ || Likely(70))) Show(one);
    }
    Scheduler();
    Writes();
    world_.Pass(absl::Seconds(1));
    CheckRoom();
  }
  // Two fill a rack, and no node has room for two pods.
  void CheckRoom() {
    std::map<std::string, int> pods;
    for (const Queued& one : jobs_) {
      for (const PodFacts& pod : one.pods)
        if (!pod.node_name.empty()) ++pods[pod.node_name];
    }
    for (const auto& [node, count] : pods) REQUIRE(count == 1);
  }

  const std::vector<NodeFacts> kNodes = MakeNodes(1, 2, 2);
  std::mt19937 random_;
  ChecksWorld world_;
  Queued jobs_[kJobs];
  std::set<std::string> gone_;
  bool calm_ = false;
  int made_ = 0, lives_ = 0;
  int64_t quotas_ = 1'800'000'000;
};

TEST_CASE("Checks: by chance, all run in the end and nothing is left") {
  const auto seed = static_cast<uint32_t>(GENERATE(range(1, 13)));
  CAPTURE(seed);
  Chance(seed).Run();
}

}  // namespace
}  // namespace gangplan::checks_chance_test
