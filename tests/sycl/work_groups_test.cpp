// Kernels with barriers across which values, arrays and control flow must be preserved. Each result is
// compared with plain C++ that runs the work-items one by one between the barriers.
#include "tests/sycl/common.hpp"

#include <array>
#include <functional>

namespace {

/// Runs `body(item, out, local)` in groups of `local` and returns `out`: one int for each work-item.
template <int D, typename Body>
std::vector<int> run(sycl::nd_range<D> range, std::size_t local_ints, Body body) {
  sycl::queue q;
  sycl::buffer<int> out{sycl::range<1>(range.get_global_range().size())};
  q.submit([&](sycl::handler& h) {
    sycl::accessor o(out, h, sycl::write_only, sycl::no_init);
    sycl::local_accessor<int> l(sycl::range<1>(local_ints), h);
    h.parallel_for(range, [=](sycl::nd_item<D> item) { o[item.get_global_linear_id()] = body(item, l); });
  });
  sycl::host_accessor a(out, sycl::read_only);
  return {a.begin(), a.end()};
}

using phase = std::function<void(int)>;
/// All items of one group, phase by phase.
void together(int items, const phase& p) {
  for (int i = 0; i < items; ++i) p(i);
}

constexpr int items = 48, groups = 3; // not a power of two, no multiple of a sub-group

TEST(barrier, in_nested_loops_with_bounds_of_the_group) {
  const auto seen = run(sycl::nd_range<1>(items * groups, items), items, [](auto item, const auto& l) {
    const int me = int(item.get_local_id(0)), rounds = int(item.get_group(0)) + 1;
    int value = me;
    for (int i = 0; i < rounds; ++i) {
      l[me] = value;
      sycl::group_barrier(item.get_group());
      for (int k = 0; k <= i; ++k) {
        const int other = l[(me + k + 1) % items];
        sycl::group_barrier(item.get_group());
        l[me] = other + i;
        value += l[me] * (k + 1);
        sycl::group_barrier(item.get_group());
      }
      sycl::group_barrier(item.get_group());
    }
    return value;
  });
  for (int g = 0; g < groups; ++g) {
    std::vector<int> value(items), l(items), other(items);
    together(items, [&](int me) { value[me] = me; });
    for (int i = 0; i < g + 1; ++i) {
      together(items, [&](int me) { l[me] = value[me]; });
      for (int k = 0; k <= i; ++k) {
        together(items, [&](int me) { other[me] = l[(me + k + 1) % items]; });
        together(items, [&](int me) { value[me] += (l[me] = other[me] + i) * (k + 1); });
      }
    }
    for (int me = 0; me < items; ++me)
      ASSERT_EQ(seen[g * items + me], value[me]) << "group " << g << ", item " << me;
  }
}

TEST(barrier, in_loops_with_counters_derived_from_cross_region_values) {
  const auto seen = run(sycl::nd_range<1>(items * groups, items), items, [](auto item, const auto& l) {
    const int me = int(item.get_local_id(0)), base = int(item.get_group(0)) * 7;
    int value = 0, before = -1;
    for (int i = 0; i < 4; ++i) {
      const int outer = base + i * 100 + me; // depends on the id and a counter
      l[me] = outer;
      sycl::group_barrier(item.get_group());
      for (int k = i; k < 6; k += 2) {
        const int inner = outer * 3 + k;
        const int other = l[(me + k) % items];
        sycl::group_barrier(item.get_group());
        l[me] = other + inner;
        sycl::group_barrier(item.get_group());
        value = value * 3 % 9973 + l[(inner + outer) % items] + inner;
      }
      sycl::group_barrier(item.get_group());
      value += before * 2 + outer; // of the previous and of this iteration
      before = outer + i;
    }
    return value + before;
  });
  for (int g = 0; g < groups; ++g) {
    std::vector<int> value(items), before(items, -1), l(items), other(items), outer(items);
    for (int i = 0; i < 4; ++i) {
      together(items, [&](int me) { l[me] = outer[me] = g * 7 + i * 100 + me; });
      for (int k = i; k < 6; k += 2) {
        together(items, [&](int me) { other[me] = l[(me + k) % items]; });
        together(items, [&](int me) { l[me] = other[me] + outer[me] * 3 + k; });
        together(items, [&](int me) {
          const int inner = outer[me] * 3 + k;
          value[me] = value[me] * 3 % 9973 + l[(inner + outer[me]) % items] + inner;
        });
      }
      together(items, [&](int me) {
        value[me] += before[me] * 2 + outer[me];
        before[me] = outer[me] + i;
      });
    }
    for (int me = 0; me < items; ++me)
      ASSERT_EQ(seen[g * items + me], value[me] + before[me]) << "group " << g << ", item " << me;
  }
}

TEST(barrier, keeps_a_dynamically_indexed_private_array) {
  const auto seen = run(sycl::nd_range<1>(items * groups, items), items, [](auto item, const auto& l) {
    const int me = int(item.get_local_id(0));
    int mine[7];
    for (int i = 0; i < 7; ++i) mine[i] = me * 10 + i;
    for (int round = 0; round < 5; ++round) {
      l[me] = mine[(me + round) % 7];
      sycl::group_barrier(item.get_group());
      mine[(me * 3 + round) % 7] += l[(me + 1) % items];
      sycl::group_barrier(item.get_group());
    }
    int sum = 0;
    for (int i = 0; i < 7; ++i) sum += mine[i] * (i + 1);
    return sum;
  });
  std::vector<std::array<int, 7>> mine(items);
  std::vector<int> l(items);
  together(items, [&](int me) {
    for (int i = 0; i < 7; ++i) mine[me][i] = me * 10 + i;
  });
  for (int round = 0; round < 5; ++round) {
    together(items, [&](int me) { l[me] = mine[me][(me + round) % 7]; });
    together(items, [&](int me) { mine[me][(me * 3 + round) % 7] += l[(me + 1) % items]; });
  }
  for (int me = 0; me < items; ++me) {
    int sum = 0;
    for (int i = 0; i < 7; ++i) sum += mine[me][i] * (i + 1);
    for (int g = 0; g < groups; ++g) ASSERT_EQ(seen[g * items + me], sum) << me;
  }
}

TEST(barrier, in_both_arms_of_a_uniform_branch) {
  const auto seen = run(sycl::nd_range<1>(items * groups, items), items, [](auto item, const auto& l) {
    const int me = int(item.get_local_id(0)), g = int(item.get_group(0));
    int live = me * me + g;
    l[me] = me;
    if (g % 2 == 0) {
      sycl::group_barrier(item.get_group());
      live += l[items - 1 - me];
    } else {
      const int far = me + 5;
      sycl::group_barrier(item.get_group());
      live -= l[far % items] * 2;
      sycl::group_barrier(item.get_group());
      l[me] = live;
      sycl::group_barrier(item.get_group());
      live += l[(me + 1) % items];
    }
    return live;
  });
  for (int g = 0; g < groups; ++g)
    for (int me = 0; me < items; ++me) {
      const auto odd = [&](int i) { return i * i + g - (i + 5) % items * 2; };
      const int expected = g % 2 == 0 ? me * me + g + items - 1 - me : odd(me) + odd((me + 1) % items);
      ASSERT_EQ(seen[g * items + me], expected) << g << " " << me;
    }
}

TEST(barrier, after_divergent_code_and_divergent_loops) {
  const auto seen = run(sycl::nd_range<1>(items * groups, items), items, [](auto item, const auto& l) {
    const int me = int(item.get_local_id(0));
    unsigned value = 1; // products wrap
    int steps = 0;
    for (int round = 0; round < 4; ++round) {
      bool odd = false;
      if ((me + round) % 3 == 0) {
        for (int i = 0; i < me; ++i) {
          value = value * 3 + unsigned(i);
          if (int(value) % 11 == round) break;
          ++steps;
        }
        odd = int(value) % 2 != 0;
      } else if (me % 2) {
        value ^= unsigned(me);
      }
      l[me] = odd ? int(value) : -steps;
      sycl::group_barrier(item.get_group());
      if (odd) value += unsigned(l[(me + 7) % items]);
      else steps += l[(me + 3) % items] & 15;
      sycl::group_barrier(item.get_group());
    }
    return int(value * 5 + unsigned(steps));
  });
  std::vector<unsigned> value(items, 1);
  std::vector<int> steps(items), l(items);
  std::vector<bool> odd(items);
  for (int round = 0; round < 4; ++round) {
    together(items, [&](int me) {
      odd[me] = false;
      if ((me + round) % 3 == 0) {
        for (int i = 0; i < me; ++i) {
          value[me] = value[me] * 3 + i;
          if (int(value[me]) % 11 == round) break;
          ++steps[me];
        }
        odd[me] = int(value[me]) % 2 != 0;
      } else if (me % 2) {
        value[me] ^= me;
      }
      l[me] = odd[me] ? int(value[me]) : -steps[me];
    });
    together(items, [&](int me) {
      if (odd[me]) value[me] += l[(me + 7) % items];
      else steps[me] += l[(me + 3) % items] & 15;
    });
  }
  for (int me = 0; me < items; ++me) ASSERT_EQ(seen[me], int(value[me] * 5 + steps[me])) << me;
}

TEST(barrier, in_a_loop_with_a_uniform_break) {
  const auto seen = run(sycl::nd_range<1>(items * groups, items), items, [](auto item, const auto& l) {
    const int me = int(item.get_local_id(0));
    int value = me, round = 0;
    for (;; ++round) {
      l[me] = value;
      sycl::group_barrier(item.get_group());
      const int first = l[0];
      const int next = l[(me + 1) % items];
      sycl::group_barrier(item.get_group());
      if (first > 100) break; // uniform
      value += next + round;
      if (round > 50) return -1;
    }
    return value * 100 + round;
  });
  std::vector<int> value(items);
  together(items, [&](int me) { value[me] = me; });
  int round = 0;
  for (;; ++round) {
    const auto l = value;
    if (l[0] > 100) break;
    together(items, [&](int me) { value[me] += l[(me + 1) % items] + round; });
  }
  for (int me = 0; me < items; ++me) ASSERT_EQ(seen[me], value[me] * 100 + round) << me;
}

TEST(barrier, in_groups_of_two_and_three_dimensions) {
  const sycl::nd_range<3> range({4, 6, 10}, {2, 3, 5});
  const auto seen = run(range, 30, [](auto item, const auto& l) {
    const int me = int(item.get_local_linear_id());
    const int value = int(item.get_global_linear_id());
    l[me] = value;
    sycl::group_barrier(item.get_group());
    return l[29 - me] * 2 + int(item.get_local_id(1)) + value;
  });
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < 10; ++x) {
        const auto linear = [](int a, int b, int c) { return (a * 6 + b) * 10 + c; };
        const int mirrored = linear(z / 2 * 2 + 1 - z % 2, y / 3 * 3 + 2 - y % 3, x / 5 * 5 + 4 - x % 5);
        ASSERT_EQ(seen[linear(z, y, x)], mirrored * 2 + y % 3 + linear(z, y, x)) << z << y << x;
      }
}

