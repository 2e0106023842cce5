// Global variables on devices: used by kernels, and copied to and from the host.
#include "tests/sycl/common.hpp"

namespace oneapi = sycl::ext::oneapi::experimental;
using prism_test::error_of;

namespace {

struct point {
  int x, y;
};

oneapi::device_global<int> counter;
oneapi::device_global<int, decltype(oneapi::properties{oneapi::device_image_scope, oneapi::host_access_read})>
    scoped{42};
static oneapi::device_global<float[4]> table{1.5f, 2.5f, 3.5f, 4.5f};
oneapi::device_global<point> corner{3, 4};
oneapi::device_global<std::array<int, 100>> many;
oneapi::device_global<double> never_in_kernels{0.25};
oneapi::device_global<int> pointed_to;

struct holder {
  static inline oneapi::device_global<int> member{7};
};

oneapi::device_global<point> corner_too(corner);
oneapi::device_global<float[4]> table_too(table);
oneapi::device_global<double> converted(holder::member);

template <typename Global>
auto value_of(sycl::queue& q, const Global& from) {
  std::remove_const_t<std::remove_reference_t<decltype(from.get())>> out;
  q.memcpy(&out, from).wait();
  return out;
}

TEST(device_global, initialised_from_another_one_has_its_own_value) {
  sycl::queue q;
  std::vector<float> out(4);
  {
    sycl::buffer<float> b(out);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::write_only);
      h.single_task([=] {
        corner_too.get().x = 30; // does not change the other one
        a[0] = float(corner.get().x);
        a[1] = float(corner_too.get().x + corner_too.get().y);
        a[2] = table_too[3];
      });
    });
  }
  EXPECT_EQ(out, (std::vector<float>{3, 34, 4.5f, 0}));
  EXPECT_EQ(value_of(q, converted), 7.0);
}

TEST(device_global, has_its_initial_value_and_keeps_writes_of_kernels) {
  sycl::queue q;
  EXPECT_EQ(value_of(q, counter), 0);
  for (int round = 1; round <= 3; ++round) {
    q.single_task([] { counter += 5; });
    EXPECT_EQ(value_of(q, counter), 5 * round);
  }
  int one = 1;
  q.copy(&one, counter).wait();
  q.single_task([] { counter = counter + 1; });
  EXPECT_EQ(value_of(q, counter), 2);
  const int zero = 0;
  q.memcpy(counter, &zero).wait();
}

TEST(device_global, of_other_types_and_scopes_work) {
  sycl::queue q;
  std::vector<int> seen(6);
  {
    sycl::buffer<int> b(seen);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::write_only);
      h.single_task([=] {
        a[0] = scoped;
        a[1] = int(2 * table[3]);
        a[2] = corner.get().x;
        a[3] = corner.get().y;
        a[4] = holder::member;
        a[5] = many[99];
        corner.get().x = 30;
        table[0] = 9;
        holder::member.get() += 1;
        many.get()[99] = 77;
      });
    });
  }
  EXPECT_EQ(seen, (std::vector<int>{42, 9, 3, 4, 7, 0}));
  EXPECT_EQ(value_of(q, corner).x, 30);
  EXPECT_EQ(value_of(q, holder::member), 8);
  float third[2] = {0, 0};
  q.copy(table, third, 2, 0).wait();
  EXPECT_EQ(third[0], 9);
  EXPECT_EQ(third[1], 2.5f);
  int last = 0;
  q.memcpy(&last, many, sizeof(int), 99 * sizeof(int)).wait();
  EXPECT_EQ(last, 77);
  static_assert(decltype(scoped)::has_property<oneapi::device_image_scope_key>());
  static_assert(oneapi::is_property_key<oneapi::host_access_key>::value &&
                !oneapi::is_property_key<int>::value);
  static_assert(oneapi::is_property_key_of<oneapi::device_image_scope_key, decltype(counter)>::value);
  static_assert(oneapi::is_property_value_of<oneapi::init_mode_key::value_t<oneapi::init_mode_enum::reset>,
                                             decltype(counter)>::value);
  static_assert(
      oneapi::is_property_value_of<oneapi::implement_in_csr_key::value_t<true>, decltype(scoped)>::value);
  static_assert(!oneapi::is_property_value_of<oneapi::device_image_scope_key::value_t, int>::value);
  static_assert(!decltype(counter)::has_property<oneapi::device_image_scope_key>());
  static_assert(decltype(scoped)::get_property<oneapi::host_access_key>().value ==
                oneapi::host_access_enum::read);
}

TEST(device_global, is_shared_by_kernels_work_items_and_functions) {
  sycl::queue q;
  const int zero = 0;
  q.copy(&zero, counter).wait();
  for (int i = 0; i < 10; ++i) {
    q.parallel_for(sycl::nd_range<1>(64, 8), [](sycl::nd_item<1>) {
      sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> all(counter.get());
      all.fetch_add(1);
    });
  }
  EXPECT_EQ(value_of(q, counter), 640);
}

TEST(device_global, a_stored_address_works_in_another_kernel) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations); // else pointers cannot be stored in memory
  int* place = nullptr;
  {
    sycl::buffer<int*> b(&place, sycl::range<1>(1));
    q.submit([&](sycl::handler& h) {
      sycl::accessor out(b, h, sycl::write_only);
      h.single_task([=] {
        pointed_to = 42;
        out[0] = &pointed_to.get();
      });
    });
  }
  int seen = 0;
  {
    sycl::buffer<int> b(&seen, sycl::range<1>(1));
    q.submit([&](sycl::handler& h) {
      sycl::accessor out(b, h, sycl::write_only);
      h.single_task([=] { out[0] = *place; });
    }).wait_and_throw();
  }
  EXPECT_EQ(seen, 42);
}

TEST(device_global, partial_copies_are_ordered_by_their_dependencies) {
  sycl::queue q;
  std::vector<int> values(10);
  for (int i = 0; i < 10; ++i) values[std::size_t(i)] = 100 + i;
  sycl::event first = q.memcpy(many, values.data(), 10 * sizeof(int), 20 * sizeof(int));
  std::vector<int> back(12, -1);
  q.memcpy(back.data(), many, 12 * sizeof(int), 19 * sizeof(int), first).wait();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(back[std::size_t(i + 1)], 100 + i);
  EXPECT_EQ(back[0], 0);
  EXPECT_EQ(back[11], 0);
  EXPECT_EQ(value_of(q, never_in_kernels), 0.25);
}

TEST(device_global, copies_beyond_its_end_are_refused) {
  sycl::queue q;
  int two[2] = {0, 0};
  float five[5] = {};
  EXPECT_EQ(error_of([&] { q.copy(two, counter, 2); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { q.copy(table, five, 4, 1); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { q.memcpy(counter, two, 4, 1); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { q.memcpy(counter, nullptr); }), sycl::errc::invalid);
}

} // namespace
