// Every provider made unusable in turn: the next one or the library's own kernels compute the same. Without
// that, each provider computes what the own kernels do. A row of
// CTest sets PROVIDER_TEST_REMOVED to the name of a provider, and PRISM_PROVIDER_PATH to a folder that has an
// empty file of that name, which hides the module of the build.
#include "tests/sycl/common.hpp"

#include <prism/blas.hpp>
#include <prism/fft.hpp>
#include <prism/linalg.hpp>
#include <prism/nn.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <functional>
#include <random>

namespace {

using numbers = std::vector<double>;

template <typename T>
sycl::buffer<T> random_buffer(std::size_t size, unsigned seed, double diagonal = 0, std::size_t rows = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  sycl::buffer<T> out{sycl::range<1>(size)};
  const sycl::host_accessor all(out, sycl::write_only);
  for (std::size_t i = 0; i < size; ++i) {
    const bool is_diagonal = rows > 1 && i / rows == i % rows;
    const double real = any(random) + (is_diagonal ? diagonal : 0);
    if constexpr (std::is_floating_point_v<T>) all[i] = T(real);
    else all[i] = T(typename T::value_type(real), typename T::value_type(any(random)));
  }
  return out;
}
template <typename T>
numbers values_of(sycl::buffer<T>& from) {
  numbers out;
  const sycl::host_accessor all(from, sycl::read_only);
  for (const T& each : all)
    if constexpr (std::is_floating_point_v<T>) out.push_back(double(each));
    else out.push_back(double(each.real())), out.push_back(double(each.imag()));
  return out;
}

template <typename T>
numbers product(sycl::queue& queue, std::size_t m, std::size_t n, std::size_t k) {
  auto a = random_buffer<T>(m * k, 1), b = random_buffer<T>(k * n, 2), c = random_buffer<T>(m * n, 3);
  prism::blas::gemm(queue, T(1), prism::row_major(a, m, k), prism::row_major(b, k, n), T(0.5),
                    prism::row_major(c, m, n));
  return values_of(c);
}
numbers small_products(sycl::queue& queue) {
  constexpr std::size_t n = 16, count = 200;
  auto a = random_buffer<float>(n * n * count, 1), b = random_buffer<float>(n * n * count, 2),
       c = random_buffer<float>(n * n * count, 3);
  const auto batch = [&](auto& of) {
    return prism::batch_view(prism::row_major(of, n, n), count, std::ptrdiff_t(n * n));
  };
  prism::blas::gemm(queue, 1, batch(a), batch(b), 0, batch(c));
  return values_of(c);
}
numbers solution(sycl::queue& queue) {
  constexpr std::size_t n = 70;
  auto a = random_buffer<float>(n * n, 1, 20, n), b = random_buffer<float>(n * n, 2);
  prism::blas::trsm(queue, prism::blas::side::left, prism::blas::uplo::lower, prism::blas::diag::non_unit, 1,
                    prism::row_major(a, n, n), prism::row_major(b, n, n));
  return values_of(b);
}
numbers vector_product(sycl::queue& queue) {
  auto a = random_buffer<float>(300 * 200, 1), x = random_buffer<float>(200, 2),
       y = random_buffer<float>(300, 3);
  prism::blas::gemv(queue, 1, prism::row_major(a, 300, 200), prism::view_of(x), 0, prism::view_of(y));
  return values_of(y);
}
numbers inner_product(sycl::queue& queue) {
  auto x = random_buffer<float>(5000, 1), y = random_buffer<float>(5000, 2), sum = random_buffer<float>(1, 3);
  prism::blas::dot(queue, prism::view_of(x), prism::view_of(y), prism::view_of(sum));
  return values_of(sum);
}
template <typename R>
numbers transform(sycl::queue& queue, std::size_t points, std::size_t count) {
  using value = std::complex<R>;
  auto x = random_buffer<value>(points * count, 1), y = random_buffer<value>(points * count, 2);
  const auto all = [&](auto& of) {
    return prism::fft::grid(of, {points}).batched(count, std::ptrdiff_t(points));
  };
  prism::fft::forward(queue, all(x), all(y));
  return values_of(y);
}
numbers convolution(sycl::queue& queue) {
  auto x = random_buffer<float>(32 * 20 * 20, 1), w = random_buffer<float>(16 * 32 * 3 * 3, 2),
       y = random_buffer<float>(16 * 18 * 18, 3);
  prism::nn::conv2d(queue, prism::tensor(x, {1, 32, 20, 20}), prism::tensor(w, {16, 32, 3, 3}),
                    prism::tensor(y, {1, 16, 18, 18}));
  return values_of(y);
}
numbers factors(sycl::queue& queue) {
  constexpr std::size_t n = 80;
  auto a = random_buffer<float>(n * n, 1, 2.0 * n, n);
  sycl::buffer<std::int64_t> pivots{sycl::range<1>(n)}, info{sycl::range<1>(1)};
  prism::linalg::lu(queue, prism::column_major(a, n, n), prism::buffer_vector_view<std::int64_t>({pivots}, n),
                    prism::buffer_vector_view<std::int64_t>({info}, 1));
  numbers out = values_of(a);
  for (const std::int64_t each : sycl::host_accessor(pivots, sycl::read_only)) out.push_back(double(each));
  out.push_back(double(sycl::host_accessor(info, sycl::read_only)[0]));
  return out;
}

struct operation {
  const char* name;
  std::function<numbers(sycl::queue&)> run;
  bool needs_double = false;
};
std::vector<operation> operations() {
  return {{"product of float", [](sycl::queue& q) { return product<float>(q, 150, 140, 130); }},
          {"product of double", [](sycl::queue& q) { return product<double>(q, 90, 80, 70); }, true},
          {"product of complex numbers",
           [](sycl::queue& q) { return product<std::complex<float>>(q, 60, 50, 40); }},
          {"small products", small_products},
          {"triangular system", solution},
          {"matrix times vector", vector_product},
          {"inner product", inner_product},
          {"transforms", [](sycl::queue& q) { return transform<float>(q, 240, 20); }},
          {"transform of double", [](sycl::queue& q) { return transform<double>(q, 1000, 1); }, true},
          {"convolution", convolution},
          {"LU factors", factors}};
}

double distance(const numbers& a, const numbers& b) {
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) apart += (a[i] - b[i]) * (a[i] - b[i]), size += b[i] * b[i];
  return std::sqrt(apart / size);
}
bool is_there(const std::string& name) {
  for (const prism::blas::implementation& each : prism::blas::implementations())
    if (each.name == name) return true;
  return false;
}

