// [[sycl::reqd_work_group_size]], [[sycl::reqd_sub_group_size]] and [[sycl::device_has]] in every place where
// SYCL allows them.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // hierarchical kernels have them, too
#include "tests/sycl/common.hpp"

using prism_test::error_of;

namespace {

constexpr std::size_t eight = 8;

/// Submits `kernel` over `items` in groups of `group` and waits.
template <int D, class F>
sycl::errc launch(sycl::queue& q, sycl::range<D> items, sycl::range<D> group, F kernel,
                  std::string* text = nullptr) {
  return error_of([&] { q.parallel_for(sycl::nd_range<D>(items, group), kernel).wait_and_throw(); }, text);
}

template <int N>
struct member {
  int* out;
  [[sycl::reqd_work_group_size(2, N)]] void operator()(sycl::nd_item<2> it) const {
    out[it.get_global_linear_id()] = N;
  }
};

struct defined_outside {
  int* out;
  void operator()(sycl::nd_item<1> it) const;
};
[[sycl::reqd_work_group_size(eight * 2)]] void defined_outside::operator()(sycl::nd_item<1> it) const {
  out[it.get_global_id(0)] = 5;
}

[[sycl::reqd_work_group_size(4)]] int called(int x) { return x + 1; }

template <std::size_t N>
sycl::errc launch_in_template(sycl::queue& q, int* out, std::size_t group) {
  return launch(q, sycl::range<1>(64), sycl::range<1>(group),
                [=](sycl::nd_item<1> it)
                    [[sycl::reqd_work_group_size(N)]] { out[it.get_global_id(0)] = int(N); });
}

class kernel_attributes : public testing::Test {
protected:
  sycl::queue q;
  int* out = nullptr;
  void SetUp() override {
    SKIP_WITHOUT(q, usm_shared_allocations);
    out = sycl::malloc_shared<int>(64, q);
  }
  void expect_all(int value) {
    for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], value) << i;
  }
  ~kernel_attributes() override { sycl::free(out, q); }
};

} // namespace

TEST_F(kernel_attributes, a_required_work_group_size_is_enforced) {
  EXPECT_EQ(launch(q, sycl::range<2>(8, 8), sycl::range<2>(2, 4), member<4>{out}), sycl::errc::success);
  expect_all(4);
  std::string text;
  EXPECT_EQ(launch(q, sycl::range<2>(8, 8), sycl::range<2>(4, 2), member<4>{out}, &text),
            sycl::errc::nd_range);
  EXPECT_NE(text.find("2 x 4"), std::string::npos) << text;
}

TEST_F(kernel_attributes, of_a_function_defined_outside_of_its_class) {
  EXPECT_EQ(launch(q, sycl::range<1>(64), sycl::range<1>(16), defined_outside{out}), sycl::errc::success);
  expect_all(5);
  EXPECT_EQ(launch(q, sycl::range<1>(64), sycl::range<1>(8), defined_outside{out}), sycl::errc::nd_range);
}

TEST_F(kernel_attributes, of_a_lambda_follow_its_parameters) {
  int* p = out;
  const auto kernel = [=](sycl::nd_item<1> it)
                          [[sycl::reqd_work_group_size(eight)]] -> void { p[it.get_global_id(0)] = 7; };
  EXPECT_EQ(launch(q, sycl::range<1>(64), sycl::range<1>(8), kernel), sycl::errc::success);
  expect_all(7);
  EXPECT_EQ(launch(q, sycl::range<1>(64), sycl::range<1>(16), kernel), sycl::errc::nd_range);
}

TEST_F(kernel_attributes, may_depend_on_template_parameters) {
  EXPECT_EQ(launch_in_template<16>(q, out, 16), sycl::errc::success);
  expect_all(16);
  EXPECT_EQ(launch_in_template<32>(q, out, 16), sycl::errc::nd_range);
}

TEST_F(kernel_attributes, of_a_called_function_apply_to_the_kernel) {
  int* p = out;
  const auto kernel = [=](sycl::nd_item<1> it) { p[it.get_global_id(0)] = called(2); };
  EXPECT_EQ(launch(q, sycl::range<1>(64), sycl::range<1>(4), kernel), sycl::errc::success);
  expect_all(3);
  EXPECT_EQ(launch(q, sycl::range<1>(64), sycl::range<1>(8), kernel), sycl::errc::nd_range);
}

TEST_F(kernel_attributes, choose_the_work_group_size_of_a_range_kernel) {
  int* p = out;
  q.parallel_for(sycl::range<1>(64), [=](sycl::item<1> it) [[sycl::reqd_work_group_size(16)]] {
    p[it] = 9;
  }).wait();
  expect_all(9);
  q.single_task([=]() [[sycl::reqd_work_group_size(1)]] { p[0] = 10; }).wait();
  EXPECT_EQ(out[0], 10);
}