TEST(barrier, of_the_largest_group_with_a_large_private_array) try {
  sycl::queue q;
  const int size = int(q.get_device().get_info<sycl::info::device::max_work_group_size>());
  constexpr int length = 64;
  const auto seen = run(sycl::nd_range<1>(size, size), size, [=](auto item, const auto& l) {
    const int me = int(item.get_local_id(0));
    int mine[length];
    for (int i = 0; i < length; ++i) mine[i] = me + i;
    l[me] = mine[me % length];
    sycl::group_barrier(item.get_group());
    mine[l[(me + 1) % size] % length] = -1;
    sycl::group_barrier(item.get_group());
    int sum = 0;
    for (int i = 0; i < length; ++i) sum += mine[i] * ((me + i) % 3);
    return sum;
  });
  for (int me = 0; me < size; ++me) {
    const int next = (me + 1) % size, hit = (next + next % length) % length;
    int sum = 0;
    for (int i = 0; i < length; ++i) sum += (i == hit ? -1 : me + i) * ((me + i) % 3);
    ASSERT_EQ(seen[me], sum) << me;
  }
} catch (const sycl::exception& refused) { // by the number of registers of a GPU's processor
  if (refused.code() != sycl::errc::nd_range || sycl::queue().get_device().is_cpu()) throw;
  GTEST_SKIP() << refused.what();
}

