// Extensions whose macros PRISM defines and that no other suite tests: property lists, the members of
// sub_group_mask and events of in-order queues (DPC++), and those of Khronos.
#include "tests/sycl/common.hpp"

#include <atomic>
#include <thread>

namespace own {
struct colour_key;
template <int Value>
inline constexpr sycl::ext::oneapi::experimental::property_value<colour_key,
                                                                 std::integral_constant<int, Value>>
    colour;
struct shiny_key;
inline constexpr sycl::ext::oneapi::experimental::property_value<shiny_key> shiny;
struct types_key;
template <typename... Ts>
inline constexpr sycl::ext::oneapi::experimental::property_value<types_key, Ts...> types;
struct size { // known at run time
  explicit size(int v) : value(v) {}
  int value;
  friend bool operator==(size a, size b) { return a.value == b.value; }
};
struct names {
  std::vector<std::string> all;
};
} // namespace own

template <typename Object>
struct sycl::ext::oneapi::experimental::is_property_key_of<own::colour_key, Object> : std::true_type {};

namespace {

namespace syclex = sycl::ext::oneapi::experimental;
using syclex::properties;

TEST(properties, given_in_any_order_are_of_one_type) {
  const properties one{own::colour<1>, own::shiny, own::size(3)},
      other{own::size(4), own::colour<1>, own::shiny};
  EXPECT_TRUE((std::is_same_v<decltype(one), decltype(other)>));
  EXPECT_FALSE((std::is_same_v<decltype(properties{own::colour<1>}), decltype(properties{own::colour<2>})>));
  EXPECT_FALSE((std::is_same_v<decltype(properties{own::colour<1>}),
                               decltype(properties{own::colour<1>, own::shiny})>));
  EXPECT_TRUE((std::is_same_v<syclex::empty_properties_t, decltype(properties{})>));
}

TEST(properties, are_found_by_their_keys) {
  const properties list{own::shiny, own::size(7), own::colour<5>};
  using type = decltype(list);
  EXPECT_TRUE(type::has_property<own::colour_key>() && type::has_property<own::size>() &&
              type::has_property<own::shiny_key>());
  EXPECT_FALSE(type::has_property<own::types_key>());
  static_assert(type::get_property<own::colour_key>().value == 5);
  static_assert(type::get_property<own::colour_key>() == own::colour<5>);
  static_assert(type::get_property<own::colour_key>() != own::colour<6>);
  EXPECT_EQ(list.get_property<own::size>(), own::size(7));
  const properties copy = list;
  EXPECT_EQ(copy.get_property<own::size>().value, 7);
}

TEST(properties, have_a_value_where_there_is_one_parameter) {
  static_assert(std::is_same_v<std::decay_t<decltype(own::types<float>)>::value_t, float>);
  static_assert(
      std::is_same_v<std::decay_t<decltype(own::colour<2>)>::value_t, std::integral_constant<int, 2>>);
  EXPECT_EQ(own::colour<2>.value, 2);
  EXPECT_TRUE(syclex::is_property_list_v<decltype(properties{own::shiny})>);
  EXPECT_FALSE(syclex::is_property_list_v<int>);
  EXPECT_TRUE((syclex::is_property_value_of<std::decay_t<decltype(own::colour<2>)>, sycl::queue>::value));
  EXPECT_FALSE((syclex::is_property_value_of<own::size, sycl::queue>::value));
}

TEST(properties, are_device_copyable_if_their_values_are) {
  EXPECT_TRUE(sycl::is_device_copyable_v<decltype(properties{own::shiny})>);
  EXPECT_TRUE(sycl::is_device_copyable_v<decltype(properties{own::shiny, own::size(1)})>);
  EXPECT_FALSE(sycl::is_device_copyable_v<decltype(properties{own::names{}})>);
  const properties list{own::colour<40>, own::size(2)};
  int got = 0;
  {
    sycl::queue q;
    sycl::buffer<int> b(&got, 1);
    q.submit([&](sycl::handler& h) {
      sycl::accessor out(b, h, sycl::write_only);
      h.single_task([=] {
        out[0] = list.get_property<own::colour_key>().value + list.get_property<own::size>().value;
      });
    });
  }
  EXPECT_EQ(got, 42);
}

/// The result of `use(mask, sub_group)` on a device for the mask of every third work-item. `size`: the size
/// of its first sub-group.
template <typename Use>
std::uint64_t of_every_third(const Use& use, std::uint32_t& size) {
  sycl::queue q;
  sycl::buffer<std::uint64_t> result{sycl::range<1>(2)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor out(result, h, sycl::write_only, sycl::no_init);
    h.parallel_for(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> it) {
      const sycl::sub_group group = it.get_sub_group();
      auto mask = sycl::ext::oneapi::group_ballot(group, group.get_local_linear_id() % 3 == 0);
      const std::uint64_t value = use(mask);
      if (it.get_global_linear_id() != 0) return;
      out[0] = value;
      out[1] = mask.size();
    });
  });
  sycl::host_accessor got(result, sycl::read_only);
  size = static_cast<std::uint32_t>(got[1]);
  return got[0];
}
constexpr std::uint64_t every_third = 0x9249'2492'4924'9249u;

