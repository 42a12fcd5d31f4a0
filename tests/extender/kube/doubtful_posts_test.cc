#include "extender/kube/doubtful_posts.h"

#include <string>

#include "tests/support/catch.h"

namespace gangplan::doubtful_posts_test {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);

// As many as are remembered, all since kStart.
void Fill(DoubtfulPosts& posts) {
  for (size_t i = 0; i < kMaxDoubtfulPosts; ++i) posts.Remember(std::to_string(i), kStart);
}

TEST_CASE("Doubtful posts: a Binding may land for as long as a server works on it") {
  DoubtfulPosts posts;
  posts.Remember("a", kStart);
  CHECK(posts.MayLand("a", kStart + kPostLifetime - absl::Nanoseconds(1)));
  CHECK_FALSE(posts.MayLand("a", kStart + kPostLifetime));
  CHECK(posts.MayLand("b", kStart));
  CHECK_FALSE(posts.MayLand("b", kStart + kPostLifetime));
  posts.Forget("b");
  CHECK(posts.MayLand("b", kStart + kPostLifetime));
}

TEST_CASE("Doubtful posts: the last one within the limit is remembered, one more is not") {
  DoubtfulPosts posts;
  Fill(posts);
  const std::string last = std::to_string(kMaxDoubtfulPosts - 1);
  CHECK(posts.MayLand("more", kStart));
  const absl::Time later = kStart + kPostLifetime - absl::Nanoseconds(1);
  CHECK(posts.MayLand("more", later));
  CHECK_FALSE(posts.MayLand(last, kStart + kPostLifetime));
}

TEST_CASE("Doubtful posts: what cannot land any more makes room when there is none") {
  const absl::Time end = kStart + kPostLifetime;
  DoubtfulPosts asked;
  Fill(asked);
  CHECK(asked.MayLand("more", end));
  CHECK_FALSE(asked.MayLand("more", end + kPostLifetime));
  // It was dropped, and counts anew.
  CHECK(asked.MayLand("0", end));
  DoubtfulPosts written;
  Fill(written);
  written.Remember("more", end);
  CHECK_FALSE(written.MayLand("more", end + kPostLifetime));
}

}  // namespace
}  // namespace gangplan::doubtful_posts_test
