// Buffers: constructors, write-back and destruction rules, sub-buffers, reinterpretation, explicit copies.
#include "tests/sycl/common.hpp"
#include "tests/wait.hpp"

#include <atomic>
#include <chrono>
#include <list>
#include <memory>

using prism_test::counted;
using prism_test::error_of;

namespace {

void add_one(sycl::queue& q, sycl::buffer<int>& b) {
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] += 1; });
  });
}

TEST(buffer, from_a_pointer_writes_back_at_its_end) {
  sycl::queue q;
  auto data = counted(100);
  {
    sycl::buffer<int> b(data.data(), sycl::range<1>(100));
    add_one(q, b);
  }
  EXPECT_EQ(data, counted(100, 1));
}

/// Destroys the buffer of `data`, 100 elements, while a host task reads it. The task calls `before` first,
/// and holds a copy of the buffer on request. Returns the last element as the task read it, after the buffer
/// was destroyed and `wait` was called.
int seen_by_a_reader(std::vector<int>& data, void (*before)(), bool keeps_a_copy,
                     void (*wait)(sycl::queue&)) {
  sycl::queue q;
  std::atomic<int> seen{0};
  {
    sycl::buffer<int> b(data.data(), sycl::range<1>(100));
    add_one(q, b);
    const auto copy = keeps_a_copy ? std::make_shared<sycl::buffer<int>>(b) : nullptr;
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_only_host_task);
      h.host_task([=, &seen] {
        before();
        seen = a[copy ? copy->size() - 1 : 99];
      });
    });
  }
  wait(q);
  return seen;
}

TEST(buffer, its_destructor_waits_for_readers) {
  auto data = counted(100);
  EXPECT_EQ(seen_by_a_reader(data, [] { prism_test::spend(std::chrono::milliseconds(50)); }, false,
                             [](sycl::queue&) {}),
            100);
}

TEST(buffer, can_be_destroyed_by_the_host_task_that_uses_it) {
  auto data = counted(100);
  EXPECT_EQ(seen_by_a_reader(data, [] {}, true, [](sycl::queue& q) { q.wait(); }),
            100); // the task's copy may be the last one
  EXPECT_EQ(data, counted(100, 1));
}

TEST(buffer, from_a_const_pointer_never_writes_back) {
  sycl::queue q;
  auto data = counted(100);
  {
    sycl::buffer<int> b(const_cast<const int*>(data.data()), sycl::range<1>(100));
    add_one(q, b);
    EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[5], 6);
  }
  EXPECT_EQ(data, counted(100));
}

TEST(buffer, from_a_container_writes_back_unless_it_is_const) {
  sycl::queue q;
  auto data = counted(64);
  {
    sycl::buffer b(data);
    add_one(q, b);
  }
  EXPECT_EQ(data, counted(64, 1));
  const auto fixed = counted(64);
  {
    sycl::buffer b(fixed);
    add_one(q, b);
  }
  EXPECT_EQ(fixed, counted(64));
}

TEST(buffer, from_iterators_copies_in_and_not_out) {
  sycl::queue q;
  std::list<int> data{3, 4, 5};
  {
    sycl::buffer b(data.begin(), data.end());
    EXPECT_EQ(b.size(), 3u);
    add_one(q, b);
    sycl::host_accessor a(b, sycl::read_only);
    EXPECT_EQ(a[0] + a[1] + a[2], 15);
  }
  EXPECT_EQ(data, (std::list<int>{3, 4, 5}));
}

TEST(buffer, from_a_shared_pointer_writes_back_only_while_the_user_holds_it) {
  sycl::queue q;
  std::shared_ptr<int[]> data(new int[10]());
  {
    sycl::buffer<int> b(data, sycl::range<1>(10));
    add_one(q, b);
  }
  EXPECT_EQ(data[9], 1);
  {
    sycl::buffer<int> b(std::shared_ptr<int[]>(new int[10]()), sycl::range<1>(10));
    add_one(q, b);
    EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[3], 1);
  }
}

TEST(buffer, an_unwritten_one_does_not_change_host_memory) {
  auto data = counted(16);
  {
    sycl::buffer<int> b(data);
    data[3] = -1; // the rules for containers forbid this, but the value must not be overwritten
  }
  EXPECT_EQ(data[3], -1);
}

