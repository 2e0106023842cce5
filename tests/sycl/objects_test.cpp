// Platforms, devices, selectors, contexts, queues, properties, errors: everything that needs no kernel.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // tests deprecated queries as well
#include "tests/sycl/common.hpp"

#include <set>
#include <sstream>
#include <unordered_set>
#include <variant>

using prism_test::error_of;

namespace {

TEST(platform, the_list_is_the_same_every_time) {
  const auto first = sycl::platform::get_platforms(), second = sycl::platform::get_platforms();
  ASSERT_FALSE(first.empty());
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i], second[i]);
    EXPECT_EQ(std::hash<sycl::platform>()(first[i]), std::hash<sycl::platform>()(second[i]));
    EXPECT_FALSE(first[i].get_info<sycl::info::platform::name>().empty());
    EXPECT_TRUE(first[i].get_devices(sycl::info::device_type::host).empty());
    EXPECT_EQ(first[i].get_devices(sycl::info::device_type::automatic).size(), 1u);
  }
}

TEST(device, default_ones_are_equal_and_of_the_list) {
  const sycl::device a, b{sycl::default_selector_v};
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.get_platform(), sycl::platform());
  const auto all = sycl::device::get_devices();
  EXPECT_NE(std::find(all.begin(), all.end(), a), all.end());
}

TEST(device, information_is_at_least_the_minimum_of_the_standard) {
  namespace d = sycl::info::device;
  const sycl::device device;
  EXPECT_FALSE(device.get_info<d::name>().empty());
  EXPECT_FALSE(device.get_info<d::vendor>().empty());
  EXPECT_GE(device.get_info<d::max_compute_units>(), 1u);
  EXPECT_EQ(device.get_info<d::max_work_item_dimensions>(), 3u);
  EXPECT_GE(device.get_info<d::max_work_group_size>(), 1u);
  EXPECT_GE(device.get_info<d::max_work_item_sizes<3>>()[2], 1u);
  EXPECT_EQ(device.get_info<d::max_work_item_sizes<1>>()[0], device.get_info<d::max_work_item_sizes<3>>()[2]);
  EXPECT_GE(device.get_info<d::max_parameter_size>(), 1024u);
  EXPECT_EQ(device.get_info<d::address_bits>(), 64u);
  EXPECT_FALSE(device.get_info<d::sub_group_sizes>().empty());
  EXPECT_GE(device.get_info<d::max_num_sub_groups>(), 1u);
  EXPECT_EQ(device.get_info<d::platform>(), device.get_platform());
  EXPECT_EQ(error_of([&] { device.get_info<d::parent_device>(); }), sycl::errc::invalid);
  EXPECT_NE(device.get_info<d::device_type>(), sycl::info::device_type::all);
  const auto orders = device.get_info<d::atomic_memory_order_capabilities>();
  EXPECT_NE(std::find(orders.begin(), orders.end(), sycl::memory_order::relaxed), orders.end());
  const auto local_memory = device.get_info<d::local_mem_size>();
  if (device.get_backend() == sycl::backend::ext_prism_vulkan && local_memory == 16u * 1024)
    GTEST_SKIP() << prism_test::name_of(device)
                 << " has the local memory that Vulkan requires, which is half of SYCL's minimum";
  EXPECT_GE(local_memory, 32u * 1024);
}

TEST(device, aspects_agree_with_queries) {
  const sycl::device device;
  EXPECT_EQ(device.has(sycl::aspect::cpu), device.is_cpu());
  EXPECT_EQ(device.has(sycl::aspect::gpu), device.is_gpu());
  for (const sycl::aspect a : device.get_info<sycl::info::device::aspects>()) EXPECT_TRUE(device.has(a));
  EXPECT_EQ(device.has(sycl::aspect::fp64),
            device.get_info<sycl::info::device::native_vector_width_double>() > 0);
  EXPECT_EQ(device.has(sycl::aspect::queue_profiling),
            device.get_info<sycl::info::device::queue_profiling>());
  EXPECT_TRUE(device.has(sycl::aspect::fp16)) << "without native half, PRISM computes in float";
  EXPECT_GT(device.get_info<sycl::info::device::preferred_vector_width_half>(), 0u);
  EXPECT_FALSE(device.get_info<sycl::info::device::half_fp_config>().empty());
}

int only_negative(const sycl::device&) { return -1; }

class secretive_selector : public sycl::device_selector {
  int operator()(const sycl::device&) const final { return 1; }
};
class own_selector : public sycl::device_selector {
public:
  int operator()(const sycl::device&) const override { return 7; }
};

