// Pointers among the captured values that a kernel reaches indirectly: by an index, or through a copy of the
// struct that contains them, with other values in between. Drivers without shared addresses need the position
// of each.
#include "tests/sycl/common.hpp"

#include <array>

namespace {

using namespace sycl;

constexpr std::size_t items = 64;

struct captured_words {
  std::uint64_t v[27];
};

// The compiler then copies the captured block to private memory, including accessors. On Vulkan, stores
// through them were once missing.
TEST(captured_values, are_read_through_a_pointer_that_may_point_to_private_memory) {
  captured_words words;
  for (int i = 0; i < 27; ++i) words.v[i] = i * 1000003ull;
  std::vector<std::uint64_t> out(items, 5);
  {
    queue q;
    buffer<std::uint64_t> o(out);
    q.submit([&](handler& h) {
      accessor r(o, h, read_write);
      h.parallel_for(range<1>(items), [=](id<1> it) {
        const std::size_t i = it[0];
        std::uint64_t own[27];
        for (std::size_t k = 0; k < 27; ++k) own[k] = k + i;
        const std::uint64_t* p = (i & 1) ? words.v : own;
        r[i] = p[i % 27];
      });
    });
  }
  for (std::size_t i = 0; i < items; ++i) EXPECT_EQ(out[i], (i & 1) ? words.v[i % 27] : i % 27 + i) << i;
}

/// Writes its members although its call operator is const: mutable ones, and one through const_cast.
struct writing_view {
  accessor<int, 1, access_mode::write> data;
  std::size_t first = 0;
  mutable int moves = 0;
  void move(std::size_t by) const {
    const_cast<writing_view*>(this)->first += by;
    ++moves;
  }
};
struct writing_kernel {
  writing_view view;
  mutable int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  mutable int count = 0;
  void operator()(nd_item<1> it) const {
    const std::size_t i = it.get_global_id(0);
    view.move(i);
    for (std::size_t k = 0; k < i % 5; ++k) ++count;
    table[i % 8] += count;
    group_barrier(it.get_group());
    view.data[view.first] = 1000 * view.moves + 100 * count + table[i % 8] + table[(i + 1) % 8];
  }
};

TEST(captured_values, that_a_kernel_writes_are_private_to_each_work_item) {
  SKIP_UNLESS_COMPILED("what a kernel writes");
  std::vector<int> out(items, 0);
  {
    queue q;
    buffer<int> o(out);
    q.submit(
        [&](handler& h) { h.parallel_for(nd_range<1>(items, 16), writing_kernel{{{o, h, write_only}}}); });
  }
  for (std::size_t i = 0; i < items; ++i) {
    const int count = int(i % 5), sum = int(i % 8) + 1 + count + int((i + 1) % 8) + 1;
    EXPECT_EQ(out[i], 1000 + 100 * count + sum) << i;
  }
}

using int_accessor = accessor<int, 1, access_mode::read_write>;

TEST(captured_accessors, are_selected_by_an_index) {
  std::vector<std::vector<int>> values;
  for (int k = 0; k < 4; ++k) values.emplace_back(items, 10 * (k + 1));
  {
    queue q;
    buffer<int> a(values[0]), b(values[1]), c(values[2]), d(values[3]);
    q.submit([&](handler& h) {
      const std::array<int_accessor, 4> all{int_accessor(a, h), int_accessor(b, h), int_accessor(c, h),
                                            int_accessor(d, h)};
      const int more = 3;
      h.parallel_for(range<1>(items), [=](id<1> i) { all[i[0] % 4][i] += all[(i[0] / 4) % 4][i] + more; });
    });
  }
  for (std::size_t i = 0; i < items; ++i)
    for (std::size_t k = 0; k < 4; ++k) {
      const int before = 10 * (static_cast<int>(k) + 1), other = 10 * (static_cast<int>(i / 4 % 4) + 1);
      EXPECT_EQ(values[k][i], i % 4 == k ? before + other + 3 : before) << i << " of " << k;
    }
}

struct pair_of_accessors {
  int_accessor in, out;
  int factor;
};
struct copying_kernel {
  pair_of_accessors pairs[2];
  void operator()(id<1> i) const {
    pair_of_accessors copy[2] = {pairs[0], pairs[1]};
    copy[(i[0] + 1) & 1].factor += static_cast<int>(i[0]);
    pair_of_accessors& chosen = copy[i[0] & 1];
    chosen.out[i] = chosen.in[i] * chosen.factor;
  }
};

TEST(captured_accessors, work_in_a_private_copy_of_their_struct) {
  std::vector<int> in1(items, 3), in2(items, 4), out1(items, -1), out2(items, -1);
  {
    queue q;
    buffer<int> a(in1), b(in2), c(out1), d(out2);
    q.submit([&](handler& h) {
      const pair_of_accessors first{int_accessor(a, h), int_accessor(c, h), 5},
          second{int_accessor(b, h), int_accessor(d, h), 7};
      h.parallel_for(range<1>(items), copying_kernel{{first, second}});
    });
  }
  for (std::size_t i = 0; i < items; ++i) {
    EXPECT_EQ(out1[i], i % 2 == 0 ? 15 : -1) << i;
    EXPECT_EQ(out2[i], i % 2 == 1 ? 28 : -1) << i;
  }
}

struct places {
  int* where;
  std::uint64_t id; // as large as a pointer, but not one
};

TEST(captured_pointers, are_copied_to_local_memory_together_with_numbers) {
  queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  int* const memory = malloc_device<int>(2 * items, q);
  q.fill(memory, 100, 2 * items).wait();
  const std::array<places, 2> both{places{memory, 11}, places{memory + items, 22}};
  q.submit([&](handler& h) {
    local_accessor<places> table(range<1>(2), h);
    h.parallel_for(nd_range<1>(items, 16), [=](nd_item<1> it) {
      const std::size_t lane = it.get_local_linear_id(), i = it.get_global_linear_id();
      if (lane < 2) table[lane] = both[lane];
      group_barrier(it.get_group());
      table[i & 1].where[i] += static_cast<int>(table[i & 1].id);
    });
  }).wait();
  std::vector<int> found(2 * items);
  q.copy(memory, found.data(), found.size()).wait();
  for (std::size_t i = 0; i < items; ++i) {
    EXPECT_EQ(found[i], i % 2 == 0 ? 111 : 100) << i;
    EXPECT_EQ(found[items + i], i % 2 == 1 ? 122 : 100) << i;
  }
  free(memory, q);
}

struct named_data {
  const char* name; // host memory; only compared
  int* data;
  std::size_t size;
};

TEST(captured_pointers, may_be_compared_with_captured_host_pointers) {
  static const char text[] = "a name";
  queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  int* const ones = malloc_device<int>(items, q);
  int* const twos = malloc_device<int>(items, q);
  int* const out = malloc_device<int>(items, q);
  q.fill(ones, 1, items).wait();
  q.fill(twos, 2, items).wait();
  const std::array<named_data, 2> all{named_data{text, ones, items}, named_data{nullptr, twos, items}};
  q.parallel_for(range<1>(items), [=](id<1> i) {
    const named_data mine[3] = {all[0], all[1],
                                all[(i + 1) % 2]}; // with an index into a copy every word may be the pointer
    int sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const named_data& each = mine[(i + k) % 3];
      if (i < each.size) sum += each.data[i] * (each.name != nullptr ? 1 : 100);
    }
    out[i] = sum;
  }).wait();
  std::array<int, items> found;
  q.memcpy(found.data(), out, sizeof found).wait();
  for (std::size_t i = 0; i < items; ++i) EXPECT_EQ(found[i], 1 + 200 + (i % 2 == 0 ? 200 : 1)) << i;
  for (int* each : {ones, twos, out}) free(each, q);
}

} // namespace