TEST_F(kernel_attributes, a_sub_group_size_of_the_device_is_applied) {
  const auto sizes = q.get_device().get_info<sycl::info::device::sub_group_sizes>();
  int* p = out;
  std::string text;
  const bool offers = std::find(sizes.begin(), sizes.end(), 8u) != sizes.end();
  const auto code =
      launch(q, sycl::range<1>(64), sycl::range<1>(16),
             [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(8), sycl::work_group_size_hint(16)]] {
    p[it.get_global_id(0)] = int(it.get_sub_group().get_max_local_range()[0]);
  }, &text);
  EXPECT_EQ(code, offers ? sycl::errc::success : sycl::errc::kernel_not_supported) << text;
  if (!offers) EXPECT_EQ(text.rfind("kernel_not_supported: ", 0), 0u) << text;
  if (offers) expect_all(8);
}

TEST_F(kernel_attributes, a_sub_group_size_that_no_device_offers_is_refused_by_name) {
  std::string text;
  EXPECT_EQ(launch(q, sycl::range<1>(64), sycl::range<1>(16),
                   [=](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(7)]] {}, &text),
            sycl::errc::kernel_not_supported);
  EXPECT_NE(text.find("reqd_sub_group_size(7)"), std::string::npos) << text;
}

TEST_F(kernel_attributes, device_has_refuses_devices_without_the_aspect) {
  const bool has =
      q.get_device().has(sycl::aspect::fp64) && q.get_device().has(sycl::aspect::usm_device_allocations);
  EXPECT_EQ(launch(q, sycl::range<1>(64), sycl::range<1>(16),
                   [=](sycl::nd_item<1>)
                       [[sycl::device_has(sycl::aspect::fp64, sycl::aspect::usm_device_allocations)]] {}),
            has ? sycl::errc::success : sycl::errc::kernel_not_supported);
  std::string text;
  EXPECT_EQ(launch(q, sycl::range<1>(64), sycl::range<1>(16),
                   [=](sycl::nd_item<1>) [[sycl::device_has(sycl::aspect::accelerator)]] {}, &text),
            sycl::errc::kernel_not_supported);
  EXPECT_NE(text.find("aspect::accelerator"), std::string::npos) << text;
}

TEST_F(kernel_attributes, a_work_group_larger_than_any_device_allows_is_refused_by_name) {
  std::string text;
  EXPECT_EQ(launch(q, sycl::range<1>(64), sycl::range<1>(16),
                   [=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(18446744073709551615u)]] {}, &text),
            sycl::errc::kernel_not_supported);
  EXPECT_NE(text.find("reqd_work_group_size"), std::string::npos) << text;
  EXPECT_EQ(launch(q, sycl::range<1>(64), sycl::range<1>(16),
                   [=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(4294967296)]] {}),
            sycl::errc::kernel_not_supported);
}

TEST_F(kernel_attributes, override_the_size_of_hierarchical_groups) {
  const auto hierarchical = [&](auto kernel) {
    return error_of([&] {
      q.submit([&](sycl::handler& h) {
        h.parallel_for_work_group(sycl::range<1>(1), sycl::range<1>(4099), kernel);
      }).wait();
    });
  };
  EXPECT_EQ(hierarchical([=](sycl::group<1>) [[sycl::reqd_sub_group_size(4099)]] {}),
            sycl::errc::kernel_not_supported);
  EXPECT_EQ(hierarchical([=](sycl::group<1>) {}), sycl::errc::nd_range);
}

TEST_F(kernel_attributes, make_kernels_incompatible_with_devices) {
  const auto refused = [](sycl::nd_item<1>) [[sycl::device_has(sycl::aspect::accelerator)]] {};
  const auto accepted = [](sycl::nd_item<1>) {};
  EXPECT_EQ(error_of([&] { q.parallel_for<class needs_an_accelerator>(sycl::nd_range<1>(16, 16), refused); }),
            sycl::errc::kernel_not_supported);
  q.parallel_for<class needs_nothing>(sycl::nd_range<1>(16, 16), accepted).wait();
  EXPECT_FALSE(
      (sycl::has_kernel_bundle<class needs_an_accelerator, sycl::bundle_state::executable>(q.get_context())));
  EXPECT_FALSE(sycl::is_compatible<class needs_an_accelerator>(q.get_device()));
  EXPECT_TRUE(
      (sycl::has_kernel_bundle<class needs_nothing, sycl::bundle_state::executable>(q.get_context())));
}
