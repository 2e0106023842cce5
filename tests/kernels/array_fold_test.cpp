// Reductions of every layout: over all elements, the first, the middle and the last axis, of short and long
// results, of arrays, views and expressions. The numbers are small integers, so that every order is exact.
#include "tests/sycl/common.hpp"

#include <prism/array.hpp>

#include <algorithm>
#include <limits>

namespace {

using namespace prism;

/// The elements of a fold in their order.
using line = std::vector<double>;

struct fold_case {
  reduction_op op;
  double (*of)(const line&);
};

double sum_of(const line& v) {
  double out = 0;
  for (const double x : v) out += x;
  return out;
}
double extreme_place(const line& v, bool largest) {
  const auto at = largest ? std::max_element(v.begin(), v.end()) : std::min_element(v.begin(), v.end());
  return double(at - v.begin());
}

const fold_case folds[] = {
    {reduction_op::sum, sum_of},
    {reduction_op::mean, [](const line& v) { return sum_of(v) / double(v.size()); }},
    {reduction_op::min, [](const line& v) { return *std::min_element(v.begin(), v.end()); }},
    {reduction_op::max, [](const line& v) { return *std::max_element(v.begin(), v.end()); }},
    {reduction_op::prod,
     [](const line& v) {
  double out = 1;
  for (const double x : v) out *= x;
  return out;
}},
    {reduction_op::any,
     [](const line& v) { return double(std::any_of(v.begin(), v.end(), [](double x) { return x != 0; })); }},
    {reduction_op::all,
     [](const line& v) { return double(std::all_of(v.begin(), v.end(), [](double x) { return x != 0; })); }},
    {reduction_op::count_nonzero,
     [](const line& v) { return double(v.size()) - double(std::count(v.begin(), v.end(), 0.0)); }},
    {reduction_op::argmin, [](const line& v) { return extreme_place(v, false); }},
    {reduction_op::argmax, [](const line& v) { return extreme_place(v, true); }},
};

/// The lines of C-ordered elements of three dimensions along an axis, or all of them as one.
std::vector<line> lines_of(const line& all, const extents& shape, int axis) {
  if (axis < 0) return {all};
  std::int64_t inner = 1;
  for (int d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
  const std::int64_t count = shape[axis];
  std::vector<line> out;
  for (std::int64_t r = 0; r < std::int64_t(all.size()) / count; ++r) {
    line one;
    for (std::int64_t k = 0; k < count; ++k)
      one.push_back(all[std::size_t(((r / inner) * count + k) * inner + r % inner)]);
    out.push_back(std::move(one));
  }
  return out;
}

/// Numbers from -2 to 3, in no order.
line numbers(std::int64_t count, bool of_products) {
  line out;
  std::uint32_t state = 7;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    const int drawn = int(state >> 24);
    out.push_back(of_products ? (drawn % 64 == 0 ? -1 : 1) : drawn % 6 - 2);
  }
  return out;
}

any_array array_of(const line& from, dtype type, const extents& shape) {
  return asarray(std::vector<float>(from.begin(), from.end())).astype(type).reshape(shape);
}

class array_folds : public testing::TestWithParam<extents> {
protected:
  std::vector<dtype> types() const {
    const bool has_double = sycl::device().has(sycl::aspect::fp64);
    std::vector<dtype> out{dtype::float32, dtype::int32};
    if (has_double) out.push_back(dtype::float64);
    return out;
  }

