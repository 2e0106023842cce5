// Wrong use: each case throws a sycl::exception with the right code and a helpful text. No data are lost and
// nothing crashes.
#include "tests/sycl/common.hpp"

using prism_test::counted;
using prism_test::error_of;

namespace {

template <typename Group>
sycl::errc group_error(sycl::queue& q, Group group, std::string* text = nullptr) {
  return error_of([&] { q.submit(group); }, text);
}

TEST(bad_nd_range, that_does_not_divide) {
  sycl::queue q;
  std::string text;
  EXPECT_EQ(group_error(q,
                        [](sycl::handler& h) {
    h.parallel_for(sycl::nd_range<1>(10, 3), [](sycl::nd_item<1>) {});
  }, &text),
            sycl::errc::nd_range);
  EXPECT_NE(text.find("divide"), std::string::npos) << text;
}

TEST(bad_nd_range, with_a_local_size_of_zero) {
  sycl::queue q;
  EXPECT_EQ(
      group_error(
          q, [](sycl::handler& h) { h.parallel_for(sycl::nd_range<1>(10, 0), [](sycl::nd_item<1>) {}); }),
      sycl::errc::nd_range);
}

TEST(bad_nd_range, is_named_with_the_limit_in_the_programs_dimensions) {
  sycl::queue q;
  const std::size_t limit = q.get_device().get_info<sycl::info::device::max_work_group_size>();
  std::string text;
  EXPECT_EQ(
      prism_test::error_of(
          [&] { q.parallel_for(sycl::nd_range<1>(2 * limit, 2 * limit), [](sycl::nd_item<1>) {}); }, &text),
      sycl::errc::nd_range);
  EXPECT_NE(text.find("a work-group of {" + std::to_string(2 * limit) + "} items"), std::string::npos)
      << text;
  EXPECT_NE(text.find("whose limit is " + std::to_string(limit)), std::string::npos) << text;
  EXPECT_EQ(prism_test::error_of(
                [&] { q.parallel_for(sycl::nd_range<2>({8, 10}, {1, 3}), [](sycl::nd_item<2>) {}); }, &text),
            sycl::errc::nd_range);
  EXPECT_NE(text.find("the local range {1, 3} does not divide the global range {8, 10}"), std::string::npos)
      << text;
  sycl::buffer<int> b{sycl::range<1>(100)};
  EXPECT_EQ(
      prism_test::error_of([&] { sycl::host_accessor a(b, sycl::range<1>(10), sycl::id<1>(95)); }, &text),
      sycl::errc::invalid);
  EXPECT_NE(text.find("the range {10} at {95} is not inside of the buffer {100}"), std::string::npos) << text;
  sycl::buffer<int, 2> plane{sycl::range<2>(1, 5)};
  EXPECT_EQ(prism_test::error_of([&] { sycl::host_accessor a(plane, sycl::range<2>(2, 5)); }, &text),
            sycl::errc::invalid);
  EXPECT_NE(text.find("the range {2, 5} at {0, 0} is not inside of the buffer {1, 5}"), std::string::npos)
      << text;
}

TEST(unnamed_kernel, is_named_by_its_line_and_the_line_stands_once) {
  sycl::queue q;
  sycl::buffer<char> large{
      sycl::range<1>(q.get_device().get_info<sycl::info::device::max_mem_alloc_size>() + 1)};
  std::string text;
  // clang-format off: the submission and its kernel are on one line
  error_of([&] { q.submit([&](sycl::handler& h) { h.single_task([a = sycl::accessor(large, h)] { a[0] = 1; }); }); q.wait_and_throw(); }, &text);
  // clang-format on
  const std::size_t first = text.find("bad_input_test.cpp:");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_EQ(first, text.rfind("bad_input_test.cpp:")) << text;
}

TEST(bad_nd_range, with_too_large_groups) {
  sycl::queue q;
  const std::size_t limit = q.get_device().get_info<sycl::info::device::max_work_group_size>();
  std::string text;
  EXPECT_EQ(group_error(q,
                        [=](sycl::handler& h) {
    h.parallel_for(sycl::nd_range<1>(2 * limit, 2 * limit), [](sycl::nd_item<1>) {});
  }, &text),
            sycl::errc::nd_range);
  EXPECT_NE(text.find(std::to_string(limit)), std::string::npos) << text;
  EXPECT_EQ(group_error(q,
                        [=](sycl::handler& h) {
    h.parallel_for(sycl::nd_range<2>({limit, limit}, {limit, limit}), [](sycl::nd_item<2>) {});
  }),
            sycl::errc::nd_range);
}

TEST(bad_range, beyond_the_largest_size) {
  sycl::queue q;
  const std::size_t huge = std::size_t(1) << 40;
  EXPECT_EQ(group_error(
                q, [=](sycl::handler& h) { h.parallel_for(sycl::range<2>(huge, huge), [](sycl::id<2>) {}); }),
            sycl::errc::nd_range);
  EXPECT_EQ(error_of([=] { sycl::buffer<int, 2> b(sycl::range<2>(huge, huge)); }), sycl::errc::invalid);
}

TEST(bad_memory, more_than_the_device_has) {
  sycl::queue q;
  const std::size_t huge = std::size_t(1) << 50;
  if (q.get_device().has(sycl::aspect::usm_device_allocations)) {
    EXPECT_EQ(sycl::malloc_device<char>(huge, q), nullptr);
    EXPECT_EQ(sycl::malloc_device<double>(std::size_t(-1) / 4, q), nullptr);
  }
  EXPECT_EQ(error_of([&] {
    sycl::buffer<char> b{sycl::range<1>(huge)};
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
      h.single_task([=] { a[0] = 1; });
    });
  }),
            sycl::errc::memory_allocation);
  sycl::buffer<int> after{sycl::range<1>(1)}; // the queue still works
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(after, h, sycl::write_only);
    h.single_task([=] { a[0] = 4; });
  });
  EXPECT_EQ(sycl::host_accessor(after, sycl::read_only)[0], 4);
}

