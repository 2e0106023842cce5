// The inputs from which `./prism check --fuzz` starts, and earlier findings: each reader must accept or
// reject each of its own cleanly.
#include "tests/fuzz/parsers.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace {

namespace fs = std::filesystem;

class fuzz_seeds : public testing::TestWithParam<prism_fuzz::parser> {};

TEST_P(fuzz_seeds, are_accepted_or_rejected_cleanly) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(PRISM_FUZZ_SEEDS) / GetParam().name)) {
    SCOPED_TRACE(entry.path());
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    EXPECT_NO_THROW(GetParam().read(bytes));
    ++count;
  }
  EXPECT_GT(count, 0u);
}

INSTANTIATE_TEST_SUITE_P(fuzz, fuzz_seeds,
                         testing::ValuesIn(prism_fuzz::parsers().begin(), prism_fuzz::parsers().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(fuzz_seeds_folder, has_no_folder_without_a_reader) {
  for (const auto& entry : fs::directory_iterator(PRISM_FUZZ_SEEDS))
    EXPECT_NE(prism_fuzz::find(entry.path().filename()), nullptr) << entry.path();
}

} // namespace
