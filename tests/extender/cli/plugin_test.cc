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
        "  get) echo pinned ;;\n  *) echo \"kubectl $*\" ;;\nesac\n");
    Put("gangplan", "echo \"gangplan $*\"\n");
  }
  ~Programs() {
    for (const char* name : {"kubectl", "gangplan", "out"}) unlink(PathOf(name).c_str());
    rmdir(folder_.c_str());
  }
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;

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
           {"plan -f job.yaml", "plan --server " + server + " -n ml -f job.yaml"},
           {"plan -n a -f job.yaml", "plan --server " + server + " -n a -f job.yaml"},
           {"capacity -f job.yaml -n a", "capacity --server " + server + " -n a -f job.yaml"},
           {"capacity", "capacity --server " + server + " -n ml"},
           {"map", "map --server " + page},
           {"map --gang train", "map --server " + page + " -n ml --gang train"},
           {"map --gang=train -n a", "map --server " + page + " -n a --gang=train"},
           {"map --gang a/train", "map --server " + page + " --gang a/train"},
           {"drain n1 --dry-run", "drain --server " + server + " n1 --dry-run"}}) {
    INFO(words);
    const Told told = programs.Run(words);
    CHECK(told.code == 0);
    CHECK(told.out == "gangplan " + asked + "\n");
  }
}

TEST_CASE("kubectl gangplan: requeue is of Jobs and JobSets") {
  const Programs programs;
  for (const char* own : {"job/a", "jobs.batch/a", "jobset/a", "jobsets.jobset.x-k8s.io/a"}) {
    INFO(own);
    const Told told = programs.Run(fmt::format("requeue {}", own));
    CHECK(told.code == 0);
    CHECK(told.out.starts_with(fmt::format("kubectl patch {} --type=merge", own)));
  }
  for (const char* other : {"pod/a", "pods/a", "deployment/a", "jobsetter/a"}) {
    INFO(other);
    const Told told = programs.Run(fmt::format("requeue {}", other));
    CHECK(told.code == 2);
    CHECK(told.out.starts_with(fmt::format(
        "kubectl gangplan: requeue takes job/NAME or jobset/NAME, not {}; see", other)));
  }
}

}  // namespace
}  // namespace gangplan::plugin_test