template <typename T>
void writes_only_its_own_bits(T bits, std::uint64_t expected_bits, int width) {
  for (int at : {0, 1, 5}) {
    std::uint32_t size = 0;
    const std::uint64_t got = of_every_third([=](sycl::ext::oneapi::sub_group_mask& mask) {
      mask.insert_bits(bits, sycl::id<1>(at));
      std::uint64_t all = 0;
      mask.extract_bits(all);
      return all;
    }, size);
    const std::uint64_t whole = ~std::uint64_t{0} >> (64 - size),
                        field = (width < 64 ? (std::uint64_t{1} << width) - 1 : ~std::uint64_t{0}) << at;
    std::uint64_t expected = every_third & whole;
    if (at < int(size)) expected = ((expected & ~field) | (expected_bits << at & field)) & whole;
    EXPECT_EQ(got, expected) << width << " bits at " << at << " of " << size;
  }
}

TEST(sub_group_mask, insert_bits_writes_as_many_bits_as_its_type_has) {
  writes_only_its_own_bits<signed char>(-86, 0xaa, 8);
  writes_only_its_own_bits<unsigned char>(0x55, 0x55, 8);
  writes_only_its_own_bits<short>(0x1234, 0x1234, 16);
  writes_only_its_own_bits<unsigned>(0xdeadbeefu, 0xdeadbeefu, 32);
  writes_only_its_own_bits<long long>(-2, ~std::uint64_t{1}, 64);
  writes_only_its_own_bits(sycl::marray<std::uint8_t, 2>(0x0f, 0xf0), 0xf00f, 16);
}

