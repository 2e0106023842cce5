// Arrays of a type known at run time, against results of NumPy 1.26 written next to each call.
#include "tests/sycl/common.hpp"

#include <prism/array.hpp>

#include <cmath>

namespace {

using namespace prism;
using prism_test::error_of;
using reals = std::vector<double>;
using whole = std::vector<std::int64_t>;

any_array counted(const extents& shape) { return arange(0, shape.product()).reshape(shape); }
reals reals_of(const any_array& a) { return a.astype(dtype::float64).to_vector<double>(); }
whole whole_of(const any_array& a) { return a.astype(dtype::int64).to_vector<std::int64_t>(); }
std::string refusal(const std::function<void()>& call) {
  std::string text;
  EXPECT_EQ(error_of(call, &text), sycl::errc::invalid);
  return text;
}

TEST(arrays, a_chain_with_broadcasts_is_one_launch_and_right) {
  const any_array x = linspace(0, 1, 1000, true, dtype::float32).reshape({10, 100}), row = arange(0, 100);
  const any_array y = sqrt(x * 2 + 1) - row.astype(dtype::float32) / 4 +
                      abs(x - 0.5f) * minimum(row.astype(dtype::float32), 3);
  EXPECT_NE(explain(y).find("1 launch\n"), std::string::npos) << explain(y);
  const std::vector<float> got = y.to_vector<float>();
  for (int i = 0; i < 1000; ++i) {
    const double v = i / 999.0, r = i % 100;
    EXPECT_NEAR(got[std::size_t(i)], std::sqrt(v * 2 + 1) - r / 4 + std::fabs(v - 0.5) * std::min(r, 3.0),
                1e-5)
        << i;
  }
}

/// CMakeLists.txt runs it on devices whose double precision is masked, too.
TEST(arrays, of_single_precision_are_computed_without_double_precision) {
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(i) / 8;
  const any_array x = asarray(values), y = sqrt(x * 2.5 + 1) - where(x > 60.0, x, 0.25);
  const std::vector<float> got = y.to_vector<float>();
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double v = double(values[i]), expected = std::sqrt(v * 2.5 + 1) - (v > 60 ? v : 0.25);
    EXPECT_NEAR(double(got[i]), expected, 1e-4) << i;
    total += expected;
  }
  EXPECT_NEAR(sum(y * 2).item<double>(), 2 * total, 1e-5 * std::fabs(total) + 0.1);
  EXPECT_EQ(max(x * 2 - 1).item<double>(), 2 * 124.875 - 1);
  EXPECT_EQ(real(x.astype(dtype::complex64) * 0.5).to_vector<float>()[999], 124.875f / 2);
}

TEST(arrays, every_element_type_is_computed_and_wraps_as_in_numpy) {
  const auto sum = [](dtype t) { return whole_of(full({3}, 100, t) + full({3}, 100, t))[0]; };
  EXPECT_EQ(sum(dtype::int8), -56);
  EXPECT_EQ(sum(dtype::uint8), 200);
  for (const dtype t : {dtype::int16, dtype::int32, dtype::int64, dtype::uint16, dtype::uint32, dtype::uint64,
                        dtype::float32, dtype::float64, dtype::complex64, dtype::complex128})
    EXPECT_EQ(sum(t), 200) << name_of(t);
  EXPECT_EQ(whole_of(asarray(std::vector<std::uint8_t>{200, 3}) * 2), (whole{144, 6}));
  const any_array i = asarray(std::vector<int>{7, -7, 7, -7}), j = asarray(std::vector<int>{2, 2, -2, 0});
  EXPECT_EQ(whole_of(floor_divide(i, j)), (whole{3, -4, -4, 0}));
  EXPECT_EQ(whole_of(i % j), (whole{1, 1, -1, 0}));
  EXPECT_EQ((i / j).type(), dtype::float64);
  EXPECT_EQ(whole_of(asarray(std::vector<std::uint64_t>{1ull << 63, 8}) >> 3), (whole{1ll << 60, 1}));
}

TEST(arrays, views_of_fresh_zeros_ones_and_numbers_share_their_elements) {
  using view = std::function<any_array(const any_array&)>;
  const std::vector<std::pair<const char*, view>> views{
      {"reshape", [](const any_array& a) { return a.reshape({4}); }},
      {"ravel", [](const any_array& a) { return a.reshape({-1}); }},
      {"broadcast_to", [](const any_array& a) { return a.broadcast_to({3, 2, 2}); }},
      {"expand_dims", [](const any_array& a) { return a.expand_dims(0); }},
      {"squeeze", [](const any_array& a) { return a.squeeze(); }},
      {"flip", [](const any_array& a) { return a.flip(); }},
      {"transpose", [](const any_array& a) { return a.transpose(); }},
      {"swapaxes", [](const any_array& a) { return a.swapaxes(0, 1); }},
      {"slice", [](const any_array& a) { return a[{slice{{}, {}, -1}}]; }},
      {"diagonal", [](const any_array& a) { return a.diagonal(); }}};
  for (const double number : {0, 1, 7})
    for (const auto& [name, make] : views) {
      any_array base = number == 0 ? zeros({2, 2}) : number == 1 ? ones({2, 2}) : full({2, 2}, number);
      any_array seen = make(base);
      EXPECT_EQ(whole_of(seen), whole(std::size_t(seen.size()), std::int64_t(number))) << name;
      base.fill(5);
      EXPECT_EQ(whole_of(seen), whole(std::size_t(seen.size()), 5)) << name;
      seen.fill(3);
      if (seen.size() >= 4) {
        EXPECT_EQ(whole_of(base), whole(4, 3)) << name;
      }
    }
}

