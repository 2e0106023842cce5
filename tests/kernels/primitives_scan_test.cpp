// Reductions and prefix sums, compared with the standard library, and the methods compared with each other.
#include "tests/kernels/primitives_common.hpp"

#include <prism/primitives.hpp>

#include <cmath>
#include <cstring>
#include <limits>

namespace {

namespace primitives = prism::primitives;
using primitives::execution;
using primitives::method;
using primitives_test::numbers;
using primitives_test::shared;
using prism_test::error_of;
using sums = prism::vector_view<std::int64_t>;

/// x -> a x + b modulo 2^32: composition is associative and does not commute.
struct affine {
  std::uint32_t a, b;
  friend bool operator==(const affine& x, const affine& y) { return x.a == y.a && x.b == y.b; }
};
struct compose {
  affine operator()(const affine& first, const affine& second) const {
    return {first.a * second.a, first.b * second.a + second.b};
  }
};
std::vector<affine> functions(std::size_t n) {
  std::vector<affine> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = {std::uint32_t(primitives_test::mixed(i)) | 1, std::uint32_t(i)};
  return v;
}

/// The order that kernels/include/prism/primitives/fold.hpp and scan.hpp guarantee, as plain loops.
float documented_fold(const float* x, std::size_t count) {
  std::vector<float> sums(x, x + std::min<std::size_t>(count, 32));
  std::size_t done = count < 32 ? 1 : 32;
  if (count >= 32) {
    for (; done + 32 <= count; done += 32)
      for (std::size_t j = 0; j < 32; ++j) sums[j] += x[done + j];
    for (std::size_t width = 16; width > 0; width /= 2)
      for (std::size_t j = 0; j < width; ++j) sums[j] += sums[j + width];
  }
  for (; done < count; ++done) sums[0] += x[done];
  return sums[0];
}
float documented_sum(std::vector<float> x) {
  while (x.size() > 1) {
    std::vector<float> tiles;
    for (std::size_t first = 0; first < x.size(); first += 4096)
      tiles.push_back(documented_fold(x.data() + first, std::min<std::size_t>(4096, x.size() - first)));
    x = tiles;
  }
  return x[0];
}
std::vector<float> documented_exclusive_scan(const std::vector<float>& x) {
  std::vector<float> result(x.size());
  float before_block = 0;
  for (std::size_t block = 0; block < x.size(); block += 65536) {
    float in_block = 0;
    const std::size_t block_end = std::min<std::size_t>(block + 65536, x.size());
    for (std::size_t row = block; row < block_end; row += 256) {
      const std::size_t row_end = std::min<std::size_t>(row + 256, block_end);
      float sum = row == block ? before_block : before_block + in_block;
      for (std::size_t i = row; i < row_end; ++i) {
        result[i] = sum;
        sum += x[i];
      }
      const float total = documented_fold(x.data() + row, row_end - row);
      in_block = row == block ? total : in_block + total;
    }
    before_block += in_block;
  }
  return result;
}

const std::size_t sizes[] = {0, 1, 31, 33, 255, 257, 4095, 4097, 65536, 65537, 200001};
const method methods[] = {method::chunks, method::work_groups};

TEST(primitives_reduce, a_sum_of_integers_is_exact_for_every_size) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  for (const std::size_t n : sizes)
    for (const method how : methods) {
      const std::vector<int> x = numbers<int>(n, 1000);
      const shared<int> in(queue, x);
      const shared<std::int64_t> out(queue, 1);
      primitives::reduce(execution(queue).with(how), in.view(), out.view()).wait();
      EXPECT_EQ(out.data()[0], std::accumulate(x.begin(), x.end(), std::int64_t(0))) << n;
    }
}

TEST(primitives_reduce, an_operator_that_does_not_commute_is_applied_in_order) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  for (const std::size_t n : {1, 4097, 100000}) {
    const std::vector<affine> x = functions(n);
    const shared<affine> in(queue, x), out(queue, 1);
    const affine init{3, 4};
    primitives::reduce(queue, in.view(), out.view(), init, compose()).wait();
    EXPECT_EQ(out.data()[0], std::accumulate(x.begin(), x.end(), init, compose())) << n;
  }
}

TEST(primitives_reduce, sums_of_floats_have_the_documented_bits_by_every_method) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  for (const std::size_t n : {7, 100, 5000, 200001}) {
    std::vector<float> x = numbers<float>(n, 1000003);
    for (float& each : x) each = each * 0.37f - 100000.0f;
    const float expected = documented_sum(x);
    for (const method how : methods) {
      const shared<float> in(queue, x), out(queue, 1);
      primitives::reduce(execution(queue, primitives::reproducible).with(how), in.view(), out.view()).wait();
      EXPECT_EQ(std::memcmp(out.data(), &expected, sizeof expected), 0) << n << " " << out.data()[0];
    }
  }
}

