// The reductions of expressions of array<T>, each compared with that of any_array.
#include "tests/kernels/array_typed_common.hpp"

#include <prism/profile.hpp>

#include <algorithm>

namespace {

using namespace prism;
using prism_test::error_of;
using prism_test::expect_same;

/// Numbers whose sums are exact, in `shape`.
template <typename T>
array<T> whole_numbers(const extents& shape) {
  const any_array n = arange(0, shape.product());
  const any_array mixed = (n * 7 + n / 5 * 3) % 23 - (std::is_unsigned_v<T> ? 0 : 9);
  return array<T>(floor(mixed).reshape(shape).astype(dtype_of<T>()));
}

template <typename T>
void reductions(const extents& shape) {
  SCOPED_TRACE(std::string(name_of(dtype_of<T>())) + " " + text_of(shape));
  const array<T> x = whole_numbers<T>(shape);
  const any_array& a = x.any();
  const auto check = [&](const auto& typed, const any_array& wanted, int steps) {
    expect_same(typed, wanted, steps);
  };
  check(sum(x * 2), sum(a * 2), 0);
  // Drivers compile each kernel for up to two seconds: on a device of theirs one fold of each form along each
  // axis, and of a narrow type no more. On the host device every fold runs along every axis.
  const bool is_host = sycl::device().get_backend() == sycl::backend::ext_prism_host;
  if (!is_host) {
    for (int axis = -1; axis < shape.size(); ++axis) {
      if constexpr (!is_complex(dtype_of<T>()))
        check(max(x, axis), max(a, {{axis}}), 0), check(argmax(x, axis), argmax(a, {{axis}}), 0);
      check(any(x == 3, axis), any(a == 3, {{axis}}), 0);
      if (sizeof(T) > 2) check(mean(x, axis), mean(a, {{axis}}), 1);
    }
    if (sizeof(T) <= 2) return;
    check(var(x, shape.size() - 1, 1), var(a, {{shape.size() - 1}}, false, 1), 8);
  }
  check(mean(x + 1), mean(a + 1), 1);
  check(count_nonzero(x), count_nonzero(a), 0);
  check(any(x == 3), any(a == 3), 0), check(all(x == x), all(a == a), 0);
  check(var(x), var(a), 8), check(stddev(x, {}, 1), stddev(a, {}, false, 1), 8);
  for (int axis = -1; is_host && axis < shape.size(); ++axis) {
    check(sum(x, axis), sum(a, {{axis}}), 0), check(mean(x, axis), mean(a, {{axis}}), 1);
    check(any(x == 3, axis), any(a == 3, {{axis}}), 0), check(all(x != 3, axis), all(a != 3, {{axis}}), 0);
    check(count_nonzero(x, axis), count_nonzero(a, {{axis}}), 0);
    check(var(x, axis, 1), var(a, {{axis}}, false, 1), 8);
  }
  if constexpr (!is_complex(dtype_of<T>())) {
    check(max(x - 1), max(a - 1), 0), check(min(x), min(a), 0);
    check(argmax(x), argmax(a), 0), check(argmin(x * 2), argmin(a * 2), 0);
    for (int axis = -1; is_host && axis < shape.size(); ++axis) {
      check(max(x, axis), max(a, {{axis}}), 0), check(min(x, axis), min(a, {{axis}}), 0);
      check(argmax(x, axis), argmax(a, {{axis}}), 0), check(argmin(x, axis), argmin(a, {{axis}}), 0);
    }
  }
}

TEST(typed_arrays, reductions_are_those_of_arrays_of_any_type) {
  for (const extents& shape : {extents{7}, extents{40, 50, 9}}) {
    reductions<float>(shape);
    if (sycl::device().has(sycl::aspect::fp64)) reductions<std::int16_t>(shape);
  }
  EXPECT_EQ(prod(whole_numbers<std::int16_t>({4}) * 1 + 20).item(),
            prod(whole_numbers<std::int16_t>({4}).any() + 20).item<std::int64_t>());
  const array<std::complex<float>> z(asarray(std::vector<std::complex<float>>{{1, 2}, {0, 0}, {3, -1}}));
  expect_same(sum(z * z), sum(z.any() * z.any()));
  expect_same(mean(z + 1), mean(z.any() + 1), 1);
  expect_same(var(z), var(z.any()), 8);
  expect_same(count_nonzero(z), count_nonzero(z.any()));
  const array<float> with_nan(std::vector<float>{1, NAN, 5, NAN});
  EXPECT_EQ(argmax(with_nan).item(), 1);
  EXPECT_TRUE(std::isnan(max(with_nan).item()));
}

TEST(typed_arrays, a_reduction_of_an_expression_is_one_launch) {
  const sycl::device device;
  const auto orders = device.get_info<sycl::info::device::atomic_memory_order_capabilities>();
  if (std::count(orders.begin(), orders.end(), sycl::memory_order::acq_rel) == 0)
    GTEST_SKIP() << prism_test::name_of(device)
                 << " has no atomic operations that order memory: a launch folds the parts of a fold";
  const array<float> x = whole_numbers<float>({300, 1000}), row = whole_numbers<float>({1000});
  x.any().wait(), row.any().wait();
  const auto launches_of = [&](const auto& reduce) {
    const prism::profile counted;
    reduce().any().wait();
    std::uint64_t launches = 0;
    for (const prism::kernel_profile& each : counted.kernels()) launches += each.calls;
    return launches;
  };
  launches_of([&] { return sum(x * row); }); // the first call sets the counters
  EXPECT_EQ(launches_of([&] { return sum(x * row); }), 1u);
  EXPECT_EQ(launches_of([&] { return sum(x * row, 0); }), 1u);
  EXPECT_EQ(launches_of([&] { return argmax(x, 1); }), 1u);
  EXPECT_EQ(launches_of([&] { return argmax(x); }), 1u);
}

TEST(typed_arrays, reductions_without_elements_are_those_of_arrays_of_any_type) {
  const array<float> none({0, 3});
  EXPECT_EQ(sum(none).item(), 0);
  EXPECT_EQ(prod(none * 2, 0).to_vector(), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(all(none).any().item<int>(), 1);
  EXPECT_EQ(max(none, 1).shape(), extents{0});
  EXPECT_EQ(error_of([&] { max(none); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { argmin(none, 0); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { sum(none, 2); }), sycl::errc::invalid);
}

} // namespace