TEST(arrays, types_promote_by_the_array_api_table) {
  EXPECT_EQ(promote(dtype::int8, dtype::uint8), dtype::int16);
  EXPECT_EQ(promote(dtype::int32, dtype::uint32), dtype::int64);
  EXPECT_EQ(promote(dtype::int64, dtype::uint64), dtype::float64);
  EXPECT_EQ(promote(dtype::float64, dtype::complex64), dtype::complex128);
  EXPECT_EQ((ones({2}, dtype::float32) * 2.5).type(), dtype::float32);
  EXPECT_EQ((ones({2}, dtype::int8) * 2.5).type(), dtype::float64);
  EXPECT_EQ((ones({2}, dtype::int8) < 1).type(), dtype::boolean);
  EXPECT_NE(refusal([] { ones({2}, dtype::int8) + 300; }).find("300 does not fit int8"), std::string::npos);
}

TEST(arrays, comparisons_choices_and_complex_functions) {
  const any_array x = asarray(reals{-2, -0.5, 0, 0.5, 2, NAN});
  EXPECT_EQ(whole_of((x > -1) & (x < 1)), (whole{0, 1, 1, 1, 0, 0}));
  EXPECT_EQ(whole_of(where(isnan(x), -9, where(x < 0, -x * 4, x * 2))), (whole{8, 2, 0, 1, 4, -9}));
  const any_array z = asarray(std::vector<std::complex<double>>{{3, 4}, {0, -1}});
  EXPECT_EQ(reals_of(abs(z)), (reals{5, 1}));
  const auto w = (exp(log(z)) + sqrt(z * z) * conj(z)).to_vector<std::complex<double>>();
  EXPECT_NEAR(std::abs(w[0] - std::complex<double>(28, 4)), 0, 1e-12);
  EXPECT_EQ(reals_of(z.imag()), (reals{4, -1}));
}

