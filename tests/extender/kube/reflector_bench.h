// A reflector between a scripted transport and lists of what it told.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "event_text.h"
#include "extender/kube/reflector.h"
#include "kube_fakes.h"

namespace gangplan {

using Texts = std::vector<std::string>;

inline std::string PodJson(const std::string& name, const std::string& uid,
                           const std::string& version) {
  return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name +
         R"(","namespace":"ns","uid":")" + uid + R"(","resourceVersion":")" + version +
         R"("},"spec":{"containers":[{"name":"c"}]},"status":{"phase":"Pending"}})";
}

inline HttpResponse PodList(const std::string& version, const Texts& pods,
                            const std::string& next = "") {
  std::string items;
  for (const std::string& pod : pods) items += (items.empty() ? "" : ",") + pod;
  return Answer(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" +
                         version + R"(","continue":")" + next + R"("},"items":[)" + items + "]}");
}

inline std::string Line(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

inline std::string Bookmark(const std::string& version) {
  return Line("BOOKMARK", R"({"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":")" +
                              version + R"("}})");
}

inline std::string Expired() {
  return Line(
      "ERROR",
      R"({"kind":"Status","status":"Failure","message":"too old","reason":"Expired","code":410})");
}

struct ReflectorBench {
  FakeClock clock;
  FakePause pause{&clock};
  Jitter jitter{7};
  ScriptedTransport* transport = nullptr;
  Texts events;
  Texts warnings;
  int listed = 0;
  int bookmarks = 0;
  std::unique_ptr<Reflector> reflector;

  explicit ReflectorBench(std::unique_ptr<Mirror> mirror = MakePodMirror(),
                          size_t line_bytes = 2'000,
                          std::function<void(const Texts&)> on_batch = nullptr) {
    auto scripted = std::make_unique<ScriptedTransport>();
    transport = scripted.get();
    ReflectorOptions options;
    options.clock = &clock;
    options.pause = &pause;
    options.jitter = &jitter;
    options.max_line_bytes = line_bytes;
    options.deliver = [this, on_batch](std::vector<ClusterEvent> batch) {
      const Texts texts = TextOf(batch);
      if (on_batch) on_batch(texts);
      events.insert(events.end(), texts.begin(), texts.end());
    };
    options.listed = [this] { ++listed; };
    options.bookmark = [this] { ++bookmarks; };
    options.warn = [this](std::string_view text) { warnings.emplace_back(text); };
    reflector = std::make_unique<Reflector>(std::move(mirror), std::move(scripted), options);
  }
  void Script(std::vector<ScriptedTransport::Answer> answers) {
    for (auto& answer : answers) transport->answers.push_back(std::move(answer));
  }
  bool Steps(int count) {
    bool going = true;
    for (int i = 0; i < count && going; ++i) going = reflector->Step();
    return going;
  }
  const std::string& Target(size_t request) const { return transport->requests.at(request).target; }
  Texts TakeEvents() { return std::exchange(events, {}); }
  absl::Duration LastWait() const { return pause.waits.back(); }
};

}  // namespace gangplan
