// Sorting, merging and searching, compared with the standard library.
#include "tests/kernels/primitives_common.hpp"

#include <prism/primitives/sort.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace {

namespace primitives = prism::primitives;
using primitives_test::mixed;
using primitives_test::numbers;
using primitives_test::shared;
using prism_test::error_of;

const std::size_t sizes[] = {0, 1, 2, 7, 9, 511, 513, 8191, 8193, 100001};

/// Compared only by its key, so that the test detects whether an algorithm is stable.
struct record {
  int key, number;
  friend bool operator==(const record& a, const record& b) { return a.key == b.key && a.number == b.number; }
};
struct by_key {
  bool operator()(const record& a, const record& b) const { return a.key < b.key; }
};
std::vector<record> records(std::size_t n, std::uint64_t keys) {
  std::vector<record> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = {int(mixed(i) % keys), int(i)};
  return v;
}

template <typename T>
void expect_sorted(const std::vector<T>& values) {
  sycl::queue queue;
  const shared<T> keys(queue, values);
  std::vector<T> expected = values;
  std::sort(expected.begin(), expected.end());
  primitives::sort(queue, keys.view()).wait();
  EXPECT_EQ(keys.values(), expected) << values.size();
}

TEST(primitives_sort, numbers_of_every_size_of_array) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  for (const std::size_t n : sizes) expect_sorted(numbers<std::uint32_t>(n, std::uint64_t(1) << 32));
}

TEST(primitives_sort, sorted_reversed_and_equal_numbers) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  std::vector<std::uint32_t> ascending(20000);
  std::iota(ascending.begin(), ascending.end(), 5u);
  expect_sorted(ascending);
  expect_sorted(std::vector<std::uint32_t>(ascending.rbegin(), ascending.rend()));
  expect_sorted(std::vector<std::uint32_t>(20000, 77u));
}

TEST(primitives_sort, signed_numbers_of_eight_bytes_and_of_one) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  std::vector<std::int64_t> wide(9001);
  std::vector<std::int8_t> narrow(9001);
  for (std::size_t i = 0; i < wide.size(); ++i)
    wide[i] = std::int64_t(mixed(i)), narrow[i] = std::int8_t(mixed(i));
  expect_sorted(wide);
  expect_sorted(narrow);
}

TEST(primitives_sort, floats_have_the_total_order_of_ieee_754) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const std::vector<float> expected{-nan, -infinity, -2.5f, -1e-40f, -0.0f,    0.0f,
                                    0.0f, 1e-40f,    1.0f,  3.0f,    infinity, nan};
  std::vector<float> mixed_up{0.0f,     nan,   3.0f, -0.0f, 1e-40f,    -nan,
                              infinity, -2.5f, 0.0f, 1.0f,  -infinity, -1e-40f};
  const shared<float> keys(queue, mixed_up);
  primitives::sort(queue, keys.view()).wait();
  EXPECT_EQ(std::memcmp(keys.data(), expected.data(), expected.size() * sizeof(float)), 0);
}

TEST(primitives_sort, a_million_keys_with_their_values_descending_and_stable) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  const std::size_t n = 1000000;
  std::vector<std::uint32_t> keys = numbers<std::uint32_t>(n, 1000);
  std::vector<int> order = prism_test::counted(n);
  const shared<std::uint32_t> sorted(queue, keys);
  const shared<int> values(queue, order);
  primitives::workspace memory;
  primitives::sort_by_key({queue, memory}, sorted.view(), values.view(), std::greater<>()).wait();
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] > keys[b]; });
  EXPECT_EQ(values.values(), order);
  EXPECT_TRUE(std::is_sorted(sorted.data(), sorted.data() + n, std::greater<>()));
}