TEST(bad_memory, more_local_memory_than_a_group_has) {
  sycl::queue q;
  const std::size_t limit = q.get_device().get_info<sycl::info::device::local_mem_size>();
  EXPECT_EQ(group_error(q,
                        [=](sycl::handler& h) {
    sycl::local_accessor<char> l(limit + 1, h);
    h.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) { l[0] = 1; });
  }),
            sycl::errc::memory_allocation);
}

TEST(bad_memory, unused_local_accessors_need_no_memory) {
  sycl::queue q;
  EXPECT_EQ(error_of([&] {
    q.submit([&](sycl::handler& h) {
      const sycl::local_accessor<int> unused(4, h), larger_than_any(std::size_t(1) << 40, h);
      h.single_task([] {});
    });
  }),
            sycl::errc::success);
}
TEST(bad_memory, local_accessors_need_work_groups) {
  sycl::queue q;
  EXPECT_EQ(group_error(q,
                        [](sycl::handler& h) {
    sycl::local_accessor<int> l(4, h);
    h.parallel_for(4, [=](sycl::id<1>) { l[0] = 1; });
  }),
            sycl::errc::kernel_argument);
  EXPECT_EQ(group_error(q,
                        [](sycl::handler& h) {
    sycl::local_accessor<int> l(4, h);
    h.single_task([=] { l[0] = 1; });
  }),
            sycl::errc::kernel_argument);
}

TEST(bad_pointer, freed_twice_or_never_allocated) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  int* p = sycl::malloc_device<int>(10, q);
  sycl::free(p, q);
  EXPECT_EQ(error_of([&] { sycl::free(p, q); }), sycl::errc::invalid);
  int local = 0;
  EXPECT_EQ(error_of([&] { sycl::free(&local, q); }), sycl::errc::invalid);
}

TEST(bad_pointer, of_another_context_is_usable_but_not_freed_there) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  const sycl::context other(q.get_device());
  int* p = sycl::malloc_device<int>(10, q.get_device(), other);
  EXPECT_EQ(error_of([&] { sycl::free(p, q); }), sycl::errc::invalid);
  q.fill(p, 7, 10).wait();
  int got = 0;
  q.memcpy(&got, p + 9, sizeof got).wait();
  EXPECT_EQ(got, 7);
  sycl::free(p, other);
}

TEST(bad_pointer, of_another_platforms_device_is_refused) {
  sycl::queue q;
  for (const sycl::device& device : sycl::device::get_devices()) {
    if (device.get_platform() == q.get_device().get_platform() ||
        !device.has(sycl::aspect::usm_device_allocations))
      continue;
    sycl::queue elsewhere(device);
    int* p = sycl::malloc_device<int>(10, elsewhere);
    EXPECT_EQ(error_of([&] { q.memset(p, 0, 40); }), sycl::errc::invalid);
    sycl::free(p, elsewhere);
    return;
  }
  GTEST_SKIP() << "there is one platform with USM";
}

TEST(bad_pointer, beyond_its_allocation_or_null) {
  sycl::queue q;
  std::vector<int> host(100);
  EXPECT_EQ(error_of([&] { q.memcpy(host.data(), nullptr, 4); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { q.memset(nullptr, 0, 4); }), sycl::errc::invalid);
  q.memcpy(nullptr, nullptr, 0).wait();
  SKIP_WITHOUT(q, usm_device_allocations);
  int* p = sycl::malloc_device<int>(10, q);
  EXPECT_EQ(error_of([&] { q.memcpy(host.data(), p, 44); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { q.fill(p + 5, 1, 6); }), sycl::errc::invalid);
  sycl::free(p, q);
}

TEST(bad_pointer, to_host_memory_works_or_is_refused) {
  sycl::queue q;
  std::vector<int> host(100, 1);
  int* p = host.data();
  std::string text;
  const auto write = [&] { q.single_task([=] { p[7] = 5; }).wait_and_throw(); };
  if (q.get_device().has(sycl::aspect::usm_system_allocations)) {
    write();
    EXPECT_EQ(host[7], 5);
  } else {
    EXPECT_EQ(error_of(write, &text), sycl::errc::invalid);
    EXPECT_NE(text.find("host's own memory"), std::string::npos) << text;
    EXPECT_EQ(host[7], 1);
  }
}

struct doubler { // its lambda captures `this`, which beginners do not see
  int factor = 2;
  void run(sycl::queue& q, sycl::buffer<int>& numbers) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(numbers, h, sycl::write_only, sycl::no_init);
      h.parallel_for(numbers.get_range(), [=](sycl::id<1> i) { a[i] = int(i[0]) * factor; });
    });
  }
};

