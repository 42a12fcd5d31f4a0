// The files of examples/ hold together: what people copy must work.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>

#include "config/section.h"
#include "extender/cluster/annotations.h"
#include "extender/frontends/gangplan/place.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/unknown_word.h"
#include "extender/kube/yaml_json.h"
#include "fmt/format.h"
#include "tests/config/config_text.h"

namespace gangplan::examples_test {
namespace {

// The document of this kind in a file of several; empty when there is none.
std::string DocumentOfKind(const std::string& text, const std::string& kind) {
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find("\n---\n", begin), text.size());
    const std::string document = text.substr(begin, end - begin) + "\n";
    if (document.find("\nkind: " + kind + "\n") != std::string::npos) return document;
    begin = end + 5;
  }
  return "";
}

YamlNode MustParse(const std::string& text) {
  absl::StatusOr<std::vector<YamlNode>> documents = ParseYaml(text, kKubernetesYaml, "line ");
  INFO(Message(documents.status()));
  REQUIRE(documents.ok());
  REQUIRE(documents->size() == 1);
  return std::move(documents->front());
}

// The value at a path of keys; list elements by number.
const YamlNode& At(const YamlNode& root, std::initializer_list<std::string_view> path) {
  const YamlNode* node = &root;
  for (std::string_view step : path) {
    INFO(step);
    const auto found =
        std::find_if(node->items.begin(), node->items.end(), [&](const YamlNode& item) {
          return node->kind == YamlNode::Kind::kMap
                     ? item.key == step
                     : std::to_string(&item - node->items.data()) == step;
        });
    REQUIRE(found != node->items.end());
    node = &*found;
  }
  return *node;
}

YamlNode InConfigMap(const std::string& name) {
  const YamlNode map =
      MustParse(DocumentOfKind(FileOfTree("examples/deployment.yaml"), "ConfigMap"));
  return At(map, {"data", name});
}

// Two entries for one extender: the quick verbs, and bind with the time that we count on.
void CheckExtenders(const YamlNode& root, const Settings& settings) {
  const bool tls = settings.server.tls.on();
  REQUIRE(At(root, {"extenders"}).items.size() == 2);
  const YamlNode& quick = At(root, {"extenders", "0"});
  const YamlNode& bind = At(root, {"extenders", "1"});
  for (const YamlNode* entry : {&quick, &bind}) {
    CHECK(At(*entry, {"urlPrefix"}).text ==
          fmt::format("{}://{}:{}/v1/extender", tls ? "https" : "http", settings.server.address,
                      settings.server.port));
    CHECK(At(*entry, {"nodeCacheCapable"}).text == "true");
  }
  CHECK(At(quick, {"filterVerb"}).text == "filter");
  CHECK(At(quick, {"preemptVerb"}).text == "preempt");
  CHECK(At(quick, {"httpTimeout"}).text == "2s");
  CHECK(quick.items.size() == (tls ? 7 : 5));  // no verb that answers nothing
  CHECK(At(bind, {"bindVerb"}).text == "bind");
  const absl::StatusOr<absl::Duration> time = ParseGoDuration(At(bind, {"httpTimeout"}).text);
  REQUIRE(time.ok());
  CHECK(*time == settings.server.bind_timeout);
  CHECK(bind.items.size() == (tls ? 6 : 4));
}

// The blocks of a page, of YAML or of what is told by `open`, that begin so.
std::vector<std::string> BlocksOf(const std::string& page, const std::string& begin,
                                  const std::string& open = "```yaml\n") {
  std::vector<std::string> blocks;
  for (size_t at = page.find(open); at != std::string::npos; at = page.find(open, at)) {
    at += open.size();
    const std::string block = page.substr(at, page.find("```", at) - at);
    if (block.starts_with(begin)) blocks.push_back(block);
  }
  return blocks;
}

TEST_CASE("The deployment's configuration reads") {
  const absl::StatusOr<Settings> settings =
      ReadSettings(InConfigMap("gangplan.yaml").text, "gangplan.yaml");
  INFO(Message(settings.status()));
  REQUIRE(settings.ok());
  CHECK(settings->server.probe_address == "::");
}

TEST_CASE("Both scheduler configurations have the two entries") {
  const Settings settings;
  const YamlNode one = MustParse(FileOfTree("examples/scheduler-configuration.yaml"));
  CheckExtenders(one, settings);
  REQUIRE(At(one, {"profiles"}).items.size() == 2);
  CHECK(At(one, {"profiles", "0", "schedulerName"}).text == "default-scheduler");
  CHECK(At(one, {"profiles", "1", "schedulerName"}).text == settings.scheduler_names[0]);

  const YamlNode second = MustParse(InConfigMap("scheduler-configuration.yaml").text);
  CheckExtenders(second, settings);
  REQUIRE(At(second, {"profiles"}).items.size() == 1);
  CHECK(At(second, {"profiles", "0", "schedulerName"}).text == settings.scheduler_names[0]);
}

