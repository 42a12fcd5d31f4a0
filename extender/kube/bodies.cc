#include "extender/kube/bodies.h"

#include "extender/cluster/annotations.h"
#include "extender/kube/answers.h"
#include "extender/kube/limits.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"

namespace gangplan {
namespace {

// A thin skin over the writer, for std::string_view and one-line fields.
class Json {
 public:
  Json& Open(std::string_view key = {}) {
    Key(key);
    writer_.StartObject();
    return *this;
  }
  Json& Close() {
    writer_.EndObject();
    return *this;
  }
  Json& Field(std::string_view key, std::string_view value) {
    Key(key);
    Text(value);
    return *this;
  }
  Json& Fields(const LabelSet& fields) {
    for (const auto& [key, value] : fields) Field(key, value);
    return *this;
  }
  Json& Changes(const LabelPatch& patch) {
    for (const auto& [key, value] : patch) {
      Key(key);
      if (value) {
        Text(*value);
      } else {
        writer_.Null();
      }
    }
    return *this;
  }
  std::string text() const { return {buffer_.GetString(), buffer_.GetSize()}; }

 private:
  void Key(std::string_view key) {
    if (!key.empty()) writer_.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
  }
  void Text(std::string_view value) {
    writer_.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  }

  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_{buffer_};
};

// RFC 3339 with six digits, as MicroTime wants it.
std::string MicroTime(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d%ET%H:%M:%E6SZ", time, absl::UTCTimeZone());
}

}  // namespace

std::string BindingBody(const BindingWrite& write) {
  Json json;
  json.Open().Field("apiVersion", "v1").Field("kind", "Binding").Open("metadata");
  json.Field("namespace", write.pod.ns).Field("name", write.pod.name).Field("uid", write.pod.uid);
  if (!write.annotations.empty()) json.Open("annotations").Fields(write.annotations).Close();
  if (!write.labels.empty()) json.Open("labels").Fields(write.labels).Close();
  json.Close().Open("target").Field("apiVersion", "v1").Field("kind", "Node");
  return json.Field("name", write.node).Close().Close().text();
}

std::string NominationBody(std::string_view uid, std::string_view node) {
  Json json;
  json.Open().Open("metadata").Field("uid", uid).Close();
  return json.Open("status").Field("nominatedNodeName", node).Close().Close().text();
}

std::string WakeBody(std::string_view uid, absl::Time now) {
  Json json;
  json.Open().Open("metadata").Field("uid", uid).Open("annotations");
  return json.Field(kWakeAnnotation, MicroTime(now)).Close().Close().Close().text();
}

std::string DataBody(std::string_view uid, const LabelPatch& data) {
  Json json;
  json.Open().Open("metadata").Field("uid", uid).Close();
  return json.Open("data").Changes(data).Close().Close().text();
}

std::string LabelsBody(std::string_view uid, const LabelPatch& labels) {
  Json json;
  json.Open().Open("metadata").Field("uid", uid).Open("labels");
  return json.Changes(labels).Close().Close().Close().text();
}

std::string EventBody(const EventNote& note, std::string_view event_name, std::string_view instance,
                      absl::Time now) {
  Json json;
  json.Open().Field("apiVersion", "events.k8s.io/v1").Field("kind", "Event").Open("metadata");
  json.Field("namespace", note.ns).Field("name", event_name).Close();
  json.Field("eventTime", MicroTime(now)).Field("reportingController", kReportingController);
  json.Field("reportingInstance", CutUtf8(instance, kMaxEventWordBytes));
  json.Field("action", CutUtf8(note.action, kMaxEventWordBytes));
  json.Field("reason", CutUtf8(note.reason, kMaxEventWordBytes));
  json.Open("regarding").Field("apiVersion", note.regarding.api_version);
  json.Field("kind", note.regarding.kind).Field("namespace", note.ns);
  json.Field("name", note.regarding.name).Field("uid", note.regarding.uid).Close();
  json.Field("note", CutUtf8(note.note, kMaxEventNoteBytes));
  return json.Field("type", note.warning ? "Warning" : "Normal").Close().text();
}

}  // namespace gangplan
