// Scans and reductions of segments, the first elements of an order, and partitions, of arrays: against loops.
#include "tests/sycl/common.hpp"

#include <prism/array.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace {

using namespace prism;
using prism_test::error_of;
using whole = std::vector<std::int64_t>;

whole whole_of(const any_array& a) { return a.astype(dtype::int64).to_vector<std::int64_t>(); }
std::string refusal(const std::function<void()>& call) {
  std::string text;
  EXPECT_EQ(error_of(call, &text), sycl::errc::invalid);
  return text;
}

/// Values from -5 to 5 in an order without a pattern.
whole values_of(std::size_t n) {
  whole out(n);
  std::uint32_t state = 7;
  for (std::int64_t& each : out)
    state = state * 1664525u + 1013904223u, each = std::int64_t(state >> 20) % 11 - 5;
  return out;
}
/// Segments of 0 to `longest` elements.
whole offsets_of(std::size_t n, std::size_t longest, std::size_t shortest = 0) {
  whole out{0};
  std::uint32_t state = 3;
  while (out.back() < std::int64_t(n)) {
    state = state * 1664525u + 1013904223u;
    const std::size_t length = shortest + (state >> 16) % (longest - shortest + 1);
    out.push_back(std::min<std::int64_t>(out.back() + std::int64_t(length), std::int64_t(n)));
  }
  return out;
}

std::int64_t combined(reduction_op op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case reduction_op::sum: return a + b;
    case reduction_op::prod: return std::int64_t(std::uint64_t(a) * std::uint64_t(b));
    case reduction_op::min: return std::min(a, b);
    default: return std::max(a, b);
  }
}

TEST(array_segments, scans_and_reductions_of_segments_are_those_of_a_loop) {
  for (const std::size_t n : {1, 7, 1024, 5000, 3'000'000}) {
    for (const reduction_op op :
         {reduction_op::sum, reduction_op::prod, reduction_op::min, reduction_op::max}) {
      if (n > 5000 && op != reduction_op::sum) continue; // three levels of parts
      const bool adds = op == reduction_op::sum || op == reduction_op::prod;
      const whole values = values_of(n), offsets = offsets_of(n, n > 5000 ? 9000 : 700, adds ? 0 : 1);
      whole inclusive(n), exclusive(n), reduced;
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
        const std::int64_t none = op == reduction_op::prod ? 1 : 0;
        std::int64_t total = none;
        for (std::int64_t i = offsets[s]; i < offsets[s + 1]; ++i) {
          exclusive[std::size_t(i)] = total;
          total = i == offsets[s] ? values[std::size_t(i)] : combined(op, total, values[std::size_t(i)]);
          inclusive[std::size_t(i)] = total;
        }
        reduced.push_back(total);
      }
      const any_array a = asarray(values).astype(dtype::int32), o = asarray(offsets);
      SCOPED_TRACE(std::string(name_of(op)) + " of " + std::to_string(n));
      EXPECT_EQ(segmented_scan(op, a, o).type(), adds ? dtype::int64 : dtype::int32);
      EXPECT_EQ(whole_of(segmented_scan(op, a, o)), inclusive);
      EXPECT_EQ(whole_of(segmented_reduce(op, a, o.astype(dtype::uint32))), reduced);
      if (adds) {
        EXPECT_EQ(whole_of(segmented_scan(op, a, o, true)), exclusive);
      }
    }
  }
}

TEST(array_segments, every_type_has_them_and_a_view_is_read_where_it_lies) {
  const any_array offsets = asarray(whole{0, 2, 2, 5});
  for (const dtype type :
       {dtype::boolean, dtype::uint16, dtype::float32, dtype::float64, dtype::complex64, dtype::complex128}) {
    if ((type == dtype::float64 || type == dtype::complex128) && !sycl::device().has(sycl::aspect::fp64))
      continue;
    const any_array wide = asarray(whole{1, 9, 0, 9, 1, 9, 1, 9, 1, 9}).astype(type);
    const any_array a = wide[{slice{{}, {}, 2}}]; // 1 0 1 1 1
    SCOPED_TRACE(name_of(type));
    EXPECT_EQ(whole_of(segmented_reduce(reduction_op::sum, a, offsets).real()), (whole{1, 0, 3}));
    EXPECT_EQ(whole_of(segmented_scan(reduction_op::sum, a, offsets).real()), (whole{1, 1, 1, 2, 3}));
    EXPECT_EQ(segmented_reduce(reduction_op::sum, a, offsets).type(), sum(a).type());
    EXPECT_EQ(whole_of(segmented_reduce(reduction_op::prod, a, offsets).real()), (whole{0, 1, 1}));
  }
  EXPECT_EQ(segmented_reduce(reduction_op::sum, zeros({0}), asarray(whole{0})).shape(), (extents{0}));
  EXPECT_EQ(whole_of(segmented_reduce(reduction_op::prod, zeros({0}), asarray(whole{0, 0, 0}))),
            (whole{1, 1}));
  EXPECT_EQ(segmented_scan(reduction_op::max, zeros({0}), asarray(whole{0, 0})).shape(), (extents{0}));
}