TEST(sub_group_mask, extract_bits_gives_as_many_bits_as_its_type_has) {
  for (int at : {0, 2, 7}) {
    std::uint32_t size = 0;
    const std::uint64_t got = of_every_third([=](const sycl::ext::oneapi::sub_group_mask& mask) {
      unsigned char narrow = 0;
      sycl::marray<std::uint16_t, 2> wide;
      mask.extract_bits(narrow, sycl::id<1>(at));
      mask.extract_bits(wide, sycl::id<1>(at));
      return std::uint64_t(narrow) | std::uint64_t(wide[0]) << 8 | std::uint64_t(wide[1]) << 24;
    }, size);
    const std::uint64_t bits = (every_third & ~std::uint64_t{0} >> (64 - size)) >> at;
    EXPECT_EQ(got, (bits & 0xff) | (bits & 0xffff'ffffu) << 8) << at << " of " << size;
  }
}

#if SYCL_KHR_DEFAULT_CONTEXT != 1 || SYCL_KHR_GROUP_INTERFACE != 1 ||                                        \
    SYCL_KHR_MAX_WORK_GROUP_QUERIES != 1 || SYCL_KHR_QUEUE_EMPTY_QUERY != 1 || SYCL_KHR_QUEUE_FLUSH != 1 ||  \
    SYCL_KHR_SPLIT_HEADERS != 1 || SYCL_KHR_STATIC_ADDRSPACE_CAST != 1 || SYCL_KHR_WORK_ITEM_QUERIES != 1
#error "a macro of an extension of Khronos has another value"
#endif

TEST(device_queries, the_current_device_is_one_of_the_thread) {
  namespace current = sycl::ext::oneapi::experimental::this_thread;
  EXPECT_EQ(current::get_current_device(), sycl::device());
  const std::vector<sycl::device> all = sycl::device::get_devices();
  current::set_current_device(all.back());
  EXPECT_EQ(current::get_current_device(), all.back());
  std::thread([] { EXPECT_EQ(current::get_current_device(), sycl::device()); }).join();
  current::set_current_device(sycl::device());
}

TEST(device_queries, the_number_of_work_groups_has_its_earlier_name_too) {
  namespace earlier = sycl::ext::oneapi::experimental::info::device;
  namespace now = sycl::khr::info::device;
  const sycl::device device;
  const sycl::id<3> groups = device.get_info<earlier::max_work_groups<3>>();
  EXPECT_EQ(sycl::range<3>(groups[0], groups[1], groups[2]), device.get_info<now::max_work_group_range<3>>());
  EXPECT_EQ(device.get_info<earlier::max_global_work_groups>(),
            device.get_info<now::max_work_group_range_size>());
}

class asked_by_name;
TEST(device_queries, a_kernel_is_asked_by_its_name) {
  sycl::queue q;
  sycl::buffer<int> data(1);
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(data, h, sycl::write_only);
    h.parallel_for<asked_by_name>(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> item) {
      if (item.get_local_id(0) == 0) a[0] = 1;
    });
  });
  namespace oneapi = sycl::ext::oneapi;
  using size = sycl::info::kernel_device_specific::work_group_size;
  const std::size_t most = oneapi::get_kernel_info<asked_by_name, size>(q);
  EXPECT_GE(most, 8u);
  EXPECT_EQ((oneapi::get_kernel_info<asked_by_name, size>(q.get_context(), q.get_device())), most);
  EXPECT_NE((oneapi::get_kernel_info<asked_by_name, sycl::info::kernel::function_name>(q.get_context())), "");
}

TEST(khronos, queues_use_the_default_context_of_their_platform) {
  sycl::queue q;
  EXPECT_EQ(q.get_context(), q.get_device().get_platform().khr_get_default_context());
}

TEST(khronos, a_flushed_queue_becomes_empty_although_nobody_waits) {
  sycl::queue q;
  sycl::event e = q.single_task([] {});
  q.khr_flush();
  while (e.get_info<sycl::info::event::command_execution_status>() !=
         sycl::info::event_command_status::complete) {}
  EXPECT_TRUE(q.khr_empty());
}

TEST(queue_events, an_in_order_queue_returns_the_event_of_its_last_command) {
  sycl::queue q{sycl::property::queue::in_order()};
  EXPECT_EQ(q.ext_oneapi_get_last_event().get_info<sycl::info::event::command_execution_status>(),
            sycl::info::event_command_status::complete);
  sycl::buffer<int> data(1);
  const auto write = [&](int value) {
    return q.submit([&](sycl::handler& h) {
      sycl::accessor a(data, h, sycl::write_only);
      h.single_task([=] { a[0] = value; });
    });
  };
  const sycl::event first = write(1), second = write(2);
  EXPECT_EQ(q.ext_oneapi_get_last_event(), second);
  EXPECT_NE(q.ext_oneapi_get_last_event(), first);
  q.ext_oneapi_set_external_event(first);
  EXPECT_EQ(q.ext_oneapi_get_last_event(), first);
  q.wait();
  EXPECT_EQ(q.ext_oneapi_get_last_event(), second);
}

