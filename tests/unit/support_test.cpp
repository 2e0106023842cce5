#include "runtime/support/settings.hpp"
#include "runtime/support/hash.hpp"
#include "runtime/support/size_text.hpp"
#include "runtime/support/text.hpp"

#include <gtest/gtest.h>
#include <set>

using namespace prism::support;

namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(hash, is_xxhash64) { // values of the reference implementation
  EXPECT_EQ(hash64(bytes_of("")), 0xEF46DB3751D8E999u);
  EXPECT_EQ(hash64(bytes_of("a")), 0xD24EC4F1A98C6E5Bu);
  EXPECT_EQ(hash64(bytes_of("abc")), 0x44BC2CF5AD770999u);
}

TEST(hash, sees_every_bit_of_long_data) {
  std::string text(100, 'x');
  const auto before = hash64(bytes_of(text));
  for (char& c : text) {
    c = static_cast<char>(c ^ 1);
    EXPECT_NE(hash64(bytes_of(text)), before);
    c = static_cast<char>(c ^ 1);
  }
}

TEST(environment, sizes_have_suffixes) {
  EXPECT_EQ(parse_size("512"), 512u);
  EXPECT_EQ(parse_size("256M"), 256u << 20);
  EXPECT_EQ(parse_size("1g"), 1u << 30);
  for (const char* wrong : {"", "M", "12T", "1MB", "-1", "99999999999999999999", "99999999999999G"})
    EXPECT_FALSE(parse_size(wrong)) << wrong;
}

TEST(environment, seconds_are_whole_and_never_overflow_a_clock) {
  using namespace std::chrono;
  EXPECT_EQ(parse_seconds("0"), seconds(0));
  EXPECT_EQ(parse_seconds("30"), seconds(30));
  for (const char* wrong : {"", "-1", "1s", "1K", " 1", "0x10", "1.5"})
    EXPECT_FALSE(parse_seconds(wrong)) << wrong;
  const auto longest = parse_seconds("18446744073709551615");
  ASSERT_TRUE(longest);
  EXPECT_GT(steady_clock::now() + *longest, steady_clock::now());
}

TEST(environment, an_invalid_number_of_seconds_gives_the_default) {
  ::setenv("PRISM_EXIT_LIMIT", "soon", 1);
  EXPECT_EQ(seconds_of(variables::exit_limit), std::chrono::seconds(10));
  ::unsetenv("PRISM_EXIT_LIMIT");
  EXPECT_EQ(seconds_of(variables::exit_limit), std::chrono::seconds(10));
  EXPECT_EQ(seconds_of(variables::timeout), std::chrono::seconds(0));
}

TEST(environment, every_variable_is_documented_once) {
  std::set<std::string> names;
  for (const variable& v : all_variables()) {
    EXPECT_TRUE(names.insert(v.name).second) << v.name;
    EXPECT_EQ(std::string(v.name).rfind("PRISM_", 0), 0u);
    EXPECT_GT(std::string(v.meaning).size(), 10u);
  }
}

TEST(text, utf8_is_distinguished_from_other_bytes) {
  for (const char* right : {"", "abc", "\u00e9", "\u20ac", "\ud7ff\ue000", "\U0001f600", "\U0010ffff"})
    EXPECT_TRUE(is_utf8(right)) << right;
  for (const char* wrong : {"\x80", "\xff", "\xc1\xbf", "\xc3", "\xe2\x82", "\xe0\x9f\xbf", "\xed\xa0\x80",
                            "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xc3(", "a\xe9"})
    EXPECT_FALSE(is_utf8(wrong)) << wrong;
}

TEST(text, edit_distance_counts_changes) {
  EXPECT_EQ(edit_distance("opencl", "opencl"), 0u);
  EXPECT_EQ(edit_distance("opencll", "opencl"), 1u);
  EXPECT_EQ(edit_distance("vulcan", "vulkan"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
}

} // namespace
