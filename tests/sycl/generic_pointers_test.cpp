// Pointers to several kinds of memory, stored in arrays, structures and memory of every kind.
#include "tests/sycl/common.hpp"

#include <utility>

namespace {

constexpr int items = 64, group = 16;

float first(int item) { return static_cast<float>(100 + item); } // the contents of the global array

/// Runs `body(item, global element 0, local element 0)` for every work-item and returns its results.
template <class Name, class Body>
std::vector<float> results(const Body& body, std::vector<float>* global = nullptr) {
  std::vector<float> input(items), output(items, -1.0f);
  for (int i = 0; i < items; ++i) input[static_cast<std::size_t>(i)] = first(i);
  {
    sycl::queue q;
    sycl::buffer<float> in(input.data(), items), out(output.data(), items);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(in, h);
      sycl::accessor r(out, h, sycl::write_only);
      sycl::local_accessor<float, 1> l(group, h);
      h.parallel_for<Name>(sycl::nd_range<1>(items, group), [=](sycl::nd_item<1> item) {
        r[item.get_global_id(0)] = body(item, &a[0], &l[0]);
      });
    });
    q.wait_and_throw();
  }
  if (global) *global = input;
  return output;
}

struct view {
  float* data;
  int count;
};

} // namespace

TEST(generic_pointers, an_array_of_pointers_to_work_group_and_global_memory) {
  const auto found = results<class tables>([](sycl::nd_item<1> item, float* global, float* local) {
    const int g = static_cast<int>(item.get_global_id(0)), i = static_cast<int>(item.get_local_id(0));
    local[i] = static_cast<float>(i * 10);
    sycl::group_barrier(item.get_group());
    const float* chosen = g % 3 != 0 ? &local[(i + 1) % group] : &global[g];
    const float* table[4] = {local, global, chosen, nullptr};
    return *table[2] + table[g % 2][i] + (table[g % 4] == nullptr ? 1000.0f : 0.0f);
  });
  for (int g = 0; g < items; ++g) {
    const int i = g % group;
    const float chosen = g % 3 != 0 ? static_cast<float>((i + 1) % group * 10) : first(g);
    EXPECT_EQ(found[static_cast<std::size_t>(g)],
              chosen + (g % 2 != 0 ? first(i) : static_cast<float>(i * 10)) + (g % 4 == 3 ? 1000.0f : 0.0f))
        << g;
  }
}

TEST(generic_pointers, structures_with_pointers_are_copied_and_written_through) {
  std::vector<float> global;
  const auto found = results<class views>([](sycl::nd_item<1> item, float* global_memory, float* local) {
    const int g = static_cast<int>(item.get_global_id(0)), i = static_cast<int>(item.get_local_id(0));
    local[i] = static_cast<float>(i * 10);
    float mine[4] = {1, 2, 3, 4};
    view views[3] = {{&local[i], 1}, {&global_memory[g], 1}, {mine, 4}};
    for (int k = 0; k < 7; ++k) std::swap(views[(k + g) % 3], views[(k + i) % 3]);
    float sum = 0;
    for (const view& each : views)
      for (int k = 0; k < each.count; ++k) {
        sum += each.data[k];
        each.data[k] += 1;
      }
    return sum * 1000 + mine[0] + mine[3] * 10 + local[i] * 0.5f;
  }, &global);
  for (int g = 0; g < items; ++g) {
    const float local = static_cast<float>(g % group * 10);
    EXPECT_EQ(found[static_cast<std::size_t>(g)],
              (local + first(g) + 10) * 1000 + 2 + 50 + (local + 1) * 0.5f)
        << g;
    EXPECT_EQ(global[static_cast<std::size_t>(g)], first(g) + 1) << g;
  }
}

TEST(generic_pointers, live_across_barriers_and_in_loops) {
  std::vector<float> global;
  const auto found = results<class across>([](sycl::nd_item<1> item, float* global_memory, float* local) {
    const int g = static_cast<int>(item.get_global_id(0)), i = static_cast<int>(item.get_local_id(0));
    float mine[2] = {static_cast<float>(i), 5};
    float* table[3] = {&local[i], &global_memory[g], &mine[i & 1]};
    local[i] = static_cast<float>(i);
    for (int k = 0; k < 3; ++k) {
      sycl::group_barrier(item.get_group());
      *table[(k + g) % 3] += 3;
      std::swap(table[k], table[(k + 1) % 3]);
    }
    sycl::group_barrier(item.get_group());
    return mine[0] * 10000 + mine[1] * 100 + local[i];
  }, &global);
  for (int g = 0; g < items; ++g) {
    const int i = g % group;
    float local = static_cast<float>(i), far = first(g), mine[2] = {static_cast<float>(i), 5};
    float* table[3] = {&local, &far, &mine[i & 1]};
    for (int k = 0; k < 3; ++k) {
      *table[(k + g) % 3] += 3;
      std::swap(table[k], table[(k + 1) % 3]);
    }
    EXPECT_EQ(found[static_cast<std::size_t>(g)], mine[0] * 10000 + mine[1] * 100 + local) << g;
    EXPECT_EQ(global[static_cast<std::size_t>(g)], far) << g;
  }
}

