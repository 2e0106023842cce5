// Data structures of pointers in USM: kernels read addresses from memory, not only from captured values.
#include "tests/sycl/common.hpp"

namespace {

struct node {
  node* next;
  int value;
};

/// A list of `count` nodes in this kind of memory, in a scattered order; node i contains i * i.
template <class Allocate>
std::vector<node*> make_list(sycl::queue& q, int count, Allocate allocate) {
  std::vector<node*> nodes;
  for (int i = 0; i < count; ++i) nodes.push_back(allocate());
  for (int i = 0; i < count; ++i) {
    const node made{i + 1 < count ? nodes[static_cast<std::size_t>(i + 1)] : nullptr, i * i};
    q.memcpy(nodes[static_cast<std::size_t>(i)], &made, sizeof made).wait();
  }
  return nodes;
}

bool finds_addresses(const sycl::queue& q) { // rusticl's devices cannot use addresses from memory
  return q.get_device().has(sycl::aspect::usm_device_allocations);
}

#define NEEDS_ADDRESSES(q)                                                                                   \
  if (!finds_addresses(q)) GTEST_SKIP() << "the device has no aspect::usm_device_allocations"

} // namespace

TEST(pointer_chasing, a_list_in_device_memory_is_followed_to_its_end) {
  sycl::queue q;
  NEEDS_ADDRESSES(q);
  const auto nodes = make_list(q, 100, [&] { return sycl::malloc_device<node>(1, q); });
  int* sums = sycl::malloc_device<int>(100, q);
  node* first = nodes[0];
  q.parallel_for(sycl::range<1>(100), [=](sycl::id<1> i) {
    int sum = 0, steps = 0;
    for (const node* at = first; at && steps <= int(i); at = at->next, ++steps) sum += at->value;
    sums[i] = sum;
  }).wait();
  std::vector<int> found(100);
  q.memcpy(found.data(), sums, 400).wait();
  for (int i = 0, sum = 0; i < 100; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], sum += i * i) << i;
  for (node* n : nodes) sycl::free(n, q);
  sycl::free(sums, q);
}

TEST(pointer_chasing, a_list_is_reversed_by_a_kernel) {
  sycl::queue q;
  NEEDS_ADDRESSES(q);
  const auto nodes = make_list(q, 17, [&] { return sycl::malloc_device<node>(1, q); });
  node** head = sycl::malloc_device<node*>(1, q);
  node* first = nodes[0];
  q.single_task([=] {
    node* before = nullptr;
    for (node* at = first; at;) {
      node* next = at->next;
      at->next = before;
      before = at;
      at = next;
    }
    *head = before;
  }).wait();
  node* at = nullptr;
  q.memcpy(&at, head, sizeof at).wait();
  for (int i = 16; i >= 0; --i) {
    ASSERT_EQ(at, nodes[static_cast<std::size_t>(i)]) << i;
    node copy{};
    q.memcpy(&copy, at, sizeof copy).wait();
    EXPECT_EQ(copy.value, i * i);
    at = copy.next;
  }
  EXPECT_EQ(at, nullptr);
  for (node* n : nodes) sycl::free(n, q);
  sycl::free(head, q);
}

TEST(pointer_chasing, a_tree_in_shared_memory_is_searched_by_every_work_item) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  struct branch {
    int key;
    branch* children[2];
  };
  constexpr int count = 127;
  branch* all = sycl::malloc_shared<branch>(count, q);
  for (int i = 0; i < count; ++i) {
    const bool inner = 2 * i + 2 < count;
    all[i] = {0, {inner ? all + 2 * i + 1 : nullptr, inner ? all + 2 * i + 2 : nullptr}};
  }
  int next = 0;
  const auto number = [&](auto&& self, branch* b) -> void { // in order, so that it becomes a search tree
    if (!b) return;
    self(self, b->children[0]);
    b->key = next++;
    self(self, b->children[1]);
  };
  number(number, all);
  int* depth = sycl::malloc_shared<int>(count, q);
  q.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
    int steps = 0;
    const branch* at = all;
    while (at && at->key != int(i)) at = at->children[at->key < int(i)], ++steps;
    depth[i] = at ? steps : -1;
  }).wait();
  for (int i = 0; i < count; ++i) EXPECT_EQ(depth[i], 6 - __builtin_ctz(static_cast<unsigned>(i + 1))) << i;
  sycl::free(all, q);
  sycl::free(depth, q);
}

TEST(pointer_chasing, pointers_in_an_array_of_pointers) {
  sycl::queue q;
  NEEDS_ADDRESSES(q);
  constexpr std::size_t rows = 9;
  std::vector<float*> host_rows;
  for (std::size_t i = 0; i < rows; ++i) {
    host_rows.push_back(sycl::malloc_device<float>(i + 1, q));
    q.fill(host_rows[i], float(i), i + 1).wait();
  }
  float** table = sycl::malloc_device<float*>(rows, q);
  float* sums = sycl::malloc_device<float>(rows, q);
  q.memcpy(table, host_rows.data(), rows * sizeof(float*)).wait();
  q.parallel_for(sycl::range<1>(rows), [=](sycl::id<1> i) {
    sums[i] = 0;
    for (std::size_t k = 0; k <= i[0]; ++k) sums[i] += table[i][k] + table[k][0];
  }).wait();
  std::vector<float> found(rows);
  q.memcpy(found.data(), sums, rows * sizeof(float)).wait();
  for (std::size_t i = 0; i < rows; ++i) EXPECT_EQ(found[i], float(i * (i + 1) + i * (i + 1) / 2)) << i;
  for (float* row : host_rows) sycl::free(row, q);
  sycl::free(table, q);
  sycl::free(sums, q);
}