TEST(arrays, views_share_elements_and_assignments_through_them_write_the_base) {
  any_array a = counted({4, 6});
  any_array v = a[{slice{{}, {}, -2}, slice{1, {}, 2}}];
  EXPECT_EQ(whole_of(v), (whole{19, 21, 23, 7, 9, 11}));
  v.fill(0);
  EXPECT_EQ(whole_of(sum(a, {{1}})), (whole{15, 24, 87, 60}));
  a[{0}].assign(a[{1}]);
  EXPECT_EQ(whole_of(a[{0, ellipsis}]), whole_of(a[{1}]));
  any_array line = arange(0, 6);
  line[{slice{1, {}}}].assign(line[{slice{{}, -1}}]); // overlaps itself
  EXPECT_EQ(whole_of(line), (whole{0, 0, 1, 2, 3, 4}));
  EXPECT_EQ(counted({2, 3}).transpose().reshape({-1}).to_vector<std::int64_t>(), (whole{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(text_of(a[{newaxis, every, 2}].shape()), "(1, 4)");
  EXPECT_EQ(whole_of(counted({2, 3, 4}).swapaxes(0, 2).flip({{0}}).diagonal()[{0}]), (whole{3, 19}));
}

TEST(arrays, operators_in_place_write_the_elements_that_views_share) {
  any_array a = arange(0, 6).reshape({2, 3});
  const any_array row = a[{0}];
  a += 1;
  a[{1}] *= row;
  EXPECT_EQ(whole_of(a), (whole{1, 2, 3, 4, 10, 18}));
  a[{slice{}, slice{1, {}}}] -= a[{slice{}, slice{0, 2}}];
  EXPECT_EQ(whole_of(a), (whole{1, 1, 1, 4, 6, 8}));
  ((a <<= 2) |= 1) ^= 3;
  ((a &= 30) %= 16) >>= 1;
  EXPECT_EQ(whole_of(row), (whole{3, 3, 3}));
  any_array half = asarray(std::vector<float>{1, 3});
  half /= 2;
  EXPECT_EQ(half.to_vector<float>(), (std::vector<float>{0.5f, 1.5f}));
  EXPECT_NE(refusal([&] { a /= 2; }).find("divide in place: the result is float64, which an array of int64"),
            std::string::npos);
  EXPECT_NE(refusal([&] { any_array(row) += a; }).find("has the shape (2, 3), and the array (3,)"),
            std::string::npos);
}

TEST(arrays, integers_from_two_to_the_63_on_are_those_of_uint64) {
  const std::uint64_t high = std::uint64_t(1) << 63;
  const auto same = [](const any_array& a, const std::vector<std::uint64_t>& wanted) {
    EXPECT_EQ(a.to_vector<std::uint64_t>(), wanted);
  };
  same(full({2}, high), {high, high});
  same(arange(high - 1, high + 2), {high - 1, high, high + 1});
  same(arange(high + 8, high, -4, dtype::uint64), {high + 8, high + 4});
  same(clip(asarray(std::vector<std::uint64_t>{1, high + 5}), 2, high + 1), {2, high + 1});
  same(arange(high, high + 1, 1, dtype::uint64) + high, {0});
}

TEST(arrays, an_explanation_of_a_reduction_states_its_launches_and_what_ran_with_it) {
  const bool on_host = sycl::device().get_backend() == sycl::backend::ext_prism_host;
  const any_array x = linspace(0, 1, 300000, true, dtype::float32).reshape({300, 1000});
  x.evaluate();
  const auto has = [](const any_array& a, const std::string& words) {
    EXPECT_NE(explain(a).find(words), std::string::npos) << words << "\n" << explain(a);
  };
  const any_array total = sum(x * 2 + 1);
  has(total, "the sum of 300000 elements in 1 result");
  has(total, "2 fused operations in float on 1 array and 2 numbers");
  if (on_host) has(total, "in 1 launch, in"), has(total, "with the fold: the elements were not stored");
  has(total.expand_dims(0), "the sum of 300000");
  has(max(x, {{1}}), "the maximum of 300000 elements in 300 results");
  has(max(x, {{1}}), "its elements are those of an array");
  has(argmin(x), "the position of the minimum");
  has(mean(x) + 3, "before: the sum of 300000 elements");
  x.wait(); // nothing else runs
  if (on_host) has(sum(arange(0, 5)), "on the calling thread, because a launch takes longer");
  any_array written = sum(x);
  written.fill(3);
  EXPECT_EQ(explain(written), "no launch: the elements are in memory\n");
}

/// Two elements along each of `rank` dimensions, whose order is reversed, so that no two dimensions join.
any_array reversed_grid(int rank) {
  std::vector<std::int64_t> shape(std::size_t(rank), 2), order;
  for (std::int64_t d = rank - 1; d >= 0; --d) order.push_back(d);
  return arange(0, std::int64_t(1) << rank).reshape(shape).transpose(order);
}

TEST(arrays, of_up_to_eighteen_dimensions_are_computed_where_no_two_join) {
  for (const int rank : {4, 5, 8, 9, 16, 18}) {
    const any_array turned = reversed_grid(rank);
    const any_array straight = arange(0, turned.size()).reshape(turned.shape());
    const whole got = whole_of(turned * 3 + straight);
    for (std::int64_t i = 0; i < turned.size(); ++i) {
      std::int64_t mirrored = 0;
      for (int bit = 0; bit < rank; ++bit) mirrored |= (i >> bit & 1) << (rank - 1 - bit);
      ASSERT_EQ(got[std::size_t(i)], mirrored * 3 + i) << rank << " dimensions";
    }
    std::vector<std::int64_t> even; // every second axis is added up
    for (std::int64_t d = 0; d < rank; d += 2) even.push_back(d);
    std::int64_t all = 0;
    const whole sums = whole_of(sum(turned, even));
    EXPECT_EQ(sums.size(), std::size_t(1) << rank / 2);
    for (const std::int64_t each : sums) all += each;
    EXPECT_EQ(all, turned.size() * (turned.size() - 1) / 2) << rank << " dimensions";
    EXPECT_EQ(sums[0], whole_of(sum(turned.copy(), even))[0]);
  }
  EXPECT_NE(
      refusal([] { ones(std::vector<std::int64_t>(max_rank, 1)).expand_dims(0); }).find("32 dimensions"),
      std::string::npos);
  EXPECT_NE(refusal([] { ones(std::vector<std::int64_t>(max_rank + 1, 1)); }).find("32 dimensions, not 33"),
            std::string::npos);
}

TEST(arrays, refusals_of_new_axes_state_the_dimensions_of_the_array) {
  const any_array a = ones({2, 3});
  EXPECT_EQ(refusal([&] { a.expand_dims(3); }), "expand_dims: a new axis at 3 of an array with 2 dimensions");
  EXPECT_EQ(refusal([&] { stack({a, a}, -4); }), "stack: a new axis at -4 of an array with 2 dimensions");
  EXPECT_EQ(a.expand_dims(-3).shape(), (extents{1, 2, 3}));
  EXPECT_EQ(stack({a, a}, -1).shape(), (extents{2, 3, 2}));
}

TEST(arrays, a_recorded_expression_has_the_values_of_its_recording) {
  any_array a = arange(0, 4);
  const any_array later = a * 10;
  a.fill(7);
  EXPECT_EQ(whole_of(later), (whole{0, 10, 20, 30}));
  // Operands that are themselves recorded, or constant, when they are read.
  any_array recorded = arange(0, 4) * 2, constant = full({4}, 5, dtype::int64);
  const any_array next = recorded + 1, product = recorded * 10, deeper = next * 2, of_constant = constant + 1;
  recorded.fill(7), constant.fill(9);
  EXPECT_EQ(whole_of(next), (whole{1, 3, 5, 7}));
  EXPECT_EQ(whole_of(product), (whole{0, 20, 40, 60}));
  EXPECT_EQ(whole_of(deeper), (whole{2, 6, 10, 14}));
  EXPECT_EQ(whole_of(of_constant), (whole{6, 6, 6, 6}));
  any_array sum = zeros({3}, dtype::int64); // longer than a program
  for (int i = 0; i < 200; ++i) sum = sum + i;
  EXPECT_EQ(whole_of(sum)[2], 19900);
}

/// Of the numbers of `type`, in chains whose intermediate values have one reader or two, on both sides.
void expect_values_of_separate_operations(dtype type) {
  reals numbers(3000), others(3000);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = std::sin(double(i)) * 3, others[i] = std::cos(double(i) * 3) + (i % 7 == 0 ? 0 : 2);
  numbers[5] = INFINITY, numbers[6] = others[7] = 0, others[8] = NAN;
  const any_array x = asarray(numbers).astype(type), y = asarray(others).astype(type), z = x * y;
  x.evaluate(), y.evaluate(), z.evaluate();
  using operation = any_array (*)(const any_array&, const any_array&);
  const operation all[] = {[](const any_array& a, const any_array& b) { return a + b; },
                           [](const any_array& a, const any_array& b) { return a - b; },
                           [](const any_array& a, const any_array& b) { return a * b; },
                           [](const any_array& a, const any_array& b) { return a / b; }};
  const auto expect = [](const any_array& together, const any_array& apart, std::size_t inner,
                         std::size_t outer, const char* form) {
    const reals got = reals_of(together), expected = reals_of(apart);
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_TRUE(got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i])))
          << form << ", operations " << inner << " and " << outer << ", element " << i << ": " << got[i]
          << ", not " << expected[i];
  };
  for (std::size_t inner = 0; inner < std::size(all); ++inner) {
    const any_array first = all[inner](x, y);
    first.evaluate();
    const auto made = [&] { return all[inner](x, y); };
    for (std::size_t outer = 0; outer < std::size(all); ++outer) {
      const operation next = all[outer];
      expect(next(made(), z), next(first, z), inner, outer, "(x . y) . z");
      expect(next(z, made()), next(z, first), inner, outer, "z . (x . y)");
      expect(next(made(), made()), next(first, first), inner, outer, "(x . y) . (x . y)");
      const any_array twice = made();
      expect(next(twice, twice), next(first, first), inner, outer, "v . v of v = x . y");
      const any_array shared = made(), of_shared = next(shared, z);
      any_array apart = next(first, z);
      apart.evaluate();
      expect(of_shared - shared, apart - first, inner, outer, "v . z - v of v = x . y");
      expect(shared * 2 - of_shared, first * 2 - apart, inner, outer, "v * 2 - v . z of v = x . y");
      expect(sum(next(made(), z)), sum(apart), inner, outer, "a sum");
    }
  }
}