TEST(loops, group_strided_loops_that_some_items_skip) {
  constexpr int most = 400;
  for (int n : {0, 1, 47, 48, 49, 143, 145, 400}) {
    const auto seen = run(sycl::nd_range<1>(items, items), most, [=](auto item, const auto& l) {
      const int me = int(item.get_local_id(0));
      for (int i = me; i < most; i += items) l[i] = i * 3;
      sycl::group_barrier(item.get_group());
      int sum = me, last = -1, rounds = 0;
      for (int i = me; i < n; i += items) {
        sum += l[i];
        last = i;
        ++rounds;
        if (sum % 5 == 0) l[i] = sum;
      }
      sycl::group_barrier(item.get_group());
      int down = 0;
      for (std::size_t i = me; i < std::size_t(n); i += items) down = down * 3 + l[i];
      return sum * 7 + last * 3 + rounds + down;
    });
    std::vector<int> l(most);
    for (int i = 0; i < most; ++i) l[i] = i * 3;
    for (int me = 0; me < items; ++me) {
      int sum = me, last = -1, rounds = 0, down = 0;
      for (int i = me; i < n; i += items) {
        sum += l[i];
        last = i;
        ++rounds;
        if (sum % 5 == 0) l[i] = sum;
      }
      for (int i = me; i < n; i += items) down = down * 3 + l[i];
      ASSERT_EQ(seen[me], sum * 7 + last * 3 + rounds + down) << n << " " << me;
    }
  }
}

