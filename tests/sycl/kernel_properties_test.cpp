// Properties of sycl_ext_oneapi_kernel_properties, in the kernel's class or as an argument of the launch,
// have the effect of the SYCL 2020 attributes.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // hierarchical kernels have them, too
#include "tests/sycl/common.hpp"

using prism_test::error_of;

namespace {

namespace syclex = sycl::ext::oneapi::experimental;

struct in_groups_of_two_by_four {
  sycl::accessor<int, 2> out;
  void operator()(sycl::nd_item<2> it) const {
    out[it.get_global_id()] = int(it.get_local_range(0) * 10 + it.get_local_range(1));
  }
  auto get(syclex::properties_tag) { return syclex::properties{syclex::work_group_size<2, 4>}; }
};

template <std::uint32_t Size>
struct in_sub_groups {
  sycl::accessor<int> out;
  void operator()(sycl::nd_item<1> it) const {
    out[it.get_global_id(0)] = int(it.get_sub_group().get_max_local_range()[0]);
  }
  auto get(syclex::properties_tag) const { return syclex::properties(syclex::sub_group_size<Size>); }
};

class kernel_properties : public testing::Test {
protected:
  /// Submits `launch(handler, accessor)` over a buffer of `size` zeros, and stores its elements in `values`
  /// afterwards.
  template <int D, typename Launch>
  sycl::errc submit(sycl::range<D> size, const Launch& launch, std::string* text = nullptr) {
    values.assign(size.size(), 0);
    sycl::buffer<int, D> b(values.data(), size);
    return error_of([&] {
      q.submit([&](sycl::handler& h) { launch(h, sycl::accessor<int, D>(b, h)); }).wait_and_throw();
    }, text);
  }
  bool all_are(int value) const {
    return std::all_of(values.begin(), values.end(), [=](int x) { return x == value; });
  }

