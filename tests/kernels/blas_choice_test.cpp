// The behaviour of <prism/blas.hpp> if the provider with the best prediction fails (failing_provider.cpp,
// which PRISM_PROVIDER_PATH finds).
#include "tests/sycl/common.hpp"

#include <prism/blas.hpp>

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
