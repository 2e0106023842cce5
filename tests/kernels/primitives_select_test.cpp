// Selection, counting, moves, segments and axes, compared with plain loops and the standard library.
#include "tests/kernels/primitives_common.hpp"

#include <prism/primitives.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

namespace primitives = prism::primitives;
using primitives_test::mixed;
using primitives_test::numbers;
using primitives_test::shared;
using prism_test::error_of;

struct is_odd {
  bool operator()(int x) const { return x % 2 != 0; }
};

TEST(primitives_select, copy_if_keeps_the_order_and_leaves_the_rest_of_the_output_alone) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  for (const std::size_t n : {0, 1, 255, 65537, 200001}) {
    const std::vector<int> x = numbers<int>(n, 1000);
    std::vector<int> expected(n, -1);
    const auto end = std::copy_if(x.begin(), x.end(), expected.begin(), is_odd());
    const shared<int> in(queue, x), out(queue, std::vector<int>(n, -1));
    const shared<std::uint64_t> count(queue, 1);
    primitives::copy_if(queue, in.view(), out.view(), count.view(), is_odd()).wait();
    EXPECT_EQ(count.data()[0], std::uint64_t(end - expected.begin())) << n;
    EXPECT_EQ(out.values(), expected) << n;
  }
}

TEST(primitives_select, partition_in_place_keeps_the_order_of_both_parts) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  for (const std::size_t n : {1, 300, 70000}) {
    std::vector<int> x = numbers<int>(n, 1000);
    const shared<int> values(queue, x);
    const shared<std::uint64_t> count(queue, 1);
    primitives::partition(queue, values.view(), values.view(), count.view(), is_odd()).wait();
    const auto middle = std::stable_partition(x.begin(), x.end(), is_odd());
    EXPECT_EQ(count.data()[0], std::uint64_t(middle - x.begin())) << n;
    EXPECT_EQ(values.values(), x) << n;
  }
}

TEST(primitives_select, unique_keeps_the_first_of_each_run_of_a_strided_buffer) {
  sycl::queue queue;
  const std::size_t n = 10001;
  std::vector<int> x(3 * n), result(n, -1), count(1), taken(n), expected(n, -1);
  for (std::size_t i = 0; i < n; ++i) x[3 * i] = taken[i] = int(mixed(i / 7) % 3);
  const auto end = std::unique_copy(taken.begin(), taken.end(), expected.begin());
  {
    sycl::buffer<int> in(x), out(result), found(count);
    primitives::unique(queue, prism::view_of(in).subvector(0, n, 3), prism::view_of(out),
                       prism::view_of(found));
  }
  EXPECT_EQ(count[0], end - expected.begin());
  EXPECT_EQ(result, expected);
}

TEST(primitives_histogram, even_bins_count_what_is_between_the_borders_and_no_nan) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  const std::size_t n = 100003;
  std::vector<float> x = numbers<float>(n, 4000);
  std::vector<std::uint64_t> expected(10);
  for (float& each : x) each = each * 0.25f + 0.125f; // 0 to 1000, never on a border
  x[5] = std::nanf(""), x[6] = std::numeric_limits<float>::infinity(), x[7] = -1.0f, x[8] = 100.0f;
  for (const float each : x)
    if (each >= 100 && each < 600) ++expected[std::size_t((each - 100) / 50)];
  const shared<float> in(queue, x);
  const shared<std::uint64_t> counts(queue, 10);
  primitives::histogram_even(queue, in.view(), counts.view(), 100.0f, 600.0f).wait();
  EXPECT_EQ(counts.values(), expected);
}

TEST(primitives_histogram, each_integer_from_0_is_counted_and_no_other) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  std::vector<int> x = numbers<int>(70001, 300);
  x[3] = -1, x[4] = 1 << 30;
  std::vector<std::uint64_t> expected(200);
  for (const int each : x)
    if (each >= 0 && each < 200) ++expected[std::size_t(each)];
  const shared<int> in(queue, x);
  const shared<std::uint64_t> counts(queue, 200);
  primitives::bincount(queue, in.view(), counts.view()).wait();
  EXPECT_EQ(counts.values(), expected);
}

TEST(primitives_histogram, bins_between_any_borders) {
  sycl::queue queue;
  const std::vector<int> x = numbers<int>(50001, 1000), bounds{10, 11, 11, 500, 998};
  std::vector<std::uint32_t> counts(4, 77), expected(4);
  for (const int each : x)
    for (std::size_t b = 0; b < 4; ++b)
      if (each >= bounds[b] && each < bounds[b + 1]) ++expected[b];
  {
    sycl::buffer<int> in(x), borders(bounds);
    sycl::buffer<std::uint32_t> out(counts);
    primitives::histogram_bounds(queue, prism::view_of(in), prism::view_of(borders), prism::view_of(out));
  }
  EXPECT_EQ(counts, expected);
}

TEST(primitives_elementwise, transform_gather_and_scatter_undo_each_other) {
  sycl::queue queue;
  const std::size_t n = 5000;
  std::vector<int> x = numbers<int>(n, 100000), result(n), places(n);
  for (std::size_t i = 0; i < n; ++i) places[i] = int(i * 7919 % n);
  {
    sycl::buffer<int> in(x), out(result), at(places), between(sycl::range<1>{n});
    primitives::gather(queue, prism::view_of(in), prism::view_of(at), prism::view_of(between));
    primitives::transform(queue, prism::view_of(between), prism::view_of(between),
                          [](int v) { return v + 3; });
    primitives::scatter(queue, prism::view_of(between), prism::view_of(at), prism::view_of(out));
  }
  for (int& each : x) each += 3;
  EXPECT_EQ(result, x);
}