/// The result of a work-item that counts from `base + mine` up to `bound`; `base` is the index of the array's
/// start.
template <typename Counter, typename Local>
int walk(Counter base, Counter mine, Counter bound, Counter step, const Local& l) {
  unsigned sum = 1, rounds = 0; // wraps around
  for (Counter i = base + mine; i < bound; i += step) {
    sum = sum * 3 + unsigned(l[std::make_unsigned_t<Counter>(i - base)]);
    ++rounds;
  }
  return int(sum * 5 + rounds);
}

template <typename Counter>
void check_counters(Counter base, Counter bound, Counter step) {
  constexpr int most = 500;
  const auto content = [](int i) { return i * 7 + 3; };
  const auto seen = run(sycl::nd_range<2>({4, 24}, {4, 12}), most, [=](auto item, const auto& l) {
    const int me = int(item.get_local_linear_id()), x = int(item.get_local_id(1));
    for (int i = me; i < most; i += 48) l[i] = content(i);
    sycl::group_barrier(item.get_group());
    return walk(base, Counter(x), bound, step, l) ^
           walk<Counter>(base, Counter(item.get_local_id(0) * 12 + x), bound, step, l);
  });
  std::vector<int> l(most);
  for (int i = 0; i < most; ++i) l[i] = content(i);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 24; ++x)
      ASSERT_EQ(seen[y * 24 + x], walk(base, Counter(x % 12), bound, step, l) ^
                                      walk<Counter>(base, Counter(y * 12 + x % 12), bound, step, l))
          << +base << " to " << +bound << " by " << +step << " at " << y << ", " << x;
}

