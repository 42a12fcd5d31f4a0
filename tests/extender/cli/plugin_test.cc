// config/kubectl-gangplan: what it makes of its words, before a kubectl and a gangplan that tell by
// what they were asked.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/extender/cli/told.h"
#include "tests/support/catch.h"
#include "topology/base/check.h"
#include "topology/base/text.h"

namespace gangplan::plugin_test {
namespace {

// A folder with these programs, gone with it.
class Programs {
 public:
  Programs() {
    char name[] = "/tmp/gangplan-plugin-XXXXXX";
    GANGPLAN_CHECK(mkdtemp(name) != nullptr);
    folder_ = name;
    // Its context has the namespace ml; whatever is got has been started by Gangplan.
    Put("kubectl",
        "case $1 in\n  config) printf ml ;;\n"
        "  proxy) echo 'Starting to serve on 127.0.0.1:1'; exec sleep 60 ;;\n"
        "  get)\n    case $2 in\n"
        "      apiservice) printf system/own-api ;;\n"
        "      gangs.gangplan.io)\n"
        "        asked=$(cat \"$0.asked\" 2>/dev/null || echo 0)\n"
        "        echo $((asked + 1)) >\"$0.asked\"\n"
        "        why=$(printf %s \"${ANSWERS:-a}\" | cut -c$((asked + 1)))\n"
        "        case $why in '' | x) echo \"no answer $asked\" && exit 1 ;; esac\n"
        "        echo \"kubectl $*\"\n"
        "        [ -z \"${ANSWERS:-}\" ] || printf 'NAME  AGE  WHY\\na     %ss   %s\\n' $asked "
        "$why ;;\n"
        "      --raw) echo \"kubectl $*\" ;;\n"
        "      pod | pods) case $* in\n"
        "        *'-l '*) echo pod/of-it ;;\n"
        "        *) printf 'a-0 1 pinned\\nb-0 2 other\\nbare-0 3 \\na-1 4 other pinned\\n"
        "c-0 5 made\\n' ;; esac ;;\n"
        "      replicasets.apps | rayclusters.ray.io)\n"
        "        printf 'a-new made maker\\na-old gone maker\\nb-new others other\\n' ;;\n"
        "      deploy*/* | rayjob*/* | rayservice/*) echo maker ;;\n"
        "      cronjob/*) echo nobody ;;\n"
        "      configmap) [ ! -e \"$0.shut\" ] && echo \"$3 $4 ${TOPOLOGY:-levels}\" ;;\n"
        "      *) printf %s \"${PINNED-pinned}\" ;;\n    esac ;;\n"
        "  *) echo \"kubectl $*\" ;;\nesac\n");
    Put("sleep", "[ $1 = 2 ] || PATH=${PATH#*:} exec sleep $1\n");  // between two questions
    Put("gangplan",
        "for word; do case $word in */gangplan.yaml) cat \"$word\" ;; esac; done\n"
        "echo \"gangplan $*\" | sed 's|[^ ]*/gangplan.yaml|OWN|'\n");
  }
  ~Programs() {
    for (const char* name :
         {"kubectl", "gangplan", "sleep", "out", "kubectl.shut", "kubectl.asked"})
      unlink(PathOf(name).c_str());
    rmdir(folder_.c_str());
  }
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;

  // Its ConfigMap may not be read any more.
  void Shut() const { Put("kubectl.shut", ""); }

  Told Run(const std::string& words) const {
    const int status = std::system(
        fmt::format("PATH={}:$PATH sh {}/config/kubectl-gangplan {} >{} 2>&1 </dev/null", folder_,
                    GANGPLAN_SOURCE_DIR, words, PathOf("out"))
            .c_str());
    Told told{WEXITSTATUS(status), "", ""};
    std::FILE* file = std::fopen(PathOf("out").c_str(), "rb");
    GANGPLAN_CHECK(file != nullptr);
    char text[4096];
    told.out.assign(text, std::fread(text, 1, sizeof text, file));
    std::fclose(file);
    return told;
  }

 private:
  std::string PathOf(std::string_view name) const { return fmt::format("{}/{}", folder_, name); }
  void Put(std::string_view name, std::string_view script) const {
    std::FILE* file = std::fopen(PathOf(name).c_str(), "wb");
    GANGPLAN_CHECK(file != nullptr);
    std::fputs(fmt::format("#!/bin/sh\n{}", script).c_str(), file);
    std::fclose(file);
    GANGPLAN_CHECK(chmod(PathOf(name).c_str(), 0755) == 0);
  }