TEST(primitives_elementwise, for_each_zip_changes_the_elements_of_several_views) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  const std::size_t n = 1000;
  const shared<int> a(queue, numbers<int>(n, 100)), b(queue, 2 * n), c(queue, numbers<int>(n, 50));
  const std::vector<int> old_c = c.values();
  const prism::vector_view<int> every_second(b.data(), n, 2);
  primitives::for_each_zip(queue,
                           [](const int& x, int& sum, int& old) {
    sum = x + old;
    old = x;
  }, {}, a.constant(), every_second, c.view().reversed())
      .wait();
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(b.data()[2 * i], a.data()[i] + old_c[n - 1 - i]);
    ASSERT_EQ(c.data()[n - 1 - i], a.data()[i]);
  }
}

TEST(primitives_top_k, finds_the_largest_and_of_equal_ones_the_first) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  const std::size_t n = 60001;
  const std::vector<int> x = numbers<int>(n, 5000);
  std::vector<std::uint64_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint64_t a, std::uint64_t b) { return x[a] != x[b] ? x[a] > x[b] : a < b; });
  const shared<int> in(queue, x);
  for (const std::size_t k : {0, 1, 100, 5000, 60001}) {
    const shared<int> values(queue, k);
    const shared<std::uint64_t> places(queue, k);
    primitives::top_k(queue, in.view(), values.view(), places.view()).wait();
    EXPECT_EQ(places.values(), std::vector<std::uint64_t>(order.begin(), order.begin() + std::ptrdiff_t(k)));
    for (std::size_t i = 0; i < k; ++i) ASSERT_EQ(values.data()[i], x[order[i]]) << k;
  }
}

TEST(primitives_segmented, scans_and_sums_of_long_short_and_empty_segments) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  const std::vector<std::uint64_t> offsets{0, 0, 1, 5, 5, 90000, 90001, 150000, 150000};
  const std::size_t n = offsets.back(), segments = offsets.size() - 1;
  const std::vector<int> x = numbers<int>(n, 1000);
  std::vector<int> inclusive(n), exclusive(n), sums(segments, 5);
  for (std::size_t s = 0; s < segments; ++s) {
    int sum = 0;
    for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      exclusive[i] = 5 + sum;
      inclusive[i] = sum += x[i];
    }
    sums[s] += sum;
  }
  const shared<int> in(queue, x), out(queue, n), totals(queue, segments);
  const shared<std::uint64_t> places(queue, offsets);
  const std::plus<int> plus;
  primitives::segmented_reduce(queue, in.view(), places.view(), totals.view(), 5, plus).wait();
  EXPECT_EQ(totals.values(), sums);
  primitives::segmented_inclusive_scan(queue, in.view(), places.view(), out.view(), plus).wait();
  EXPECT_EQ(out.values(), inclusive);
  primitives::segmented_exclusive_scan(queue, in.view(), places.view(), in.view(), 5, plus).wait();
  EXPECT_EQ(in.values(), exclusive) << "in place";
}

TEST(primitives_axis, sums_of_rows_and_columns_of_matrices_of_every_form) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  for (const auto& [rows, columns] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {70, 300}, {1000, 33}, {3, 70000}, {5, 0}}) {
    const shared<int> in(queue, numbers<int>(rows * (columns + 2), 1000));
    const auto matrix = prism::row_major(in.data(), rows, columns, columns + 2);
    const shared<int> of_rows(queue, rows), of_columns(queue, columns);
    std::vector<int> row_sums(rows, 1), column_sums(columns, 1);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        row_sums[i] += in.data()[i * (columns + 2) + j], column_sums[j] += in.data()[i * (columns + 2) + j];
    primitives::reduce_rows(queue, matrix, of_rows.view(), 1, std::plus<int>()).wait();
    EXPECT_EQ(of_rows.values(), row_sums) << rows << " x " << columns;
    primitives::reduce_rows(queue, matrix.transposed(), of_columns.view(), 1, std::plus<int>()).wait();
    EXPECT_EQ(of_columns.values(), column_sums) << rows << " x " << columns;
  }
}

TEST(primitives_select, wrong_extents_are_refused) {
  sycl::queue queue;
  sycl::buffer<int> memory(sycl::range<1>(9));
  const auto one = prism::view_of(memory).subvector(0, 1), two = prism::view_of(memory).subvector(1, 2),
             three = prism::view_of(memory).subvector(3, 3);
  const auto refused = [](auto&& call) { return error_of(call) == sycl::errc::invalid; };
  const std::plus<int> plus;
  EXPECT_TRUE(refused([&] { primitives::unique(queue, three, two, one); }));
  EXPECT_TRUE(refused([&] { primitives::unique(queue, three, three, two); }));
  EXPECT_TRUE(refused([&] { primitives::histogram_bounds(queue, three, three, three); }));
  EXPECT_TRUE(refused([&] { primitives::gather(queue, three, two, three); }));
  EXPECT_TRUE(refused([&] { primitives::scatter(queue, three, two, three); }));
  EXPECT_TRUE(
      refused([&] { primitives::reduce_rows(queue, prism::row_major(memory, 2, 3), three, 0, plus); }));
}

} // namespace