TEST(selectors, of_every_kind_select_a_device) {
  EXPECT_EQ(sycl::device(own_selector()), sycl::device::get_devices().front());
  EXPECT_EQ(own_selector().select_device(), sycl::device::get_devices().front());
  EXPECT_EQ(sycl::queue(secretive_selector()).get_device(), sycl::device::get_devices().front());
  EXPECT_EQ(sycl::device([](const sycl::device&) { return 0; }), sycl::device::get_devices().front());
  EXPECT_EQ(sycl::queue(sycl::default_selector()).get_device(), sycl::device());
  EXPECT_EQ(sycl::queue(sycl::aspect_selector()).get_device(), sycl::device());
  const bool any_cpu = !sycl::device::get_devices(sycl::info::device_type::cpu).empty();
  EXPECT_EQ(error_of([] { sycl::queue q(sycl::cpu_selector_v); }) == sycl::errc::success, any_cpu);
  const bool any_gpu = !sycl::device::get_devices(sycl::info::device_type::gpu).empty();
  EXPECT_EQ(error_of([] { sycl::queue q{sycl::gpu_selector()}; }),
            any_gpu ? sycl::errc::success : sycl::errc::runtime);
  EXPECT_EQ(error_of([] { sycl::device d(&only_negative); }), sycl::errc::runtime);
}

/// A selector as programs write it, whose call operator is not const.
class counting_selector {
public:
  int operator()(const sycl::device& candidate) {
    return candidate == sycl::device::get_devices().back() ? 100 + m_calls++ : m_calls++;
  }

private:
  int m_calls = 0;
};

TEST(selectors, with_a_non_const_call_operator_work) {
  counting_selector selector;
  const sycl::device last = sycl::device::get_devices().back();
  EXPECT_EQ(sycl::device(selector), last);
  EXPECT_EQ(sycl::platform(selector), last.get_platform());
  EXPECT_EQ(sycl::queue(selector).get_device(), last);
  EXPECT_EQ(sycl::queue(sycl::context(last), selector).get_device(), last);
}

TEST(platform, prints_the_name_of_its_backend) {
  for (const sycl::platform& platform : sycl::platform::get_platforms()) {
    std::ostringstream text;
    text << platform.get_backend();
    const bool known =
        text.str() == "opencl" || text.str() == "ext_prism_host" || text.str() == "ext_prism_vulkan";
    EXPECT_TRUE(known) << text.str();
    EXPECT_EQ(text.str() == "opencl", platform.get_backend() == sycl::backend::opencl);
  }
  std::ostringstream others;
  others << sycl::backend::ext_oneapi_level_zero << ' ' << sycl::backend::ext_oneapi_cuda << ' '
         << sycl::backend::ext_oneapi_hip;
  EXPECT_EQ(others.str(), "ext_oneapi_level_zero ext_oneapi_cuda ext_oneapi_hip");
}

TEST(selectors, by_aspect_accept_all_three_forms) {
  const sycl::device device;
  const auto has = device.get_info<sycl::info::device::aspects>();
  EXPECT_TRUE(sycl::device(sycl::aspect_selector(has)).has(has.front()));
  EXPECT_EQ(
      error_of([] { sycl::device d(sycl::aspect_selector(sycl::aspect::custom, sycl::aspect::image)); }),
      sycl::errc::runtime);
  EXPECT_EQ(error_of([] { sycl::device d(sycl::aspect_selector<sycl::aspect::custom>()); }),
            sycl::errc::runtime);
  EXPECT_EQ(error_of([&] { sycl::device d(sycl::aspect_selector({}, has)); }) == sycl::errc::success,
            sycl::device::get_devices().size() > 1 &&
                error_of([&] { sycl::device d(sycl::aspect_selector({}, has)); }) == sycl::errc::success);
}

TEST(context, constructors_and_the_shared_default) {
  const sycl::queue a, b;
  EXPECT_EQ(a.get_context(), b.get_context());
  EXPECT_NE(a, b);
  const sycl::context own(a.get_device());
  EXPECT_NE(own, a.get_context());
  EXPECT_EQ(own.get_devices().size(), 1u);
  EXPECT_EQ(sycl::context(sycl::platform()).get_devices().size(), sycl::platform().get_devices().size());
  EXPECT_EQ(error_of([] { sycl::context c(std::vector<sycl::device>{}); }), sycl::errc::invalid);
  EXPECT_EQ(own.get_info<sycl::info::context::platform>(), a.get_device().get_platform());
  EXPECT_FALSE(own.get_info<sycl::info::context::atomic_memory_scope_capabilities>().empty());
}