TEST(loops, every_counter_type_with_early_exits_of_some_items) {
  for (int bound : {0, 5, 12, 13, 95, 96, 97, 400}) {
    check_counters<int>(0, bound, 12);
    check_counters<int>(-40, bound - 40, 7);
    check_counters<unsigned>(0, bound, 12);
    check_counters<long>(-40, bound - 40, 48);
    check_counters<unsigned long>(3, bound + 3, 50);
  }
  // Some items start after the largest unsigned number, that is, at zero.
  for (unsigned bound : {0u, 1u, 30u, 100u}) {
    check_counters<unsigned>(0xfffffffau, bound, 12);
    check_counters<unsigned long>(0xfffffffffffffffaul, bound, 12);
  }
  check_counters<unsigned>(0xffffff00u, 0xffffff60u, 60);
}

TEST(loops, uniform_loops_with_consecutive_accesses) {
  const auto seen = run(sycl::nd_range<1>(items * groups, items), items * 10, [](auto item, const auto& l) {
    const int me = int(item.get_local_id(0)), rounds = int(item.get_group(0)) * 4;
    for (int k = 0; k < 10; ++k) l[k * items + me] = me + k;
    sycl::group_barrier(item.get_group());
    int sum = 0, product = 1;
    for (int k = 0; k < rounds; ++k) {
      sum += l[k * items + me];
      product = product * 3 + l[k * items + me] % 5;
    }
    return sum * 2 + product;
  });
  for (int g = 0; g < groups; ++g)
    for (int me = 0; me < items; ++me) {
      int sum = 0, product = 1;
      for (int k = 0; k < g * 4; ++k) {
        sum += me + k;
        product = product * 3 + (me + k) % 5;
      }
      ASSERT_EQ(seen[g * items + me], sum * 2 + product) << g << " " << me;
    }
}

TEST(barrier, keeps_pointers_bools_and_small_integers) {
  const auto seen = run(sycl::nd_range<1>(items * groups, items), 2 * items, [](auto item, const auto& l) {
    const int me = int(item.get_local_id(0));
    l[me] = me * 7;
    l[items + me] = me * 9;
    sycl::group_barrier(item.get_group());
    const int* at = &l[0] + me;
    unsigned char small = (unsigned char)(me * 37);
    short wide = short(me * -300);
    for (int round = 0; round < 6; ++round) {
      const bool far = (*at + round) % 2 == 0; // differs between items, and so does the pointer
      sycl::group_barrier(item.get_group());
      at = far ? &l[0] + (me + round * 3) % (2 * items) : at;
      small = (unsigned char)(small * 3 + far);
      wide = short(wide + *at);
      sycl::group_barrier(item.get_group());
    }
    return int(small) * 65536 + wide;
  });
  std::vector<int> l(2 * items);
  for (int i = 0; i < items; ++i) l[i] = i * 7, l[items + i] = i * 9;
  for (int me = 0; me < items; ++me) {
    int at = me;
    unsigned char small = (unsigned char)(me * 37);
    short wide = short(me * -300);
    for (int round = 0; round < 6; ++round) {
      const bool far = (l[at] + round) % 2 == 0;
      at = far ? (me + round * 3) % (2 * items) : at;
      small = (unsigned char)(small * 3 + far);
      wide = short(wide + l[at]);
    }
    ASSERT_EQ(seen[me], int(small) * 65536 + wide) << me;
  }
}

TEST(barrier, skipped_by_some_items_is_an_error_on_the_host_device) {
  sycl::queue q{[](sycl::exception_list) {}};
  if (q.get_device().get_backend() != sycl::backend::ext_prism_host)
    GTEST_SKIP() << "the behaviour is undefined on other devices";
  prism_test::error_log log;
  sycl::queue watched{q.get_device(), log.handler()};
  watched.submit([](sycl::handler& h) {
    sycl::local_accessor<int> l(64, h);
    h.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> item) {
      l[item.get_local_id(0)] = 1;
      if (item.get_local_id(0) < 63) sycl::group_barrier(item.get_group());
      l[item.get_local_id(0)] = 2;
    });
  });
  watched.wait_and_throw();
  ASSERT_EQ(log.texts.size(), 1u);
  EXPECT_NE(log.texts[0].find("wait at a barrier that the others never reach"), std::string::npos)
      << log.texts[0];
}