TEST(queue_events, the_next_command_waits_for_an_event_that_was_set) {
  sycl::queue q{sycl::property::queue::in_order()}, other;
  std::atomic<bool> may_end{false}, overwritten{false};
  std::atomic<int> seen{0};
  q.ext_oneapi_set_external_event(
      other.submit([&](sycl::handler& h) { h.host_task([&] { overwritten = true; }); }));
  q.ext_oneapi_set_external_event(other.submit([&](sycl::handler& h) {
    h.host_task([&] {
      while (!may_end) std::this_thread::yield();
      seen = 1;
    });
  }));
  const sycl::event next =
      q.submit([&](sycl::handler& h) { h.host_task([&] { seen = seen == 1 ? 2 : -1; }); });
  may_end = true;
  q.wait();
  EXPECT_EQ(seen, 2);
  other.wait();
  EXPECT_TRUE(overwritten);
}

TEST(queue_events, a_wait_waits_for_an_event_that_was_set) {
  sycl::queue q{sycl::property::queue::in_order()}, other;
  std::atomic<bool> ended{false};
  q.ext_oneapi_set_external_event(
      other.submit([&](sycl::handler& h) { h.host_task([&] { ended = true; }); }));
  q.wait();
  EXPECT_TRUE(ended);
}

TEST(queue_events, a_queue_without_order_has_none) {
  sycl::queue q;
  EXPECT_EQ(prism_test::error_of([&] { q.ext_oneapi_get_last_event(); }), sycl::errc::invalid);
  EXPECT_EQ(prism_test::error_of([&] { q.ext_oneapi_set_external_event({}); }), sycl::errc::invalid);
}

TEST(khronos, an_nd_range_may_have_some_groups_in_each_dimension) {
  const sycl::device device = sycl::queue().get_device();
  namespace limits = sycl::khr::info::device;
  const sycl::range<3> groups = device.get_info<limits::max_work_group_range<>>();
  EXPECT_GE(groups[0], 65535u);
  EXPECT_EQ(device.get_info<limits::max_work_group_range<1>>()[0], groups[2]);
  EXPECT_EQ(device.get_info<limits::max_work_group_range<2>>()[1], groups[2]);
  EXPECT_GE(device.get_info<limits::max_work_group_range_size>(), groups[2]);
}

std::size_t own_index() { return sycl::khr::this_nd_item<2>().get_global_linear_id(); }

TEST(khronos, work_items_find_their_place_in_every_kind_of_group) {
  namespace khr = sycl::khr;
  constexpr std::size_t items = 24;
  sycl::queue q;
  sycl::buffer<int> wrong(items), leaders(2);
  q.submit([&](sycl::handler& h) {
    sycl::accessor out(wrong, h, sycl::write_only, sycl::no_init);
    sycl::accessor led(leaders, h, sycl::write_only, sycl::no_init);
    h.parallel_for(sycl::nd_range<2>({4, 6}, {2, 6}), [=](sycl::nd_item<2> it) {
      const khr::work_group<2> group(khr::this_group<2>());
      const khr::member_item item = khr::get_member_item(group);
      const khr::sub_group part(khr::this_sub_group());
      const khr::member_item lane = khr::get_member_item(part);
      int bad = 0;
      bad |= (group.id() != it.get_group().get_group_id()) << 0;
      bad |= (group.linear_id() != it.get_group_linear_id()) << 1;
      bad |= (group.range() != sycl::range<2>(2, 1) || group.size() != 12) << 2;
      bad |= (item.id() != it.get_local_id() || item.range() != sycl::range<2>(2, 6)) << 3;
      bad |= (item.linear_id() != it.get_local_linear_id() || item.size() != 1) << 4;
      bad |= (khr::leader_of(group) != (it.get_local_linear_id() == 0) || !khr::leader_of(item)) << 5;
      bad |= (part.linear_id() >= part.range().size() || part.size() > part.max_size()) << 6;
      bad |= (lane.linear_id() >= part.size() || lane.range().size() != part.size()) << 7;
      bad |= (khr::leader_of(part) != (lane.id() == sycl::id<1>(0))) << 8;
      bad |= (sycl::group<2>(group) != it.get_group()) << 9;
      out[own_index()] = bad;
      if (khr::leader_of(group)) led[group.linear_id()] = int(it.get_global_linear_id());
    });
  });
  sycl::host_accessor got(wrong, sycl::read_only), led(leaders, sycl::read_only);
  for (std::size_t i = 0; i < items; ++i) EXPECT_EQ(got[i], 0) << i;
  EXPECT_EQ(led[0], 0);
  EXPECT_EQ(led[1], 12);
}