TEST(buffer, set_final_data_overrides_everything) {
  sycl::queue q;
  auto data = counted(32);
  std::vector<int> elsewhere(32), appended;
  {
    sycl::buffer<int> b(data);
    add_one(q, b);
    b.set_final_data(elsewhere.data());
  }
  EXPECT_EQ(elsewhere, counted(32, 1));
  {
    sycl::buffer<int> b(elsewhere.data(), sycl::range<1>(32));
    add_one(q, b);
    b.set_final_data(std::back_inserter(appended));
  }
  EXPECT_EQ(appended, counted(32, 2));
  {
    std::shared_ptr<int> destroyed(new int[32], [](int* p) { delete[] p; });
    sycl::buffer<int> b{sycl::range<1>(32)};
    add_one(q, b);
    b.set_final_data(std::weak_ptr<int>(destroyed));
    destroyed.reset();
  }
}

TEST(buffer, with_another_final_data_does_not_change_host_memory) {
  sycl::queue queue;
  const auto fill = [&](sycl::buffer<int>& b) {
    queue.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { a[i] += 8; });
    });
  };
  const std::vector<int> ones(8, 1), nines(8, 9);
  std::vector<int> x = ones, y(8, 0);
  {
    sycl::buffer<int> b(x.data(), 8);
    b.set_write_back(false);
    fill(b);
  }
  EXPECT_EQ(x, ones);
  {
    sycl::buffer<int> b(x.data(), 8);
    b.set_final_data(nullptr);
    fill(b);
  }
  EXPECT_EQ(x, ones);
  {
    sycl::buffer<int> b(x.data(), 8);
    b.set_final_data(y.begin());
    fill(b);
  }
  EXPECT_EQ(x, ones);
  EXPECT_EQ(y, nines);
  { // the same memory is no other destination
    sycl::buffer<int> b(x.data(), 8);
    b.set_write_back(false);
    b.set_write_back(true);
    fill(b);
  }
  EXPECT_EQ(x, nines);
  x = ones;
  { // with use_host_ptr it is the buffer's own memory
    sycl::buffer<int> b(x.data(), 8, {sycl::property::buffer::use_host_ptr()});
    b.set_final_data(y.begin());
    fill(b);
  }
  EXPECT_EQ(y, nines);
}

TEST(buffer, set_write_back_cancels) {
  sycl::queue q;
  std::vector<int> result(8, -1);
  {
    sycl::buffer<int> b{sycl::range<1>(8)};
    add_one(q, b);
    b.set_final_data(result.data());
    b.set_write_back(false);
  }
  EXPECT_EQ(result, std::vector<int>(8, -1));
}

TEST(buffer, copies_share_the_data) {
  sycl::queue q;
  sycl::buffer<int> a{sycl::range<1>(4)};
  q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(a, h, sycl::write_only), 1); });
  sycl::buffer<int> b = a;
  EXPECT_EQ(a, b);
  add_one(q, b);
  EXPECT_EQ(sycl::host_accessor(a)[2], 2);
}

TEST(buffer, use_host_ptr_gives_host_accessors_the_users_addresses) {
  sycl::queue q;
  auto data = counted(1024);
  sycl::buffer<int> b(data.data(), sycl::range<1>(1024), {sycl::property::buffer::use_host_ptr()});
  add_one(q, b);
  sycl::host_accessor a(b, sycl::read_only);
  EXPECT_EQ(&a[0], data.data());
  EXPECT_EQ(a[7], 8);
}

TEST(buffer, may_have_no_elements) {
  sycl::queue q;
  std::vector<int> none;
  sycl::buffer<int> b(none);
  EXPECT_EQ(b.size(), 0u);
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h);
    h.parallel_for(sycl::range<1>(0), [=](sycl::id<1> i) { a[i] = 1; });
  });
  q.wait();
}

TEST(sub_buffer, writes_to_its_range_of_the_parent) {
  sycl::queue q;
  const std::size_t align =
      q.get_device().get_info<sycl::info::device::mem_base_addr_align>() / 8 / sizeof(int);
  const std::size_t n = 4 * align;
  auto data = counted(n);
  {
    sycl::buffer<int> whole(data);
    sycl::buffer<int> part(whole, sycl::id<1>(align), sycl::range<1>(align));
    EXPECT_TRUE(part.is_sub_buffer());
    add_one(q, part);
    add_one(q, part);
  }
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(data[i], int(i) + (i >= align && i < 2 * align ? 2 : 0)) << i;
}

