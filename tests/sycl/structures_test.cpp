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

} // namespace