  sycl::queue q;
  std::vector<int> values;
};

TEST_F(kernel_properties, a_work_group_size_of_the_kernels_class_is_enforced) {
  const auto with = [&](sycl::range<2> local, std::string* text = nullptr) {
    return submit(sycl::range<2>(4, 8), [&](sycl::handler& h, auto a) {
      h.parallel_for(sycl::nd_range<2>({4, 8}, local), in_groups_of_two_by_four{a});
    }, text);
  };
  EXPECT_EQ(with({2, 4}), sycl::errc::success);
  EXPECT_TRUE(all_are(24));
  std::string text;
  EXPECT_EQ(with({4, 2}, &text), sycl::errc::nd_range);
  EXPECT_NE(text.find("2 x 4"), std::string::npos) << text;
}

TEST_F(kernel_properties, a_work_group_size_of_the_launch_is_enforced) {
  const syclex::properties eight{syclex::work_group_size<8>};
  const auto with = [&](std::size_t local) {
    return submit(sycl::range<1>(32), [&](sycl::handler& h, auto a) {
      h.parallel_for(sycl::nd_range<1>(32, local), eight,
                     [=](sycl::nd_item<1> it) { a[it.get_global_id(0)] = int(it.get_local_range(0)); });
    });
  };
  EXPECT_EQ(with(8), sycl::errc::success);
  EXPECT_TRUE(all_are(8));
  EXPECT_EQ(with(16), sycl::errc::nd_range);
}

TEST_F(kernel_properties, one_function_may_be_launched_with_different_properties) {
  const auto with = [&](auto properties, std::size_t local) {
    return submit(sycl::range<1>(32), [&](sycl::handler& h, auto a) {
      h.parallel_for(sycl::nd_range<1>(32, local), properties,
                     [=](sycl::nd_item<1> it) { a[it.get_global_id(0)] = int(it.get_local_range(0)); });
    });
  };
  EXPECT_EQ(with(syclex::properties{syclex::work_group_size<4>}, 4), sycl::errc::success);
  EXPECT_TRUE(all_are(4));
  EXPECT_EQ(with(syclex::properties{syclex::work_group_size<16>}, 16), sycl::errc::success);
  EXPECT_TRUE(all_are(16));
  EXPECT_EQ(with(syclex::properties{syclex::work_group_size<16>}, 4), sycl::errc::nd_range);
  EXPECT_EQ(with(syclex::properties{}, 2), sycl::errc::success);
  EXPECT_TRUE(all_are(2));
  EXPECT_EQ(with(syclex::properties{syclex::work_group_size_hint<16>}, 8),
            sycl::errc::success); // a hint requires nothing
}

TEST_F(kernel_properties, of_class_and_launch_are_combined) {
  const auto with = [&](auto properties) {
    return submit(sycl::range<2>(4, 8), [&](sycl::handler& h, auto a) {
      h.parallel_for(sycl::nd_range<2>({4, 8}, {2, 4}), properties, in_groups_of_two_by_four{a});
    });
  };
  EXPECT_EQ(with(syclex::properties{syclex::device_has<>}), sycl::errc::success);
  EXPECT_TRUE(all_are(24));
  EXPECT_EQ(with(syclex::properties{syclex::device_has<sycl::aspect::custom>}),
            sycl::errc::kernel_not_supported);
}

TEST_F(kernel_properties, sub_group_sizes_are_applied_or_refused) {
  const auto offered = q.get_device().get_info<sycl::info::device::sub_group_sizes>();
  const auto with = [&](auto size) {
    const bool has = std::find(offered.begin(), offered.end(), size()) != offered.end();
    const sycl::errc code = submit(sycl::range<1>(64), [&](sycl::handler& h, auto a) {
      h.parallel_for(sycl::nd_range<1>(64, 64), in_sub_groups<size()>{a});
    });
    EXPECT_EQ(code, has ? sycl::errc::success : sycl::errc::kernel_not_supported) << size();
    if (has) EXPECT_TRUE(all_are(int(size()))) << size();
  };
  with(std::integral_constant<std::uint32_t, 4>());
  with(std::integral_constant<std::uint32_t, 8>());
  with(std::integral_constant<std::uint32_t, 16>());
  with(std::integral_constant<std::uint32_t, 64>());
}

TEST_F(kernel_properties, are_accepted_by_every_launch_function) {
  const syclex::properties none{};
  const syclex::properties lacking{syclex::device_has<sycl::aspect::custom>};
  const auto launches = [&](auto list) {
    std::vector<sycl::errc> codes;
    const auto launch = [&](auto&& command) {
      codes.push_back(error_of([&] { command().wait_and_throw(); }));
    };
    const sycl::event before = q.single_task([] {});
    const std::vector<sycl::event> several{before, q.single_task([] {})};
    launch([&] { return q.single_task(list, [] {}); });
    launch([&] { return q.single_task(before, list, [] {}); });
    launch([&] { return q.single_task(several, list, [] {}); });
    launch([&] { return q.parallel_for(sycl::range<1>(5), list, [](sycl::id<1>) {}); });
    launch([&] { return q.parallel_for(sycl::range<2>(5, 2), before, list, [](sycl::item<2>) {}); });
    launch([&] { return q.parallel_for(sycl::range<3>(5, 2, 1), several, list, [](sycl::id<3>) {}); });
    launch([&] { return q.parallel_for(sycl::nd_range<1>(4, 2), list, [](sycl::nd_item<1>) {}); });
    launch([&] { return q.parallel_for(sycl::nd_range<1>(4, 2), before, list, [](sycl::nd_item<1>) {}); });
    launch([&] { return q.parallel_for(sycl::nd_range<1>(4, 2), several, list, [](sycl::nd_item<1>) {}); });
    launch([&] {
      return q.submit([&](sycl::handler& h) {
        h.parallel_for_work_group(sycl::range<1>(2), list, [](sycl::group<1>) {});
      });
    });
    launch([&] {
      return q.submit([&](sycl::handler& h) {
        h.parallel_for_work_group(sycl::range<1>(2), sycl::range<1>(2), list, [](sycl::group<1>) {});
      });
    });
    return codes;
  };
  EXPECT_EQ(launches(none), std::vector<sycl::errc>(11, sycl::errc::success));
  EXPECT_EQ(launches(lacking), std::vector<sycl::errc>(11, sycl::errc::kernel_not_supported));
}

TEST_F(kernel_properties, work_with_reductions) {
  const auto with = [&](auto items, auto properties, std::size_t expected) {
    int sum = 0;
    sycl::errc code;
    {
      sycl::buffer<int> b(&sum, 1);
      code = error_of([&] {
        q.submit([&](sycl::handler& h) {
          h.parallel_for(items, properties, sycl::reduction(b, h, sycl::plus<int>()),
                         [=](auto, auto& total) { total += 1; });
        }).wait_and_throw();
      });
    }
    if (code == sycl::errc::success) EXPECT_EQ(sum, int(expected));
    return code;
  };
  EXPECT_EQ(with(sycl::range<1>(100), syclex::properties{syclex::device_has<>}, 100), sycl::errc::success);
  EXPECT_EQ(with(sycl::nd_range<1>(64, 8), syclex::properties{syclex::work_group_size<8>}, 64),
            sycl::errc::success);
  EXPECT_EQ(with(sycl::nd_range<1>(64, 16), syclex::properties{syclex::work_group_size<8>}, 64),
            sycl::errc::nd_range);
}

TEST(kernel_property, has_its_values) {
  static_assert(syclex::work_group_size<8, 4, 2>[0] == 8 && syclex::work_group_size<8, 4, 2>[2] == 2);
  static_assert(syclex::sub_group_size<32>.value == 32);
  static_assert(syclex::device_has<sycl::aspect::fp16, sycl::aspect::gpu>.value[1] == sycl::aspect::gpu);
  static_assert(syclex::is_property_key<syclex::work_group_size_key>::value &&
                !syclex::is_property_key<int>::value);
  static_assert(syclex::has_compile_time_kernel_effect_v<std::decay_t<decltype(syclex::sub_group_size<8>)>>);
  static_assert(!syclex::has_compile_time_kernel_effect_v<int>);
  constexpr syclex::properties list{syclex::work_group_size<8>, syclex::sub_group_size<4>};
  EXPECT_EQ(list.get_property<syclex::work_group_size_key>()[0], 8u);
}

} // namespace
