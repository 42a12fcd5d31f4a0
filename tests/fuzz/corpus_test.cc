// A fuzz target over its corpus: each file as it is, cut off at every place, and with each of its
// bytes changed. What a target finds wrong aborts.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/catch.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
// Inputs of one file, at most; a target may say fewer.
extern "C" size_t FuzzTestInputs() __attribute__((weak));

namespace gangplan::corpus_test {
namespace {

using Bytes = std::vector<uint8_t>;

std::vector<Bytes> ReadCorpus() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(GANGPLAN_CORPUS))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

// That many places of each text, spread evenly.
size_t Stride(const Bytes& text) {
  const size_t most = FuzzTestInputs == nullptr ? 500 : FuzzTestInputs();
  return text.size() / most + 1;
}

TEST_CASE("The fuzz target holds on its corpus, on parts of it and with bytes changed") {
  const std::vector<Bytes> corpus = ReadCorpus();
  REQUIRE(!corpus.empty());
  for (const Bytes& text : corpus) {
    REQUIRE(LLVMFuzzerTestOneInput(text.data(), text.size()) == 0);
    for (size_t i = 0; i < text.size(); i += Stride(text)) {
      LLVMFuzzerTestOneInput(text.data(), i);
      for (uint8_t byte :
           {uint8_t{'"'}, uint8_t{'\\'}, uint8_t{'0'}, uint8_t{']'}, uint8_t{0xff}}) {
        Bytes changed = text;
        changed[i] = byte;
        LLVMFuzzerTestOneInput(changed.data(), changed.size());
      }
    }
  }
}

}  // namespace
}  // namespace gangplan::corpus_test
