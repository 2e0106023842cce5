// Extensions that name a kind of memory: variables in local memory (work_group_static) and casts of pointers
// to the address space to which they point (dynamic_addrspace_cast).
#include "tests/sycl/common.hpp"

namespace {

using namespace sycl;
namespace exp = ext::oneapi::experimental;
constexpr auto global_space = access::address_space::global_space;
constexpr auto local_space = access::address_space::local_space;
constexpr auto private_space = access::address_space::private_space;
constexpr std::size_t local = 16, groups = 3, items = groups * local;

/// Runs `body(item)` for all work-items and returns its results.
template <typename Name, typename Body>
std::vector<int> results(const Body& body) {
  queue q;
  buffer<int> data(items);
  q.submit([&](handler& h) {
    accessor a(data, h, write_only);
    h.parallel_for<Name>(nd_range<1>(items, local),
                         [=](nd_item<1> item) { a[item.get_global_id()] = body(item); });
  });
  const host_accessor found(data, read_only);
  return {found.begin(), found.end()};
}

exp::work_group_static<int> shared_number;
static exp::work_group_static<int[local]> shared_numbers;

struct owner {
  static inline exp::work_group_static<long> number;
};
template <int N>
struct owners {
  static inline exp::work_group_static<int> number;
};

struct pair_of_numbers {
  int first, second;
};

TEST(work_group_static, variables_of_namespaces_and_classes_belong_to_the_group) {
  const auto found = results<class uses_static_variables>([](nd_item<1> item) {
    const int i = int(item.get_local_id(0)), g = int(item.get_group(0));
    if (i == 3) {
      shared_number = g;
      shared_number += 10;
      owner::number = 1000;
      owners<1>::number = 10000;
      owners<2>::number = 20000;
    }
    shared_numbers[i] = 100 * i;
    group_barrier(item.get_group());
    const int* numbers = shared_numbers;
    return shared_number + numbers[local - 1 - std::size_t(i)] + int(*&owner::number) + owners<1>::number +
           owners<2>::number;
  });
  for (std::size_t i = 0; i < items; ++i)
    EXPECT_EQ(found[i], 31010 + int(i / local) + 100 * int(local - 1 - i % local)) << i;
}

template <int N>
int add_through_memory(nd_item<1> item, int value) {
  exp::work_group_static<int> sum; // of this instance of the template
  static exp::work_group_static<pair_of_numbers> pair;
  if (item.get_local_id(0) == 0) {
    sum = N;
    (&pair)->first = 0;
    (&pair)->second = N;
  }
  group_barrier(item.get_group());
  if (int(item.get_local_id(0)) == N) {
    sum += value;
    (&pair)->first = value;
  }
  group_barrier(item.get_group());
  const pair_of_numbers& both = pair;
  return sum + both.first + both.second;
}

TEST(work_group_static, variables_of_blocks_are_static_also_in_templates) {
  const auto found = results<class uses_variables_of_blocks>([](nd_item<1> item) {
    exp::work_group_static<int> one, other;
    if (item.get_local_id(0) == 1) one = 5, other = 7;
    const int a = add_through_memory<2>(item, 100), b = add_through_memory<9>(item, 1000);
    const int again = add_through_memory<2>(item, 20000);
    return a + b + again + (one * 10 + other) * 100000;
  });
  for (std::size_t i = 0; i < items; ++i) EXPECT_EQ(found[i], 5742226) << i;
}

TEST(work_group_static, too_many_bytes_are_refused_when_the_kernel_is_launched) {
  queue q;
  if (q.get_device().get_info<info::device::local_mem_size>() >= 64u << 20)
    GTEST_SKIP() << q.get_device().get_info<info::device::name>() << " has 64 MiB of local memory";
  buffer<int> out(1);
  EXPECT_EQ(prism_test::error_of([&] {
    q.submit([&](handler& h) {
      accessor a(out, h, write_only);
      h.parallel_for<class uses_too_much>(nd_range<1>(4, 4), [=](nd_item<1> item) {
        exp::work_group_static<int[16 << 20]> many;
        many[item.get_local_id(0)] = 1;
        group_barrier(item.get_group());
        a[0] = many[3];
      });
    });
  }),
            errc::memory_allocation);
}

/// 1, 2 or 3 for a pointer into global, local or private memory.
template <typename T>
int kind_of(T* pointer) {
  return (khr::dynamic_addrspace_cast<global_space>(pointer).get() == pointer ? 1 : 0) +
         (khr::dynamic_addrspace_cast<local_space>(pointer).get() == pointer ? 2 : 0) +
         (khr::dynamic_addrspace_cast<private_space>(pointer).get() == pointer ? 3 : 0);
}

TEST(dynamic_addrspace_cast, gives_null_for_another_kind_of_memory) {
  queue q;
  std::vector<int> out(items, 0), in(items, 0);
  {
    buffer<int> data(out), more(in);
    q.submit([&](handler& h) {
      accessor a(data, h, write_only);
      accessor m(more, h);
      local_accessor<int> l(local, h);
      h.parallel_for<class casts_pointers>(nd_range<1>(items, local), [=](nd_item<1> item) {
        const int i = int(item.get_local_id(0));
        int own[4] = {i, i, i, i};
        own[i % 4] = 4;
        l[i] = i;
        group_barrier(item.get_group());
        int* const choices[3] = {&m[item.get_global_id(0)], &l[i], &own[i % 4]};
        int* const chosen = i % 3 == 0 ? &m[item.get_global_id(0)] : i % 3 == 1 ? &l[i] : &own[i % 4];
        auto generic = address_space_cast<access::address_space::generic_space, access::decorated::no>(&l[i]);
        const auto cast = khr::dynamic_addrspace_cast<local_space>(generic);
        static_assert(
            std::is_same_v<decltype(cast), const multi_ptr<int, local_space, access::decorated::no>>);
        a[item.get_global_id()] = kind_of(&m[0]) + 10 * kind_of(&l[0]) + 100 * kind_of(&own[i % 4]) +
                                  1000 * kind_of(chosen) + 10000 * int(cast.get() == choices[1]) +
                                  100000 * own[1];
      });
    });
  }
  for (std::size_t i = 0; i < items; ++i) {
    const int j = int(i % local);
    EXPECT_EQ(out[i], 321 + 1000 * (j % 3 + 1) + 10000 + 100000 * (j % 4 == 1 ? 4 : j)) << i;
  }
}

TEST(dynamic_addrspace_cast, follows_a_pointer_that_moves_in_a_loop) {
  const auto found = results<class moves_pointers>([](nd_item<1> item) {
    exp::work_group_static<int[2 * local]> numbers;
    const int i = int(item.get_local_id(0));
    int own[8];
    for (int k = 0; k < 8; ++k) own[k] = k + i;
    numbers[i] = numbers[i + int(local)] = i;
    group_barrier(item.get_group());
    int* at = i % 2 == 0 ? &numbers[i] : own;
    int kinds = 0, sum = 0;
    for (int k = 0; k < 5; ++k, ++at) {
      if (khr::dynamic_addrspace_cast<local_space>(at).get() == at) ++kinds;
      sum += *at;
    }
    return 1000 * kinds + sum;
  });
  for (std::size_t i = 0; i < items; ++i) {
    const int j = int(i % local);
    int sum = 0;
    for (int k = 0; k < 5; ++k) sum += j % 2 == 0 ? (j + k) % int(local) : k + j;
    EXPECT_EQ(found[i], (j % 2 == 0 ? 5000 : 0) + sum) << i;
  }
}

TEST(dynamic_addrspace_cast, works_in_kernels_over_a_range) {
  queue q;
  for (const std::size_t n : {3u, 5000u}) {
    std::vector<int> out(n, 0); // in the frame of a function that the kernel does not see
    {
      buffer<int> data(out);
      q.submit([&](handler& h) {
        accessor a(data, h);
        h.parallel_for<class casts_in_ranges>(range<1>(n), [=](id<1> i) {
          int own[4] = {};
          own[i[0] % 4] = 1;
          a[i] = kind_of(&own[i[0] % 3]) * 10 + kind_of(&a[i]);
        });
      });
    }
    EXPECT_EQ(out, std::vector<int>(n, 31)) << n;
  }
  int one = 0; // a buffer may use this memory itself: it is global for the kernel
  {
    buffer<int> data(&one, range<1>(1));
    q.submit([&](handler& h) {
      accessor a(data, h);
      h.single_task<class casts_in_tasks>([=] { a[0] = kind_of(&a[0]); });
    });
  }
  EXPECT_EQ(one, 1);
}

} // namespace
