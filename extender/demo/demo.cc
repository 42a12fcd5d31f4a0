#include "extender/demo/demo.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "extender/demo/demo_world.h"
#include "extender/demo/placement_text.h"
#include "extender/demo/tree_picture.h"
#include "extender/kube/pause.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(60);
constexpr size_t kWidth = 100;

const DemoGang& Finetune() {
  static const auto& gang = *new DemoGang{'A', "finetune", 64, 1, "rack", 2};
  return gang;
}
const DemoGang& Pretrain() {
  static const auto& gang = *new DemoGang{'B', "pretrain", 40, 8, "block", 1};
  return gang;
}
const DemoGang& Next() {
  static const auto& gang = *new DemoGang{'C', "pretrain-next", 41, 8, "block", 1};
  return gang;
}
const DemoGang& Giant() {
  static const auto& gang = *new DemoGang{'D', "giant", 96, 8, "block", 1};
  return gang;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

class Demo {
 public:
  Demo(const DemoOptions& options, const std::function<void(std::string_view)>& print)
      : options_(options),
        print_(print),
        world_(DemoPlan(), options.page_port),
        picture_(world_.topology(), world_.nodes(),
                 {{Finetune().job, 'A'}, {Pretrain().job, 'B'}, {Next().job, 'C'}},
                 std::string(kDemoResource), options.colour) {}

  bool Play();
  DemoWorld& world() { return world_; }

 private:
  void Intro();
  void Submit(const DemoGang& gang);
  void ShowRunning(const DemoGang& gang);
  void ShowWaiting(const DemoGang& gang, bool for_ever);
  void FinishPretrain();
  bool Summary();

  void Title(const DemoGang& gang, std::string_view state);
  void Draw(std::string_view title, const std::vector<std::string>& notes);
  void Expect(const DemoGang& gang, bool holds) { failed_[gang.letter] |= !holds; }
  template <typename... Args>
  void Say(fmt::format_string<Args...> format, Args&&... args) {
    print_(fmt::format(format, std::forward<Args>(args)...));
  }

  const DemoOptions options_;
  const std::function<void(std::string_view)> print_;
  DemoWorld world_;
  const TreePicture picture_;
  StoppablePause pause_;
  std::map<char, absl::Time> since_;
  std::map<char, bool> failed_;
  bool all_at_once_ = true;  // no Binding before the gang's last bind call
};

bool Demo::Play() {
  const absl::Status started = world_.Start();
  if (!started.ok()) {
    Say("The demo could not start: {}\n", Message(started));
    return false;
  }
  Intro();
  Submit(Finetune());
  ShowRunning(Finetune());
  Submit(Pretrain());
  ShowRunning(Pretrain());
  Submit(Next());
  ShowWaiting(Next(), false);
  Submit(Giant());
  ShowWaiting(Giant(), true);
  Draw("now", {});
  FinishPretrain();
  ShowRunning(Next());
  Draw("after", {});
  return Summary();
}

void Demo::Draw(std::string_view title, const std::vector<std::string>& notes) {
  Say("{}\n", picture_.Draw(title, world_.scheduler().BoundPods(), notes));
  pause_.For(options_.pause);
}

void Demo::Intro() {
  const ClusterPlan plan = DemoPlan();
  Say("Gangplan places whole gangs: {} nodes ({} blocks x {} racks x {} nodes), {} GPUs each, "
      "{}% in use.\nA scheduler asks over HTTP, pod by pod, as kube-scheduler does. Four gangs "
      "come.\n\n",
      world_.nodes().size(), plan.blocks, plan.racks, plan.nodes, plan.gpus, plan.load);
  Draw("before", {"a letter is a node:", picture_.Cell('.') + " free",
                  picture_.Cell('-') + " partly held by others",
                  picture_.Cell('#') + " held by others", picture_.Cell('A') + " finetune",
                  picture_.Cell('B') + " pretrain", picture_.Cell('C') + " pretrain-next"});
}

void Demo::Submit(const DemoGang& gang) {
  since_[gang.letter] = SystemClock().Now();
  world_.Submit(gang);
}

// "A finetune: 64 pods x 1 GPU, all in one rack (rack=pack!)", then the state and the time.
void Demo::Title(const DemoGang& gang, std::string_view state) {
  const double took = absl::ToDoubleMilliseconds(SystemClock().Now() - since_[gang.letter]);
  const std::string asked =
      fmt::format("{}: {} pods x {} GPU{}, all in one {} ({})", gang.job, gang.size, gang.gpus,
                  gang.gpus == 1 ? "" : "s", gang.level, gang.place());
  Say("{} {:<66} {} after {:.0f} ms\n", picture_.Cell(gang.letter), asked, state, took);
}

void Demo::ShowRunning(const DemoGang& gang) {
  const bool all = world_.scheduler().Await(
      gang.job, [&](const JobAccount& account) { return account.bound == gang.size; }, kPatience);
  Title(gang, all ? "running" : "NOT RUNNING");
  const std::vector<PlacedRank> placement = ReadPlacement(world_.scheduler().BoundPods(), gang.job);
  const bool in_one = StandsInOne(placement, gang.names) && !StandsInOne(placement, gang.names + 1);
  Expect(gang, all && in_one && static_cast<int32_t>(placement.size()) == gang.size);
  all_at_once_ = all_at_once_ && world_.CallsAtFirstBinding(gang) == gang.size;
  const std::string where = placement.empty() ? "nowhere" : Prefix(placement[0].path, gang.names);
  Say("{}", Wrap(fmt::format("{}, ranks: {}", where, RanksByDomain(placement, gang.names + 1)), 4,
                 kWidth));
  Say("\n");
  pause_.For(options_.pause);
}

// Every pod has been told the gang's one reason, and none is bound; the rest is what `gangplan
// explain` prints.
void Demo::ShowWaiting(const DemoGang& gang, bool for_ever) {
  const std::string begin = fmt::format("gang {}/{}: ", kDemoNamespace, gang.job);
  const auto told = [&](const JobAccount& account) {
    return account.rejected == gang.size && account.reason.rfind(begin, 0) == 0;
  };
  const bool all = world_.scheduler().Await(gang.job, told, kPatience);
  const JobAccount account = world_.scheduler().Account(gang.job);
  const bool impossible = account.reason.find("impossible: ") != std::string::npos;
  Title(gang, impossible ? "impossible, told" : "waits, told");
  Expect(gang, all && impossible == for_ever && account.bound == 0 && account.in_bind == 0);
  const absl::StatusOr<std::string> why = world_.Explain(gang);
  const std::string_view verdict = impossible ? "\n  impossible: " : "\n  wait: ";
  Expect(gang, why.ok() && why->find(verdict) != std::string::npos);
  for (const std::string& line : Lines(why.ok() ? *why : Message(why.status())))
    Say("{}", Wrap(line, 4, kWidth));
  Say("\n");
  pause_.For(options_.pause);
}

void Demo::FinishPretrain() {
  Say("pretrain ends: its room is free again, and what waits for it is woken.\n");
  Expect(Next(), world_.scheduler().Account(Next().job).bound == 0);
  since_[Next().letter] = SystemClock().Now();
  world_.Finish(Pretrain());
}

bool Demo::Summary() {
  const JobAccount giant = world_.scheduler().Account(Giant().job);
  Expect(Giant(), giant.bound == 0 && world_.CallsAtFirstBinding(Giant()) == -1);
  const std::vector<std::pair<const DemoGang*, std::string>> claims = {
      {&Finetune(), "all 64 in one rack, ranks in the order of the tree"},
      {&Pretrain(), "all 40 in one block, over several racks, ranks in the order of the tree"},
      {&Next(), "none bound while there was no room; all 41 in one block as soon as there was"},
      {&Giant(), "larger than any block: told at once, none of 96 ever bound"}};
  int as_expected = 0;
  Say("Checked:\n");
  for (const auto& [gang, claim] : claims) {
    const bool holds = !failed_[gang->letter];
    as_expected += holds;
    Say("  {} {} {}\n", holds ? "ok    " : "FAILED", picture_.Cell(gang->letter), claim);
  }
  Say("  {}   no gang was half started: its first Binding came when all its bind calls were in\n",
      all_at_once_ ? "ok    " : "FAILED");
  Say("{} of {} gangs as expected\n", as_expected, claims.size());
  return all_at_once_ && as_expected == static_cast<int>(claims.size());
}

}  // namespace

ClusterPlan DemoPlan() {
  ClusterPlan plan;
  plan.blocks = 4;
  plan.racks = 8;
  plan.nodes = 10;
  plan.load = 45;
  plan.seed = 2;
  return plan;
}

bool PlayDemo(const DemoOptions& options, const std::function<void(std::string_view)>& print,
              const std::function<void(DemoWorld&)>& then) {
  Demo demo(options, print);
  const bool kept = demo.Play();
  then(demo.world());
  return kept;
}

}  // namespace gangplan
