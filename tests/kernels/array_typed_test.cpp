// prism::array<T>: expressions that prism++ compiles into the program.
#include "tests/kernels/array_typed_common.hpp"

namespace {

using namespace prism;
using prism_test::error_of;
using prism_test::expect_same;

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

TEST(typed_arrays, operands_on_two_devices_are_refused_as_those_of_any_type) {
  const sycl::device here;
  for (const sycl::device& there : sycl::device::get_devices()) {
    if (there == here ||
        !(there.has(sycl::aspect::usm_shared_allocations) || there.has(sycl::aspect::usm_device_allocations)))
      continue;
    const array<float> x(std::vector<float>{1, 2, 3}, here), none(extents{0, 3}, here);
    const array<float> y(std::vector<float>{1, 2, 3}, there), no_more(extents{0, 3}, there);
    const auto refused = [&](const std::function<void()>& call) {
      std::string text;
      EXPECT_EQ(error_of(call, &text), sycl::errc::invalid);
      EXPECT_NE(text.find(": the operands are on " + here.get_info<sycl::info::device::name>() + " and " +
                          there.get_info<sycl::info::device::name>() + "; use to_device"),
                std::string::npos)
          << text;
    };
    refused([&] { x.any() + y.any(); });
    refused([&] { array<float> z = x + y; });
    refused([&] { array<float> z = none + no_more; });
    refused([&] { sum(x * y); });
    refused([&] { argmax(x - y, 0); });
    refused([&] { any(none == no_more); });
    array<float> to = x + 1;
    refused([&] { to.assign(y * 2); });
    EXPECT_EQ(to.to_vector(), (std::vector<float>{2, 3, 4}));
    return;
  }
  GTEST_SKIP() << here.get_info<sycl::info::device::name>() << ": no second device with arrays";
}

TEST(typed_arrays, numbers_in_braces_are_a_shape) {
  array<float> x({2, 3}), y({5});
  x.fill(2);
  EXPECT_EQ(x.shape(), (extents{2, 3}));
  EXPECT_EQ(y.shape(), extents{5});
  EXPECT_EQ(sum(x).item(), 12);
}

TEST(typed_arrays, operators_in_place_write_the_elements_that_views_share) {
  array<float> x(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  const array<float> row = x[{0}];
  x += 1;
  x[{1}] *= row;
  EXPECT_EQ(x.to_vector(), (std::vector<float>{2, 3, 4, 10, 18, 28}));
  x[{slice{}, slice{1, {}}}] -= x[{slice{}, slice{0, 2}}]; // elements that are read after they are written
  (x /= 2) += row * 0;
  EXPECT_EQ(x.to_vector(), (std::vector<float>{1, 0.5f, 0.5f, 5, 4, 5}));
  array<int> bits(std::vector<int>{6, 5});
  ((bits <<= 2) |= 1) ^= 3;
  ((bits &= 30) %= 16) >>= 1;
  EXPECT_EQ(bits.to_vector(), (std::vector<int>{5, 3}));
  EXPECT_EQ(error_of([&] { array<float>(row) += x; }), sycl::errc::invalid);
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

using numbers = array<std::int32_t>;
numbers counted(const extents& shape) {
  return numbers((arange(0, shape.product()) * 7 % 1000 - 300).astype(dtype::int32).reshape(shape));
}
numbers view_of(const any_array& a) { return numbers(a); }

/// The expression and its folds along each axis, of arrays whose memory lies in any way.
void expect_as_of_any_type(const numbers& x, const numbers& y) {
  SCOPED_TRACE(text_of(x.shape()) + " and " + text_of(y.shape()));
  const any_array wanted = x.any() * y.any() - 5;
  const auto typed = x * y - 5;
  expect_same(numbers(typed), wanted);
  expect_same(sum(typed), sum(wanted)), expect_same(argmax(typed), argmax(wanted));
  for (int axis = 0; axis < wanted.shape().size(); ++axis) {
    expect_same(sum(typed, axis), sum(wanted, {{axis}}));
    expect_same(argmax(typed, axis), argmax(wanted, {{axis}}));
  }
}

TEST(typed_arrays, expressions_are_right_wherever_their_elements_lie) {
  const numbers whole = counted({60, 70}), row = counted({70}), column = counted({60, 1});
  const any_array& a = whole.any();
  expect_as_of_any_type(whole, row), expect_as_of_any_type(whole, column), expect_as_of_any_type(row, column);
  expect_as_of_any_type(whole, counted({1})), expect_as_of_any_type(counted({1, 1}), counted({1}));
  expect_as_of_any_type(view_of(a[{slice{{}, {}, -1}, slice{{}, {}, 2}}]), counted({35}));
  expect_as_of_any_type(view_of(a.transpose()), counted({70, 60}));
  expect_as_of_any_type(view_of(a[{slice{1, 40}, slice{3, 50}}]), view_of(a[{slice{2, 41}, slice{1, 48}}]));
  expect_as_of_any_type(counted({5, 1, 7, 1, 3}),
                        counted({1, 6, 1, 8, 1})); // dimensions that cannot be joined
  expect_as_of_any_type(counted({2, 1, 3, 1, 2, 1, 3, 1}), counted({1, 3, 1, 2, 1, 3, 1, 2}));
  expect_as_of_any_type(counted({3000, 3}), counted({3})),
      expect_as_of_any_type(counted({3, 5000}), counted({5000}));
  expect_as_of_any_type(counted({300000}), counted({1})),
      expect_as_of_any_type(counted({2, 90000, 2}), counted({2}));
}

TEST(typed_arrays, an_assignment_to_a_view_writes_its_elements_only) {
  const numbers x = counted({40, 40}), y = counted({40});
  numbers to(full({41, 83}, 7).astype(dtype::int32));
  numbers view = view_of(to.any()[{slice{1, {}}, slice{2, {}, 2}}][{slice{}, slice{{}, 40}}]);
  view.assign(x * y - 5);
  const any_array wanted = x.any() * y.any() - 5;
  expect_same(view, wanted);
  EXPECT_EQ(sum(to.any()).item<std::int64_t>(), sum(wanted).item<std::int64_t>() + 7 * (41 * 83 - 1600));
  view.assign(view * y - 5); // in place
  expect_same(view, wanted * y.any() - 5);
  numbers turned = view_of(to.any()[{slice{{}, 41}, slice{{}, 41}}]);
  const any_array before = turned.any().copy();
  turned.assign(turned.transpose() * y[{slice{{}, 1}}] - 5);
  expect_same(turned, before.transpose() * y.any()[{slice{{}, 1}}] - 5);
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