TEST(sub_buffer, disjoint_ones_and_the_parent_have_the_same_data) {
  sycl::queue q;
  const std::size_t align =
      q.get_device().get_info<sycl::info::device::mem_base_addr_align>() / 8 / sizeof(int);
  sycl::buffer<int, 2> whole(sycl::range<2>(8, align));
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(whole, h, sycl::write_only, sycl::no_init);
    h.parallel_for(whole.get_range(), [=](sycl::id<2> i) { a[i] = int(i[0]); });
  });
  for (std::size_t part = 0; part < 4; ++part) {
    sycl::buffer<int, 2> rows(whole, sycl::id<2>(2 * part, 0), sycl::range<2>(2, align));
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(rows, h);
      h.parallel_for(rows.get_range(), [=](sycl::id<2> i) { a[i] += 100 * int(part); });
    });
  }
  sycl::host_accessor a(whole, sycl::read_only);
  for (std::size_t y = 0; y < 8; ++y) EXPECT_EQ(a[y][align - 1], int(y + 100 * (y / 2)));
}

TEST(sub_buffer, invalid_ones_are_refused_when_made_or_accessed) {
  sycl::queue q;
  sycl::buffer<int, 2> whole(sycl::range<2>(16, 16));
  EXPECT_EQ(error_of([&] { sycl::buffer<int, 2> b(whole, sycl::id<2>(0, 1), sycl::range<2>(2, 4)); }),
            sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { sycl::buffer<int, 2> b(whole, sycl::id<2>(15, 0), sycl::range<2>(2, 16)); }),
            sycl::errc::invalid);
  sycl::buffer<int, 2> rows(whole, sycl::id<2>(1, 0), sycl::range<2>(4, 16));
  EXPECT_EQ(error_of([&] { sycl::buffer<int, 2> b(rows, sycl::id<2>(0, 0), sycl::range<2>(1, 16)); }),
            sycl::errc::invalid);
  sycl::buffer<char> bytes(sycl::range<1>(64));
  sycl::buffer<char> odd(bytes, sycl::id<1>(1), sycl::range<1>(3));
  if (q.get_device().get_info<sycl::info::device::mem_base_addr_align>() > 8) {
    EXPECT_EQ(error_of([&] { q.submit([&](sycl::handler& h) { sycl::accessor a(odd, h); }); }),
              sycl::errc::invalid);
  }
}

TEST(reinterpret, shares_the_storage_under_another_type_and_shape) {
  sycl::queue q;
  auto data = counted(64);
  {
    sycl::buffer<int> b(data);
    auto table = b.reinterpret<unsigned, 2>(sycl::range<2>(8, 8));
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(table, h);
      h.parallel_for(sycl::range<2>(8, 8), [=](sycl::id<2> i) { a[i] += unsigned(100 * i[0]); });
    });
    auto bytes = b.reinterpret<char>();
    EXPECT_EQ(bytes.size(), 256u);
    EXPECT_EQ(error_of([&] { b.reinterpret<double, 1>(sycl::range<1>(31)); }), sycl::errc::invalid);
  }
  for (int i = 0; i < 64; ++i) EXPECT_EQ(data[i], i + 100 * (i / 8));
}

TEST(copies, between_accessors_and_pointers) {
  sycl::queue q;
  sycl::buffer<int> a{sycl::range<1>(50)}, b{sycl::range<1>(50)};
  const auto in = counted(50);
  std::vector<int> out(50, -1), part(10, -1);
  q.submit([&](sycl::handler& h) { h.copy(in.data(), sycl::accessor(a, h, sycl::write_only)); });
  q.submit([&](sycl::handler& h) {
    h.copy(sycl::accessor(a, h, sycl::read_only), sycl::accessor(b, h, sycl::write_only));
  });
  q.submit([&](sycl::handler& h) { h.copy(sycl::accessor(b, h, sycl::read_only), out.data()); });
  q.submit([&](sycl::handler& h) {
    h.copy(sycl::accessor(b, h, sycl::range<1>(10), sycl::id<1>(20), sycl::read_only), part.data());
  });
  q.wait();
  EXPECT_EQ(out, in);
  EXPECT_EQ(part, counted(10, 20));
}