  /// Each fold of `make` of the elements, against that of `meant` of each of them.
  void check(const char* what, const std::function<any_array(const any_array&)>& make,
             double (*meant)(double)) {
    const extents& shape = GetParam();
    for (const dtype type : types()) {
      for (const fold_case& fold : folds) {
        if (fold.op == reduction_op::mean && type != dtype::float64 && type != dtype::float32) continue;
        const line from = numbers(shape.product(), fold.op == reduction_op::prod);
        const any_array given = array_of(from, type, shape);
        line values;
        for (const double x : from) values.push_back(meant(x));
        for (int axis = -1; axis < shape.size(); ++axis) {
          const any_array got =
              reduce(fold.op, make(given), axis < 0 ? axes() : axes({{axis}})).astype(dtype::float32);
          const std::vector<float> results = got.to_vector<float>();
          const std::vector<line> lines = lines_of(values, shape, axis);
          ASSERT_EQ(results.size(), lines.size());
          for (std::size_t r = 0; r < lines.size(); ++r)
            ASSERT_EQ(results[r], float(fold.of(lines[r])))
                << what << ", " << name_of(fold.op) << " of " << name_of(type) << ' ' << text_of(shape)
                << ", axis " << axis << ", result " << r;
        }
      }
    }
  }
};

TEST_P(array_folds, of_arrays) {
  check("array", [](const any_array& a) { return a; }, [](double x) { return x; });
}

TEST_P(array_folds, of_expressions) {
  check("expression", [](const any_array& a) { return a * a * a; }, [](double x) { return x * x * x; });
}

TEST_P(array_folds, of_expressions_with_a_broadcast) {
  check("broadcast", [](const any_array& a) {
    const any_array row = full({a.shape()[a.ndim() - 1]}, -1, a.type());
    return a * row.copy();
  }, [](double x) { return -x; });
}

TEST_P(array_folds, of_views) {
  check("reversed", [](const any_array& a) { return a.flip().copy().flip(); }, [](double x) { return x; });
}

INSTANTIATE_TEST_SUITE_P(shapes, array_folds,
                         testing::Values(extents{17}, extents{9000}, extents{3, 5000}, extents{5000, 3},
                                         extents{90, 110}, extents{2, 3000}, extents{1, 700}, extents{700, 1},
                                         extents{6, 50, 40}, extents{40, 3, 70}, extents{2, 1500, 4}));

TEST(array_fold_values, nan_and_zeros_keep_numpys_rules) {
  std::vector<float> values(6000, 1);
  values[4321] = NAN;
  const any_array a = asarray(values);
  EXPECT_TRUE(std::isnan(max(a).item<float>()));
  EXPECT_TRUE(std::isnan(min(a.reshape({60, 100}), {{0}}).to_vector<float>()[21]));
  EXPECT_EQ(argmax(a).item<int>(), 4321);
}

/// The first NaN is an extreme, else the first number that none exceeds.
std::size_t place_of_extreme(const std::vector<float>& of, std::size_t begin, std::size_t count,
                             std::size_t step, bool largest) {
  std::size_t best = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const float x = of[begin + k * step], y = of[begin + best * step];
    if (std::isnan(y)) break;
    if (std::isnan(x) || (largest ? x > y : x < y)) best = k;
  }
  return best;
}

TEST(array_fold_values, extremes_and_their_places_in_long_and_short_lines) {
  const extents shapes[] = {{300001},  {530, 520}, {2000, 33}, {33, 2000}, {5, 60, 90},
                            {4000, 7}, {100, 65},  {3, 4101}}; // lines whose ends are shorter than a vector
  for (const extents& shape : shapes) {
    const std::size_t size = std::size_t(shape.product());
    for (const int nans : {0, 1, 40}) {
      std::vector<float> values(size);
      std::uint32_t state = 5;
      const auto drawn = [&] { return state = state * 1664525u + 1013904223u, state >> 8; };
      for (float& x : values) x = float(drawn() % 1000) - 500; // many are equal
      if (nans != 1) // sums of infinities of both signs are NaN, their extremes are not
        for (int k = 0; k < 30; ++k) values[drawn() % size] = k % 2 == 0 ? INFINITY : -INFINITY;
      for (int k = 0; k < nans; ++k) values[drawn() % size] = NAN;
      const any_array a = asarray(values).reshape(shape);
      for (int axis = 0; axis < shape.size(); ++axis) {
        std::size_t inner = 1;
        for (int d = axis + 1; d < shape.size(); ++d) inner *= std::size_t(shape[d]);
        const std::size_t count = std::size_t(shape[axis]);
        for (const bool largest : {false, true}) {
          const any_array twice = a + a; // an expression has the places of its elements
          const auto found = (largest ? max(a, {{axis}}) : min(a, {{axis}})).to_vector<float>();
          const auto place = (largest ? argmax(a, {{axis}}) : argmin(a, {{axis}})).to_vector<std::int64_t>(),
                     again = (largest ? argmax(twice, {{axis}}) : argmin(twice, {{axis}}))
                                 .to_vector<std::int64_t>();
          for (std::size_t r = 0; r < found.size(); ++r) {
            const std::size_t begin = r / inner * inner * count + r % inner,
                              best = place_of_extreme(values, begin, count, inner, largest);
            const float expected = values[begin + best * inner];
            ASSERT_EQ(std::size_t(place[r]), best) << text_of(shape) << ", axis " << axis << ", result " << r;
            ASSERT_EQ(std::size_t(again[r]), best) << text_of(shape) << ", axis " << axis << ", result " << r;
            ASSERT_TRUE(std::isnan(expected) ? std::isnan(found[r]) : found[r] == expected)
                << text_of(shape) << ", axis " << axis << ", result " << r << ": " << found[r];
          }
        }
      }
    }
  }
}