  std::string folder_;
};

TEST_CASE("kubectl gangplan: the program is asked in the namespace of the context, or of -n") {
  const Programs programs;
  const std::string page = "http://127.0.0.1:1/apis/gangplan.io/v1alpha1/page";
  const std::string server = "http://127.0.0.1:1";
  for (const auto& [words, asked] : std::vector<std::pair<std::string, std::string>>{
           {"plan --config c -f job.yaml",
            "plan --server " + server + " -n ml --config c -f job.yaml"},
           {"plan --config=c -n a", "plan --server " + server + " -n a --config=c"},
           {"capacity --config c -n a", "capacity --server " + server + " -n a --config c"},
           {"capacity --config c", "capacity --server " + server + " -n ml --config c"},
           {"map", "map --server " + page},
           {"map --gang train", "map --server " + page + " -n ml --gang train"},
           {"map --gang=train -n a", "map --server " + page + " -n a --gang=train"},
           {"map --gang a/train", "map --server " + page + " --gang a/train"},
           {"map --gang jobs-a/train", "map --server " + page + " --gang jobs-a/train"},
           {"map --gang job/train", "map --server " + page + " -n ml --gang job/train"},
           {"drain n1 --config c", "drain --server " + server + " n1 --config c"}}) {
    INFO(words);
    const Told told = programs.Run(words);
    CHECK(told.code == 0);
    CHECK(told.out == "gangplan " + asked + "\n");
  }
}

TEST_CASE("kubectl gangplan: of a cluster that was saved nobody is asked") {
  const Programs programs;
  for (const auto& [words, asked] : std::vector<std::pair<std::string, std::string>>{
           {"plan --snapshot c.json -f a", "plan -n ml --snapshot c.json -f a"},
           {"capacity -n a --snapshot=c.json", "capacity -n a --snapshot=c.json"},
           {"drain n1 --snapshot c.json", "drain n1 --snapshot c.json"},
           {"doctor --snapshot c.json", "doctor --snapshot c.json"},
           {"replay c.json", "replay c.json"},
           {"replay --config c -o json c.json", "replay --config c -o json c.json"}}) {
    INFO(words);
    const Told told = programs.Run(words);
    CHECK(told.code == 0);
    CHECK(told.out == "gangplan " + asked + "\n");
  }
}

TEST_CASE("kubectl gangplan: the program goes by Gangplan's own configuration where it may") {
  const std::string plan = "gangplan plan --server http://127.0.0.1:1 ";
  const Programs programs;
  CHECK(programs.Run("plan -f a").out ==
        "own --namespace=system levels\n" + plan + "--config OWN -n ml -f a\n");
  for (const char* topology : {"{source: tree, file: f}", "source: slurm"}) {
    setenv("TOPOLOGY", topology, 1);
    CHECK(programs.Run("plan -f a").out.ends_with("names them\n" + plan + "-n ml -f a\n"));
  }
  unsetenv("TOPOLOGY");
  programs.Shut();
  const Told told = programs.Run("plan -f a");
  CHECK(told.code == 0);
  CHECK(
      told.out ==
      "kubectl gangplan: Gangplan's own configuration is not to be had, so other levels are looked "
      "for; --config FILE names them\n" +
          plan + "-n ml -f a\n");
}

// Of ten questions that fail in a row.
std::string NoAnswers(int first) {
  std::string told;
  for (int i = 0; i < 10; ++i) told += fmt::format("no answer {}\n", first + i);
  return told;
}

TEST_CASE("kubectl gangplan: a list is asked for again while somebody watches it") {
  const std::string list = "kubectl get gangs.gangplan.io ";
  for (const auto& [words, asked] : std::vector<std::pair<std::string, std::string>>{
           {"-w -n ml -o wide", "--namespace=ml -o wide"},
           {"--watch -n ml -o wide", "--namespace=ml -o wide"},
           {"-w=true -A", "-A"},
           {"-Aw", "-A"},
           {"-wAowide", "-Aowide"},
           {"-A --watch=true", "-A"}}) {
    INFO(words);
    const Told told = Programs().Run("list " + words);
    CHECK(told.code == 1);
    CHECK(told.out == list + asked + "\n" + NoAnswers(1));
  }
  for (const char* words : {"-A -o wide --watch=false", "-w=false -A -o wide"}) {
    INFO(words);
    CHECK(Programs().Run(fmt::format("list {}", words)).out == list + "-A -o wide\n");
  }
  CHECK(Programs().Run("list --watch-only").code == 2);
}

TEST_CASE("kubectl gangplan: a list that is watched goes on after a question that fails") {
  const auto answer = [](int at, const char* why) {
    return fmt::format("kubectl get gangs.gangplan.io -A\nNAME  AGE  WHY\na     {}s   {}\n", at,
                       why);
  };
  setenv("ANSWERS", "aaxxaba", 1);  // an age alone is no change
  CHECK(Programs().Run("list -A --watch").out == answer(0, "a") + "no answer 2\nno answer 3\n\n" +
                                                     answer(5, "b") + "\n" + answer(6, "a") +
                                                     NoAnswers(7));
  setenv("ANSWERS", "xa", 1);  // the words may be wrong
  const Told told = Programs().Run("list -A --watch");
  unsetenv("ANSWERS");
  CHECK(told.code == 1);
  CHECK(told.out == "no answer 0\n");
}

TEST_CASE("kubectl gangplan: an explanation in JSON is asked for as its text, by the same right") {
  const Programs programs;
  const std::string gangs = "kubectl get --raw /apis/gangplan.io/v1alpha1/namespaces/ml/gangs/";
  CHECK(programs.Run("why job/train").out == gangs + "train/explanation\n");
  CHECK(programs.Run("why job/train -o json").out == gangs + "train/explanation?form=json\n\n");
  CHECK(programs.Run("why pod/train-0 -o json").out ==
        gangs + "train-0/explanation?form=json&of=pod\n\n");
}

TEST_CASE("kubectl gangplan: the kinds that gangplan why reads") {
  const Programs programs;
  const std::string gangs = "kubectl get --raw /apis/gangplan.io/v1alpha1/namespaces/ml/gangs/";
  for (const char* kind :
       {"job", "jobs", "job.batch", "JobSet", "jobsets.jobset.x-k8s.io", "gang"}) {
    INFO(kind);
    CHECK(programs.Run(fmt::format("why {}/train", kind)).out == gangs + "train/explanation\n");
    CHECK(programs.Run(fmt::format("history {}/train -o json", kind)).out ==
          gangs + "train/history\n\n");
  }
  for (const char* kind : {"pod", "pods", "po"}) {
    INFO(kind);
    CHECK(programs.Run(fmt::format("why {}/train-0", kind)).out ==
          gangs + "train-0/explanation?of=pod\n");
    CHECK(programs.Run(fmt::format("history {}/train-0", kind)).code == 2);
  }
  for (const char* wrong : {"why job/", "why pod/", "why ''"}) {
    INFO(wrong);
    CHECK(programs.Run(wrong).out.starts_with("kubectl gangplan: one name expected"));
  }
}

TEST_CASE("kubectl gangplan: why and history know no option but -o") {
  for (const char* words : {"why --foo", "history a --foo", "why a -A"}) {
    INFO(words);
    const Told told = Programs().Run(words);
    CHECK(told.code == 2);
    CHECK(told.out.starts_with("kubectl gangplan: there is no option -"));
  }
}

TEST_CASE("kubectl gangplan: who is held is told with the pods that wait, of each kind") {
  const Programs programs;
  const std::string annotate = "kubectl annotate --overwrite ";
  const std::string word = " gangplan.io/hold=by kubectl gangplan hold\n";
  for (const auto& [own, pods] : std::vector<std::pair<std::string, std::string>>{
           {"job/a", "pod/of-it"},
           {"JobSet/a", "pod/of-it"},
           {"pytorchjob/a", "pod/a-0 pod/a-1"},
           {"mpijobs.kubeflow.org/a", "pod/a-0 pod/a-1"},
           {"raycluster/a", "pod/a-0 pod/a-1"},
           {"sts/a", "pod/a-0 pod/a-1"}}) {
    INFO(own);
    const Told told = programs.Run("hold " + own);
    CHECK(told.code == 0);
    CHECK(told.out == annotate + own + word + annotate + pods + word);
    CHECK(programs.Run("release " + own).out ==
          annotate + own + " gangplan.io/hold-\n" + annotate + pods + " gangplan.io/hold-\n");
  }
  CHECK(programs.Run("hold pod/a").out == annotate + "pod/a" + word);
}

// A controller copies a word to what it makes, and takes none away there.
TEST_CASE("kubectl gangplan: who makes what makes the pods is held with both") {
  const Programs programs;
  const std::string annotate = "kubectl annotate --overwrite ";
  for (const auto& [own, made] : std::vector<std::pair<std::string, std::string>>{
           {"deployment/a", "replicasets.apps"},
           {"deployments.apps/a", "replicasets.apps"},
           {"deploy/a", "replicasets.apps"},
           {"rayjob/a", "rayclusters.ray.io"},
           {"rayjobs.ray.io/a", "rayclusters.ray.io"},
           {"rayservice/a", "rayclusters.ray.io"}}) {
    INFO(own);
    const std::string all = fmt::format("{0} {1}/a-new {1}/a-old", own, made);
    for (const auto& [words, word] : std::vector<std::pair<std::string, std::string>>{
             {"hold {} why", "gangplan.io/hold=why"}, {"release {}", "gangplan.io/hold-"}}) {
      const Told told = programs.Run(fmt::format(fmt::runtime(words), own));
      CHECK(told.code == 0);
      CHECK(told.out == fmt::format("{0}{1} {2}\n{0}pod/c-0 {2}\n", annotate, all, word));
    }
  }
}

// What is written there nobody reads, and the policy about words may refuse it.
TEST_CASE("kubectl gangplan: of who is not read himself the pods that wait are held alone") {
  const Programs programs;
  const std::string annotate = "kubectl annotate --overwrite ";
  for (const auto& [own, pods] : std::vector<std::pair<std::string, std::string>>{
           {"leaderworkersets.leaderworkerset.x-k8s.io/a", "pod/of-it"},
           {"lws/a", "pod/of-it"},
           {"example/a", "pod/a-0 pod/a-1"}}) {
    INFO(own);
    CHECK(programs.Run("hold " + own + " why").out == annotate + pods + " gangplan.io/hold=why\n");
    CHECK(programs.Run("nice " + own + " 3").out == annotate + pods + " gangplan.io/nice=3\n");
    // One that has it from before is rid of it.
    CHECK(programs.Run("release " + own).out ==
          annotate + own + " gangplan.io/hold-\n" + annotate + pods + " gangplan.io/hold-\n");
  }
}

TEST_CASE("kubectl gangplan: who owns no pod that waits, and is not read, is not said to be held") {
  const Programs programs;
  for (const char* words : {"hold cronjob/a", "nice cronjob/a 3"}) {
    INFO(words);
    const Told told = programs.Run(words);
    CHECK(told.code == 1);
    CHECK(told.out.starts_with(
        "kubectl gangplan: no pod of cronjob/a waits that is known as its own"));
  }
  CHECK(programs.Run("release cronjob/a").code == 0);
}

TEST_CASE("kubectl gangplan: requeue is of Jobs and JobSets") {
  const Programs programs;
  for (const char* own : {"job/a", "jobs.batch/a", "jobset/a", "jobsets.jobset.x-k8s.io/a"}) {
    INFO(own);
    const Told told = programs.Run(fmt::format("requeue {}", own));
    CHECK(told.code == 0);
    CHECK(told.out.starts_with(fmt::format("kubectl patch {} --type=merge", own)));
    CHECK(programs.Run(fmt::format("requeue --force {}", own)) == told);
  }
  CHECK(programs.Run("requeue job/a job/b").code == 2);
  CHECK(programs.Run("requeue --force").code == 2);
  for (const char* other : {"pod/a", "pods/a", "lws/a", "deployment/a", "jobsetter/a"}) {
    INFO(other);
    const Told told = programs.Run(fmt::format("requeue {}", other));
    CHECK(told.code == 2);
    CHECK(told.out.starts_with(fmt::format(
        "kubectl gangplan: requeue takes job/NAME or jobset/NAME, not {}; see", other)));
  }
}

// Such a one was started without a plan, or its plan was of no nodes of its own; or by somebody
// else.
TEST_CASE("kubectl gangplan: requeue of what has no pin is asked for by --force") {
  const Programs programs;
  setenv("PINNED", "", 1);
  const Told refused = programs.Run("requeue job/a");
  const Told forced = programs.Run("requeue job/a --force");
  unsetenv("PINNED");
  CHECK(refused.code == 1);
  CHECK(refused.out.starts_with("kubectl gangplan: job/a has no gangplan.io/pinned"));
  CHECK(refused.out.find("say --force") != std::string::npos);
  CHECK(forced.code == 0);
  CHECK(forced.out.starts_with("kubectl patch job/a --type=merge"));
}

TEST_CASE("kubectl gangplan: the help of replay is its own") {
  const Told told = Programs().Run("replay --help");
  CHECK(told.code == 0);
  CHECK(told.out.starts_with("Usage: kubectl gangplan replay [SNAPSHOT] [OPTIONS]\n"));
}

}  // namespace
}  // namespace gangplan::plugin_test