TEST_CASE("Beside the one scheduler both programs show what the page has made for them") {
  const std::string page = FileOfTree("docs/one-scheduler.md");
  const std::vector<std::string> ours = BlocksOf(page, "apiVersion: gangplan.io/");
  const std::vector<std::string> theirs = BlocksOf(page, "apiVersion: kubescheduler.config");
  REQUIRE(ours.size() == 1);
  REQUIRE(theirs.size() == 1);
  const absl::StatusOr<Settings> settings = ReadSettings(ours[0], "gangplan.yaml");
  INFO(Message(settings.status()));
  REQUIRE(settings.ok());
  const YamlNode root = MustParse(theirs[0]);
  CheckExtenders(root, *settings);
  const auto& tls = settings->server.tls;
  REQUIRE(tls.allowed_names.size() == 1);
  const auto made = [&](const std::string& text) {
    INFO(text);
    CHECK_THAT(page, ContainsText(text + "\n"));
  };
  const std::string theirs_at = "/etc/kubernetes/gangplan/";
  made("-addext subjectAltName=IP:" + settings->server.address + " -keyout " + tls.key_file +
       " -out " + tls.certificate_file);
  made("-subj /CN=" + tls.allowed_names[0] + " -keyout " + theirs_at + "scheduler.key -out " +
       theirs_at + "scheduler.crt");
  made("cp " + theirs_at + "scheduler.crt /etc/gangplan/");
  made("cp " + tls.certificate_file + " " + theirs_at);
  CHECK(tls.client_ca_file == "/etc/gangplan/scheduler.crt");
  for (std::string_view entry : {"0", "1"}) {
    const YamlNode& shown = At(root, {"extenders", entry, "tlsConfig"});
    CHECK(At(root, {"extenders", entry, "enableHTTPS"}).text == "true");
    CHECK(At(shown, {"caFile"}).text == theirs_at + "gangplan.crt");
    CHECK(At(shown, {"certFile"}).text == theirs_at + "scheduler.crt");
    CHECK(At(shown, {"keyFile"}).text == theirs_at + "scheduler.key");
  }
}

// Gangplan runs as another user than the one who makes its files, whose umask is anything.
TEST_CASE("Beside the one scheduler Gangplan may read what the page has made, its key alone") {
  const std::string page = FileOfTree("docs/one-scheduler.md");
  char folder[] = "/tmp/gangplan-one-scheduler-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  std::string script =
      "set -e\numask 077\nchown() { echo \"$*\" >>\"$0.owners\"; }\n"
      "openssl() {\n  while [ $# -gt 0 ]; do\n    case $1 in -keyout | -out) : >\"$2\" ;; esac\n"
      "    shift\n  done\n}\n";
  for (const char* begin : {"install -d ", "openssl "}) {
    const std::vector<std::string> blocks = BlocksOf(page, begin, "\n```\n");
    REQUIRE(blocks.size() == 1);
    script += blocks[0];
  }
  for (size_t at = script.find(" /etc/"); at != std::string::npos; at = script.find(" /etc/", at))
    script.replace(at, 1, fmt::format(" {}", folder));
  const std::string file = fmt::format("{}/script", folder);
  std::ofstream(file) << script;
  REQUIRE(std::system(fmt::format("sh {} 2>/dev/null", file).c_str()) == 0);
  const auto mode = [&](const std::string& path) {
    struct stat found = {};
    INFO(path);
    CHECK(stat((folder + path).c_str(), &found) == 0);
    return found.st_mode & 0777;
  };
  for (const char* path : {"/etc/gangplan", "/etc/kubernetes/gangplan"}) CHECK(mode(path) == 0755);
  for (const char* path : {"/etc/gangplan/gangplan.crt", "/etc/gangplan/scheduler.crt"})
    CHECK(mode(path) == 0644);
  for (const char* path : {"/etc/gangplan/gangplan.key", "/etc/kubernetes/gangplan/scheduler.key"})
    CHECK(mode(path) == 0600);
  std::ifstream owners(file + ".owners");
  const std::string given(std::istreambuf_iterator<char>(owners), {});
  CHECK(given == fmt::format("65532 {}/etc/gangplan/gangplan.key\n", folder));
  std::filesystem::remove_all(folder);
}

TEST_CASE("The deployment's ports are the defaults") {
  const std::string text = FileOfTree("examples/deployment.yaml");
  CHECK_THAT(text, ContainsText(fmt::format("containerPort: {}", Settings().server.probe_port)));
  CHECK_THAT(text, ContainsText("args: [serve, --config, /etc/gangplan/gangplan.yaml]"));
}

TEST_CASE("The README's way to ask for a group names what the examples make") {
  const YamlNode deployment =
      MustParse(DocumentOfKind(FileOfTree("examples/deployment.yaml"), "Deployment"));
  const YamlNode job = MustParse(FileOfTree("examples/job-rack.yaml"));
  const std::string text = FileOfTree("examples/README.md");
  const int port = Settings().server.probe_port;
  CHECK_THAT(text, ContainsText(fmt::format("\nkubectl -n {} port-forward deployment/{} {}\n",
                                            At(deployment, {"metadata", "namespace"}).text,
                                            At(deployment, {"metadata", "name"}).text, port)));
  CHECK_THAT(text, ContainsText(fmt::format("\nbuild/release/gangplan explain default/{} --server "
                                            "http://127.0.0.1:{}\n",
                                            At(job, {"metadata", "name"}).text, port)));
}