TEST(array_segments, wrong_segments_are_refused_with_the_numbers) {
  const any_array a = arange(0, 5, 1, dtype::int32);
  const auto reduced = [&](const whole& offsets, reduction_op op = reduction_op::sum) {
    return refusal([&] { segmented_reduce(op, a, asarray(offsets)); });
  };
  EXPECT_NE(reduced({0, 3}).find("ascend from 0 to 5, the number of elements; these go from 0 to 3"),
            std::string::npos);
  EXPECT_NE(reduced({1, 5}).find("go from 1 to 5"), std::string::npos);
  EXPECT_NE(reduced({0, 4, 2, 5}).find("one is 2 less than the one before"), std::string::npos);
  EXPECT_NE(reduced({0, 9, 5}).find("one is 4 less"), std::string::npos);
  EXPECT_NE(reduced({0, 2, 2, 5}, reduction_op::max).find("segment 1 has no elements, and so no max"),
            std::string::npos);
  EXPECT_NE(reduced({0, 5}, reduction_op::mean).find("there are sum, prod, min and max"), std::string::npos);
  EXPECT_NE(refusal([&] {
    segmented_scan(reduction_op::min, a, asarray(whole{0, 5}), true);
  }).find("no first element"),
            std::string::npos);
  EXPECT_NE(refusal([&] { segmented_scan(reduction_op::sum, a, ones({2}, dtype::float32)); }).find("float32"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
    segmented_scan(reduction_op::sum, a.reshape({5, 1}), asarray(whole{0, 5}));
  }).find("(5, 1)"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
    segmented_reduce(reduction_op::min, ones({2}, dtype::complex64), asarray(whole{0, 2}));
  }).find("no order"),
            std::string::npos);
}

TEST(array_segments, topk_has_the_first_elements_of_a_stable_sort) {
  for (const std::size_t n : {1, 100, 20000}) {
    const whole values = values_of(n);
    for (const std::size_t k : {std::size_t(0), std::size_t(1), n / 3, n}) {
      whole places(n);
      std::iota(places.begin(), places.end(), 0);
      for (const bool largest : {true, false}) {
        std::stable_sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) {
          const std::int64_t x = values[std::size_t(a)], y = values[std::size_t(b)];
          return x == y ? a < b : largest ? x > y : x < y;
        });
        const topk_result found = topk(asarray(values).astype(dtype::int16), std::int64_t(k), 0, largest);
        EXPECT_EQ(whole_of(found.indices), whole(places.begin(), places.begin() + std::ptrdiff_t(k)));
        whole expected;
        for (std::size_t i = 0; i < k; ++i) expected.push_back(values[std::size_t(places[i])]);
        EXPECT_EQ(whole_of(found.values), expected);
        EXPECT_EQ(found.values.type(), dtype::int16);
      }
    }
  }
  const any_array table = asarray(whole{3, 1, 2, 9, 7, 8}, {2, 3});
  const topk_result rows = topk(table, 2), columns = topk(table, 1, 0, false);
  EXPECT_EQ(whole_of(rows.values), (whole{3, 2, 9, 8}));
  EXPECT_EQ(whole_of(rows.indices), (whole{0, 2, 0, 2}));
  EXPECT_EQ(columns.values.shape(), (extents{1, 3}));
  EXPECT_EQ(whole_of(columns.values), (whole{3, 1, 2}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const any_array with_nan = asarray(std::vector<float>{nan, 1, 3, nan, 2});
  EXPECT_EQ(whole_of(topk(with_nan, 3).indices), (whole{0, 3, 2}));
  EXPECT_EQ(whole_of(topk(with_nan, 4, 0, false).indices), (whole{1, 4, 2, 0}));
  EXPECT_EQ(whole_of(argsort(with_nan, 0, true)), (whole{0, 3, 2, 4, 1}));
  EXPECT_NE(refusal([&] { topk(table, 4); }).find("the first 4 of 3 elements"), std::string::npos);
  EXPECT_NE(refusal([&] { topk(table, -1); }).find("the first -1"), std::string::npos);
}

TEST(array_segments, a_partition_keeps_the_order_on_both_sides) {
  const whole values = values_of(9000);
  whole expected;
  for (const bool positive : {true, false})
    for (const std::int64_t each : values)
      if ((each > 0) == positive) expected.push_back(each);
  const any_array a = asarray(values);
  const partition_result found = partition_where(a, a > 0);
  EXPECT_EQ(whole_of(found.elements), expected);
  EXPECT_EQ(found.count, std::count_if(values.begin(), values.end(), [](std::int64_t v) { return v > 0; }));
  EXPECT_EQ(partition_where(zeros({0}), zeros({0}, dtype::boolean)).count, 0);
  EXPECT_NE(refusal([&] { partition_where(a, a); }).find("a mask of bool"), std::string::npos);
}

} // namespace