TEST(arrays, a_chain_has_the_values_of_its_operations_one_by_one) {
  expect_values_of_separate_operations(dtype::float32);
  if (sycl::device().has(sycl::aspect::fp64)) expect_values_of_separate_operations(dtype::float64);
}

TEST(arrays, small_arrays_have_elements_of_their_own) {
  std::vector<any_array> arrays;
  const auto make = [](int i) { return full({1 + i * 7 % 1200}, i, dtype::int32); };
  for (int i = 0; i < 500; ++i) arrays.push_back(make(i)), arrays.back().evaluate();
  for (int i = 0; i < 500; i += 2) arrays[std::size_t(i)] = any_array();
  for (int i = 0; i < 500; i += 2) arrays[std::size_t(i)] = make(i + 1000), arrays[std::size_t(i)].evaluate();
  for (int i = 0; i < 500; ++i) {
    const whole got = whole_of(arrays[std::size_t(i)]);
    EXPECT_EQ(got, whole(got.size(), i % 2 == 0 ? i + 1000 : i)) << i;
  }
}

template <typename T>
void expect_both_parts(std::initializer_list<std::pair<any_array, std::vector<std::complex<T>>>> rows) {
  int row = 0;
  for (const auto& [found, wanted] : rows) {
    const auto values = found.template to_vector<std::complex<T>>();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto near = [](T a, T b) {
        return std::abs(a - b) <= 16 * std::numeric_limits<T>::epsilon() * std::abs(b);
      };
      EXPECT_TRUE(near(values[i].real(), wanted[i].real()) && near(values[i].imag(), wanted[i].imag()))
          << "row " << row << ": " << values[i] << ", not " << wanted[i];
    }
    ++row;
  }
}
TEST(arrays, the_small_part_of_a_complex_result_is_accurate) {
  using z = std::complex<float>;
  expect_both_parts<float>({
      {log(asarray(std::vector<z>{{0.6f, 0.8f}, {1.0f, 1e-3f}, {-0.5f, 0.5f}})),
       {{2.38418577e-8f, 0.927295206f}, {4.99999797e-7f, 9.9999972e-4f}, {-0.34657359f, 2.3561945f}}},
      {log1p(asarray(std::vector<z>{{-1e-3f, 0.05f}, {1e-10f, 1e-6f}, {-1.0f, 1e-3f}})),
       {{0.000250437261f, 0.0500083216f}, {1.005e-10f, 1e-6f}, {-6.9077553f, 1.5707963f}}},
      {atanh(asarray(std::vector<z>{{1e-20f, 1e-3f}})), {{9.99998968e-21f, 9.99999714e-4f}}},
      {expm1(asarray(std::vector<z>{{-30.0f, 1.0f}})), {{-1.0f, 7.87416822e-14f}}},
      {pow(asarray(std::vector<z>{{1, 2}, {1, 2}, {2, 0}}), asarray(std::vector<z>{2, 3, -1})),
       {{-3, 4}, {-11, -2}, {0.5f, 0}}},
  });
}