TEST(queue, all_ten_constructors) {
  const sycl::device device;
  const sycl::context context(device);
  const sycl::async_handler handler = [](sycl::exception_list) {};
  const sycl::property_list in_order{sycl::property::queue::in_order()};
  std::vector<sycl::queue> all{sycl::queue(in_order),
                               sycl::queue(handler, in_order),
                               sycl::queue(sycl::default_selector_v, in_order),
                               sycl::queue(sycl::default_selector_v, handler, in_order),
                               sycl::queue(device, in_order),
                               sycl::queue(device, handler, in_order),
                               sycl::queue(context, sycl::default_selector_v, in_order),
                               sycl::queue(context, sycl::default_selector_v, handler, in_order),
                               sycl::queue(context, device, in_order),
                               sycl::queue(context, device, handler, in_order)};
  std::unordered_set<sycl::queue> distinct(all.begin(), all.end());
  EXPECT_EQ(distinct.size(), all.size());
  for (const sycl::queue& q : all) {
    EXPECT_TRUE(q.is_in_order());
    EXPECT_TRUE(q.has_property<sycl::property::queue::in_order>());
    EXPECT_FALSE(q.has_property<sycl::property::queue::enable_profiling>());
    EXPECT_EQ(q.get_device(), device);
    EXPECT_EQ(q.get_info<sycl::info::queue::context>(), q.get_context());
  }
}

TEST(queue, copies_share_state) {
  sycl::queue a;
  const sycl::queue b = a;
  EXPECT_EQ(a, b);
  EXPECT_EQ(std::hash<sycl::queue>()(a), std::hash<sycl::queue>()(b));
  sycl::queue c = std::move(a);
  EXPECT_EQ(c, b);
}

TEST(properties, are_found_and_missing_ones_throw) {
  const sycl::property_list list{sycl::property::queue::in_order(), sycl::no_init};
  EXPECT_TRUE(list.has_property<sycl::property::no_init>());
  EXPECT_FALSE(list.has_property<sycl::property::queue::enable_profiling>());
  EXPECT_EQ(error_of([&] { list.get_property<sycl::property::queue::enable_profiling>(); }),
            sycl::errc::invalid);
  static_assert(sycl::is_property_v<sycl::property::buffer::use_host_ptr>);
  static_assert(!sycl::is_property_v<int>);
  static_assert(sycl::is_property_of_v<sycl::property::queue::in_order, sycl::queue>);
  static_assert(!sycl::is_property_of_v<sycl::property::queue::in_order, sycl::buffer<int>>);
  std::mutex mutex;
  const sycl::buffer<int> b(sycl::range<1>(1), {sycl::property::buffer::use_mutex(mutex)});
  EXPECT_EQ(b.get_property<sycl::property::buffer::use_mutex>().get_mutex_ptr(), &mutex);
}

TEST(exceptions, carry_code_text_and_context) {
  const sycl::context context;
  const sycl::exception plain(sycl::make_error_code(sycl::errc::nd_range), "words");
  EXPECT_STREQ(plain.what(), "words");
  EXPECT_EQ(plain.code(), sycl::errc::nd_range);
  EXPECT_FALSE(plain.has_context());
  EXPECT_EQ(error_of([&] { plain.get_context(); }), sycl::errc::invalid);
  const sycl::exception with(context, sycl::errc::build, "more");
  EXPECT_EQ(with.get_context(), context);
  EXPECT_STREQ(sycl::sycl_category().name(), "sycl");
  static_assert(std::is_error_code_enum_v<sycl::errc>);
  static_assert(std::is_nothrow_copy_constructible_v<sycl::exception>);
  const sycl::exception number(3, sycl::sycl_category());
  EXPECT_EQ(number.code().value(), 3);
}

TEST(traits, of_device_copyable_types_and_spans) {
  static_assert(sycl::is_device_copyable_v<std::tuple<int, std::pair<float, char>>>);
  static_assert(sycl::is_device_copyable_v<std::optional<int>[3]>);
  static_assert(sycl::is_device_copyable_v<std::variant<int, std::pair<char, double>>>);
  static_assert(!sycl::is_device_copyable_v<std::variant<int, std::string>>);
  static_assert(!sycl::is_device_copyable_v<std::vector<int>>);
  static_assert(sycl::is_device_copyable_v<sycl::accessor<int>>);
  static_assert(std::is_trivially_copyable_v<sycl::accessor<int, 3>>);
  static_assert(!std::is_default_constructible_v<sycl::handler>);
  static_assert(SYCL_LANGUAGE_VERSION == 202012L);
  std::vector<int> v{1, 2, 3};
  const sycl::span s(v);
  EXPECT_EQ(s.size(), 3u);
  EXPECT_EQ(s.subspan(1)[0], 2);
  EXPECT_EQ(s.first<2>().size(), 2u);
}

TEST(event, a_default_one_is_complete) {
  sycl::event e;
  EXPECT_EQ(e.get_info<sycl::info::event::command_execution_status>(),
            sycl::info::event_command_status::complete);
  EXPECT_TRUE(e.get_wait_list().empty());
  e.wait();
  e.wait_and_throw();
  EXPECT_EQ(e.get_backend(), sycl::device().get_backend());
}

} // namespace
