// Inputs from which `./prism check --fuzz` starts, and those that once were findings: each reader takes or
// refuses each of its own.
#include "tests/fuzz/parsers.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace {

namespace fs = std::filesystem;

class kept_inputs : public testing::TestWithParam<prism_fuzz::parser> {};

TEST_P(kept_inputs, are_taken_or_refused_in_order) {
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

INSTANTIATE_TEST_SUITE_P(fuzz, kept_inputs,
                         testing::ValuesIn(prism_fuzz::parsers().begin(), prism_fuzz::parsers().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(kept_inputs_folder, has_no_folder_without_a_reader) {
  for (const auto& entry : fs::directory_iterator(PRISM_FUZZ_SEEDS))
    EXPECT_NE(prism_fuzz::find(entry.path().filename()), nullptr) << entry.path();
}

} // namespace
