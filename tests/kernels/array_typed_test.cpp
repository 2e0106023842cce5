// prism::array<T>: expressions that prism++ compiles into the program.
#include "tests/sycl/common.hpp"

#include <prism/array.hpp>

#include <cmath>

namespace {

using namespace prism;
using prism_test::error_of;

TEST(typed_arrays, an_expression_with_broadcasts_is_one_kernel_and_right) {
  const array<float> x(linspace(0, 1, 12, true, dtype::float32).reshape({3, 4})),
      row(std::vector<float>{1, 2, 3, 4});
  const array<float> y = sqrt(x * 2 + 1) - row / 4 + maximum(x, 0.5) * -x;
  EXPECT_NE(explain(sqrt(x * 2 + 1) - row / 4).find("1 launch"), std::string::npos);
  const std::vector<float> got = y.to_vector();
  for (int i = 0; i < 12; ++i) {
    const double v = i / 11.0, r = i % 4 + 1;
    EXPECT_NEAR(got[std::size_t(i)], std::sqrt(v * 2 + 1) - r / 4 + std::max(v, 0.5) * -v, 1e-6) << i;
  }
  const array<float> column(std::vector<float>{1, 2, 3}, {3, 1});
  const std::vector<float> sums = array<float>(column + row).to_vector();
  for (int i = 0; i < 12; ++i) EXPECT_EQ(sums[std::size_t(i)], float(i / 4 + 1 + i % 4 + 1)) << i;
  const array<float> t = x.transpose() * 2;
  EXPECT_NEAR(t.to_vector()[1], 2 * 4 / 11.0, 1e-6);
}

TEST(typed_arrays, numbers_in_braces_are_a_shape) {
  array<float> x({2, 3}), y({5});
  x.fill(2);
  EXPECT_EQ(x.shape(), (extents{2, 3}));
  EXPECT_EQ(y.shape(), extents{5});
  EXPECT_EQ(sum(x).item(), 12);
}

TEST(typed_arrays, types_are_those_of_numpy) {
  const array<std::int8_t> a(std::vector<std::int8_t>{100, -3});
  EXPECT_EQ((array<std::int8_t>(a + a)).to_vector(), (std::vector<std::int8_t>{-56, -6}));
  static_assert(std::is_same_v<decltype(a + 0.5)::value_type, double>);
  static_assert(std::is_same_v<decltype(a / a)::value_type, double>);
  static_assert(std::is_same_v<decltype(a > 0)::value_type, bool>);
  EXPECT_EQ(sum(a).item(), 97);
  EXPECT_EQ(sum(a > 0).item(), 1);
  EXPECT_EQ(where(a > 0, a, a * 2).shape(), extents{2});
  EXPECT_EQ(error_of([&] { array<float> wrong(a.any()); }), sycl::errc::invalid);
}

TEST(typed_arrays, reductions_of_expressions) {
  const array<float> x(arange(0, 60).astype(dtype::float32).reshape({3, 4, 5}));
  EXPECT_EQ(sum(x * 2, 1).to_vector()[7], 2 * (22 + 27 + 32 + 37));
  EXPECT_EQ(max(x, -1).shape(), (extents{3, 4}));
  EXPECT_EQ(min(x + 1, 0).to_vector()[3], 4);
  const array<std::int32_t> many(arange(0, 100000).astype(dtype::int32));
  EXPECT_EQ(sum(many * 2 + 1).item(), 100000ll * 100000);
  EXPECT_EQ(max(many - 5).item(), 99994);
}

TEST(typed_arrays, an_assignment_that_reads_its_own_elements_is_right) {
  array<std::int64_t> line(arange(0, 6));
  array<std::int64_t> rest = line[{slice{1, {}}}];
  rest.assign(line[{slice{{}, -1}}] + 0);
  EXPECT_EQ(line.to_vector(), (std::vector<std::int64_t>{0, 0, 1, 2, 3, 4}));
  const any_array later = line.any() * 10;
  line.assign(line * 0);
  EXPECT_EQ(later.to_vector<std::int64_t>()[5], 40);
  EXPECT_EQ(sum(line.any()).item<int>(), 0);
  EXPECT_EQ(error_of([&] { rest.assign(line * 1); }), sycl::errc::invalid);
}

} // namespace
