// Which results count as different, as a table of pairs.
#include "runtime/memory/difference.hpp"

#include "devices/api/image.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace prism::memory {
namespace {

template <typename T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span<const T>(values));
}

template <typename T>
std::optional<difference> compare(const std::vector<T>& found, const std::vector<T>& expected,
                                  const comparison& how) {
  return first_difference(bytes_of(found), bytes_of(expected), {}, how);
}

constexpr comparison floats{image::slot_has_float, 4}, doubles{image::slot_has_double, 8},
    integers{image::slot_has_integers, 4}, halves{image::slot_has_half, 2},
    floats_and_integers{image::slot_has_float | image::slot_has_integers, 8};
constexpr float infinity = std::numeric_limits<float>::infinity(),
                nan = std::numeric_limits<float>::quiet_NaN();

TEST(difference, of_floats_is_outside_of_the_tolerance) {
  struct {
    float found, expected;
    bool differs;
  } const rows[] = {{1, 1, false},
                    {1.00005f, 1, false},
                    {1.0003f, 1, true},
                    {-1, 1, true},
                    {0.f, -0.f, false},
                    {nan, nan, false},
                    {nan, 1, true},
                    {1, nan, true},
                    {infinity, 1, true},
                    {infinity, infinity, false},
                    {infinity, -infinity, true},
                    {1e-41f, 2e-41f, true},
                    {3e38f, 3.0001e38f, false}};
  for (const auto& row : rows)
    EXPECT_EQ(compare<float>({row.found}, {row.expected}, floats).has_value(), row.differs)
        << row.found << " and " << row.expected;
}

TEST(difference, of_floats_much_smaller_than_the_others_is_ignored) {
  EXPECT_FALSE(compare<float>({10, 20, 1e-4f}, {10, 20, 2e-4f}, floats)); // cancellation
  EXPECT_TRUE(compare<float>({10, 20, 1e-2f}, {10, 20, 2e-2f}, floats));
}

TEST(difference, of_normal_floats_counts_next_to_a_very_large_one) {
  EXPECT_TRUE(compare<float>({1e9f, 5, 40, 40}, {1e9f, 40, 40, 40}, floats));
}

TEST(difference, of_an_incomplete_last_element_counts) {
  const std::vector<char> found{1, 2, 3, 4, 5, 6, 7}, expected{1, 2, 3, 4, 5, 9, 9};
  const auto wrong = compare(found, expected, comparison{image::slot_has_integers, 0});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->element, 5u);
  EXPECT_EQ(wrong->count, 2u);
}

TEST(difference, of_mixed_floats_and_doubles_uses_the_float_tolerance) {
  constexpr comparison both{image::slot_has_float | image::slot_has_double, 16};
  EXPECT_FALSE(compare<float>({1, 1.00001f}, {1, 1}, both));
  EXPECT_TRUE(compare<float>({1, 1.01f}, {1, 1}, both));
  EXPECT_TRUE(compare<double>({1 + 1e-6}, {1}, both));
}

TEST(difference, of_integers_has_no_tolerance) {
  EXPECT_FALSE(compare<std::uint32_t>({0x3f800000u}, {0x3f800000u}, integers));
  EXPECT_TRUE(
      compare<std::uint32_t>({0x3f800000u}, {0x3f800001u}, integers)); // as floats they would be close
  EXPECT_TRUE(compare<std::uint32_t>({0x3f800000u}, {0x3f800001u}, comparison{}));
}

TEST(difference, of_doubles_and_halves_has_their_own_tolerance) {
  EXPECT_FALSE(compare<double>({1 + 1e-10}, {1}, doubles));
  EXPECT_TRUE(compare<double>({1 + 1e-8}, {1}, doubles));
  EXPECT_FALSE(compare<std::uint16_t>({0x3c01}, {0x3c00}, halves)); // 1.00098 and 1
  EXPECT_TRUE(compare<std::uint16_t>({0x3c20}, {0x3c00}, halves));  // 1.03
}

TEST(difference, of_integers_among_floats_is_found) {
  EXPECT_TRUE(compare<std::uint32_t>({7, 0x3f800000u}, {8, 0x3f800000u}, floats_and_integers));
  EXPECT_FALSE(compare<std::uint32_t>({7, 0x3f800001u}, {7, 0x3f800000u}, floats_and_integers));
}

TEST(difference, is_reported_with_element_values_and_count) {
  const auto found = compare<float>({1, 2, 3.5f, 4, 9}, {1, 2, 3, 4, 5}, floats);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->element, 2u);
  EXPECT_EQ(found->byte, 0u);
  EXPECT_EQ(found->count, 2u);
  EXPECT_EQ(found->found, "3.5");
  EXPECT_EQ(found->expected, "3");
  const auto inside =
      compare<std::uint32_t>({1, 2, 3, 4}, {1, 2, 3, 5}, comparison{image::slot_has_integers, 12});
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->element, 1u);
  EXPECT_EQ(inside->byte, 0u);
  EXPECT_EQ(inside->expected, "5 (0x5)");
}

TEST(difference, can_ignore_elements_that_the_reference_did_not_change) {
  const std::vector<int> before{1, 2, 3}, expected{1, 2, 4}, right{7, 8, 4}, wrong{7, 8, 3};
  comparison how = integers;
  how.only_changed = true;
  EXPECT_FALSE(first_difference(bytes_of(right), bytes_of(expected), bytes_of(before), how));
  const auto found = first_difference(bytes_of(wrong), bytes_of(expected), bytes_of(before), how);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->element, 2u);
  EXPECT_EQ(found->count, 1u);
}

TEST(difference, of_nothing_is_none) { EXPECT_FALSE(compare<float>({}, {}, floats)); }

} // namespace
} // namespace prism::memory