TEST(providers_removed, what_remains_computes_the_same) {
  const char* const setting = std::getenv("PROVIDER_TEST_REMOVED");
  const std::string removed = setting ? setting : "";
  EXPECT_FALSE(is_there(removed)) << removed << " is hidden";
  prism_test::error_log errors;
  sycl::queue queue{errors.handler()};
  for (const operation& each : operations()) {
    if (each.needs_double && !queue.get_device().has(sycl::aspect::fp64)) continue;
    SCOPED_TRACE(std::string(each.name) + " without " + removed);
    const numbers found = each.run(queue);
    const std::string choice = prism::blas::last_choice(), chosen = choice.substr(choice.rfind(' ') + 1);
    EXPECT_NE(chosen, removed) << choice;
    EXPECT_TRUE(is_there(chosen)) << choice;
    const prism::blas::scoped_provider own("prism");
    const numbers expected = each.run(queue);
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_LE(distance(found, expected), each.needs_double ? 1e-14 : 2e-6) << "chosen: " << choice;
    std::printf("%-28s %s\n", each.name, chosen.c_str());
  }
  queue.wait_and_throw();
  EXPECT_TRUE(errors.texts.empty()) << errors.texts[0];
}

TEST(providers_removed, each_that_serves_an_operation_computes_the_same) {
  const char* const removed = std::getenv("PROVIDER_TEST_REMOVED");
  if (removed != nullptr && *removed != 0) GTEST_SKIP() << "asked where nothing is removed";
  prism_test::error_log errors;
  sycl::queue queue(errors.handler(), sycl::property::queue::in_order());
  for (const operation& each : operations()) {
    if (each.needs_double && !queue.get_device().has(sycl::aspect::fp64)) continue;
    numbers expected;
    {
      const prism::blas::scoped_provider own("prism");
      expected = each.run(queue);
    }
    std::printf("%-28s", each.name);
    for (const prism::blas::implementation& one : prism::blas::implementations()) {
      const prism::blas::scoped_provider pinned(one.name);
      numbers found;
      const sycl::errc code = prism_test::error_of([&] { found = each.run(queue); });
      if (code == sycl::errc::kernel_not_supported) continue;
      ASSERT_EQ(code, sycl::errc::success) << each.name << " by " << one.name;
      ASSERT_EQ(found.size(), expected.size());
      EXPECT_LE(distance(found, expected), each.needs_double ? 1e-14 : 2e-6)
          << each.name << " by " << one.name;
      std::printf(" %s", one.name.c_str());
    }
    std::printf("\n");
  }
  queue.wait_and_throw();
  EXPECT_TRUE(errors.texts.empty()) << errors.texts[0];
}

TEST(providers_removed, a_pin_of_the_removed_one_is_refused_by_name) {
  const char* const removed = std::getenv("PROVIDER_TEST_REMOVED");
  if (removed == nullptr || *removed == 0) GTEST_SKIP() << "nothing is removed";
  sycl::queue queue;
  const prism::blas::scoped_provider pinned(removed);
  std::string text;
  EXPECT_EQ(prism_test::error_of([&] { inner_product(queue); }, &text), sycl::errc::kernel_not_supported);
  EXPECT_NE(text.find(removed), std::string::npos) << text;
}

} // namespace
