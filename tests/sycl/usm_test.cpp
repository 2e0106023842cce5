// Unified shared memory: kinds, queries, copies, fills, allocator, pointers inside of data.
#include "tests/sycl/common.hpp"

using prism_test::counted;
using prism_test::error_of;

namespace {

TEST(usm, device_memory_is_filled_and_copied) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT(q, usm_device_allocations);
  int* p = sycl::malloc_device<int>(1000, q);
  ASSERT_NE(p, nullptr);
  std::vector<int> out(1000, -1);
  q.fill(p, 3, 1000);
  q.parallel_for(1000, [=](sycl::id<1> i) { p[i] += int(i[0]); });
  q.memcpy(out.data(), p, 4000).wait();
  EXPECT_EQ(out, counted(1000, 3));
  q.memset(p + 10, 0xff, 40);
  q.copy(p, out.data(), 1000).wait();
  EXPECT_EQ(out[9], 12);
  EXPECT_EQ(out[10], -1);
  EXPECT_EQ(out[19], -1);
  EXPECT_EQ(out[20], 23);
  sycl::free(p, q);
}

TEST(usm, events_order_commands) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  int* p = sycl::malloc_device<int>(64, q);
  std::vector<int> out(64);
  sycl::event e = q.fill(p, 1, 64);
  for (int i = 0; i < 20; ++i) e = q.parallel_for(sycl::range<1>(64), e, [=](sycl::id<1> k) { p[k] += 1; });
  const sycl::event a = q.single_task(e, [=] { p[0] = 100; }), b = q.single_task({e}, [=] { p[1] = 200; });
  q.memcpy(out.data(), p, 256, {a, b}).wait();
  EXPECT_EQ(out[0], 100);
  EXPECT_EQ(out[1], 200);
  EXPECT_EQ(out[63], 21);
  sycl::free(p, q);
}

TEST(usm, shared_memory_is_used_from_both_sides) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  int* p = sycl::malloc_shared<int>(100, q);
  for (int i = 0; i < 100; ++i) p[i] = i;
  q.parallel_for(100, [=](sycl::id<1> i) { p[i] *= 2; }).wait();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(p[i], 2 * i);
  p[50] = 7;
  q.single_task([=] { p[51] = p[50] + 1; }).wait();
  EXPECT_EQ(p[51], 8);
  sycl::free(p, q);
}

TEST(usm, host_memory_is_read_and_written_by_kernels) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_host_allocations);
  int* p = sycl::malloc_host<int>(100, q);
  std::fill(p, p + 100, 5);
  q.parallel_for(100, [=](sycl::id<1> i) { p[i] += int(i[0]); }).wait();
  EXPECT_EQ(std::vector<int>(p, p + 100), counted(100, 5));
  EXPECT_EQ(sycl::get_pointer_type(p + 3, q.get_context()), sycl::usm::alloc::host);
  sycl::free(p, q);
}

struct node {
  int value;
  node* next;
};

TEST(usm, kernels_follow_pointers_in_data) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  node* nodes = sycl::malloc_shared<node>(10, q);
  int* sum = sycl::malloc_shared<int>(1, q);
  for (int i = 0; i < 10; ++i) nodes[i] = {i + 1, i + 1 < 10 ? &nodes[(i + 1) % 10] : nullptr};
  q.single_task([=] {
    int total = 0;
    for (const node* n = nodes; n; n = n->next) total += n->value;
    *sum = total;
  }).wait();
  EXPECT_EQ(*sum, 55);
  sycl::free(nodes, q);
  sycl::free(sum, q);
}

struct view {
  float* data;
  std::size_t size;
};

TEST(usm, kernels_use_pointers_inside_structs_and_offsets) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  float* p = sycl::malloc_device<float>(300, q);
  const view middle{p + 100, 100};
  q.fill(p, 1.0f, 300).wait();
  q.parallel_for(100, [=](sycl::id<1> i) { middle.data[i] = float(middle.size) + float(i[0]); }).wait();
  std::vector<float> out(300);
  q.copy(p, out.data(), 300).wait();
  EXPECT_EQ(out[99], 1.0f);
  EXPECT_EQ(out[100], 100.0f);
  EXPECT_EQ(out[199], 199.0f);
  EXPECT_EQ(out[200], 1.0f);
  sycl::free(p, q);
}

TEST(usm, pointer_queries_are_right_for_every_kind) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  const sycl::context c = q.get_context();
  char* p = sycl::malloc_device<char>(100, q);
  int local = 0;
  EXPECT_EQ(sycl::get_pointer_type(p, c), sycl::usm::alloc::device);
  EXPECT_EQ(sycl::get_pointer_type(p + 99, c), sycl::usm::alloc::device);
  EXPECT_EQ(sycl::get_pointer_type(&local, c), sycl::usm::alloc::unknown);
  EXPECT_EQ(sycl::get_pointer_device(p + 5, c), q.get_device());
  EXPECT_EQ(error_of([&] { sycl::get_pointer_device(&local, c); }), sycl::errc::invalid);
  const sycl::context other(q.get_device());
  EXPECT_EQ(sycl::get_pointer_type(p, other), sycl::usm::alloc::unknown);
  sycl::free(p, c);
  EXPECT_EQ(sycl::get_pointer_type(p, c), sycl::usm::alloc::unknown);
}

TEST(usm, alignment_is_respected_and_an_invalid_one_gives_null) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  for (const std::size_t alignment : {8u, 64u, 256u, 4096u}) {
    void* p = sycl::aligned_alloc_device(alignment, 100, q);
    ASSERT_NE(p, nullptr) << alignment;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
    sycl::free(p, q);
  }
  EXPECT_EQ(sycl::aligned_alloc_device(24, 100, q), nullptr);
  sycl::free(nullptr, q);
}