TEST_CASE("Every example stands in the README's table") {
  for (const auto& file : std::filesystem::directory_iterator(GANGPLAN_SOURCE_DIR "/examples")) {
    const std::string name = file.path().filename().string();
    if (name != "README.md")
      CHECK_THAT(FileOfTree("examples/README.md"), ContainsText("\n| `" + name + "` | "));
  }
}

TEST_CASE("The example jobs use words that we read") {
  for (const char* file : {"examples/job-rack.yaml", "examples/job-block.yaml"}) {
    INFO(file);
    const YamlNode job = MustParse(FileOfTree(file));
    const YamlNode& pod = At(job, {"spec", "template"});
    CHECK(At(pod, {"spec", "schedulerName"}).text == Settings().scheduler_names[0]);
    CHECK(At(job, {"spec", "completions"}).text == At(job, {"spec", "parallelism"}).text);
    const std::string& place = At(pod, {"metadata", "annotations", std::string(kPlaceWord)}).text;
    const absl::StatusOr<LevelRules> rules =
        ParsePlace(kPlaceWord, place, Settings().topologies[0]);
    INFO(Message(rules.status()));
    CHECK(rules.ok());
  }
}

// Without that Events about Gangplan itself are only logged.
TEST_CASE("every manifest of Gangplan's pod names that pod to its container") {
  const std::string code = FileOfTree("extender/app/serve.cc");
  std::vector<std::string> names;
  for (size_t at = code.find("std::pair(\"POD_"); at != std::string::npos;
       at = code.find("std::pair(\"POD_", at + 1)) {
    const size_t begin = code.find('"', at) + 1;
    names.push_back(code.substr(begin, code.find('"', begin) - begin));
  }
  REQUIRE(names.size() == 3);
  size_t manifests = 0;
  for (const char* folder : {"docs", "examples"}) {
    for (const auto& file :
         std::filesystem::directory_iterator(fmt::format("{}/{}", GANGPLAN_SOURCE_DIR, folder))) {
      const std::string name = fmt::format("{}/{}", folder, file.path().filename().string());
      if (!name.ends_with(".md") && !name.ends_with(".yaml")) continue;
      INFO(name);
      const std::string text = FileOfTree(name);
      constexpr std::string_view kServes = "args: [serve, ";
      for (size_t at = text.find(kServes); at != std::string::npos;
           at = text.find(kServes, at + 1)) {
        const std::string container = text.substr(at, text.find("volumeMounts:", at) - at);
        for (const std::string& one : names)
          CHECK_THAT(container, ContainsText(fmt::format("- name: {}\n", one)));
        ++manifests;
      }
    }
  }
  CHECK(manifests >= 2);
}

// Every key that the policy knows is one that we know, and it knows all of ours that there are.
TEST_CASE("the policy about words knows the same words as the program") {
  const std::string policy = FileOfTree("examples/words-policy.yaml");
  size_t known = 0;
  for (const std::string_view quoted : {"'gangplan.io/", "'kueue.x-k8s.io/"}) {
    for (size_t at = policy.find(quoted); at != std::string::npos;
         at = policy.find(quoted, at + 1)) {
      const std::string key = policy.substr(at + 1, policy.find('\'', at + 1) - at - 1);
      if (key.ends_with('/')) continue;  // the prefix alone
      INFO(key);
      CHECK(UnknownWord({{key, ""}}, {}).empty());
      ++known;
    }
  }
  CHECK(known >= 27);
  for (const std::string_view key :
       {kAssignedRankAnnotation, kAssignedDomainAnnotation, kAssignedRungAnnotation,
        kPlanAnnotation, kWakeAnnotation, kEvictedForAnnotation, kSuspendedLabel, kPinnedAnnotation,
        kNotBeforeAnnotation}) {
    INFO(key);
    CHECK(policy.find(fmt::format("'{}'", key)) != std::string::npos);
  }
  const std::string told = UnknownWord({{"gangplan.io/x", ""}}, {}) + ", " +
                           UnknownWord({{"kueue.x-k8s.io/podset-x", ""}}, {});
  for (const std::string_view prefix : {"gangplan.io/", "kueue.x-k8s.io/"}) {
    const size_t list = told.find("expected one of " + std::string(prefix));
    REQUIRE(list != std::string::npos);
    for (size_t at = told.find(prefix, list); at != std::string::npos;
         at = told.find(prefix, at + 1)) {
      const std::string key = told.substr(at, told.find_first_of(",", at) - at);
      if (key.find(':') != std::string::npos) continue;  // the one that is unknown
      INFO(key);
      CHECK(policy.find("'" + key + "'") != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace gangplan::examples_test