TEST(copies, of_a_box_and_between_shapes) {
  sycl::queue q;
  sycl::buffer<int, 2> table(sycl::range<2>(6, 7));
  const auto in = counted(42);
  q.submit([&](sycl::handler& h) { h.copy(in.data(), sycl::accessor(table, h, sycl::write_only)); });
  std::vector<int> box(6, -1);
  q.submit([&](sycl::handler& h) {
    h.copy(sycl::accessor(table, h, sycl::range<2>(2, 3), sycl::id<2>(3, 2), sycl::read_only), box.data());
  });
  sycl::buffer<int> line{sycl::range<1>(42)};
  q.submit([&](sycl::handler& h) {
    h.copy(sycl::accessor(table, h, sycl::read_only), sycl::accessor(line, h, sycl::write_only));
  });
  q.wait();
  EXPECT_EQ(box, (std::vector<int>{23, 24, 25, 30, 31, 32}));
  sycl::host_accessor l(line, sycl::read_only);
  EXPECT_TRUE(std::equal(l.begin(), l.end(), in.begin()));
}

TEST(copies, with_shared_pointers_keep_the_memory) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(16)};
  std::shared_ptr<int> from(new int[16], [](int* p) { delete[] p; }),
      to(new int[16], [](int* p) { delete[] p; });
  for (int i = 0; i < 16; ++i) from.get()[i] = 3 * i;
  q.submit([&](sycl::handler& h) { h.copy(from, sycl::accessor(b, h, sycl::write_only)); });
  from.reset();
  q.submit([&](sycl::handler& h) { h.copy(sycl::accessor(b, h, sycl::read_only), to); }).wait();
  EXPECT_EQ(to.get()[15], 45);
}

struct big {
  int v[50];
};

TEST(fill, of_ranges_and_large_elements) {
  sycl::queue q;
  sycl::buffer<int, 2> b(sycl::range<2>(5, 6));
  q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(b, h, sycl::write_only), 1); });
  q.submit([&](sycl::handler& h) {
    h.fill(sycl::accessor(b, h, sycl::range<2>(2, 2), sycl::id<2>(1, 3), sycl::write_only), 9);
  });
  {
    sycl::host_accessor a(b, sycl::read_only);
    for (std::size_t y = 0; y < 5; ++y) {
      for (std::size_t x = 0; x < 6; ++x) EXPECT_EQ(a[y][x], y >= 1 && y < 3 && x >= 3 && x < 5 ? 9 : 1);
    }
  }
  sycl::buffer<big> large{sycl::range<1>(7)};
  big value{};
  value.v[49] = 77;
  q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(large, h, sycl::write_only), value); });
  EXPECT_EQ(sycl::host_accessor(large, sycl::read_only)[6].v[49], 77);
}

TEST(update_host, brings_the_bytes_to_the_users_memory) {
  sycl::queue q;
  auto data = counted(20);
  sycl::buffer<int> b(data.data(), sycl::range<1>(20), {sycl::property::buffer::use_host_ptr()});
  add_one(q, b);
  q.submit([&](sycl::handler& h) { h.update_host(sycl::accessor(b, h, sycl::read_only)); }).wait();
  EXPECT_EQ(data, counted(20, 1));
}

TEST(shortcuts, on_the_queue_bind_placeholders) {
  sycl::queue q;
  sycl::buffer<int> a{sycl::range<1>(12)}, b{sycl::range<1>(12)};
  std::vector<int> out(12);
  q.fill(sycl::accessor(a, sycl::write_only), 5);
  q.copy(sycl::accessor(a, sycl::read_only), sycl::accessor(b, sycl::write_only));
  q.copy(sycl::accessor(b, sycl::read_only), out.data()).wait();
  EXPECT_EQ(out, std::vector<int>(12, 5));
}

TEST(buffers, hazards_across_two_queues_are_right) {
  sycl::queue q1, q2;
  sycl::buffer<int> a{sycl::range<1>(1000)}, b{sycl::range<1>(1000)};
  q1.submit([&](sycl::handler& h) {
    sycl::accessor w(a, h, sycl::write_only, sycl::no_init);
    h.parallel_for(1000, [=](sycl::id<1> i) { w[i] = int(i[0]); });
  });
  for (int round = 0; round < 10; ++round) {
    q2.submit([&](sycl::handler& h) {
      sycl::accessor r(a, h, sycl::read_only);
      sycl::accessor w(b, h, sycl::write_only, sycl::no_init);
      h.parallel_for(1000, [=](sycl::id<1> i) { w[i] = r[i] + 1; });
    });
    q1.submit([&](sycl::handler& h) {
      sycl::accessor r(b, h, sycl::read_only);
      sycl::accessor w(a, h, sycl::write_only, sycl::no_init);
      h.parallel_for(1000, [=](sycl::id<1> i) { w[i] = r[i] + 1; });
    });
  }
  sycl::host_accessor r(a, sycl::read_only);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(r[i], i + 20);
}

} // namespace
