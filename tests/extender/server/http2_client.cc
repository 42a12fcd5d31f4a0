#include "tests/extender/server/http2_client.h"

#include <algorithm>

#include "absl/strings/numbers.h"

namespace gangplan {
namespace {

const std::string kHttp2Name = "\x02h2";

nghttp2_nv Pair(const std::string& name, const std::string& value) {
  const auto bytes = [](const std::string& text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

Http2Client::Http2Client(const TlsWorld& world, uint32_t window)
    : tls_(world.test.server->port(), &world.scheduler, TLS1_3_VERSION, kHttp2Name),
      is_http2_(tls_.Agreed() == "h2") {
  nghttp2_session_callbacks* calls = nullptr;
  nghttp2_session_callbacks_new(&calls);
  nghttp2_session_callbacks_set_on_header_callback(
      calls, [](nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t size,
                const uint8_t* value, size_t value_size, uint8_t, void* user) {
        const std::string_view key(reinterpret_cast<const char*>(name), size);
        const std::string text(reinterpret_cast<const char*>(value), value_size);
        auto& reply = static_cast<Http2Client*>(user)->replies_[frame->hd.stream_id];
        if (key == ":status") GANGPLAN_CHECK(absl::SimpleAtoi(text, &reply.status));
        return 0;
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      calls,
      [](nghttp2_session*, uint8_t, int32_t stream, const uint8_t* data, size_t size, void* user) {
        static_cast<Http2Client*>(user)->replies_[stream].body.append(
            reinterpret_cast<const char*>(data), size);
        return 0;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      calls, [](nghttp2_session*, int32_t stream, uint32_t error, void* user) {
        auto& reply = static_cast<Http2Client*>(user)->replies_[stream];
        reply.ended = true;
        reply.error = error;
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      calls, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
        auto& self = *static_cast<Http2Client*>(user);
        self.told_to_go_ |= frame->hd.type == NGHTTP2_GOAWAY;
        return 0;
      });
  nghttp2_session* session = nullptr;
  nghttp2_option* options = nullptr;
  nghttp2_option_new(&options);
  nghttp2_option_set_no_auto_window_update(options, window < 65535);
  // As many as it likes, until the server has said how many it takes.
  nghttp2_option_set_peer_max_concurrent_streams(options, 1 << 20);
  GANGPLAN_CHECK(nghttp2_session_client_new2(&session, calls, this, options) == 0);
  nghttp2_option_del(options);
  nghttp2_session_callbacks_del(calls);
  session_.reset(session);
  const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window}};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, 1);
  if (window > 65'535) {
    nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0,
                                          static_cast<int32_t>(window));
  }
  if (is_http2_) Flush();
}

Http2Client::~Http2Client() = default;

uint32_t Http2Client::streams() const {
  return nghttp2_session_get_remote_settings(session_.get(),
                                             NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

void Http2Client::Flush() {
  const uint8_t* data = nullptr;
  for (ssize_t n; (n = nghttp2_session_mem_send(session_.get(), &data)) > 0;) {
    kept_.append(reinterpret_cast<const char*>(data), static_cast<size_t>(n));
  }
  if (corked_ || kept_.empty()) return;
  gone_ = gone_ || !tls_.Send(std::exchange(kept_, {}));
}

void Http2Client::Uncork() {
  corked_ = false;
  Flush();
}

bool Http2Client::ReadMore() {
  const std::string some = tls_.ReadSome();
  gone_ = some.empty() ||
          nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const uint8_t*>(some.data()),
                                   some.size()) < 0;
  if (!gone_) Flush();
  return !gone_;
}

int32_t Http2Client::Send(const Http2Ask& ask) {
  const Http2Headers fixed{{":method", ask.method},
                           {":scheme", "https"},
                           {":path", ask.path},
                           {":authority", "localhost"},
                           {"content-type", "application/json"}};
  std::vector<nghttp2_nv> headers;
  for (const auto& [name, value] : fixed) headers.push_back(Pair(name, value));
  for (const auto& [name, value] : ask.more) headers.push_back(Pair(name, value));
  const std::string length = ask.length.empty() ? std::to_string(ask.body.size()) : ask.length;
  const std::string length_name = "content-length";
  if (ask.has_length) headers.push_back(Pair(length_name, length));
  auto body = std::make_unique<Body>(Body{ask.body, ask.is_whole});
  nghttp2_data_provider source{};
  source.source.ptr = body.get();
  source.read_callback = [](nghttp2_session*, int32_t, uint8_t* buffer, size_t size,
                            uint32_t* flags, nghttp2_data_source* from, void*) -> ssize_t {
    Body& left = *static_cast<Body*>(from->ptr);
    const size_t n = std::min(size, left.left.size());
    if (n == 0 && !left.is_whole) return NGHTTP2_ERR_DEFERRED;
    std::copy_n(left.left.data(), n, reinterpret_cast<char*>(buffer));
    left.left.erase(0, n);
    if (left.left.empty() && left.is_whole) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(n);
  };
  const int32_t stream = nghttp2_submit_request(session_.get(), nullptr, headers.data(),
                                                headers.size(), &source, nullptr);
  bodies_[stream] = std::move(body);
  replies_[stream] = {};
  Flush();
  return stream;
}

Http2Reply Http2Client::Await(int32_t stream) {
  while (!gone_ && !replies_[stream].ended) {
    if (!ReadMore()) break;
  }
  return replies_[stream];
}

void Http2Client::Reset(int32_t stream) {
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
  Flush();
}

bool Http2Client::IsToldToGo() {
  while (!told_to_go_ && ReadMore()) {
  }
  return told_to_go_;
}

}  // namespace gangplan
