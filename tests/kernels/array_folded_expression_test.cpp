// Expressions with their reduction: one launch, and the bits of the same elements stored. The tests also run
// with PRISM_ARRAY_KERNELS=fused.
#include "tests/sycl/common.hpp"

#include <prism/array.hpp>
#include <prism/array/linalg.hpp>
#include <prism/profile.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string_view>

namespace {

using namespace prism;

bool are_fused() {
  const char* const kernels = std::getenv("PRISM_ARRAY_KERNELS");
  return kernels != nullptr && std::string_view(kernels) == "fused";
}

/// Kernels that the device starts for the reduction.
std::uint64_t launches_of(const std::function<any_array()>& reduction) {
  const prism::profile counted;
  reduction().wait();
  std::uint64_t launches = 0;
  for (const prism::kernel_profile& each : counted.kernels()) launches += each.calls;
  return launches;
}

TEST(array_folds, a_reduction_of_an_expression_is_one_launch) {
  const sycl::device device;
  const auto orders = device.get_info<sycl::info::device::atomic_memory_order_capabilities>();
  if (std::count(orders.begin(), orders.end(), sycl::memory_order::acq_rel) == 0)
    GTEST_SKIP() << prism_test::name_of(device)
                 << " has no atomic operations that order memory: a launch folds the parts of a fold";
  std::vector<dtype> types{dtype::float32, dtype::int64, dtype::int16};
  if (device.has(sycl::aspect::fp64)) types.push_back(dtype::float64);
  if (are_fused()) types.resize(device.get_backend() == sycl::backend::opencl ? 1 : 2); // several builds each
  for (const dtype type : types) {
    SCOPED_TRACE(name_of(type));
    const any_array x = (arange(0, 300000) % 1000).astype(type).reshape({300, 1000});
    const any_array row = arange(0, 1000).astype(type);
    x.wait(), row.wait();
    EXPECT_EQ(launches_of([&] { return sum(x * x + 1); }), 1u);
    EXPECT_EQ(launches_of([&] { return max(x - row, {{0}}); }), 1u);
    EXPECT_EQ(launches_of([&] { return prod(x * 0 + 1, {{1}}); }), 1u);
    EXPECT_EQ(launches_of([&] { return argmin(x * 2 - row); }), 1u);
    EXPECT_EQ(launches_of([&] { return argmax(row - x, {{1}}); }), 1u);
    EXPECT_EQ(launches_of([&] { return any((x > row) & (x != 3), {{1}}); }), 1u);
    EXPECT_EQ(launches_of([&] { return sum(where(x > 500, x, row)[{slice{{}, {}, 3}}] * 2); }), 2u); // a view
  }
}

TEST(array_folds, a_result_stays_when_the_same_expression_is_reduced_again) {
  any_array x = ones({9000}, dtype::float32);
  x.wait();
  std::vector<any_array> sums; // the partial values of each have the memory of those before
  for (int time = 1; time <= 8; ++time) {
    x.fill(time);
    sums.push_back(sum(x * 2 + 1));
    sums.back().wait();
  }
  for (int time = 1; time <= 8; ++time)
    EXPECT_EQ(sums[std::size_t(time - 1)].item<float>(), 9000.0f * float(2 * time + 1)) << time;
}

TEST(array_folds, an_expression_that_is_folded_has_the_bits_of_its_stored_elements) {
  // Drivers compile each combination of an operation, a type and a layout for up to two seconds: on a device
  // of theirs one operation of each form, and of the other types two shapes. PoCL's fused kernels: no more,
  // and of integers one layout, since a kernel differs by its layout as it does for float.
  const bool is_host = sycl::device().get_backend() == sycl::backend::ext_prism_host;
  const bool is_slow_to_build = are_fused() && sycl::device().get_backend() == sycl::backend::opencl;
  std::vector<extents> shapes{{300, 1001}, {3000, 7}};
  if (!is_slow_to_build) shapes.insert(shapes.end(), {extents{100003}, extents{5, 700, 40}});
  for (const extents& shape : shapes) {
    std::vector<double> numbers(std::size_t(shape.product()));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(double(i) * double(i)) * 100;
    for (const dtype type : {dtype::float32, dtype::float64, dtype::int32}) {
      if (type == dtype::float64 && (are_fused() || !sycl::device().has(sycl::aspect::fp64))) continue;
      const bool has_all_shapes = is_host || type == dtype::float32;
      if (!has_all_shapes && shape != shapes[0] && shape != shapes[1]) continue;
      const bool has_one_layout = is_slow_to_build && type != dtype::float32;
      if (has_one_layout && shape != shapes[0]) continue;
      SCOPED_TRACE(std::string(name_of(type)) + " " + text_of(shape));
      const any_array x = asarray(numbers, shape).astype(type);
      x.wait();
      const auto expression = [&] { return where(x > 0, x * 3, x - 7) * (x + 1); };
      const any_array stored = expression();
      stored.wait();
      const auto check = [&](reduction_op op, const axes& axis) {
        const any_array a = reduce(op, expression(), axis), b = reduce(op, stored, axis);
        EXPECT_TRUE(all(a == b).item<int>()) << name_of(op) << a.str() << b.str();
      };
      // All operations of one type, and one of each form of the others.
      std::vector<reduction_op> operations{reduction_op::sum, reduction_op::max, reduction_op::argmin};
      if (type == dtype::float32 && !is_slow_to_build) operations.push_back(reduction_op::any);
      if (type == dtype::float32 && is_host)
        operations.insert(operations.end(), {reduction_op::min, reduction_op::all, reduction_op::argmax});
      for (const reduction_op op : operations) {
        if (!has_one_layout) check(op, {});
        for (int d = has_one_layout ? 1 : 0; d < shape.size(); ++d) check(op, {{d}});
      }
    }
  }
}

TEST(array_folds, a_sum_of_products_has_the_bits_of_stored_products_for_each_length) {
  // Whole chunks, and a rest of no, some and more elements than lanes.
  for (const std::int64_t size : {511, 512, 513, 600, 768, 769, 1024, 8192, 8200, 70001}) {
    std::vector<double> numbers(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(double(i) * double(i)) * 100;
    for (const dtype type : {dtype::float32, dtype::float64}) {
      if (type == dtype::float64 && !sycl::device().has(sycl::aspect::fp64)) continue;
      const any_array x = asarray(numbers, {size}).astype(type), y = x + 3, stored = x * y;
      x.wait(), y.wait(), stored.wait();
      const any_array folded = sum(x * y), norm = linalg::vector_norm(x);
      EXPECT_TRUE(all(folded == sum(stored)).item<int>()) << name_of(type) << " " << size;
      const any_array squares = x * x;
      squares.wait();
      EXPECT_TRUE(all(norm == sqrt(sum(squares))).item<int>()) << name_of(type) << " " << size;
    }
  }
}

} // namespace