TEST(generic_pointers, are_compared_subtracted_and_decremented) {
  const auto found = results<class compared>([](sycl::nd_item<1> item, float* global, float* local) {
    const int g = static_cast<int>(item.get_global_id(0)), i = static_cast<int>(item.get_local_id(0));
    local[i] = static_cast<float>(i);
    sycl::group_barrier(item.get_group());
    float* ends[2][2] = {{local, local + group}, {global, global + items}};
    float* const* range = ends[g % 2];
    float sum = 0;
    for (float* at = range[0]; at != range[1]; ++at) sum += *at;
    float* below[2] = {local - 1, global - 1};
    sum += static_cast<float>(range[1] - range[0]) * 10000 + below[g % 2][i + 1];
    return sum + (ends[0][0] == ends[1][0] ? 0.5f : 0.0f) + (ends[g % 2][0] == range[0] ? 0.25f : 0.0f);
  });
  for (int g = 0; g < items; ++g) {
    const int i = g % group;
    const float near = 120 + 160000 + static_cast<float>(i), far = 100 * 64 + 2016 + 640000 + first(i);
    EXPECT_EQ(found[static_cast<std::size_t>(g)], (g % 2 != 0 ? far : near) + 0.25f) << g;
  }
}

TEST(generic_pointers, to_constants_captures_and_local_memory) {
  struct captured {
    float values[group];
  } block;
  for (int i = 0; i < group; ++i) block.values[i] = static_cast<float>(i * 7);
  static constexpr float low[group] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  static constexpr float high[3] = {1000, 2000, 3000};
  const auto found = results<class tables_and_captured>([block](sycl::nd_item<1> item, float*, float* local) {
    const int g = static_cast<int>(item.get_global_id(0)), i = static_cast<int>(item.get_local_id(0));
    local[i] = static_cast<float>(i * 10);
    sycl::group_barrier(item.get_group());
    const float* table[4] = {low, block.values, local, high};
    return table[g % 4][g % 4 == 3 ? i % 3 : i];
  });
  for (int g = 0; g < items; ++g) {
    const int i = g % group;
    const float wanted[] = {low[i], static_cast<float>(i * 7), static_cast<float>(i * 10), high[i % 3]};
    EXPECT_EQ(found[static_cast<std::size_t>(g)], wanted[g % 4]) << g;
  }
}

TEST(generic_pointers, atomics_and_pointers_to_pointers) {
  std::vector<float> global;
  const auto found = results<class atomics>([](sycl::nd_item<1> item, float* global_memory, float* local) {
    const int g = static_cast<int>(item.get_global_id(0)), i = static_cast<int>(item.get_local_id(0));
    local[i] = 0;
    sycl::group_barrier(item.get_group());
    float* counters[2] = {&local[0], &global_memory[g / group * group]};
    float** chosen[2] = {&counters[0], &counters[1]};
    sycl::atomic_ref<float, sycl::memory_order::relaxed, sycl::memory_scope::device>(**chosen[i % 2])
        .fetch_add(2.0f);
    sycl::group_barrier(item.get_group());
    return local[0];
  }, &global);
  for (int g = 0; g < items; ++g) {
    EXPECT_EQ(found[static_cast<std::size_t>(g)], 16.0f) << g;
    EXPECT_EQ(global[static_cast<std::size_t>(g)], first(g) + (g % group == 0 ? 16.0f : 0.0f)) << g;
  }
}

namespace {

struct node {
  node* next;
  int value;
};

} // namespace

TEST(generic_pointers, a_list_in_work_group_memory_that_begins_at_its_start) {
  constexpr int count = 16;
  std::vector<int> sums(count, -1);
  {
    sycl::queue q;
    sycl::buffer<int> out(sums.data(), count);
    q.submit([&](sycl::handler& h) {
      sycl::accessor r(out, h, sycl::write_only);
      sycl::local_accessor<node, 1> nodes(count, h);
      h.parallel_for<class list>(sycl::nd_range<1>(count, count), [=](sycl::nd_item<1> item) {
        const int i = static_cast<int>(item.get_local_id(0));
        nodes[i] = {i > 0 ? &nodes[i - 1] : nullptr, i + 1}; // the last node is the element at offset 0
        sycl::group_barrier(item.get_group());
        int sum = 0;
        for (const node* at = &nodes[i]; at; at = at->next) sum += at->value;
        r[i] = sum;
      });
    });
  }
  for (int i = 0; i < count; ++i) EXPECT_EQ(sums[static_cast<std::size_t>(i)], (i + 1) * (i + 2) / 2) << i;
}