TEST(primitives_reduce, a_dot_product_of_strided_vectors) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  const std::size_t n = 5000;
  const shared<int> a(queue, numbers<int>(3 * n, 100)), b(queue, numbers<int>(n, 50)), out(queue, 1);
  const prism::vector_view<const int> every_third(a.data(), n, 3), backwards(b.data() + n - 1, n, -1);
  int expected = 5;
  for (std::size_t i = 0; i < n; ++i) expected += a.data()[3 * i] * b.data()[n - 1 - i];
  primitives::transform_reduce(queue, every_third, backwards, out.view(), 5, std::plus<int>(),
                               [](int x, int y) {
    return x * y;
  }).wait();
  EXPECT_EQ(out.data()[0], expected);
}

TEST(primitives_reduce, the_largest_value_of_a_function_in_a_part_of_a_buffer) {
  sycl::queue queue;
  std::vector<int> x = numbers<int>(9000, 100000), result(3, -1);
  int expected = 0;
  for (std::size_t i = 10; i < 8000; ++i) expected = std::max(expected, 100000 - x[i]);
  {
    sycl::buffer<int> in(x), out(result);
    primitives::transform_reduce(queue, prism::view_of(in).subvector(10, 7990),
                                 prism::view_of(out).subvector(1, 1), 0, sycl::maximum<int>(),
                                 [](int v) { return 100000 - v; });
  }
  EXPECT_EQ(result, (std::vector<int>{-1, expected, -1}));
}

TEST(primitives_reduce, infinities_and_nan_go_through) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  std::vector<float> x(5000, 1.0f);
  x[4321] = std::numeric_limits<float>::infinity();
  const shared<float> in(queue, x), out(queue, 1);
  primitives::reduce(queue, in.view(), out.view()).wait();
  EXPECT_EQ(out.data()[0], std::numeric_limits<float>::infinity());
  in.data()[17] = -std::numeric_limits<float>::infinity();
  primitives::reduce(queue, in.view(), out.view()).wait();
  EXPECT_TRUE(std::isnan(out.data()[0]));
}

TEST(primitives_reduce, argmin_and_argmax_find_the_first_of_equal_elements) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  for (const std::size_t n : {1, 300, 70000}) {
    const std::vector<int> x = numbers<int>(n, 90);
    const shared<int> in(queue, x);
    const shared<std::uint64_t> place(queue, 1);
    primitives::argmin(queue, in.view(), place.view()).wait();
    EXPECT_EQ(place.data()[0], std::uint64_t(std::min_element(x.begin(), x.end()) - x.begin())) << n;
    primitives::argmax(queue, in.view(), place.view()).wait();
    EXPECT_EQ(place.data()[0], std::uint64_t(std::max_element(x.begin(), x.end()) - x.begin())) << n;
  }
}