/// A loop over n numbers by the work-items of a sub-group, with a barrier in each iteration: only where the
/// work-item has a number, or in every iteration of the sub-group.
void double_numbers(sycl::queue q, std::vector<int>& numbers, bool always) {
  sycl::buffer<int> data(numbers);
  const int n = int(numbers.size());
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(data, h);
    h.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> item) {
      const sycl::sub_group part = item.get_sub_group();
      if (part.get_group_linear_id() != 0) return;
      const int width = int(part.get_local_linear_range()), me = int(part.get_local_linear_id());
      if (always) {
        for (int i = 0; i < n; i += width) {
          if (i + me < n) a[i + me] *= 2;
          sycl::group_barrier(part);
        }
      } else {
        for (int i = me; i < n; i += width) {
          a[i] *= 2;
          sycl::group_barrier(part);
        }
      }
    });
  });
}

TEST(barrier, of_a_sub_group_may_be_in_a_loop_that_all_its_items_run_equally_often) {
  std::vector<int> numbers(133, 21);
  double_numbers(sycl::queue(), numbers, true);
  EXPECT_EQ(numbers, std::vector<int>(133, 42));
}

TEST(barrier, of_a_sub_group_may_be_in_iterations_that_some_items_lack) {
  std::vector<int> numbers(133, 21);
  double_numbers(sycl::queue(), numbers, false);
  EXPECT_EQ(numbers, std::vector<int>(133, 42));
}

// One thread may run a whole group, and its local memory then needs no atomic instructions. The sums must
// still be right.
template <typename T>
using local_count = sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::work_group,
                                     sycl::access::address_space::local_space>;

TEST(local_atomics, count_work_items_that_update_one_element) {
  constexpr int size = 64, teams = 3, n = 5000;
  sycl::queue q;
  std::vector<int> data(n), seen(teams * 8);
  for (int i = 0; i < n; ++i) data[i] = (i / 7 * 5 + i % 3) % 8; // runs of equal numbers
  {
    sycl::buffer<int> in(data), out(seen);
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(in, h, sycl::read_only);
      sycl::accessor o(out, h, sycl::write_only, sycl::no_init);
      sycl::local_accessor<unsigned> mine(8, h);
      h.parallel_for(sycl::nd_range<1>(size * teams, size), [=](sycl::nd_item<1> item) {
        const auto l = item.get_local_id(0);
        if (l < 8) mine[l] = 0;
        sycl::group_barrier(item.get_group());
        for (auto i = item.get_global_id(0); i < std::size_t(n); i += item.get_global_range(0))
          local_count<unsigned>(mine[x[i]]).fetch_add(1u);
        sycl::group_barrier(item.get_group());
        if (l < 8) o[item.get_group(0) * 8 + l] = int(mine[l]);
      });
    });
  }
  for (int g = 0; g < teams; ++g) {
    int expected[8] = {};
    for (int i = 0; i < n; ++i) expected[data[i]] += i / size % teams == g;
    for (int b = 0; b < 8; ++b) EXPECT_EQ(seen[g * 8 + b], expected[b]) << "group " << g << ", place " << b;
  }
}

TEST(local_atomics, exchange_compare_and_find_the_largest) {
  constexpr int size = 96;
  const auto seen = run(sycl::nd_range<1>(size * groups, size), 4, [](auto item, const auto& l) {
    const int me = int(item.get_local_id(0));
    if (me < 4) l[me] = 0;
    sycl::group_barrier(item.get_group());
    local_count<int> largest(l[0]), first(l[1]), sum(l[2]), bits(l[3]);
    largest.fetch_max((me * 37) % 101);
    int none = 0;
    const bool won = first.compare_exchange_strong(none, me + 1);
    for (int known = sum.load(); !sum.compare_exchange_weak(known, known + me);) {}
    bits.fetch_or(1 << (me % 16));
    sycl::group_barrier(item.get_group());
    return largest.load() + 1000 * (won ? 1 : 0) + 10000 * (sum.load() == size * (size - 1) / 2) +
           100000 * (bits.load() == 0xffff);
  });
  int most = 0;
  for (int me = 0; me < size; ++me) most = std::max(most, (me * 37) % 101);
  for (int g = 0; g < groups; ++g) {
    int winners = 0;
    for (int me = 0; me < size; ++me) {
      const int value = seen[g * size + me];
      winners += value / 1000 % 10;
      ASSERT_EQ(value % 1000, most) << "item " << me;
      ASSERT_EQ(value / 10000, 11) << "item " << me;
    }
    EXPECT_EQ(winners, 1) << "group " << g;
  }
}