TEST(generic_pointers, stored_in_global_memory_by_their_reader) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  float** table = sycl::malloc_device<float*>(items, q);
  float* data = sycl::malloc_device<float>(items, q);
  float* sums = sycl::malloc_device<float>(items, q);
  q.fill(data, 5.0f, items).wait();
  q.submit([&](sycl::handler& h) {
    sycl::local_accessor<float, 1> l(group, h);
    h.parallel_for<class in_global>(sycl::nd_range<1>(items, group), [=](sycl::nd_item<1> item) {
      const auto g = item.get_global_id(0), i = item.get_local_id(0);
      l[i] = static_cast<float>(i);
      table[g] = i % 2 != 0 ? &l[i] : &data[g];
      sycl::group_barrier(item.get_group());
      *table[g] += 1;
      sums[g] = *table[g / group * group + (i ^ 1)];
      sycl::group_barrier(item.get_group());
      table[g] = &data[g]; // the test reads global memory after the kernel
    });
  }).wait();
  std::vector<float> found(items), left(items);
  std::vector<float*> places(items);
  q.memcpy(found.data(), sums, items * sizeof(float)).wait();
  q.memcpy(left.data(), data, items * sizeof(float)).wait();
  q.memcpy(places.data(), table, items * sizeof(float*)).wait();
  for (int g = 0; g < items; ++g) {
    const int i = g % group;
    if (i % 2 != 0) EXPECT_EQ(found[static_cast<std::size_t>(g)], 6.0f) << g;
    EXPECT_EQ(left[static_cast<std::size_t>(g)], i % 2 != 0 ? 5.0f : 6.0f) << g;
    EXPECT_EQ(places[static_cast<std::size_t>(g)], data + g) << g;
  }
  for (void* each : {static_cast<void*>(table), static_cast<void*>(data), static_cast<void*>(sums)})
    sycl::free(each, q);
}

TEST(work_group_atomics, of_32_and_64_bits_in_one_kernel) {
  sycl::queue q;
  SKIP_WITHOUT(q, atomic64);
  constexpr int groups = items / group;
  std::vector<long long> found(groups * 4);
  {
    sycl::buffer<long long> out(found.data(), found.size());
    q.submit([&](sycl::handler& h) {
      sycl::accessor r(out, h, sycl::write_only);
      sycl::local_accessor<int, 1> words(4, h);
      sycl::local_accessor<long long, 1> wide(2, h);
      sycl::local_accessor<float, 1> real(1, h);
      h.parallel_for<class widths>(sycl::nd_range<1>(items, group), [=](sycl::nd_item<1> item) {
        constexpr auto relaxed = sycl::memory_order::relaxed;
        constexpr auto scope = sycl::memory_scope::work_group;
        const int i = static_cast<int>(item.get_local_id(0));
        if (i < 4) words[i] = i;
        if (i < 2) wide[i] = 1ll << 40;
        if (i == 0) real[0] = 0;
        sycl::group_barrier(item.get_group());
        sycl::atomic_ref<int, relaxed, scope>(words[i % 4]).fetch_add(i + 1);
        sycl::atomic_ref<int, relaxed, scope>(words[1]).fetch_max(1000 + i);
        sycl::atomic_ref<long long, relaxed, scope>(wide[i % 2]).fetch_add(i);
        sycl::atomic_ref<float, relaxed, scope>(real[0]).fetch_add(1.5f);
        int expected = -1;
        const bool exchanged =
            sycl::atomic_ref<int, relaxed, scope>(words[3]).compare_exchange_strong(expected, 7);
        sycl::group_barrier(item.get_group());
        if (i != 0) return;
        const std::size_t at = item.get_group(0) * 4;
        r[at] = words[0] + words[2] * 1000 + words[3] * 1000000ll;
        r[at + 1] = wide[0] + wide[1] - (2ll << 40);
        r[at + 2] = static_cast<long long>(real[0]);
        r[at + 3] = (words[1] >= 1015 ? 1 : 0) + (exchanged ? 2 : 0);
      });
    });
  }
  for (std::size_t g = 0; g < groups; ++g) {
    EXPECT_EQ(found[g * 4],
              (0 + 1 + 5 + 9 + 13) + (2 + 3 + 7 + 11 + 15) * 1000 + (3 + 4 + 8 + 12 + 16) * 1000000ll);
    EXPECT_EQ(found[g * 4 + 1], 120);
    EXPECT_EQ(found[g * 4 + 2], 24);
    EXPECT_EQ(found[g * 4 + 3], 1);
  }
}