TEST(primitives_reduce, wrong_views_are_refused) {
  sycl::queue queue;
  sycl::buffer<int> three(sycl::range<1>(3)), none(sycl::range<1>(1));
  const prism::buffer_vector_view<int> outside(three, 4);
  const auto two = prism::view_of(three).subvector(0, 2), nothing = prism::view_of(none).subvector(0, 0),
             one = prism::view_of(none);
  EXPECT_EQ(error_of([&] { primitives::reduce(queue, two, two); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { primitives::reduce(queue, outside, one); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { primitives::argmin(queue, nothing, one); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { primitives::inclusive_scan(queue, two, one); }), sycl::errc::invalid);
  const prism::vector_view<const int> null(nullptr, 3);
  std::string text;
  EXPECT_EQ(error_of([&] { primitives::reduce(queue, null, one); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("reduce: in"), std::string::npos) << text;
}

TEST(primitives_scan, inclusive_and_exclusive_sums_of_every_size) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  primitives::workspace memory;
  for (const std::size_t n : sizes) {
    const std::vector<int> x = numbers<int>(n, 1000);
    std::vector<int> inclusive(n), exclusive(n);
    std::partial_sum(x.begin(), x.end(), inclusive.begin());
    std::exclusive_scan(x.begin(), x.end(), exclusive.begin(), 7);
    const shared<int> in(queue, x), out(queue, n);
    primitives::inclusive_scan({queue, memory}, in.view(), out.view()).wait();
    EXPECT_EQ(out.values(), inclusive) << n;
    std::inclusive_scan(x.begin(), x.end(), inclusive.begin(), std::plus<int>(), 7);
    primitives::inclusive_scan({queue, memory}, in.view(), out.view(), std::plus<int>(), 7).wait();
    EXPECT_EQ(out.values(), inclusive) << n << ", from 7 on";
    primitives::exclusive_scan({queue, memory}, in.view(), in.view(), 7, std::plus<int>()).wait();
    EXPECT_EQ(in.values(), exclusive) << n << ", in place";
  }
}

TEST(primitives_scan, a_million_elements_and_both_methods_give_the_same_bits) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  const std::size_t n = 1000001;
  std::vector<float> x = numbers<float>(n, 1000003);
  const shared<float> in(queue, x), chosen(queue, n), chunks(queue, n);
  primitives::inclusive_scan({queue, primitives::reproducible}, in.view(), chosen.view()).wait();
  primitives::inclusive_scan(execution(queue).with(method::chunks), in.view(), chunks.view()).wait();
  EXPECT_EQ(std::memcmp(chosen.data(), chunks.data(), n * sizeof(float)), 0);
  double sum = 0;
  for (const float each : x) sum += double(each);
  EXPECT_NEAR(double(chosen.data()[n - 1]), sum, 1e-4 * sum);
}

TEST(primitives_scan, floats_have_the_documented_bits) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  std::vector<float> x = numbers<float>(150000, 1000003);
  for (float& each : x) each = each * 0.37f - 150000.0f;
  const shared<float> in(queue, x), out(queue, x.size());
  primitives::exclusive_scan({queue, primitives::reproducible}, in.view(), out.view()).wait();
  const std::vector<float> expected = documented_exclusive_scan(x);
  EXPECT_EQ(std::memcmp(out.data(), expected.data(), x.size() * sizeof(float)), 0);
}

TEST(primitives_scan, floats_in_buffers_have_the_documented_bits) {
  sycl::queue queue;
  std::vector<float> x = numbers<float>(70001, 1000003), sums(x.size()), total(1);
  for (float& each : x) each = each * 0.37f - 150000.0f;
  {
    sycl::buffer<float> in(x), out(sums), sum(total);
    const execution on(queue, primitives::reproducible);
    primitives::reduce(on, prism::view_of(in), prism::view_of(sum));
    primitives::exclusive_scan(on, prism::view_of(in), prism::view_of(out));
  }
  const float expected_total = documented_sum(x);
  const std::vector<float> expected = documented_exclusive_scan(x);
  EXPECT_EQ(std::memcmp(total.data(), &expected_total, sizeof(float)), 0) << total[0];
  EXPECT_EQ(std::memcmp(sums.data(), expected.data(), x.size() * sizeof(float)), 0);
}

TEST(primitives_scan, an_operator_that_does_not_commute_is_applied_in_order) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  const std::vector<affine> x = functions(70001);
  std::vector<affine> expected(x.size());
  std::partial_sum(x.begin(), x.end(), expected.begin(), compose());
  const shared<affine> in(queue, x), out(queue, x.size());
  primitives::inclusive_scan(queue, in.view(), out.view(), compose()).wait();
  EXPECT_EQ(out.values(), expected);
}

TEST(primitives_scan, strided_and_reversed_views_of_buffers_leave_other_elements_alone) {
  sycl::queue queue;
  const std::vector<int> x = numbers<int>(2001, 1000);
  std::vector<int> result(1000, -1), expected(1000, -1);
  int sum = 0;
  for (std::size_t i = 0; i < 500; ++i) expected[999 - 2 * i] = sum += x[1 + 4 * i];
  {
    sycl::buffer<int> in(x), out(result);
    primitives::inclusive_scan(queue, prism::view_of(in).subvector(1, 500, 4),
                               prism::view_of(out).subvector(999, 500, -2));
  }
  EXPECT_EQ(result, expected);
}

TEST(primitives_scan, calls_wait_for_the_events_they_are_given) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  const std::size_t n = 100000;
  const shared<int> in(queue, n), out(queue, n), total(queue, 1);
  int *x = in.data(), *last = out.data() + n - 1;
  const sycl::event filled = queue.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { x[i] = 2; });
  const sycl::event scanned = primitives::inclusive_scan(queue, in.view(), out.view(), {filled});
  primitives::reduce(queue, prism::vector_view<const int>(last, 1), total.view(), {scanned}).wait();
  EXPECT_EQ(total.data()[0], int(2 * n));
}

TEST(primitives_scan, calls_on_an_in_order_queue_follow_each_other_without_events) {
  sycl::queue queue{sycl::property::queue::in_order()};
  SKIP_WITHOUT_USM(queue);
  const std::size_t n = 100000;
  const shared<int> values(queue, n), total(queue, 1);
  int* x = values.data();
  queue.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { x[i] = i[0] == 0 ? 1 : 0; });
  primitives::inclusive_scan(queue, values.view(), values.view());
  primitives::inclusive_scan(queue, values.view(), values.view());
  primitives::reduce(queue, prism::vector_view<const int>(x + n - 1, 1), total.view());
  queue.wait();
  EXPECT_EQ(total.data()[0], int(n));
}

TEST(primitives_scan, the_memory_of_a_workspace_is_what_was_asked_for_and_is_used_again) {
  sycl::queue queue;
  SKIP_WITHOUT_USM(queue);
  const shared<int> in(queue, 300000), out(queue, 300000);
  primitives::workspace memory;
  const auto call = [&](const execution& on) {
    return primitives::inclusive_scan(on, in.view(), out.view());
  };
  const std::size_t bytes = primitives::workspace_bytes(queue, call);
  EXPECT_EQ(memory.bytes(), 0u);
  call({queue, memory}).wait();
  EXPECT_EQ(memory.bytes(), bytes);
  call({queue, memory}).wait();
  EXPECT_EQ(memory.bytes(), bytes);
}

} // namespace