// Unsigned sums that wrap below zero: in items that do not use them, and in intermediate results of items
// that do.
TEST(local_indices, of_32_bits_may_wrap) {
  const auto seen = run(sycl::nd_range<1>(items * groups, items), 2 * items, [](auto item, const auto& l) {
    const unsigned me = unsigned(item.get_local_id(0)), shift = 4294967290u; // -6
    l[me] = int(me * me);
    l[items + me] = -1;
    sycl::group_barrier(item.get_group());
    unsigned from = 0;
    for (unsigned apart = 1; apart < items; apart *= 2) {
      const int here = l[from + me];
      l[(items - from) + me] = me >= apart ? here + l[from + me - apart] : here;
      from = items - from;
      sycl::group_barrier(item.get_group());
    }
    const int sum = l[from + me];
    const int behind = me >= 6 ? l[from + (me + shift)] : 0,
              ahead = me + 6 < items ? l[from + (me - shift)] : 0;
    const int backwards = l[from + (unsigned(items) - 1u - me)],
              apart = me < items / 2 ? l[from + me * 2u + 1u] : 0;
    return sum + 3 * behind + 5 * ahead + 7 * backwards + 11 * apart;
  });
  std::vector<int> sum(items);
  for (int me = 0, all = 0; me < items; ++me) sum[me] = all += me * me;
  for (int i = 0; i < items * groups; ++i) {
    const int me = i % items;
    const int expected = sum[me] + 3 * (me >= 6 ? sum[me - 6] : 0) + 5 * (me + 6 < items ? sum[me + 6] : 0) +
                         7 * sum[items - 1 - me] + 11 * (me < items / 2 ? sum[2 * me + 1] : 0);
    ASSERT_EQ(seen[i], expected) << "item " << i;
  }
}

// Exchange partners selected by bits of the id: masks with one bit, several bits or none, in groups that are
// multiples of these runs and in others.
TEST(masked_ids, select_exchange_partners) {
  constexpr int rounds = 14;
  const auto bits_of = [](int round) { return round < 7 ? 1u << round : unsigned(round * round * 8) & 127u; };
  for (const int size : {128, 96, 100, 8, 6, 4}) {
    const auto seen = run(sycl::nd_range<1>(size * groups, size), 3 * size, [=](auto item, const auto& l) {
      const unsigned me = unsigned(item.get_local_id(0)), all = unsigned(item.get_local_range(0));
      l[me] = int(me * me + 1);
      l[2 * all + me] = 11; // a run that goes beyond the group writes here
      unsigned from = 0;
      for (int round = 0; round < rounds; ++round) {
        const unsigned bits = bits_of(round), to = all - from;
        sycl::group_barrier(item.get_group());
        const unsigned run_start = me & (0u - bits), within = me & (bits - 1u);
        l[to + me] = l[from + run_start] + 3 * l[from + within];
        sycl::group_barrier(item.get_group());
        const unsigned other = me ^ bits, set = me | bits;
        l[from + me] = l[to + me] + (other < all ? 5 * l[to + other] : 1) + (set < all ? 7 * l[to + set] : 2);
        sycl::group_barrier(item.get_group());
        if ((all & (all - 1u)) == 0 && bits < all)
          l[to + (me ^ bits)] = l[from + me] & 0xfffff; // each element once
        else l[to + me] = l[from + me] & 0xfffff;
        from = to;
      }
      sycl::group_barrier(item.get_group());
      return l[from + me] + l[2 * all + me];
    });
    std::vector<int> now(size), next(size);
    for (int me = 0; me < size; ++me) now[me] = me * me + 1;
    for (int round = 0; round < rounds; ++round) {
      const unsigned bits = bits_of(round), all = unsigned(size);
      for (unsigned me = 0; me < all; ++me) next[me] = now[me & (0u - bits)] + 3 * now[me & (bits - 1u)];
      for (unsigned me = 0; me < all; ++me)
        now[me] = (next[me] + ((me ^ bits) < all ? 5 * next[me ^ bits] : 1) +
                   ((me | bits) < all ? 7 * next[me | bits] : 2)) &
                  0xfffff;
      if ((all & (all - 1u)) == 0 && bits < all) {
        for (unsigned me = 0; me < all; ++me) next[me ^ bits] = now[me];
        now = next;
      }
    }
    for (int i = 0; i < size * groups; ++i)
      ASSERT_EQ(seen[i], now[i % size] + 11) << "item " << i << " of groups of " << size;
  }
}