TEST(array_fold_values, narrow_integers_keep_their_extremes) {
  for (const extents& shape : {extents{100003}, extents{300, 333}, extents{3000, 33}}) {
    std::vector<std::int32_t> values(std::size_t(shape.product()), 7);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= std::int32_t(i % 5);
    const std::size_t low = values.size() - 2, high = values.size() - 9;
    values[low] = std::numeric_limits<std::int32_t>::min();
    values[high] = std::numeric_limits<std::int32_t>::max();
    const any_array a = asarray(values).reshape(shape);
    const int last = shape.size() - 1;
    const std::int64_t length = shape[last];
    EXPECT_EQ(min(a).item<std::int64_t>(), values[low]) << text_of(shape);
    EXPECT_EQ(max(a).item<std::int64_t>(), values[high]) << text_of(shape);
    EXPECT_EQ(argmin(a).item<std::int64_t>(), std::int64_t(low));
    EXPECT_EQ(argmax(a).item<std::int64_t>(), std::int64_t(high));
    EXPECT_EQ(min(a, {{last}}).to_vector<std::int32_t>().back(), values[low]);
    EXPECT_EQ(max(a, {{last}}).to_vector<std::int32_t>().back(), values[high]);
    EXPECT_EQ(argmax(a, {{last}}).to_vector<std::int64_t>().back(), std::int64_t(high) % length);
    EXPECT_EQ(sum(a - a).item<std::int64_t>(), 0);
  }
}

TEST(array_fold_values, any_and_all_ask_each_element) {
  for (const dtype type : {dtype::boolean, dtype::int8, dtype::int32, dtype::int64, dtype::float32})
    for (const std::int64_t size : {5, 300, 70001}) {
      const any_array none = zeros({size}, type), each = ones({size}, type);
      EXPECT_FALSE(any(none).item<bool>()) << name_of(type) << ' ' << size;
      EXPECT_TRUE(all(each).item<bool>()) << name_of(type) << ' ' << size;
      for (const std::int64_t place : {std::int64_t(0), size / 3, size - 1}) {
        const any_array at = arange(0, size, 1, dtype::int32) == place, one = at.astype(type);
        EXPECT_TRUE(any(one).item<bool>()) << name_of(type) << ' ' << place;
        EXPECT_FALSE(all(logical_not(one).astype(type)).item<bool>()) << name_of(type) << ' ' << place;
      }
    }
  std::vector<float> values(4000, -0.0f);
  EXPECT_FALSE(any(asarray(values)).item<bool>());
  values[3999] = NAN;
  EXPECT_TRUE(any(asarray(values)).item<bool>());
  EXPECT_TRUE(all(asarray(std::vector<float>(4000, NAN))).item<bool>());
}

TEST(array_fold_values, sums_of_many_numbers_are_close) {
  const std::size_t size = 3000000;
  std::vector<float> values(size);
  double exact = 0;
  for (std::size_t i = 0; i < size; ++i) values[i] = 1.0f / float(1 + i % 97), exact += values[i];
  EXPECT_NEAR(sum(asarray(values)).item<double>(), exact, 1e-6 * exact);
  EXPECT_NEAR(sum(asarray(values) + 1).item<double>(), exact + double(size), 1e-6 * double(size));
}

} // namespace
