#include "extender/frontends/unknown_word.h"

#include "tests/support/catch.h"

namespace gangplan::unknown_word_test {
namespace {

TEST_CASE("what is written on Jobs that wait is known, as a label and as an annotation") {
  const LabelSet keys = {{"gangplan.io/pinned", "1"}, {"gangplan.io/suspended", ""}};
  CHECK(UnknownWord(keys, {}).empty());
  CHECK(UnknownWord({}, keys).empty());
  CHECK(UnknownWord(keys, keys).empty());
}

TEST_CASE("a key that is almost one of ours is not") {
  CHECK(UnknownWord({}, {{"gangplan.io/suspend", ""}})
            .starts_with("gangplan.io/suspend: unknown word; expected one of gangplan.io/group, "));
  CHECK_FALSE(UnknownWord({{"gangplan.io/pin", ""}}, {}).empty());
}

TEST_CASE("a key that is near one of ours is told that one") {
  CHECK(UnknownWord({{"gangplan.io/palce", ""}}, {}) ==
        "gangplan.io/palce: unknown word; did you mean gangplan.io/place?");
  CHECK(UnknownWord({{"gangplan.io/podsets", ""}}, {}) ==
        "gangplan.io/podsets: unknown word; did you mean gangplan.io/pod-sets?");
  // What we write is nobody's to say.
  CHECK(UnknownWord({{"gangplan.io/plan2", ""}}, {}).find("gangplan.io/plan?") ==
        std::string::npos);
}

TEST_CASE("of Kueue's keys those about topology are words, and all of them are annotations") {
  CHECK(UnknownWord({{"kueue.x-k8s.io/podset-require-topology", "x"}}, {}) ==
        "kueue.x-k8s.io/podset-require-topology: unknown word; did you mean "
        "kueue.x-k8s.io/podset-required-topology?");
  CHECK(UnknownWord({{"kueue.x-k8s.io/topology-level", "x"}}, {})
            .starts_with("kueue.x-k8s.io/topology-level: unknown word; expected one of "
                         "kueue.x-k8s.io/podset-required-topology, "));
  CHECK(UnknownWord({}, {{"kueue.x-k8s.io/podset-slice-size", "2"}}) ==
        "kueue.x-k8s.io/podset-slice-size: is a label; expected an annotation");
  for (const char* key :
       {"kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-preferred-topology",
        "kueue.x-k8s.io/podset-unconstrained-topology",
        "kueue.x-k8s.io/podset-slice-required-topology", "kueue.x-k8s.io/podset-slice-size",
        "kueue.x-k8s.io/podset-slice-required-topology-constraints",
        "kueue.x-k8s.io/podset-group-name", "kueue.x-k8s.io/pod-index-offset",
        "kueue.x-k8s.io/require-topology", "kueue.x-k8s.io/prefer-topology",
        "kueue.x-k8s.io/podset-replica-sizes"}) {
    INFO(key);
    CHECK(UnknownWord({{key, "1"}}, {}).empty());
  }
  for (const char* key : {"kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/podset",
                          "kueue.x-k8s.io/tas", "kueue.x-k8s.io/workload"}) {
    INFO(key);
    CHECK(UnknownWord({}, {{key, "1"}}).empty());
    CHECK(UnknownWord({{key, "1"}}, {}).empty());
  }
}

}  // namespace
}  // namespace gangplan::unknown_word_test