TEST(usm, a_missing_aspect_is_refused) {
  sycl::queue q;
  if (!q.get_device().has(sycl::aspect::usm_device_allocations)) {
    std::string text;
    EXPECT_EQ(error_of([&] { sycl::malloc_device<int>(1, q); }, &text), sycl::errc::feature_not_supported);
    EXPECT_EQ(text.rfind("feature_not_supported: ", 0), 0u) << text; // what programs print
  }
  if (!q.get_device().has(sycl::aspect::usm_shared_allocations)) {
    EXPECT_EQ(error_of([&] { sycl::malloc_shared<int>(1, q); }), sycl::errc::feature_not_supported);
  }
}

TEST(usm, usm_allocator_works_in_containers) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  using allocator = sycl::usm_allocator<int, sycl::usm::alloc::shared>;
  std::vector<int, allocator> v(100, 2, allocator(q));
  int* p = v.data();
  q.parallel_for(100, [=](sycl::id<1> i) { p[i] += int(i[0]); }).wait();
  EXPECT_EQ(v[99], 101);
  EXPECT_EQ(allocator(q), v.get_allocator());
  EXPECT_NE(allocator(sycl::context(q.get_device()), q.get_device()), v.get_allocator());
}

struct large {
  int v[100];
};

TEST(usm, fill_takes_large_values) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  large* p = sycl::malloc_device<large>(5, q);
  large value{}, out[5] = {};
  value.v[99] = 12;
  q.fill(p, value, 5).wait();
  q.copy(p, out, 5).wait();
  EXPECT_EQ(out[4].v[99], 12);
  sycl::free(p, q);
}

TEST(usm, copies_between_plain_host_memory_and_hints_work) {
  sycl::queue q;
  const auto from = counted(50);
  std::vector<int> to(50);
  q.memcpy(to.data(), from.data(), 200).wait();
  EXPECT_EQ(to, from);
  q.memset(to.data(), 0, 200).wait();
  EXPECT_EQ(to, std::vector<int>(50));
  SKIP_WITHOUT(q, usm_device_allocations);
  int* p = sycl::malloc_device<int>(50, q);
  q.prefetch(p, 200).wait();
  q.mem_advise(p, 200, 0).wait();
  sycl::free(p, q);
}

/// x after some steps of a recurrence that compilers cannot simplify.
unsigned stepped(unsigned x, int steps) {
  for (int k = 0; k < steps; ++k) x = x * 1664525u + 1013904223u + (x >> 16);
  return x;
}

// The freed memory must not be allocated again before that.
TEST(usm, a_host_task_frees_what_the_commands_before_it_used) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  std::vector<int> out(100);
  for (int round = 0; round < 20; ++round) {
    int* const x = sycl::malloc_device<int>(100, q);
    const sycl::event written = q.parallel_for(100, [=](sycl::id<1> i) { x[i] = int(i[0]) + round; });
    const sycl::event copied = q.copy(x, out.data(), 100, written);
    sycl::event freed = q.submit([&](sycl::handler& h) {
      h.depends_on(copied);
      h.host_task([=, context = q.get_context()] { sycl::free(x, context); });
    });
    freed.wait();
    EXPECT_EQ(out[99], 99 + round);
    EXPECT_EQ(sycl::get_pointer_type(x, q.get_context()), sycl::usm::alloc::unknown);
  }
}

TEST(usm, is_freed_when_the_device_no_longer_works_with_it) {
  sycl::queue first, second;
  SKIP_WITHOUT(first, usm_device_allocations);
  constexpr int count = 1 << 14, steps = 20000;
  for (int round = 0; round < 5; ++round) {
    unsigned* old = sycl::malloc_device<unsigned>(count, first);
    first.parallel_for(count, [=](sycl::id<1> i) { old[i] = stepped(unsigned(i[0]), steps); });
    sycl::free(old, first); // without a wait
    unsigned* fresh = sycl::malloc_device<unsigned>(count, second);
    second.fill(fresh, 7u, count).wait();
    first.wait();
    std::vector<unsigned> out(count);
    second.copy(fresh, out.data(), count).wait();
    sycl::free(fresh, second);
    ASSERT_EQ(out, std::vector<unsigned>(count, 7)) << round;
  }
}

TEST(usm, is_freed_while_the_freeing_thread_delays_work) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  int* p = sycl::malloc_device<int>(64, q);
  int* r = sycl::malloc_device<int>(64, q);
  int* s = sycl::malloc_device<int>(64, q);
  const sycl::event filled = q.fill(p, 1, 64);
  sycl::buffer<int> b(64);
  sycl::event after_task, after_access;
  {
    const sycl::host_accessor held(b, sycl::write_only); // blocks the command of this thread
    after_access = q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::write_only);
      h.parallel_for(64, [=](sycl::id<1> i) { a[i] = 5; });
    });
    sycl::free(r, q);
  }
  const sycl::event task = q.submit([&](sycl::handler& h) { // frees memory of a command that it depends on,
                                                            // while another command waits for it
    h.depends_on(filled);
    h.host_task([=] { sycl::free(p, q); });
  });
  after_task = q.submit([&](sycl::handler& h) {
    h.depends_on(task);
    h.parallel_for(64, [=](sycl::id<1> i) { s[i] = 6; });
  });
  after_task.wait_and_throw();
  after_access.wait_and_throw();
  std::vector<int> out(64);
  q.copy(s, out.data(), 64).wait();
  EXPECT_EQ(out, std::vector<int>(64, 6));
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[63], 5);
  sycl::free(s, q);
}

} // namespace