TEST(primitives_sort, records_with_equal_keys_stay_in_order) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  for (const std::size_t n : sizes) {
    std::vector<record> expected = records(n, 1 + n / 10);
    const shared<record> keys(queue, expected);
    primitives::sort(queue, keys.view(), by_key()).wait();
    std::stable_sort(expected.begin(), expected.end(), by_key());
    EXPECT_EQ(keys.values(), expected) << n;
  }
}

TEST(primitives_sort, every_second_element_of_a_buffer_with_values_in_reverse) {
  sycl::queue queue;
  const std::size_t n = 3001;
  std::vector<int> keys = numbers<int>(2 * n + 5, 500), values = prism_test::counted(n);
  std::vector<int> expected_keys = keys, expected_values(n);
  std::vector<int> order = prism_test::counted(n);
  const auto far = [](int a, int b) { return (a ^ 255) < (b ^ 255); };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return far(keys[5 + 2 * std::size_t(a)], keys[5 + 2 * std::size_t(b)]);
  });
  for (std::size_t i = 0; i < n; ++i) {
    expected_keys[5 + 2 * i] = keys[5 + 2 * std::size_t(order[i])];
    expected_values[n - 1 - i] = values[n - 1 - std::size_t(order[i])];
  }
  {
    sycl::buffer<int> k(keys), v(values);
    primitives::sort_by_key(queue, prism::view_of(k).subvector(5, n, 2), prism::view_of(v).reversed(), far);
  }
  EXPECT_EQ(keys, expected_keys);
  EXPECT_EQ(values, expected_values);
}

TEST(primitives_merge, of_equal_elements_those_of_the_first_sequence_come_first) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  for (const std::size_t n : {std::size_t(0), std::size_t(1), std::size_t(900), std::size_t(40000)}) {
    std::vector<record> x = records(n, 50), y = records(7777, 50), expected(n + y.size());
    for (record& each : y) each.number += 1000000;
    std::stable_sort(x.begin(), x.end(), by_key());
    std::stable_sort(y.begin(), y.end(), by_key());
    std::merge(x.begin(), x.end(), y.begin(), y.end(), expected.begin(), by_key());
    const shared<record> a(queue, x), b(queue, y), out(queue, expected.size());
    primitives::merge(queue, a.view(), b.constant(), out.view(), by_key()).wait();
    EXPECT_EQ(out.values(), expected) << n;
  }
}

TEST(primitives_bounds, of_values_within_before_and_behind_a_sorted_sequence) {
  sycl::queue queue;
  std::vector<int> sorted = numbers<int>(5000, 300), wanted = prism_test::counted(320, -10);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint64_t> lower(wanted.size()), upper(wanted.size());
  {
    sycl::buffer<int> in(sorted), values(wanted);
    sycl::buffer<std::uint64_t> first(lower), last(upper);
    primitives::lower_bound(queue, prism::view_of(in), prism::view_of(values), prism::view_of(first));
    primitives::upper_bound(queue, prism::view_of(in), prism::view_of(values), prism::view_of(last));
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto range = std::equal_range(sorted.begin(), sorted.end(), wanted[i]);
    EXPECT_EQ(lower[i], std::uint64_t(range.first - sorted.begin())) << wanted[i];
    EXPECT_EQ(upper[i], std::uint64_t(range.second - sorted.begin())) << wanted[i];
  }
}

TEST(primitives_sort, extents_that_differ_and_keys_on_one_place_are_refused) {
  sycl::queue queue;
  sycl::buffer<int> five(sycl::range<1>(5));
  const auto all = prism::view_of(five);
  const prism::buffer_vector_view<int> one_place(five, 5, 0);
  EXPECT_EQ(error_of([&] { primitives::lower_bound(queue, all, all.subvector(0, 2), all.subvector(0, 3)); }),
            sycl::errc::invalid);
  std::string text;
  EXPECT_EQ(error_of([&] { primitives::lower_bound(queue, all, all, one_place); }, &text),
            sycl::errc::invalid);
  EXPECT_NE(text.find("stride of 0"), std::string::npos) << text;
}

} // namespace