TEST(arrays, complex_numbers_have_the_order_of_numpy) {
  using z = std::complex<float>;
  const float nan = NAN;
  const std::vector<z> values{{nan, 1},   {2, 0}, {1, nan}, {1, 5},    {2, -1},
                              {nan, nan}, {1, 5}, {-3, 9},  {nan, -2}, {0, nan}};
  const any_array a = asarray(values);
  EXPECT_EQ(whole_of(argsort(a)), (whole{7, 3, 6, 4, 1, 9, 2, 8, 0, 5}));
  const std::vector<z> found =
      unique(asarray(std::vector<z>{{1, 2}, {0, 3}, {1, 2}, {1, -2}, {0, 3}})).to_vector<z>();
  EXPECT_EQ(found, (std::vector<z>{{0, 3}, {1, -2}, {1, 2}}));
  const any_array rows =
      asarray(std::vector<z>{{2, 1}, {1, 7}, {1, 3}, {0, 1}, {0, 0}, {5, 5}}).reshape({2, 3});
  EXPECT_EQ(whole_of(argsort(rows, 1)), (whole{2, 1, 0, 1, 0, 2}));
}

TEST(arrays, reductions_by_axis) {
  const any_array a = counted({2, 3, 4});
  EXPECT_EQ(whole_of(sum(a, {{1}})), (whole{12, 15, 18, 21, 48, 51, 54, 57}));
  EXPECT_EQ(whole_of(max(a, {{0, -1}})), (whole{15, 19, 23}));
  EXPECT_EQ(sum(a).item<int>(), 276);
  EXPECT_EQ(text_of(mean(a, {{0, 2}}, true).shape()), "(1, 3, 1)");
  EXPECT_EQ(reals_of(var(a.astype(dtype::float64), {{2}}))[0], 1.25);
  EXPECT_NEAR(reals_of(stddev(a, {}, false, 1))[0], std::sqrt(50.0), 1e-12);
  EXPECT_EQ(whole_of(argmax(a % 5, {{2}})), (whole{3, 0, 1, 2, 3, 3}));
  EXPECT_EQ(argmin(asarray(reals{3, NAN, 1})).item<int>(), 1);
  EXPECT_EQ(whole_of(any(a > 20, {{1, 2}})), (whole{0, 1}));
  EXPECT_TRUE(std::isnan(max(asarray(reals{3, NAN, 1})).item<double>()));
  const any_array big = arange(0, 100000).astype(dtype::float32) / 8;
  EXPECT_NEAR(sum(big).item<double>(), 99999 * 100000.0 / 16, 1000);
  EXPECT_EQ(prod(zeros({0})).item<double>(), 1);
  EXPECT_NE(refusal([] { max(zeros({0})); }).find("no elements"), std::string::npos);
  EXPECT_EQ(whole_of(cumulative_sum(counted({2, 3}), 0)), (whole{0, 1, 2, 3, 5, 7}));
  EXPECT_EQ(whole_of(cumulative_sum(ones({3000}, dtype::int8)))[2999], 3000);
}

TEST(arrays, sums_of_expressions_over_each_axis_and_of_many_parts) {
  // (axis, extents) of every way in which the kernels divide a reduction.
  const any_array a = counted({70, 3, 50}), part = a[{slice{{}, {}, 7}}];
  for (const int axis : {0, 1, 2}) {
    const whole got = whole_of(sum(part * 2 + 1, {{axis}}));
    const extents& shape = part.shape();
    whole expected(std::size_t(part.size() / shape[axis]));
    for (std::int64_t i = 0; i < part.size(); ++i) {
      const std::int64_t at[3] = {i / 150, i / 50 % 3, i % 50};
      const std::int64_t o = axis == 0 ? i % 150 : axis == 1 ? at[0] * 50 + at[2] : i / 50;
      expected[std::size_t(o)] += (at[0] * 7 * 150 + i % 150) * 2 + 1;
    }
    EXPECT_EQ(got, expected) << "axis " << axis;
  }
  const any_array wide = counted({5000, 40}), flat = counted({200000});
  EXPECT_EQ(whole_of(sum(wide, {{0}}))[39], 4999ll * 5000 / 2 * 40 + 39 * 5000);
  EXPECT_EQ(whole_of(argmax(wide % 4999, {{0}}))[1], 4749);
  EXPECT_EQ(sum(flat % 1000).item<int>(), 200 * 999 * 500);
  EXPECT_EQ(argmax(flat % 150000).item<int>(), 149999);
  EXPECT_EQ(argmin(maximum(flat, 7)).item<int>(), 0);
  EXPECT_EQ(count_nonzero(flat > 10).item<int>(), 200000 - 11);
  EXPECT_EQ(all(flat >= 0).item<int>(), 1);
}