void increase(int* value) {
  const auto in_memory = sycl::khr::static_addrspace_cast<sycl::access::address_space::global_space>(value);
  static_assert(std::is_same_v<decltype(in_memory),
                               const sycl::multi_ptr<int, sycl::access::address_space::global_space,
                                                     sycl::access::decorated::no>>);
  *in_memory += 1;
}

TEST(khronos, a_pointer_is_cast_to_its_address_space_without_a_check) {
  sycl::queue q;
  sycl::buffer<int> data(1);
  sycl::host_accessor{data}[0] = 41;
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(data, h);
    h.single_task([=] { increase(&a[0]); });
  });
  EXPECT_EQ(sycl::host_accessor{data}[0], 42);
}

TEST(usm_address_spaces, a_pointer_names_the_memory_of_the_device_or_of_the_host) {
  static_assert(SYCL_EXT_INTEL_USM_ADDRESS_SPACES >= 3);
  namespace intel = sycl::ext::intel;
  using space = sycl::access::address_space;
  using sycl::access::decorated;
  using on_device = intel::raw_device_ptr<int>;
  using on_host = intel::decorated_host_ptr<const int>;
  using global = sycl::multi_ptr<int, space::global_space, decorated::no>;
  static_assert(
      std::is_same_v<intel::device_ptr<int>,
                     sycl::multi_ptr<int, space::ext_intel_global_device_space, decorated::legacy>>);
  static_assert(std::is_constructible_v<global, on_device> && !std::is_convertible_v<on_device, global>);
  static_assert(!std::is_constructible_v<on_device, global> && !std::is_constructible_v<on_device, on_host>);
  static_assert(std::is_convertible_v<on_device, sycl::generic_ptr<int, decorated::no>>);
  static_assert(!std::is_constructible_v<on_host, sycl::accessor<int, 1>>);
  sycl::queue q;
  sycl::buffer<int> data(2);
  sycl::host_accessor{data}[0] = 41;
  q.submit([&](sycl::handler& h) {
    const sycl::accessor a(data, h);
    h.single_task([=] {
      const on_device p = a;
      ++p[0];
      p[1] = *static_cast<global>(p);
    });
  });
  EXPECT_EQ(sycl::host_accessor{data}[1], 42);
  SKIP_WITHOUT(q, usm_host_allocations);
  SKIP_WITHOUT(q, usm_device_allocations);
  int* const from = sycl::malloc_host<int>(1, q);
  int* const to = sycl::malloc_device<int>(1, q);
  *from = 5;
  const on_host source = sycl::address_space_cast<space::ext_intel_global_host_space, decorated::yes>(from);
  const on_device target(to);
  q.single_task([=] { *target = *source + 1; }).wait();
  int found = 0;
  q.copy(to, &found, 1).wait();
  EXPECT_EQ(found, 6);
  sycl::free(from, q);
  sycl::free(to, q);
}

/// A library's own index, which converts to a number and to sycl::id.
struct own_id {
  std::size_t value;
  operator std::size_t() const { return value; }
  operator sycl::id<1>() const { return value + 1; }
};
struct own_number {
  operator std::size_t() const { return 4; }
};

TEST(an_id, is_made_of_classes_that_convert_to_numbers_only_explicitly) {
  static_assert(!std::is_convertible_v<own_number, sycl::id<1>>);
  static_assert(std::is_convertible_v<unsigned char, sycl::id<1>>);
  EXPECT_EQ(sycl::id<1>(own_number())[0], 4u);
  const sycl::id<1> by_its_own_conversion = own_id{5};
  EXPECT_EQ(by_its_own_conversion[0], 6u);
  EXPECT_EQ(sycl::id<1>(own_id{5})[0], 6u);
}

} // namespace
