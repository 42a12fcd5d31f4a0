#include "extender/server/http2_frames.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "extender/server/limits.h"
#include "nghttp2/nghttp2.h"
#include "topology/base/check.h"

namespace gangplan {
namespace {

using Bytes = const uint8_t*;

std::string_view TextOf(Bytes data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// The library copies both, the name in small letters.
nghttp2_nv Header(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

// The path itself, without the query behind it.
std::string_view PathOf(std::string_view target) { return target.substr(0, target.find('?')); }

}  // namespace

// The library's callbacks. None of them throws.
class Http2Frames::Library {
 public:
  static nghttp2_session* Make(Http2Frames& frames) {
    nghttp2_session_callbacks* calls = nullptr;
    GANGPLAN_CHECK(nghttp2_session_callbacks_new(&calls) == 0);
    nghttp2_session_callbacks_set_on_begin_headers_callback(calls, OnBegin);
    nghttp2_session_callbacks_set_on_header_callback(calls, OnHeader);
    nghttp2_session_callbacks_set_on_frame_recv_callback(calls, OnFrame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, OnData);
    nghttp2_session_callbacks_set_on_frame_send_callback(calls, OnSent);
    nghttp2_session_callbacks_set_on_stream_close_callback(calls, OnClose);
    nghttp2_option* options = nullptr;
    GANGPLAN_CHECK(nghttp2_option_new(&options) == 0);
    nghttp2_option_set_no_closed_streams(options, 1);  // they are kept for priorities alone
    nghttp2_session* session = nullptr;
    GANGPLAN_CHECK(nghttp2_session_server_new2(&session, calls, &frames, options) == 0);
    nghttp2_option_del(options);
    nghttp2_session_callbacks_del(calls);
    return session;
  }

  static Stream* Find(Http2Frames& frames, int32_t id) {
    const auto it = frames.streams_.find(id);
    return it == frames.streams_.end() ? nullptr : it->second.get();
  }

  // The data of a reply's body, as much as the peer takes now.
  static ssize_t ReadReply(nghttp2_session*, int32_t, uint8_t* buffer, size_t length,
                           uint32_t* flags, nghttp2_data_source* source, void*) {
    Stream& stream = *static_cast<Stream*>(source->ptr);
    const std::string& body = stream.reply.body;
    const size_t size = std::min(length, body.size() - stream.sent);
    std::copy_n(body.data() + stream.sent, size, reinterpret_cast<char*>(buffer));
    stream.sent += size;
    if (stream.sent == body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }

 private:
  static Http2Frames& Self(void* user) { return *static_cast<Http2Frames*>(user); }

  static int OnBegin(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    Self(user).streams_.emplace(frame->hd.stream_id, std::make_unique<Stream>());
    return 0;
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, Bytes name, size_t name_size,
                      Bytes value, size_t value_size, uint8_t, void* user) {
    Stream* const stream = Find(Self(user), frame->hd.stream_id);
    // What comes behind a body is nobody's wish.
    if (stream == nullptr || stream->head_told) return 0;
    Self(user).AddHeader(*stream, TextOf(name, name_size), TextOf(value, value_size));
    return 0;
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Http2Frames& self = Self(user);
    const int32_t id = frame->hd.stream_id;
    const bool headers = frame->hd.type == NGHTTP2_HEADERS;
    if (!headers && frame->hd.type != NGHTTP2_DATA) return 0;
    Stream* const stream = Find(self, id);
    if (stream == nullptr) return 0;
    if (headers && !std::exchange(stream->head_told, true)) {
      const RequestHead head = std::exchange(stream->head, {});
      stream->without_body = head.method == "HEAD";
      self.owner_.OnHead(id, head, stream->too_long);
    }
    const bool whole = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (whole && !stream->answered) self.owner_.OnWhole(id);
    return 0;
  }

  static int OnData(nghttp2_session*, uint8_t, int32_t id, Bytes data, size_t size, void* user) {
    const Stream* const stream = Find(Self(user), id);
    if (stream != nullptr && !stream->answered) Self(user).owner_.OnBody(id, TextOf(data, size));
    return 0;
  }

  // A peer that has all of its reply sends the rest of its request for nothing.
  static int OnSent(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    const int32_t id = frame->hd.stream_id;
    Self(user).took_body_ |= frame->hd.type == NGHTTP2_DATA;
    const bool of_reply = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (!of_reply || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
    if (nghttp2_session_get_stream_remote_close(session, id) == 0)
      nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_NO_ERROR);
    return 0;
  }

  static int OnClose(nghttp2_session*, int32_t id, uint32_t error, void* user) {
    Http2Frames& self = Self(user);
    const auto node = self.streams_.extract(id);
    if (node.empty()) return 0;
    const Stream& stream = *node.mapped();
    const bool all = stream.replied && stream.sent == stream.reply.body.size();
    if (stream.head_told) self.owner_.OnEnd(id, all && error == NGHTTP2_NO_ERROR);
    return 0;
  }
};

void Http2Frames::SessionFree::operator()(nghttp2_session* session) const {
  nghttp2_session_del(session);
}

Http2Frames::Http2Frames(Http2Owner& owner, int streams)
    : owner_(owner), session_(Library::Make(*this)) {
  const std::array<nghttp2_settings_entry, 3> settings{
      {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, static_cast<uint32_t>(streams)},
       {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kHttp2StreamWindow},
       {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kMaxHeadBytes}}};
  nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_.get(), NGHTTP2_FLAG_NONE, 0, kHttp2Window);
}

Http2Frames::~Http2Frames() = default;

void Http2Frames::AddHeader(Stream& stream, std::string_view name, std::string_view value) {
  const size_t size = name.size() + value.size();
  stream.head_bytes += size;
  stream.too_long |= size > kMaxHeadLineBytes || stream.head_bytes > kMaxHeadBytes;
  if (stream.too_long) return;
  RequestHead& head = stream.head;
  if (name == ":method") head.method = value;
  if (name == ":path") head.path = PathOf(value);
  if (name == ":authority" || name == "host") head.hosts.emplace_back(value);
  if (name == "content-type") head.content_type = value;
  if (name == "content-length") head.content_lengths.emplace_back(value);
  if (name == "content-encoding") head.has_content_encoding = true;
}

bool Http2Frames::Read(std::string_view bytes) {
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  return nghttp2_session_mem_recv(session_.get(), data, bytes.size()) >= 0;
}

void Http2Frames::Reply(int32_t id, HttpReply reply) {
  Stream* const stream = Library::Find(*this, id);
  if (stream == nullptr || stream->answered) return;
  stream->answered = stream->replied = true;
  stream->reply = std::move(reply);
  const HttpReply& kept = stream->reply;
  const std::string status = std::to_string(kept.status);
  const std::string length = std::to_string(kept.body.size());
  std::vector<nghttp2_nv> headers{Header(":status", status),
                                  Header("content-type", kept.content_type),
                                  Header("content-length", length)};
  for (const auto& [name, value] : kept.headers) headers.push_back(Header(name, value));
  nghttp2_data_provider body{};
  body.source.ptr = stream;
  body.read_callback = Library::ReadReply;
  const bool has_body = !stream->without_body && !kept.body.empty();
  if (!has_body) stream->reply.body.clear();
  nghttp2_submit_response(session_.get(), id, headers.data(), headers.size(),
                          has_body ? &body : nullptr);
}

void Http2Frames::Reset(int32_t id, bool untouched) {
  if (Stream* const stream = Library::Find(*this, id)) stream->answered = true;
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id,
                            untouched ? NGHTTP2_REFUSED_STREAM : NGHTTP2_CANCEL);
}

void Http2Frames::GoAway() {
  nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_.get()), NGHTTP2_NO_ERROR,
                        nullptr, 0);
}

bool Http2Frames::Take(std::string& out, size_t enough) {
  took_body_ = false;
  while (out.size() < enough) {
    const uint8_t* data = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &data);
    if (size <= 0) return true;
    out.append(TextOf(data, static_cast<size_t>(size)));
  }
  return took_body_;
}

bool Http2Frames::IsBehind() const {
  return nghttp2_session_get_outbound_queue_size(session_.get()) > kMostHttp2Frames;
}

bool Http2Frames::IsOver() const {
  return nghttp2_session_want_read(session_.get()) == 0 &&
         nghttp2_session_want_write(session_.get()) == 0;
}

}  // namespace gangplan