TEST(arrays, results_have_the_order_of_their_operands_if_these_have_one) {
  const any_array a = counted({30, 40}), b = counted({40, 30}) + 5, t = a.transpose(), u = counted({2, 3, 4});
  b.wait();
  const any_array turned = t * 2 + t, mixed = t + b, row = t + counted({30}), moved = u.moveaxis(0, 1) + 1;
  EXPECT_EQ(turned.strides(), t.strides());
  EXPECT_EQ(row.strides(), t.strides()) << "an operand that is repeated has no order";
  EXPECT_EQ(mixed.strides(), (extents{30, 1})) << "that of C, since the operands differ";
  EXPECT_EQ((t[{slice{{}, {}, 2}}] + 1).strides(), (extents{30, 1})) << "elements with gaps";
  EXPECT_EQ(moved.strides(), u.moveaxis(0, 1).strides());
  EXPECT_EQ(t.copy().strides(), (extents{30, 1}));
  for (std::int64_t i = 0; i < 40; ++i)
    for (std::int64_t j = 0; j < 30; ++j) {
      const std::int64_t element = j * 40 + i;
      ASSERT_EQ((turned[{i, j}].item<std::int64_t>()), 3 * element);
      ASSERT_EQ((mixed[{i, j}].item<std::int64_t>()), element + i * 30 + j + 5);
      ASSERT_EQ((row[{i, j}].item<std::int64_t>()), element + j);
    }
  const whole flat = whole_of(turned), sums = whole_of(sum(turned, {{1}}));
  EXPECT_EQ(flat[31], 3 * (1 * 40 + 1)) << "the order of copies is that of C";
  EXPECT_EQ(sums[1], 3 * (30 + 40 * 29 * 15));
  EXPECT_EQ(whole_of(moved)[5], 1 * 12 + 0 * 4 + 1 + 1); // of (3, 2, 4): the element (0, 1, 1)
  any_array to = zeros({40, 30}, dtype::int64);
  to.transpose().assign(a); // into a view
  EXPECT_EQ(whole_of(to)[31], 41);
}

TEST(arrays, steps_over_narrow_integers_that_lie_apart) {
  const std::int64_t rows = 30, columns = 240;
  const any_array numbers = counted({rows, columns}) % 101;
  for (const dtype type : {dtype::uint8, dtype::int16, dtype::int32}) {
    const any_array a = numbers.astype(type);
    a.wait();
    for (const std::int64_t by : {2, 3, -1, -2, 9}) {
      const any_array part = a[{every, slice{{}, {}, by}}], next = a[{every, slice{0, part.shape()[1]}}];
      const whole sums = whole_of(part + next), whole_numbers = whole_of(numbers);
      const std::int64_t count = part.shape()[1], first = by > 0 ? 0 : columns - 1;
      ASSERT_EQ(sums.size(), std::size_t(rows * count));
      for (std::int64_t i = 0; i < rows * count; ++i) {
        const std::int64_t row = i / count * columns, at = i % count;
        ASSERT_EQ(sums[std::size_t(i)],
                  whole_numbers[std::size_t(row + first + at * by)] + whole_numbers[std::size_t(row + at)])
            << name_of(type) << ", step " << by << ", element " << i;
      }
    }
    const any_array flat = a.reshape({rows * columns}); // one row
    EXPECT_EQ(whole_of(flat[{slice{{}, {}, 2}}] + flat[{slice{1, {}, 2}}])[77], 154 % 101 + 155 % 101);
  }
}

TEST(arrays, order_search_and_unique) {
  const any_array a = asarray(reals{3, -1, NAN, 2, -1, 0}).reshape({2, 3});
  EXPECT_EQ(whole_of(argsort(a)), (whole{1, 0, 2, 1, 2, 0}));
  EXPECT_EQ(whole_of(sort(a[{1}], 0, true)), (whole{2, 0, -1}));
  EXPECT_EQ(whole_of(argsort(asarray(std::vector<int>{1, 0, 1, 0}), 0, true)), (whole{0, 2, 1, 3}));
  EXPECT_EQ(whole_of(unique(asarray(std::vector<std::int8_t>{3, -1, 3, 2, -1}))), (whole{-1, 2, 3}));
  EXPECT_EQ(whole_of(searchsorted(asarray(reals{1, 2, 2, 5}), asarray(reals{0, 2, 9}), true)),
            (whole{0, 3, 4}));
}

