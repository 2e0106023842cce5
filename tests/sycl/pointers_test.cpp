// Pointers among a kernel's arguments, in every way that a kernel can make an address of them. On lavapipe
// most kernels reach their memory through descriptors in place of addresses, and some must not.
#include <sycl/sycl.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

struct node {
  float* values;
  int count;
};
struct twelve {
  float* values[12];
};

class pointer_arguments : public testing::Test {
protected:
  void SetUp() override {
    if (!q.get_device().has(sycl::aspect::usm_shared_allocations))
      GTEST_SKIP() << q.get_device().get_info<sycl::info::device::name>() << " has no shared allocations";
    for (float*& each : a) each = make<float>();
    for (int i = 0; i < count; ++i) a[0][i] = float(i), a[1][i] = 0;
  }
  void TearDown() override {
    for (void* each : m_made) sycl::free(each, q);
  }
  template <class T>
  T* make(std::size_t elements = count) {
    T* const made = sycl::malloc_shared<T>(elements, q);
    m_made.push_back(made);
    return made;
  }

  static constexpr int count = 1000;
  sycl::queue q;
  float* a[12] = {};

private:
  std::vector<void*> m_made;
};

TEST_F(pointer_arguments, may_point_into_the_middle_and_behind_the_end_of_an_allocation) {
  float *x = a[0], *y = a[1], *middle = x + count / 2, *end = x + count;
  q.parallel_for(count, [=](sycl::id<1> i) { y[i] = middle[int(i) - count / 2]; }).wait();
  for (int i = 0; i < count; ++i) ASSERT_EQ(y[i], float(i));
  q.parallel_for(count, [=](sycl::id<1> i) { y[i] = end[-1 - int(i)]; }).wait();
  for (int i = 0; i < count; ++i) ASSERT_EQ(y[i], float(count - 1 - i));
}

TEST_F(pointer_arguments, may_reach_the_same_memory_by_two_names) {
  float *x = a[0], *again = x + 1;
  q.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> it) {
    const auto i = it.get_local_id(0);
    x[i] = float(i);
    sycl::group_barrier(it.get_group());
    if (i < 7) again[i] += 100;
    sycl::group_barrier(it.get_group());
    x[i] *= 2;
  }).wait();
  EXPECT_EQ(x[0], 0);
  for (int i = 1; i < 8; ++i) EXPECT_EQ(x[i], 2 * float(i + 100));
}

TEST_F(pointer_arguments, may_be_in_memory) {
  float *x = a[0], *y = a[1];
  node* const nodes = make<node>(2);
  nodes[0] = {x, count}, nodes[1] = {y, count};
  q.parallel_for(count, [=](sycl::id<1> i) { nodes[1].values[i] = nodes[0].values[i] + 1; }).wait();
  for (int i = 0; i < count; ++i) ASSERT_EQ(y[i], float(i + 1));
}

TEST_F(pointer_arguments, may_be_null_where_the_kernel_does_not_follow_them) {
  float *y = a[1], *none = nullptr;
  const bool follows = false;
  q.parallel_for(count, [=](sycl::id<1> i) {
    y[i] = 3;
    if (follows) none[i] = 1;
  }).wait();
  for (int i = 0; i < count; ++i) ASSERT_EQ(y[i], 3);
}

TEST_F(pointer_arguments, may_be_chosen_by_each_work_item) {
  float *x = a[0], *y = a[1];
  const int odd = 1;
  q.parallel_for(count, [=](sycl::id<1> i) {
    float* const chosen = (int(i) & odd) ? x : y;
    chosen[i] = 5;
  }).wait();
  for (int i = 0; i < count; ++i) ASSERT_EQ((i & 1 ? x : y)[i], 5);
}

TEST_F(pointer_arguments, to_bytes_may_be_moved_by_a_captured_number) {
  unsigned char* const bytes = make<unsigned char>();
  const std::size_t moved = 3;
  q.parallel_for(count - 3, [=](sycl::id<1> i) { bytes[moved + i] = static_cast<unsigned char>(i); }).wait();
  q.parallel_for(count - 3, [=](sycl::id<1> i) {
    unsigned char* const from = bytes + moved;
    from[i] += 1;
  }).wait();
  for (int i = 0; i + 3 < count; ++i) ASSERT_EQ(bytes[i + 3], static_cast<unsigned char>(i + 1));
}

TEST_F(pointer_arguments, may_be_moved_by_a_loop) {
  float *x = a[0], *y = a[1];
  q.single_task([=] {
    float sum = 0;
    for (const float* each = x; each != x + count; ++each) sum += *each;
    *y = sum;
  }).wait();
  EXPECT_EQ(*y, float(count * (count - 1) / 2));
}

TEST_F(pointer_arguments, to_numbers_of_all_sizes_work) {
  auto* const bytes = make<signed char>();
  auto* const shorts = make<short>();
  auto* const longs = make<long long>();
  auto* const sums = make<int>(1);
  *sums = 0;
  q.parallel_for(count, [=](sycl::id<1> id) {
    const int i = int(id);
    bytes[i] = static_cast<signed char>(-i), shorts[i] = short(-i), longs[i] = i * 0x100000001ll;
    sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*sums) += i;
  }).wait();
  for (int i = 0; i < count; ++i) {
    ASSERT_EQ(bytes[i], static_cast<signed char>(-i));
    ASSERT_EQ(shorts[i], -i);
    ASSERT_EQ(longs[i], i * 0x100000001ll);
  }
  EXPECT_EQ(*sums, count * (count - 1) / 2);
}

/// Addresses that are no multiple of the element's size, where the device is a processor: GPUs stop such
/// kernels.
TEST_F(pointer_arguments, may_be_unaligned_on_processors) {
  if (!q.get_device().is_cpu())
    GTEST_SKIP() << q.get_device().get_info<sycl::info::device::name>() << " is no processor";
  auto* const words = make<unsigned>();
  for (int i = 0; i < count; ++i) words[i] = 0;
  auto* const shifted = reinterpret_cast<unsigned*>(reinterpret_cast<char*>(words) + 2);
  q.parallel_for(count - 1, [=](sycl::id<1> i) __attribute__((no_sanitize("alignment"))) {
    shifted[i] = 0x10002u;
  }).wait();
  for (int i = 1; i < count - 1; ++i) ASSERT_EQ(words[i], 0x20001u) << i;
}

TEST_F(pointer_arguments, may_be_more_than_a_device_has_descriptors_for) {
  twelve all{};
  for (int k = 0; k < 12; ++k) all.values[k] = a[k];
  q.parallel_for(count, [=](sycl::id<1> i) {
    for (int k = 0; k < 12; ++k) all.values[k][i] = float(k);
  }).wait();
  for (int k = 0; k < 12; ++k)
    for (int i = 0; i < count; ++i) ASSERT_EQ(a[k][i], float(k));
}

TEST_F(pointer_arguments, may_be_to_memory_of_any_launch_before) {
  float* const y = a[1];
  sycl::queue ordered(q.get_context(), q.get_device(), sycl::property::queue::in_order());
  for (int k = 2; k < 12; ++k) {
    const float* const from = a[k];
    ordered.fill(a[k], float(k), count);
    ordered.parallel_for(count, [=](sycl::id<1> i) { y[i] += from[i]; });
  }
  ordered.wait();
  for (int i = 0; i < count; ++i) ASSERT_EQ(y[i], 65);
}

} // namespace
