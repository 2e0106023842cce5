// Kernels that compute elements of other kernels where they need them (sycl/detail/computed_elements.hpp).
#include "tests/sycl/graphs.hpp"

#include <sycl/detail/computed_elements.hpp>

using namespace prism_test;
using prism::command_graph;

namespace {

namespace property = prism::property;
using executable = command_graph<prism::graph_state::executable>;

bool fuses() {
#if defined(PRISM_TEST_COMPILED)
  return !splits_launches();
#else
  return false; // only prism++ records the memory that kernels access
#endif
}

/// Records kernels that write elements to promoted memory, and one whose work-items each add some of them.
template <typename T>
void record_sums(sycl::queue& q, const T* x, sycl::buffer<T>& half, sycl::buffer<T>& whole, T* sums,
                 std::size_t rows) {
  q.submit([&](sycl::handler& h) {
    const sycl::accessor to(half, h, sycl::write_only, sycl::no_init);
    h.parallel_for(half.get_range(), [=](sycl::id<1> i) { to[i] = x[i[0]] * T(2); });
  });
  q.submit([&](sycl::handler& h) {
    const sycl::accessor from(half, h, sycl::read_only);
    const sycl::accessor to(whole, h, sycl::write_only, sycl::no_init);
    h.parallel_for(whole.get_range(), [=](sycl::id<1> i) { to[i] = from[i] * x[i[0]] + T(i[0]); });
  });
  q.submit([&](sycl::handler& h) {
    prism::detail::require_elements(whole, h);
    const std::uint32_t count = std::uint32_t(whole.size() / rows);
    h.parallel_for(sycl::range<1>(rows), [=](sycl::id<1> row) {
      T sum{};
      for (std::uint32_t k = 0; k < count; ++k)
        sum += prism::detail::element_number<T>(std::uint32_t(row[0]) * count + k, 0);
      sums[row[0]] = sum;
    });
  });
}

template <typename T>
void expect_computed_sums(sycl::queue& q) {
  constexpr std::size_t rows = 100, count = 30;
  T* const x = sycl::malloc_device<T>(rows * count, q);
  T* const sums = sycl::malloc_device<T>(rows, q);
  std::vector<T> from(rows * count), expected(rows), made(rows);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = T(i % 17);
  for (std::size_t i = 0; i < from.size(); ++i) expected[i / count] += from[i] * T(2) * from[i] + T(i);
  q.copy(from.data(), x, from.size());
  const sycl::property_list promoted{property::promote_private()};
  sycl::buffer<T> half{sycl::range<1>(rows * count), promoted}, whole{sycl::range<1>(rows * count), promoted};
  executable graph = finalized(q, [&] { record_sums(q, x, half, whole, sums, rows); }, true);
  EXPECT_NE(graph.explain().find("run as one launch of 100 work-items, which computes elements"),
            std::string::npos)
      << graph.explain();
  for (int time = 0; time < 2; ++time) {
    q.fill(sums, T(0), rows);
    prism::execute_graph(q, graph);
    q.copy(sums, made.data(), rows).wait();
    EXPECT_EQ(made, expected);
  }
  sycl::free(x, q), sycl::free(sums, q);
}

TEST(computed_elements, are_those_of_other_kernels_in_one_launch) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT(q, usm_device_allocations);
  if (!fuses())
    GTEST_SKIP() << name_of(q.get_device()) << " fuses no kernels of this build or with PRISM_SLICE";
  if (q.get_backend() == sycl::backend::ext_prism_host) GTEST_SKIP() << "the host device calls no elements";
  expect_computed_sums<float>(q);
  expect_computed_sums<std::uint64_t>(q);
  if (q.get_device().has(sycl::aspect::fp64)) expect_computed_sums<double>(q);
}

TEST(computed_elements, are_refused_without_the_kernels_that_compute_them) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT(q, usm_device_allocations);
  if (!fuses())
    GTEST_SKIP() << name_of(q.get_device()) << " fuses no kernels of this build or with PRISM_SLICE";
  float* const x = sycl::malloc_device<float>(10, q);
  const sycl::property_list promoted{property::promote_private()};
  sycl::buffer<float> half{sycl::range<1>(10), promoted}, whole{sycl::range<1>(10), promoted};
  const auto record = [&] { record_sums(q, x, half, whole, x, 1); };
  EXPECT_EQ(error_of([&] { finalized(q, record, false); }), sycl::errc::kernel_not_supported);
  EXPECT_EQ(error_of([&] { record(); }), sycl::errc::kernel_not_supported);
  q.wait();
  sycl::free(x, q);
}

} // namespace
