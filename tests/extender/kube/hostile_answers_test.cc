// Answers that no API server gives: each ends soon, with an error and in little memory.

#include "extender/kube/https_transport.h"
#include "raw_server.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::hostile_answers_test {
namespace {

absl::StatusOr<HttpResponse> AskFor(const std::string& answer) {
  const RawServer server(answer);
  Credentials credentials;
  credentials.server = {false, "127.0.0.1", server.port(), ""};
  HttpsTransportFactory factory(std::move(credentials), HttpsOptions{}, SystemClock());
  return factory.Make()->Send({.target = "/", .read_timeout = absl::Seconds(5)});
}

bool IsRefused(const std::string& answer) { return absl::IsUnknown(AskFor(answer).status()); }

// A head of so many bytes, with the empty line.
std::string HeadOf(size_t bytes) {
  const std::string begin = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Filler: ";
  return begin + std::string(bytes - begin.size() - 4, 'x') + "\r\n\r\n";
}

std::string Chunked(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body;
}

std::string Repeated(std::string_view text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST_CASE("a head as large as allowed passes, one byte more does not") {
  const auto answer = AskFor(HeadOf(kMaxAnswerHeadBytes) + "{}");
  REQUIRE(answer.ok());
  CHECK(answer->body == "{}");
  CHECK(IsRefused(HeadOf(kMaxAnswerHeadBytes + 1) + "{}"));
}

TEST_CASE("headers without an end are not gathered") {
  CHECK(IsRefused("HTTP/1.1 200 OK\r\n" + Repeated("X-More: 0123456789\r\n", 500'000) +
                  "Content-Length: 2\r\n\r\n{}"));
}

TEST_CASE("interim answers come before the real one, and count with its head") {
  const std::string interim = "HTTP/1.1 100 Continue\r\n\r\n";
  const std::string last = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
  const auto answer = AskFor(Repeated(interim, 3) + last);
  REQUIRE(answer.ok());
  CHECK(answer->status == 200);
  CHECK(answer->body == "{}");
  CHECK(IsRefused(Repeated(interim, 100'000) + last));
}

TEST_CASE("chunks say their sizes in hexadecimal digits, and no more than those") {
  const auto good = AskFor(Chunked("A;name=value\r\n0123456789\r\n1\r\n!\r\n0\r\n\r\n"));
  REQUIRE(good.ok());
  CHECK(good->body == "0123456789!");
  for (const char* size : {"-1", "-a", "+a", "0xa", " a", "", "g", "ffffffffffffffffff",
                           "ffffffffffffffff", "8000000000000000"}) {
    INFO(size);
    CHECK(IsRefused(Chunked(std::string(size) + "\r\n0123456789\r\n0\r\n\r\n")));
  }
}

TEST_CASE("what stands around chunks has a limit") {
  const auto sized = [](size_t bytes) {
    return Chunked("2;" + std::string(bytes - 4, 'x') + "\r\n{}\r\n0\r\n\r\n");
  };
  CHECK(AskFor(sized(kMaxChunkLineBytes)).ok());
  CHECK(IsRefused(sized(kMaxChunkLineBytes + 1)));
  const auto trailed = [](size_t bytes) {
    return Chunked("2\r\n{}\r\n0\r\nX: " + std::string(bytes - 7, 'x') + "\r\n\r\n");
  };
  CHECK(AskFor(trailed(kMaxTrailerBytes)).ok());
  CHECK(IsRefused(trailed(kMaxTrailerBytes + 1)));
}

TEST_CASE("an answer that could be read in two ways is none") {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  CHECK(IsRefused(ok + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}\n"));
  CHECK(IsRefused(ok + "Content-Length: -2\r\n\r\n{}"));
  CHECK(IsRefused(ok + "Content-Length: 2x\r\n\r\n{}"));
  CHECK(IsRefused(ok + "Content-Length: 99999999999999999999\r\n\r\n{}"));
  CHECK(IsRefused(ok +
                  "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"));
  CHECK(IsRefused(ok + "Transfer-Encoding: gzip\r\n\r\n{}"));
  CHECK(IsRefused(ok + "X: 1\r\n folded\r\nContent-Length: 2\r\n\r\n{}"));
  CHECK(IsRefused(ok + "no colon\r\nContent-Length: 2\r\n\r\n{}"));
  CHECK(IsRefused(ok + "Content-Length : 2\r\n\r\n{}"));
}

TEST_CASE("an answer that is cut, or is no HTTP, is none") {
  for (const char* answer :
       {"", "\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}",
        "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n"}) {
    INFO(answer);
    CHECK(IsRefused(answer));
  }
  CHECK(IsRefused(Chunked("2\r\n{}\r\n")));
  CHECK(IsRefused(Chunked("2\r\n{}xx0\r\n\r\n")));
}

TEST_CASE("a body without a length goes on until the end of the connection") {
  const auto answer = AskFor("HTTP/1.1 200 OK\r\n\r\n{\"a\": 1}");
  REQUIRE(answer.ok());
  CHECK(answer->body == "{\"a\": 1}");
}

}  // namespace
}  // namespace gangplan::hostile_answers_test