TEST(bad_pointer, the_object_of_a_member_function_works_or_is_refused_by_name) {
  sycl::queue q;
  sycl::buffer<int> numbers{sycl::range<1>(8)};
  doubler local;
  std::string text;
  if (q.get_device().has(sycl::aspect::usm_system_allocations)) {
    local.run(q, numbers);
    EXPECT_EQ(sycl::host_accessor(numbers)[7], 14);
  } else {
    EXPECT_EQ(error_of([&] { local.run(q, numbers); }, &text), sycl::errc::invalid);
    EXPECT_NE(text.find("captures 'this'"), std::string::npos) << text;
  }
}

TEST(bad_pointer, just_outside_of_an_allocation_may_be_captured) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  int* p = sycl::malloc_device<int>(100, q);
  const int* end = p + 100;
  int* one_based = p - 1;
  q.parallel_for(100, [=](sycl::id<1> i) { one_based[i[0] + 1] = int(i[0]); }).wait();
  q.single_task([=] { p[0] = end[-1]; }).wait();
  int first = 0;
  q.copy(p, &first, 1).wait();
  EXPECT_EQ(first, 99);
  sycl::free(p, q);
}

TEST(bad_group, that_throws_submits_nothing) {
  sycl::queue q;
  auto data = counted(10);
  sycl::buffer<int> b(data);
  struct own {};
  bool caught = false;
  try {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h);
      h.parallel_for(10, [=](sycl::id<1> i) { a[i] = -1; });
      throw own();
    });
  } catch (const own&) {
    caught = true;
  }
  EXPECT_TRUE(caught);
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[3], 3);
}

TEST(bad_group, with_two_commands) {
  sycl::queue q;
  auto data = counted(10);
  sycl::buffer<int> b(data);
  EXPECT_EQ(group_error(q,
                        [&](sycl::handler& h) {
    sycl::accessor a(b, h);
    h.single_task([=] { a[0] = 7; });
    h.single_task([=] { a[1] = 7; });
  }),
            sycl::errc::invalid);
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[0], 0);
}

TEST(bad_group, with_an_accessor_of_another_group) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(4)};
  sycl::accessor<int> stale;
  q.submit([&](sycl::handler& h) {
    stale = sycl::accessor<int>(b, h);
    h.single_task([] {});
  });
  std::vector<int> out(4);
  EXPECT_EQ(group_error(q, [&](sycl::handler& h) { h.copy(stale, out.data()); }), sycl::errc::invalid);
  EXPECT_EQ(group_error(q, [&](sycl::handler& h) { h.single_task([=] { stale[0] = 1; }); }),
            sycl::errc::kernel_argument);
}

TEST(bad_copy, into_too_small_a_destination) {
  sycl::queue q;
  sycl::buffer<int> a{sycl::range<1>(10)}, b{sycl::range<1>(5)};
  EXPECT_EQ(group_error(q,
                        [&](sycl::handler& h) {
    h.copy(sycl::accessor(a, h, sycl::read_only), sycl::accessor(b, h, sycl::write_only));
  }),
            sycl::errc::invalid);
}

TEST(bad_queue, for_a_device_outside_of_its_context) {
  const auto platforms = sycl::platform::get_platforms();
  if (platforms.size() < 2) GTEST_SKIP() << "needs two platforms";
  const sycl::context c(platforms[0].get_devices());
  EXPECT_EQ(error_of([&] { sycl::queue q(c, platforms[1].get_devices()[0]); }), sycl::errc::invalid);
}

TEST(bad_use, of_objects_after_their_queue_is_safe) {
  sycl::event e;
  sycl::buffer<int> b{sycl::range<1>(100)};
  {
    sycl::queue q;
    e = q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
      h.parallel_for(100, [=](sycl::id<1> i) { a[i] = int(i[0]); });
    });
  }
  e.wait_and_throw();
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[99], 99);
}

TEST(bad_buffer, bound_to_a_context_without_the_device) {
  for (const sycl::platform& p : sycl::platform::get_platforms()) {
    sycl::buffer<int> b(sycl::range<1>(4), {sycl::property::buffer::context_bound(sycl::context(p))});
    for (const sycl::device& d : sycl::device::get_devices()) {
      sycl::queue q(d);
      const bool other = d.get_platform() != p;
      EXPECT_EQ(group_error(q,
                            [&](sycl::handler& h) {
        sycl::accessor a(b, h);
        if (!other) throw sycl::exception(sycl::errc::event, "taken");
      }),
                other ? sycl::errc::invalid : sycl::errc::event)
          << d.get_info<sycl::info::device::name>();
    }
  }
}

} // namespace