TEST(arrays, places_of_an_order_and_counts_of_numbers) {
  const any_array a = asarray(reals{3, -1, NAN, 2, -1, 0}).reshape({2, 3});
  EXPECT_EQ(whole_of(order_statistics(a, {4, 0, 1, 0})), (whole{3, -1, -1, -1}));
  EXPECT_TRUE(std::isnan(order_statistics(a, {5}).item<double>())) << "NaN is last";
  EXPECT_NE(refusal([&] { order_statistics(a, {6}); }).find("place 6 among 6"), std::string::npos);
  const any_array numbers = asarray(std::vector<int>{3, 0, 3, -1, 9, 3});
  EXPECT_EQ(whole_of(bincount(numbers, 5)), (whole{1, 0, 0, 3, 0}));
  EXPECT_EQ(bincount(numbers, 0).size(), 0);
  const any_array edges = asarray(reals{-1, 0, 2, 2, 3});
  EXPECT_EQ(whole_of(histogram(a, edges)), (whole{2, 1, 0, 2}));
  EXPECT_EQ(whole_of(histogram(a, edges, true)), (whole{2, 1, 0, 2})) << "although they are not even";
  EXPECT_NE(refusal([&] { histogram(numbers, edges); }).find("int32"), std::string::npos);
  EXPECT_NE(refusal([&] { bincount(a, 2); }).find("float64"), std::string::npos);
}

TEST(arrays, integer_and_boolean_indices_get_and_set) {
  any_array a = counted({3, 4});
  const any_array rows = asarray(std::vector<int>{2, 0, -1}), columns = asarray(std::vector<int>{1, 1, 3});
  EXPECT_EQ(whole_of(a.gather({rows, columns})), (whole{9, 1, 11}));
  EXPECT_EQ(whole_of(a.take(asarray(std::vector<int>{3, 0}), 1)), (whole{3, 0, 7, 4, 11, 8}));
  EXPECT_EQ(whole_of(a.select(a % 3 == 1)), (whole{1, 4, 7, 10}));
  EXPECT_EQ(text_of(a.select(asarray(std::vector<int>{1, 0, 1}) != 0).shape()), "(2, 4)");
  a.put({rows}, asarray(std::vector<int>{-1, -2, -3, -4}));
  a.put_where(a > 5, any_array(0, dtype::int64));
  EXPECT_EQ(whole_of(a), (whole{-1, -2, -3, -4, 4, 5, 0, 0, -1, -2, -3, -4}));
  EXPECT_NE(refusal([&] { a.take(asarray(std::vector<int>{3}), 0); }).find("index 3 is out of range"),
            std::string::npos);
}

