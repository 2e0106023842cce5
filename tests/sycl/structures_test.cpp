// Kernels that read through pointers to structures of pointers, as Kokkos' functors and other libraries' are,
// and add up in local memory with a bound for each work-item, for groups with and without sub-groups of their
// own.
#include "tests/sycl/common.hpp"

namespace {

using namespace sycl;

struct arrays {
  const double* x;
  const double* y;
  int begin;
};

constexpr int most = 3000;

/// A structure in USM that points to arrays in USM.
class operands {
public:
  explicit operands(queue& q) : m_queue(q) {
    double* const x = malloc_shared<double>(most + 8, q);
    double* const y = malloc_shared<double>(most + 8, q);
    for (int i = 0; i < most + 8; ++i) {
      x[i] = i % 17;
      y[i] = i % 5 - 1;
    }
    m_all = malloc_shared<arrays>(1, q);
    *m_all = {x, y, 3};
  }
  ~operands() {
    free(const_cast<double*>(m_all->x), m_queue);
    free(const_cast<double*>(m_all->y), m_queue);
    free(m_all, m_queue);
  }
  arrays* get() const { return m_all; }
  double product(int n) const {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += m_all->x[i + m_all->begin] * m_all->y[i + m_all->begin];
    return sum;
  }

private:
  queue& m_queue;
  arrays* m_all;
};

/// Each work-item adds up `each` elements, a group's size apart, in a slot of local memory; slots are `width`
/// numbers apart.
template <typename Index, bool BySubGroups>
double product(queue& q, const arrays* a, int n, int each, std::size_t width) {
  constexpr std::size_t local = 64;
  const std::size_t groups = (std::size_t(n) + local * std::size_t(each) - 1) / (local * std::size_t(each));
  buffer<double> parts(groups);
  q.submit([&](handler& h) {
    accessor out(parts, h, write_only, no_init);
    local_accessor<double> sums(local * width, h);
    h.parallel_for(nd_range<1>(groups * local, local), [=](nd_item<1> it) {
      const std::size_t id = it.get_local_id(0);
      const std::size_t first = local * it.get_group(0) * std::size_t(each) + id;
      const Index last = std::min(Index(first + std::size_t(each) * local), Index(n));
      double& sum = sums[id * width];
      sum = 0;
      for (Index i = Index(first); i < last; i += Index(local))
        sum += a->x[i + a->begin] * a->y[i + a->begin];
      if constexpr (BySubGroups) {
        const auto sg = it.get_sub_group();
        group_barrier(sg);
        if (sg.leader())
          for (std::size_t k = 1; k < sg.get_local_linear_range(); ++k) sum += sums[(id + k) * width];
      }
      group_barrier(it.get_group());
      if (id != 0) return;
      const std::size_t step = BySubGroups ? it.get_sub_group().get_local_linear_range() : 1;
      for (std::size_t k = step; k < local; k += step) sum += sums[k * width];
      out[it.get_group(0)] = sum;
    });
  });
  double sum = 0;
  for (const double part : host_accessor(parts)) sum += part;
  return sum;
}

template <typename Index>
void expect_products(queue& q, const operands& a) {
  for (const int n : {1, 2, 63, 64, 65, 500, 2999})
    for (const int each : {1, 2, 3, 8})
      for (const std::size_t width : {1, 3}) {
        EXPECT_EQ((product<Index, false>(q, a.get(), n, each, width)), a.product(n)) << n << ", " << each;
        EXPECT_EQ((product<Index, true>(q, a.get(), n, each, width)), a.product(n))
            << n << ", " << each << ", by sub-groups";
      }
}

TEST(structures_of_pointers, are_read_in_strided_loops_that_end_for_each_work_item) {
  queue q;
  SKIP_WITHOUT(q, fp64);
  SKIP_WITHOUT(q, usm_shared_allocations);
  const operands a(q);
  expect_products<int>(q, a);
  expect_products<unsigned>(q, a);
  expect_products<std::size_t>(q, a);
}

TEST(structures_of_pointers, that_a_kernel_changes_are_read_again_after_the_barrier) {
  queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  struct list {
    int* now;
    int* next;
    int count;
  };
  constexpr int n = 96;
  int* const one = malloc_shared<int>(n, q);
  int* const other = malloc_shared<int>(n, q);
  int* const out = malloc_shared<int>(n, q);
  list* const all = malloc_shared<list>(1, q);
  for (int i = 0; i < n; ++i) {
    one[i] = i;
    other[i] = 1000 + i;
  }
  *all = {one, other, 2};
  q.parallel_for(nd_range<1>(32, 32), [=](nd_item<1> it) {
    int sum = 0;
    for (int turn = 0; turn < 3; ++turn) {
      for (int i = int(it.get_local_id(0)); i < n; i += 32) sum += all->now[i] * all->count;
      group_barrier(it.get_group());
      if (it.get_local_id(0) == 0) {
        std::swap(all->now, all->next);
        atomic_ref<int, memory_order::relaxed, memory_scope::device>(all->count) += 1;
      }
      group_barrier(it.get_group());
    }
    out[it.get_local_id(0)] = sum;
  }).wait();
  for (int id = 0; id < 32; ++id) {
    int sum = 0;
    for (int turn = 0; turn < 3; ++turn)
      for (int i = id; i < n; i += 32) sum += (i + (turn == 1 ? 1000 : 0)) * (2 + turn);
    EXPECT_EQ(out[id], sum) << id;
  }
  for (int* each : {one, other, out}) free(each, q);
  free(all, q);
}

/// Whether `kernel`, for work-item i and memory of its own at 4 * i, gave work-item i `expected` of its
/// number.
template <typename T, typename Kernel>
void expect_in_order(queue& q, const char* form, const Kernel& kernel) {
  constexpr int items = 1024;
  buffer<T> from{range<1>(items)}, to{range<1>(items)}, own{range<1>(4 * items)};
  {
    host_accessor numbers(from, write_only), memory(own, write_only);
    for (int i = 0; i < items; ++i) numbers[i] = static_cast<T>(i % 50 + 1);
    for (int i = 0; i < 4 * items; ++i) memory[i] = static_cast<T>(77);
  }
  q.submit([&](handler& h) { kernel(h, items, own, from, to); });
  host_accessor numbers(from, read_only), results(to, read_only);
  int wrong = 0;
  for (int i = 0; i < items; ++i) wrong += results[i] != numbers[i];
  EXPECT_EQ(wrong, 0) << form << " of " << sizeof(T) << " bytes on "
                      << q.get_device().get_info<info::device::name>();
}

// PoCL's loops over work-items moved such accesses past each other (compiler/opencl/item_order.hpp).
template <typename T>
void expect_all_in_order(queue& q, std::size_t zero) {
  using memory = buffer<T>;
  expect_in_order<T>(q, "a range", [=](handler& h, int n, memory& own, memory& from, memory& to) {
    accessor p(own, h, read_write);
    accessor x(from, h, read_only);
    accessor y(to, h, write_only);
    h.parallel_for(range<1>(n), [=](id<1> at) {
      const std::size_t i = at[0];
      p[2 * i] = x[i];
      const T read = p[2 * i + zero];
      p[2 * i + 1] = x[i] * 2;
      y[i] = read;
    });
  });
  expect_in_order<T>(q, "an nd_range", [=](handler& h, int n, memory& own, memory& from, memory& to) {
    accessor p(own, h, read_write);
    accessor x(from, h, read_only);
    accessor y(to, h, write_only);
    h.parallel_for(nd_range<1>(n, 64), [=](nd_item<1> it) {
      const std::size_t i = it.get_global_id(0);
      if (i >= std::size_t(n)) return;
      p[4 * i] = x[i];
      p[4 * i + 1] = x[i] * 2;
      const T read = p[4 * i + zero];
      p[4 * i + 2] = x[i] * 3;
      p[4 * i + 3] = x[i] * 4;
      y[i] = read;
    });
  });
  expect_in_order<T>(q, "loads around a store",
                     [=](handler& h, int n, memory& own, memory& from, memory& to) {
    accessor p(own, h, read_write);
    accessor x(from, h, read_only);
    accessor y(to, h, write_only);
    h.parallel_for(nd_range<1>(n, 64), [=](nd_item<1> it) {
      const std::size_t i = it.get_global_id(0);
      const T before = p[2 * i];
      p[2 * i + 1 + zero] = x[i];
      y[i] = static_cast<T>(p[2 * i + 1] + (before - static_cast<T>(77)));
    });
  });
  expect_in_order<T>(q, "two dimensions", [=](handler& h, int n, memory& own, memory& from, memory& to) {
    accessor p(own, h, read_write);
    accessor x(from, h, read_only);
    accessor y(to, h, write_only);
    h.parallel_for(nd_range<2>({std::size_t(n) / 4, 4}, {8, 4}), [=](nd_item<2> it) {
      const std::size_t i = it.get_global_linear_id(), l = it.get_local_id(1);
      p[it.get_global_id(0) * 4 + l] = x[i];
      y[i] = p[it.get_global_id(0) * 4 + (l ^ zero)];
    });
  });
  expect_in_order<T>(q, "a private array", [=](handler& h, int n, memory&, memory& from, memory& to) {
    accessor x(from, h, read_only);
    accessor y(to, h, write_only);
    h.parallel_for(nd_range<2>({std::size_t(n) / 4, 4}, {8, 4}), [=](nd_item<2> it) {
      const std::size_t i = it.get_global_linear_id();
      T values[2] = {static_cast<T>(x[i] + 1), x[i]};
      values[zero] = values[zero + 1];
      y[i] = values[zero];
    });
  });
}

TEST(structures, each_work_item_reads_what_it_has_just_written_among_its_own_numbers) {
  queue q;
  volatile std::size_t known_at_run_time = 0;
  const std::size_t zero = known_at_run_time;
  expect_all_in_order<float>(q, zero);
  expect_all_in_order<unsigned char>(q, zero);
  if (q.get_device().has(aspect::fp16)) expect_all_in_order<half>(q, zero);
  if (q.get_device().has(aspect::fp64)) expect_all_in_order<double>(q, zero);
}

} // namespace
