// The behaviour of <prism/blas.hpp> if the provider with the best prediction fails (failing_provider.cpp,
// which PRISM_PROVIDER_PATH finds).
#include "tests/sycl/common.hpp"

#include <prism/blas.hpp>
#include <prism/fft.hpp>
#include <prism/nn.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace {

struct product {
  sycl::buffer<float> a{sycl::range<1>(16)}, c{sycl::range<1>(16)};
  product() {
    const sycl::host_accessor all(a, sycl::write_only);
    std::fill(all.begin(), all.end(), 2.0f);
  }
  void submit(sycl::queue& queue) {
    const auto factor = prism::row_major(a, 4, 4);
    prism::blas::gemm(queue, 1, factor, factor, 0, prism::row_major(c, 4, 4));
  }
  float first() { return sycl::host_accessor(c)[0]; }
};

TEST(blas_choice, a_provider_that_fails_gives_way_to_the_next_one_in_the_same_call) {
  prism_test::error_log errors;
  sycl::queue queue{errors.handler()};
  if (queue.get_backend() != sycl::backend::ext_prism_host) GTEST_SKIP() << "the provider serves the host";
  const std::string before = prism::blas::explain(queue.get_device(), "gemm", "float", 4);
  ASSERT_NE(before.find("float 4x4, 4x4, 4x4: failing: "), std::string::npos)
      << "it promises most: " << before;
  if (before.find("openblas: ") == std::string::npos && before.find("blis: ") == std::string::npos)
    GTEST_SKIP() << "no other provider is there: " << before;
  prism_test::logged_text log;
  product first;
  first.submit(queue);
  queue.wait_and_throw();
  const std::string text = log.take();
  EXPECT_EQ(first.first(), 16) << "the next one computes";
  EXPECT_NE(
      text.find("prism: warn: failing failed at gemm float 4x4, 4x4, 4x4 with status 5: its processor is on "
                "fire; "),
      std::string::npos)
      << text;
  product second;
  second.submit(queue);
  queue.wait_and_throw();
  EXPECT_EQ(second.first(), 16);
  EXPECT_EQ(prism::blas::last_choice().find("failing"), std::string::npos) << prism::blas::last_choice();
  EXPECT_TRUE(errors.texts.empty());
}

TEST(blas_choice, a_pinned_provider_that_fails_is_an_error_that_names_it) {
  prism_test::error_log errors;
  sycl::queue queue{errors.handler()};
  if (queue.get_backend() != sycl::backend::ext_prism_host) GTEST_SKIP() << "the provider serves the host";
  prism::blas::pin("gemm", "failing");
  prism_test::logged_text log;
  product one;
  one.submit(queue);
  queue.wait_and_throw();
  log.take();
  ASSERT_EQ(errors.texts.size(), 1u);
  EXPECT_NE(errors.texts[0].find("failing failed at gemm float 4x4"), std::string::npos) << errors.texts[0];
  std::string text;
  EXPECT_EQ(prism_test::error_of([&] { one.submit(queue); }, &text), sycl::errc::kernel_not_supported);
  EXPECT_NE(text.find("failed before"), std::string::npos) << text;
  prism::blas::pin("gemm", "");
}

TEST(blas_choice, a_pinned_provider_that_fails_gives_way_to_own_kernels_if_that_is_allowed) {
  prism_test::error_log errors;
  for (const bool in_order : {false, true}) {
    sycl::queue queue(errors.handler(), in_order ? sycl::property_list{sycl::property::queue::in_order()}
                                                 : sycl::property_list{});
    if (queue.get_backend() != sycl::backend::ext_prism_host) GTEST_SKIP() << "the provider serves the host";
    prism::blas::pin("gemm", "failing"), prism::blas::pin("fallback", "prism");
    prism_test::logged_text log;
    product one;
    one.submit(queue);
    EXPECT_EQ(one.first(), 16);
    float* const shared = sycl::malloc_shared<float>(32, queue);
    std::fill_n(shared, 16, 3.0f), std::fill_n(shared + 16, 16, 0.0f);
    prism::blas::pin("fallback", "prism"); // forgets the failure
    const auto factor = prism::row_major(shared, 4, 4);
    prism::blas::gemm(queue, 1, factor, factor, 0, prism::row_major(shared + 16, 4, 4)).wait();
    EXPECT_EQ(shared[16], 36);
    sycl::free(shared, queue);
    queue.wait_and_throw();
    const std::string text = log.take();
    EXPECT_NE(text.find("its processor is on fire; prism does it, as fallback=prism allows"),
              std::string::npos)
        << text;
    one.submit(queue); // the failed provider is not asked again
    EXPECT_EQ(one.first(), 16);
  }
  EXPECT_TRUE(errors.texts.empty());
  prism::blas::pin("gemm", ""), prism::blas::pin("fallback", "");
  EXPECT_EQ(prism_test::error_of([] { prism::blas::pin("fallback", "openblas"); }), sycl::errc::invalid);
}