// Vector instructions access consecutive elements together, but must not reorder accesses to the same
// element.
TEST(strided_accesses, keep_their_order) {
  for (const unsigned apart : {0u, 1u, 2u * items}) {
    const auto seen = run(sycl::nd_range<1>(items * groups, items), 5 * items, [=](auto item, const auto& l) {
      const unsigned me = unsigned(item.get_local_id(0));
      l[4 * items + me] = int(me);
      sycl::group_barrier(item.get_group());
      const int mine = l[4 * items + me];
      l[2 * me] = mine;
      l[2 * me + apart] = 1000 + mine;
      l[2 * me + 1] = 2000 + mine;
      sycl::group_barrier(item.get_group());
      const int first = l[2 * me];
      l[2 * me + apart] = 5000;
      const int second = l[2 * me + 1];
      sycl::group_barrier(item.get_group());
      return first * 10000 + second;
    });
    for (int i = 0; i < items * groups; ++i) {
      const int me = i % items;
      ASSERT_EQ(seen[i], (apart == 0 ? 1000 + me : me) * 10000 + (apart == 1 ? 5000 : 2000 + me))
          << "item " << i << ", " << apart << " apart";
    }
  }
}

/// Which work-items pass `factor * id < bound`, also where the products wrap around.
template <typename T>
void check_scaled_guards(std::initializer_list<T> factors, std::initializer_list<T> bounds) {
  for (const T factor : factors)
    for (const T bound : bounds) {
      const auto seen = run(sycl::nd_range<1>(items * groups, items), items, [=](auto item, const auto& l) {
        const T me = static_cast<T>(item.get_local_id(0));
        l[item.get_local_id(0)] = 1;
        sycl::group_barrier(item.get_group());
        if (factor * me < bound) l[item.get_local_id(0)] += 10;
        sycl::group_barrier(item.get_group());
        if (bound >= factor * me) l[item.get_local_id(0)] += 100;
        sycl::group_barrier(item.get_group());
        return l[item.get_local_id(0)];
      });
      for (int i = 0; i < items * groups; ++i) {
        const T product = factor * static_cast<T>(i % items);
        ASSERT_EQ(seen[i], 1 + (product < bound ? 10 : 0) + (product <= bound ? 100 : 0))
            << "item " << i << ", factor " << factor << ", bound " << bound;
      }
    }
}
TEST(scaled_guards, are_passed_by_the_right_work_items) {
  check_scaled_guards<unsigned>({0, 1, 3, 65535, 65536, 1u << 26, 1u << 28, 0x80000001u, ~0u},
                                {0, 1, 40, 48, 1u << 30, ~0u});
  check_scaled_guards<int>({0, 1, 3, 65535, 1 << 25, -1, -70000}, {-90, 0, 1, 48, 1 << 30});
  check_scaled_guards<std::uint64_t>({0, 1, 3, 65536, 1ull << 32, 1ull << 61, ~0ull},
                                     {0, 48, 1ull << 33, ~0ull});
}

} // namespace