TEST(arrays, joining_repeating_and_products) {
  const any_array a = counted({2, 2});
  EXPECT_EQ(whole_of(concat({a, a * 10}, 1)), (whole{0, 1, 0, 10, 2, 3, 20, 30}));
  EXPECT_EQ(whole_of(stack({a[{0}], a[{1}]}, 1)), (whole{0, 2, 1, 3}));
  EXPECT_EQ(whole_of(roll(arange(0, 5), 2)), (whole{3, 4, 0, 1, 2}));
  EXPECT_EQ(whole_of(tile(a, {2, 2}))[5], 3);
  EXPECT_EQ(whole_of(repeat(a, 2, 1)), (whole{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(whole_of(matmul(a, a)), (whole{2, 3, 6, 11}));
  EXPECT_EQ(reals_of(matmul(a.astype(dtype::float64), eye(2) * 3)), (reals{0, 3, 6, 9}));
  EXPECT_EQ(matmul(arange(0, 3), arange(0, 3)).item<int>(), 5);
  EXPECT_EQ(text_of(matmul(ones({4, 1, 2, 3}), ones({5, 3, 1})).shape()), "(4, 5, 2, 1)");
}

TEST(arrays, text_is_that_of_numpy) {
  EXPECT_EQ((counted({2, 3}) * 5).str(), "[[ 0  5 10]\n [15 20 25]]");
  EXPECT_EQ(asarray(reals{1, 2.5, -0.25}).repr(), "array([ 1.  ,  2.5 , -0.25])");
  EXPECT_EQ((arange(0, 3) > 1).str(), "[False False  True]");
  EXPECT_EQ(asarray(std::vector<float>{1e-10f, 1}).repr(), "array([1.e-10, 1.e+00], dtype=float32)");
  EXPECT_EQ(arange(0, 5000).str(), "[   0    1    2 ... 4997 4998 4999]");
}

TEST(arrays, text_of_each_kind_of_number_is_that_of_numpy) {
  using floats = std::vector<float>;
  using complexes = std::vector<std::complex<double>>;
  const double inf = INFINITY, nan = NAN;
  const struct {
    any_array a;
    const char *str, *repr;
  } cases[] = {
      {asarray(floats{2.0f / 3, 0.1f}), "[0.6666667 0.1      ]",
       "array([0.6666667, 0.1      ], dtype=float32)"},
      {asarray(floats{0.1f, 1.2345678e-5f}), "[1.0000000e-01 1.2345678e-05]",
       "array([1.0000000e-01, 1.2345678e-05], dtype=float32)"},
      {asarray(reals{0.1 + 0.2}), "[0.3]", "array([0.3])"},
      {asarray(reals{1 / 3.0, 2}), "[0.33333333 2.        ]", "array([0.33333333, 2.        ])"},
      {asarray(reals{nan, -inf, 1}), "[ nan -inf   1.]", "array([ nan, -inf,   1.])"},
      {asarray(reals{1e-300, 1}), "[1.e-300 1.e+000]", "array([1.e-300, 1.e+000])"},
      {asarray(reals{-0.0}), "[-0.]", "array([-0.])"},
      {arange(0, 2) >= 0, "[ True  True]", "array([ True,  True])"},
      {zeros({0, 3}), "[]", "array([], shape=(0, 3), dtype=float64)"},
      {zeros({0}, dtype::boolean), "[]", "array([], dtype=bool)"},
      {asarray(complexes{{1, 2}, {-0.5, 1e-5}}), "[ 1. +2.e+00j -0.5+1.e-05j]",
       "array([ 1. +2.e+00j, -0.5+1.e-05j])"},
      {asarray(complexes{{nan, -inf}, {1, 0}}), "[nan-infj  1. +0.j]", "array([nan-infj,  1. +0.j])"},
      {full({}, std::complex<double>(1, 2)), "(1+2j)", "array(1.+2.j)"},
      {full({}, std::complex<double>(0, -2.5)), "-2.5j", "array(0.-2.5j)"},
      {full({}, 1e16), "1e+16", "array(1.e+16)"},
      {full({}, 1.0), "1.0", "array(1.)"},
      {full({}, true), "True", "array(True)"},
      {full({}, -3, dtype::int8), "-3", "array(-3, dtype=int8)"},
      {arange(0, 20, 1, dtype::int32), "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19]",
       "array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16,\n"
       "       17, 18, 19], dtype=int32)"},
      {arange(0, 17, 1, dtype::int32) + 10, "[10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26]",
       "array([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26],\n"
       "      dtype=int32)"},
      {counted({1, 1, 24}) + 10,
       "[[[10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32\n"
       "   33]]]",
       "array([[[10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,\n"
       "         26, 27, 28, 29, 30, 31, 32, 33]]])"},
      {counted({2, 1, 2}), "[[[0 1]]\n\n [[2 3]]]", "array([[[0, 1]],\n\n       [[2, 3]]])"},
      {counted({1001, 1}).astype(dtype::uint16),
       "[[   0]\n [   1]\n [   2]\n ...\n [ 998]\n [ 999]\n [1000]]",
       "array([[   0],\n       [   1],\n       [   2],\n       ...,\n       [ 998],\n       [ 999],\n"
       "       [1000]], dtype=uint16)"},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(each.a.str(), each.str);
    EXPECT_EQ(each.a.repr(), each.repr);
  }
}

TEST(arrays, disagreeing_shapes_types_and_axes_are_refused_with_both_sides) {
  EXPECT_NE(refusal([] { ones({2, 3}) + ones({4}); }).find("(2, 3) and (4,)"), std::string::npos);
  EXPECT_NE(refusal([] { sum(ones({2}), {{1}}); }).find("axis 1"), std::string::npos);
  EXPECT_NE(refusal([] { matmul(ones({2, 3}), ones({2, 3})); }).find("3 columns and 2 rows"),
            std::string::npos);
  EXPECT_NE(refusal([] { ones({2}) & ones({2}); }).find("float64"), std::string::npos);
  EXPECT_NE(refusal([] { ones({2, 3}).reshape({4, -1}); }).find("(4, -1)"), std::string::npos);
  for (const extents& shape :
       {extents{1 << 30, 1 << 30, 8}, {1 << 30, 1 << 30, 8, 0}, {0, 1 << 30, 1 << 30, 8}})
    EXPECT_NE(refusal([&] { zeros(shape); }).find("too large"), std::string::npos);
  EXPECT_NE(
      refusal([] { zeros({0, 1, 1}).broadcast_to({0, 1 << 30, std::int64_t(1) << 40}); }).find("too large"),
      std::string::npos);
  EXPECT_NE(refusal([] { any_array().shape(); }).find("no array"), std::string::npos);
  EXPECT_NE(refusal([] { ones({2}) + any_array(); }).find("no array"), std::string::npos);
  EXPECT_NE(refusal([] { where(ones({2}), any_array(), 1); }).find("no array"), std::string::npos);
  EXPECT_NE(refusal([] { pow(arange(0, 3), -1); }).find("power of integers to -1"), std::string::npos);
  EXPECT_NE(refusal([] { linspace(0, 1, std::int64_t(1) << 62); }).find("linspace of 4611"),
            std::string::npos);
  EXPECT_NE(refusal([] { ones({2})[{2}]; }).find("index 2 is out of range"), std::string::npos);
}

} // namespace