struct general_pin {
  explicit general_pin(const char* setting) { setenv("PRISM_PROVIDER", setting, 1); }
  ~general_pin() { unsetenv("PRISM_PROVIDER"); }
};
float sum_of_two(sycl::queue& queue) {
  std::vector<float> two{2}, three{3};
  sycl::buffer<float> x(two), y(three);
  prism::blas::axpy(queue, 1, prism::view_of(x), prism::view_of(y));
  return sycl::host_accessor(y)[0];
}
float sum_of_nine(sycl::queue& queue) {
  sycl::buffer<float> x{sycl::range<1>(9)}, w{sycl::range<1>(9)}, y{sycl::range<1>(1)};
  for (sycl::buffer<float>* each : {&x, &w}) {
    const sycl::host_accessor all(*each, sycl::write_only);
    std::fill(all.begin(), all.end(), 2.0f);
  }
  prism::nn::conv2d(queue, prism::tensor(x, {1, 1, 3, 3}), prism::tensor(w, {1, 1, 3, 3}),
                    prism::tensor(y, {1, 1, 1, 1}));
  return sycl::host_accessor(y)[0];
}
std::complex<float> transform_of_four(sycl::queue& queue) {
  using value = std::complex<float>;
  sycl::buffer<value> x{sycl::range<1>(4)}, y{sycl::range<1>(4)};
  {
    const sycl::host_accessor all(x, sycl::write_only);
    for (std::size_t i = 0; i < 4; ++i) all[i] = value(float(i), 1);
  }
  prism::fft::forward(queue, prism::fft::grid(x, {4}), prism::fft::grid(y, {4}));
  return sycl::host_accessor(y)[0];
}

TEST(blas_choice, a_provider_pinned_for_all_operations_leaves_those_that_it_does_not_have) {
  prism_test::error_log errors;
  sycl::queue queue{errors.handler()};
  std::vector<std::string> names{"failing"}; // has products of float alone
  for (const auto& each : prism::blas::implementations())
    if (each.name == "openblas") names.push_back(each.name);
  for (const std::string& name : names) {
    const general_pin all(name.c_str());
    EXPECT_EQ(sum_of_nine(queue), 36) << name;
    EXPECT_EQ(transform_of_four(queue), std::complex<float>(6, 4)) << name;
    for (const char* operation : {"conv2d", "fft"}) {
      const std::string text = prism::blas::explain(queue.get_device(), operation, "float", 16);
      EXPECT_NE(
          text.find(name +
                    ": PRISM_PROVIDER pins it for the operations that it has, and this is none of them"),
          std::string::npos)
          << text;
    }
    EXPECT_EQ(prism::blas::explain(queue.get_device(), "gemm", "float", 16).find("none of them"),
              std::string::npos);
  }
  const general_pin all("failing");
  EXPECT_EQ(sum_of_two(queue), 5);
  queue.wait_and_throw();
  EXPECT_TRUE(errors.texts.empty());
}

TEST(blas_choice, a_provider_pinned_for_all_operations_is_required_for_those_that_it_has) {
  sycl::queue queue;
  const general_pin all("failing");
  sycl::buffer<std::complex<float>> a{sycl::range<1>(4)}, c{sycl::range<1>(4)};
  std::string text;
  EXPECT_EQ(prism_test::error_of(
                [&] {
    const auto factor = prism::row_major(a, 2, 2);
    prism::blas::gemm(queue, 1, factor, factor, 0, prism::row_major(c, 2, 2));
  }, &text),
            sycl::errc::kernel_not_supported);
  EXPECT_NE(text.find("failing: "), std::string::npos) << text;
}

TEST(blas_choice, a_provider_pinned_for_one_operation_that_it_does_not_have_is_refused) {
  sycl::queue queue;
  std::string text;
  for (const char* setting : {"conv2d=failing", "failing,conv2d=failing", "missing"}) {
    const general_pin one(setting);
    EXPECT_EQ(prism_test::error_of([&] { sum_of_nine(queue); }, &text), sycl::errc::kernel_not_supported)
        << setting;
    const std::string name = setting == std::string("missing") ? "missing: " : "failing: ";
    EXPECT_NE(text.find(name), std::string::npos) << text;
  }
  prism::blas::pin("fft", "failing");
  EXPECT_EQ(prism_test::error_of([&] { transform_of_four(queue); }), sycl::errc::kernel_not_supported);
  prism::blas::pin("fft", "");
}

TEST(blas_choice, the_library_s_own_kernels_serve_when_they_are_pinned) {
  sycl::queue queue;
  prism::blas::pin("gemm", "prism");
  product one;
  one.submit(queue);
  EXPECT_EQ(one.first(), 16);
  EXPECT_EQ(prism::blas::last_choice(), "gemm float 4x4, 4x4, 4x4: prism");
  prism::blas::pin("gemm", "");
}

} // namespace
