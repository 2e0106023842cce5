// Hierarchical kernels on real groups: code that the group runs once, variables that its work-items share,
// and the distribution of logical items. group_memory_test.cpp has the simple forms.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // hierarchical kernels are
#include "tests/sycl/common.hpp"

#include <algorithm>
#include <array>

namespace {

using namespace sycl;
using prism_test::counted;

/// Runs a kernel over `groups` groups of `local` work-items that writes to `out`.
template <typename Name, typename T, int D, typename F>
void run_groups(queue& q, std::vector<T>& out, range<D> groups, range<D> local, const F& kernel) {
  buffer<T> b(out);
  q.submit([&](handler& h) {
    accessor<T, 1, access_mode::read_write> o(b, h);
    h.parallel_for_work_group<Name>(groups, local, [=](group<D> g) { kernel(g, o); });
  });
}

TEST(hierarchical, runs_as_many_loop_iterations_as_an_nd_range_kernel) {
  queue q;
  const int items = 256, steps = 1024, groups = 4;
  if (q.get_device().get_info<info::device::max_work_group_size>() < std::size_t(items))
    GTEST_SKIP() << prism_test::name_of(q.get_device()) << " has no work-groups of " << items << " items";
  std::vector<float> out(groups * items, -1);
  run_groups<class many_iterations>(q, out, range<1>(groups), range<1>(items),
                                    [=](const group<1>& g, const auto& o) {
    g.parallel_for_work_item([&](h_item<1> it) {
      float sum = 0;
      for (int k = 0; k < steps; ++k) sum += static_cast<float>((k + it.get_global_id(0)) % 3);
      o[it.get_global_id(0)] = sum;
    });
  });
  for (int i = 0; i < groups * items; ++i) {
    float sum = 0;
    for (int k = 0; k < steps; ++k) sum += static_cast<float>((k + i) % 3);
    EXPECT_EQ(out[i], sum) << i;
  }
}

TEST(hierarchical, group_variables_written_by_one_item_are_visible_to_all) {
  queue q;
  const int groups = 7, local = 64;
  std::vector<int> out(groups * local + groups, -1);
  run_groups<class one_writes>(q, out, range<1>(groups), range<1>(local),
                               [=](const group<1>& g, const auto& o) {
    int chosen = 5;
    g.parallel_for_work_item([&](h_item<1> it) {
      if (it.get_local_id(0) == 37) chosen = 1000 + int(g.get_group_id(0));
    });
    const int doubled = 2 * chosen;
    o[groups * local + g.get_group_id(0)] = doubled;
    g.parallel_for_work_item(
        [&](h_item<1> it) { o[it.get_global_id(0)] = doubled + chosen + int(it.get_local_id(0)); });
  });
  for (int i = 0; i < groups * local; ++i) EXPECT_EQ(out[i], 3 * (1000 + i / local) + i % local) << i;
  for (int g = 0; g < groups; ++g) EXPECT_EQ(out[groups * local + g], 2 * (1000 + g));
}

TEST(hierarchical, group_loops_read_values_written_by_items) {
  queue q;
  const int groups = 5, local = 128;
  std::vector<int> out(groups * local, -1);
  run_groups<class group_sums>(q, out, range<1>(groups), range<1>(local),
                               [=](const group<1>& g, const auto& o) {
    int tile[local];
    for (int k = 0; k < local; ++k) tile[k] = k;
    g.parallel_for_work_item([&](h_item<1> it) { tile[it.get_local_id(0)] += int(it.get_global_id(0)); });
    int sum = 0, until = 0;
    for (int v : tile) {
      if (v > 1000) break;
      sum += v;
      ++until;
    }
    g.parallel_for_work_item([&](h_item<1> it) { o[it.get_global_id(0)] = sum * 200 + until; });
  });
  for (int g = 0; g < groups; ++g) {
    int sum = 0, until = 0;
    for (int k = 0; k < local && k + g * local + k <= 1000; ++k) sum += 2 * k + g * local, ++until;
    for (int l = 0; l < local; ++l) EXPECT_EQ(out[g * local + l], sum * 200 + until) << g << ' ' << l;
  }
}

TEST(hierarchical, conditions_of_group_loops_come_from_items) {
  queue q;
  const int groups = 6, local = 32;
  std::vector<int> out(groups * local, -1);
  run_groups<class group_conditions>(q, out, range<1>(groups), range<1>(local),
                                     [=](const group<1>& g, const auto& o) {
    int left = 3 + int(g.get_group_id(0)), rounds = 0, values[local];
    g.parallel_for_work_item([&](h_item<1> it) { values[it.get_local_id(0)] = int(it.get_local_id(0)); });
    while (left > 0) {
      g.parallel_for_work_item([&](h_item<1> it) {
        const int l = int(it.get_local_id(0));
        if (l == rounds % local) --left; // one item per iteration
      });
      ++rounds;
      int first = values[0];
      g.parallel_for_work_item([&](h_item<1> it) {
        const int l = int(it.get_local_id(0));
        values[l] = l + 1 < local ? values[l] + 1 : first; // only its own element
      });
    }
    switch (rounds % 3) {
      case 0: g.parallel_for_work_item([&](h_item<1> it) { values[it.get_local_id(0)] += 100; }); break;
      case 1: rounds += 50; break;
      default:
        g.parallel_for_work_item(
            [&](h_item<1> it) { values[it.get_local_id(0)] += int(it.get_local_id(0)); });
    }
    g.parallel_for_work_item(
        [&](h_item<1> it) { o[it.get_global_id(0)] = values[it.get_local_id(0)] * 1000 + rounds; });
  });
  for (int g = 0; g < groups; ++g) {
    int values[local], rounds = 3 + g;
    for (int l = 0; l < local; ++l) values[l] = l;
    for (int r = 0; r < rounds; ++r) {
      const int first = values[0];
      for (int l = 0; l < local; ++l) values[l] = l + 1 < local ? values[l] + 1 : first;
    }
    const int way = rounds % 3;
    for (int l = 0; l < local; ++l) values[l] += way == 0 ? 100 : way == 1 ? 0 : l;
    if (way == 1) rounds += 50;
    for (int l = 0; l < local; ++l) EXPECT_EQ(out[g * local + l], values[l] * 1000 + rounds) << g << ' ' << l;
  }
}

TEST(hierarchical, effects_of_the_group_happen_once) {
  queue q;
  const int groups = 4, local = 96;
  std::vector<int> out(groups * local + 2 * groups, 0);
  run_groups<class effects_once>(q, out, range<1>(groups), range<1>(local),
                                 [=](const group<1>& g, const auto& o) {
    const int at = groups * local + 2 * int(g.get_group_id(0));
    using counter =
        atomic_ref<int, memory_order::relaxed, memory_scope::device, access::address_space::global_space>;
    o[at] += 3;
    const int before = counter(o[at + 1]).fetch_add(7);
    for (int k = 0; k < 5; ++k) counter(o[at + 1]).fetch_add(k);
    g.parallel_for_work_item([&](h_item<1> it) { counter(o[it.get_global_id(0)]).fetch_add(before + 1); });
    o[at] += 1 + o[at + 1];
  });
  for (int i = 0; i < groups * local; ++i) EXPECT_EQ(out[i], 1) << i;
  for (int g = 0; g < groups; ++g) {
    EXPECT_EQ(out[groups * local + 2 * g], 3 + 1 + 17);
    EXPECT_EQ(out[groups * local + 2 * g + 1], 17);
  }
}

TEST(hierarchical, logical_ranges_are_larger_and_smaller_than_the_group) {
  queue q;
  const int groups = 3, local = 16, larger = 45, smaller = 5;
  std::vector<int> out(groups * (larger + smaller), 0);
  run_groups<class logical_ranges>(q, out, range<1>(groups), range<1>(local),
                                   [=](const group<1>& g, const auto& o) {
    const int at = int(g.get_group_id(0)) * (larger + smaller);
    int tile[larger];
    g.parallel_for_work_item(range<1>(larger), [&](h_item<1> it) {
      const int l = int(it.get_logical_local_id(0));
      tile[l] =
          it.get_physical_local_id(0) == std::size_t(l % local) && it.get_logical_local_range(0) == larger
              ? l
              : -1000;
    });
    g.parallel_for_work_item(range<1>(smaller), [&](h_item<1> it) {
      o[at + larger + it.get_logical_local_id(0)] += 1 + tile[larger - 1 - it.get_logical_local_id(0)];
    });
    g.parallel_for_work_item(range<1>(larger), [&](h_item<1> it) {
      o[at + it.get_logical_local_id(0)] += tile[larger - 1 - it.get_logical_local_id(0)];
    });
  });
  for (int g = 0; g < groups; ++g) {
    for (int l = 0; l < larger; ++l) EXPECT_EQ(out[g * (larger + smaller) + l], larger - 1 - l) << l;
    for (int l = 0; l < smaller; ++l) EXPECT_EQ(out[g * (larger + smaller) + larger + l], larger - l) << l;
  }
}

TEST(hierarchical, groups_have_two_and_three_dimensions) {
  queue q;
  std::vector<int> flat(4 * 6, -1), deep(2 * 4 * 6, -1), chosen(2 * 33 * 70, 0);
  run_groups<class two_dimensions>(q, flat, range<2>(2, 2), range<2>(2, 3),
                                   [=](const group<2>& g, const auto& o) {
    int tile[2][3];
    g.parallel_for_work_item([&](h_item<2> it) {
      tile[it.get_local_id(0)][it.get_local_id(1)] = int(it.get_global_id(0) * 6 + it.get_global_id(1));
    });
    g.parallel_for_work_item([&](h_item<2> it) {
      o[it.get_global().get_linear_id()] = tile[1 - it.get_local_id(0)][2 - it.get_local_id(1)];
    });
  });
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 6; ++x)
      EXPECT_EQ(flat[y * 6 + x], (y / 2 * 2 + 1 - y % 2) * 6 + x / 3 * 3 + 2 - x % 3);
  run_groups<class three_dimensions>(q, deep, range<3>(1, 2, 3), range<3>(2, 2, 2),
                                     [=](const group<3>& g, const auto& o) {
    g.parallel_for_work_item(range<3>(2, 2, 2), [&](h_item<3> it) {
      o[it.get_global().get_linear_id()] =
          int(it.get_global_id(0) * 100 + it.get_global_id(1) * 10 + it.get_global_id(2));
    });
  });
  for (int i = 0; i < 48; ++i) EXPECT_EQ(deep[i], i / 24 * 100 + i / 6 % 4 * 10 + i % 6) << i;
  {
    buffer<int> b(chosen);
    q.submit([&](handler& h) {
      accessor<int, 1, access_mode::read_write> o(b, h);
      h.parallel_for_work_group<class chosen_two>(range<2>(2, 1), [=](group<2> g) {
        int tile[33 * 70];
        g.parallel_for_work_item(range<2>(33, 70), [&](h_item<2> it) {
          tile[it.get_logical_local().get_linear_id()] = int(it.get_logical_local().get_linear_id());
        });
        g.parallel_for_work_item(range<2>(33, 70), [&](h_item<2> it) {
          o[g.get_group_id(0) * (33 * 70) + it.get_logical_local().get_linear_id()] +=
              tile[33 * 70 - 1 - it.get_logical_local().get_linear_id()];
        });
      });
    });
  }
  for (int i = 0; i < 2 * 33 * 70; ++i) EXPECT_EQ(chosen[i], 33 * 70 - 1 - i % (33 * 70)) << i;
}

struct tally {
  int count = 17, parts[3] = {1, 2, 3};
};

TEST(hierarchical, private_memory_keeps_its_values_between_scopes) {
  queue q;
  const int groups = 3, local = 40;
  std::vector<int> out(groups * local, -1);
  run_groups<class private_kept>(q, out, range<1>(groups), range<1>(local),
                                 [=](const group<1>& g, const auto& o) {
    private_memory<tally> private_values(g);
    private_memory<int> index(g);
    g.parallel_for_work_item([&](h_item<1> it) { index(it) = int(it.get_local_id(0)); });
    for (int round = 0; round < 4; ++round)
      g.parallel_for_work_item([&](h_item<1> it) {
        private_values(it).count += index(it);
        private_values(it).parts[(index(it) + round) % 3] += round;
      });
    g.parallel_for_work_item([&](h_item<1> it) {
      const tally& own = private_values(it);
      o[it.get_global_id(0)] = own.count * 1000 + own.parts[0] * 100 + own.parts[1] * 10 + own.parts[2];
    });
  });
  for (int i = 0; i < groups * local; ++i) {
    tally own;
    for (int round = 0; round < 4; ++round)
      own.count += i % local, own.parts[(i % local + round) % 3] += round;
    EXPECT_EQ(out[i], own.count * 1000 + own.parts[0] * 100 + own.parts[1] * 10 + own.parts[2]) << i;
  }
}

/// Calls parallel_for_work_item itself, as helper functions of programs do.
template <typename Group, typename T>
int sum_of(const Group& g, const T& values, int count) {
  int sum = 0;
  g.parallel_for_work_item([&](h_item<1> it) {
    if (it.get_local_id(0) == 0)
      for (int k = 0; k < count; ++k) sum += values[k];
  });
  return sum;
}

TEST(hierarchical, groups_return_early_and_call_functions) {
  queue q;
  const int groups = 8, local = 48;
  std::vector<int> out(groups * local, -1);
  run_groups<class early_return>(q, out, range<1>(groups), range<1>(local),
                                 [=](const group<1>& g, const auto& o) {
    if (g.get_group_id(0) == 3) return;
    struct pair {
      int values[local];
      int most;
      explicit pair(int start) : most(start) {}
      int limited() const { return most < 100 ? most : 100; }
    } shared(int(g.get_group_id(0)));
    g.parallel_for_work_item(
        [&](h_item<1> it) { shared.values[it.get_local_id(0)] = int(it.get_local_id(0)) * 2 + shared.most; });
    const int sum = sum_of(g, shared.values, local);
    if (sum % 2 == 1) return;
    for (int k = 0; k < local; ++k)
      if (shared.values[k] > shared.most) shared.most = shared.values[k];
    if (shared.most > 98) return;
    const auto write = [&](int more) {
      g.parallel_for_work_item([&](h_item<1> it) { o[it.get_global_id(0)] = sum + shared.limited() + more; });
    };
    write(7);
  });
  for (int g = 0; g < groups; ++g) {
    const int sum = local * (local - 1) + local * g, most = 2 * (local - 1) + g;
    const int expected = g == 3 || sum % 2 == 1 || most > 98 ? -1 : sum + most + 7;
    for (int l = 0; l < local; ++l) EXPECT_EQ(out[g * local + l], expected) << g << ' ' << l;
  }
}

TEST(hierarchical, groups_copy_blocks_together) {
  queue q;
  const int groups = 4, local = 32, block = 80;
  const std::vector<int> in = counted(groups * block);
  std::vector<int> out(groups * block, -1);
  {
    buffer<int> bi(in), bo(out);
    q.submit([&](handler& h) {
      accessor<int, 1, access_mode::read_write> i(bi, h), o(bo, h);
      local_accessor<int, 1> tile(block, h);
      h.parallel_for_work_group<class hierarchical_copies>(range<1>(groups), range<1>(local),
                                                           [=](group<1> g) {
        const auto first = std::ptrdiff_t(g.get_group_id(0) * block);
        const auto mine = tile.template get_multi_ptr<access::decorated::yes>();
        device_event done =
            g.async_work_group_copy(mine, i.template get_multi_ptr<access::decorated::yes>() + first, block);
        g.wait_for(done);
        int last = tile[block - 1];
        g.mem_fence();
        g.parallel_for_work_item(range<1>(block), [&](h_item<1> it) {
          tile[it.get_logical_local_id(0)] = last - tile[it.get_logical_local_id(0)];
        });
        g.wait_for(
            g.async_work_group_copy(o.template get_multi_ptr<access::decorated::yes>() + first, mine, block));
      });
    });
  }
  for (int i = 0; i < groups * block; ++i) EXPECT_EQ(out[i], block - 1 - i % block) << i;
}

TEST(hierarchical, references_and_pointers_lead_to_variables_of_the_group) {
  queue q;
  const int groups = 3, local = 24;
  std::vector<int> out(groups * local, -1);
  run_groups<class group_pointers>(q, out, range<1>(groups), range<1>(local),
                                   [=](const group<1>& g, const auto& o) {
    int even[local], odd[local];
    int* now = even;
    int* next = odd;
    g.parallel_for_work_item([&](h_item<1> it) { now[it.get_local_id(0)] = int(it.get_global_id(0)); });
    for (int step = 1; step < local; step *= 2) {
      g.parallel_for_work_item([&](h_item<1> it) {
        const int l = int(it.get_local_id(0));
        next[l] = now[l] + (l >= step ? now[l - step] : 0);
      });
      int* private_values = now;
      now = next;
      next = private_values;
    }
    g.parallel_for_work_item([&](h_item<1> it) { o[it.get_global_id(0)] = now[it.get_local_id(0)]; });
  });
  for (int g = 0; g < groups; ++g)
    for (int l = 0, sum = 0; l < local; ++l) {
      sum += g * local + l;
      EXPECT_EQ(out[g * local + l], sum) << g << ' ' << l;
    }
}

TEST(hierarchical, large_variables_of_the_group_need_no_local_memory) {
  queue q;
  // Its driver for processors allows one work-item in a group of so much private memory, and the launch is
  // refused with that number.
  if (q.get_device().get_platform().get_info<info::platform::name>().find("Intel(R) OpenCL") == 0 &&
      q.get_device().is_cpu())
    GTEST_SKIP() << "Intel's driver has no room for the variables of 8 work-items";
  const int groups = 2, local = 8, count = 9000; // more than 32 KiB
  std::vector<int> out(groups * local, -1);
  const auto fill_and_read = [=](const group<1>& g, const auto& o) {
    int large[count];
    private_memory<int> private_values(g);
    g.parallel_for_work_item([&](h_item<1> it) {
      private_values(it) = int(it.get_local_id(0)) * 3;
      for (int k = int(it.get_local_id(0)); k < count; k += local) large[k] = k;
    });
    g.parallel_for_work_item([&](h_item<1> it) {
      o[it.get_global_id(0)] = large[count - 1 - it.get_local_id(0)] + private_values(it);
    });
  };
  SKIP_WITHOUT_PRIVATE_MEMORY(
      run_groups<class large_variables>(q, out, range<1>(groups), range<1>(local), fill_and_read));
  for (int i = 0; i < groups * local; ++i) EXPECT_EQ(out[i], count - 1 - i % local + i % local * 3) << i;
}

TEST(hierarchical, the_group_sorts_values_written_by_items) {
  queue q;
  const int groups = 4, local = 64;
  std::vector<int> out(groups * local, -1);
  run_groups<class group_sorts>(q, out, range<1>(groups), range<1>(local),
                                [=](const group<1>& g, const auto& o) {
    std::array<int, local> values;
    vec<float, 4> parts(0.0f);
    bool ordered = true;
    g.parallel_for_work_item([&](h_item<1> it) {
      const int l = int(it.get_local_id(0));
      values[l] = (l * 37 + 11) % local;
      if (l == 9) parts[2] = 3;
    });
    for (int i = 1; i < local; ++i) {
      const int moved = values[i];
      int j = i;
      for (; j > 0 && values[j - 1] > moved; --j) values[j] = values[j - 1];
      values[j] = moved;
    }
    g.parallel_for_work_item([&](h_item<1> it) {
      if (values[it.get_local_id(0)] != int(it.get_local_id(0))) ordered = false;
    });
    if (ordered && parts[2] == 3)
      g.parallel_for_work_item([&](h_item<1> it) { o[it.get_global_id(0)] = values[it.get_local_id(0)]; });
  });
  for (int i = 0; i < groups * local; ++i) EXPECT_EQ(out[i], i % local) << i;
}

TEST(hierarchical, group_loops_can_break_continue_and_return) {
  queue q;
  const int groups = 6, local = 32;
  std::vector<int> out(groups * local, 0);
  run_groups<class several_ways>(q, out, range<1>(groups), range<1>(local),
                                 [=](const group<1>& g, const auto& o) {
    const int self = int(g.get_group_id(0));
    int sums[local], total = 0;
    g.parallel_for_work_item([&](h_item<1> it) { sums[it.get_local_id(0)] = 1; });
    for (int i = 0; i < 3; ++i) {
      if (i == 1) continue;
      int j = 0;
      do {
        g.parallel_for_work_item([&](h_item<1> it) { sums[it.get_local_id(0)] += i + j; });
        total += sums[j];
        if (total > 9 + self * 3) {
          o[self * local] = -total;
          return;
        }
      } while (++j < 2 + self % 2);
    }
    for (int k = 0; k < local; ++k) {
      if (sums[k] == 77) return;
      if (k == 20 + self) break;
      total += sums[k];
    }
    g.parallel_for_work_item(
        [&](h_item<1> it) { o[it.get_global_id(0)] = total + sums[it.get_local_id(0)]; });
  });
  for (int g = 0; g < groups; ++g) {
    int sum = 1, total = 0;
    bool left = false;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; i != 1 && j < 2 + g % 2 && !left; ++j) {
        sum += i + j;
        total += sum;
        left = total > 9 + g * 3;
      }
    const int most = std::min(20 + g, local);
    for (int l = 0; l < local; ++l)
      EXPECT_EQ(out[g * local + l], !left ? total + most * sum + sum : l == 0 ? -total : 0) << g << ' ' << l;
  }
}

TEST(hierarchical, all_items_see_the_result_of_a_group_atomic) {
  queue q;
  const int groups = 5, local = 40, tickets = groups * local;
  std::vector<int> out(tickets + 4, 0);
  run_groups<class atomic_results>(q, out, range<1>(groups), range<1>(local),
                                   [=](const group<1>& g, const auto& o) {
    using counter =
        atomic_ref<int, memory_order::relaxed, memory_scope::device, access::address_space::global_space>;
    const int ticket = counter(o[tickets]).fetch_add(1);
    int seen = counter(o[tickets + 1]).load();
    while (!counter(o[tickets + 1]).compare_exchange_strong(seen, seen + 2)) {}
    int none = 0;
    const bool won = counter(o[tickets + 2 + ticket % 2]).compare_exchange_strong(none, 7);
    if (won)
      g.parallel_for_work_item(
          [&](h_item<1> it) { o[ticket * local + it.get_local_id(0)] = ticket * 10 + 1; });
    else
      g.parallel_for_work_item(
          [&](h_item<1> it) { o[ticket * local + it.get_local_id(0)] = ticket * 10 + none; });
  });
  EXPECT_EQ(out[tickets], groups);
  EXPECT_EQ(out[tickets + 1], 2 * groups);
  int won = 0;
  for (int t = 0; t < groups; ++t) {
    won += out[t * local] % 10 == 1;
    for (int l = 0; l < local; ++l)
      EXPECT_EQ(out[t * local + l], t * 10 + (out[t * local] % 10 == 1 ? 1 : 7)) << t << ' ' << l;
  }
  EXPECT_EQ(won, 2);
}

TEST(hierarchical, the_group_selects_between_its_variables) {
  queue q;
  const int groups = 5, local = 64;
  std::vector<int> out(groups * local, -1);
  const auto choose = [](int self, int* a, int* b) { return self % 2 ? a : b; };
  run_groups<class chosen_variables>(q, out, range<1>(groups), range<1>(local),
                                     [=](const group<1>& g, const auto& o) {
    const int self = int(g.get_group_id(0));
    int a[local], b[local];
    int* to = choose(self, a, b);
    g.parallel_for_work_item([&](h_item<1> it) {
      a[it.get_local_id(0)] = 1;
      b[it.get_local_id(0)] = 2;
    });
    *to = 50;
    to[1] += 60;
    if (self < 2) {
      g.parallel_for_work_item([&](h_item<1> it) { to[it.get_local_id(0)] += 5; });
    } else {
      g.parallel_for_work_item([&](h_item<1> it) { a[it.get_local_id(0)] += 7; });
      b[2] = a[3];
    }
    g.parallel_for_work_item([&](h_item<1> it) {
      o[it.get_global_id(0)] = a[it.get_local_id(0)] * 1000 + b[local - 1 - it.get_local_id(0)];
    });
  });
  for (int g = 0; g < groups; ++g) {
    std::vector<int> a(local, 1), b(local, 2);
    int* to = choose(g, a.data(), b.data());
    *to = 50;
    to[1] += 60;
    for (int l = 0; l < local; ++l) (g < 2 ? to : a.data())[l] += g < 2 ? 5 : 7;
    if (g >= 2) b[2] = a[3];
    for (int l = 0; l < local; ++l)
      EXPECT_EQ(out[g * local + l], a[l] * 1000 + b[local - 1 - l]) << g << ' ' << l;
  }
}

TEST(hierarchical, work_items_wait_until_the_group_has_read) {
  queue q;
  const int groups = 3, local = 1024, rounds = 20;
  if (q.get_device().get_info<info::device::max_work_group_size>() < std::size_t(local))
    GTEST_SKIP() << prism_test::name_of(q.get_device()) << " has no work-groups of " << local << " items";
  std::vector<int> out(groups * local + rounds, -1);
  run_groups<class many_rounds>(q, out, range<1>(groups), range<1>(local),
                                [=](const group<1>& g, const auto& o) {
    int turn = 0, values[local];
    for (int r = 0; r < rounds; ++r) {
      g.parallel_for_work_item([&](h_item<1> it) {
        const int l = int(it.get_local_id(0));
        values[l] = (r ? values[l] : 0) + turn;
        if (l == r * 97 % local && g.get_group_id(0) == 1) o[groups * local + r] = turn;
      });
      turn = values[r * 131 % local] + 1;
    }
    g.parallel_for_work_item(
        [&](h_item<1> it) { o[it.get_global_id(0)] = values[local - 1 - it.get_local_id(0)] + turn; });
  });
  int value = 0, turn = 0;
  for (int r = 0; r < rounds; ++r) {
    value += turn;
    EXPECT_EQ(out[groups * local + r], turn) << r;
    turn = value + 1;
  }
  for (int i = 0; i < groups * local; ++i) EXPECT_EQ(out[i], value + turn) << i;
}

TEST(hierarchical, a_required_size_applies_to_groups_without_a_size) {
  queue q;
  const int groups = 3, count = 100;
  std::vector<int> out(groups * count, -1);
  {
    buffer<int> b(out);
    q.submit([&](handler& h) {
      accessor<int, 1, access_mode::write> o(b, h);
      h.parallel_for_work_group<class required_size>(range<1>(groups),
                                                     [=](group<1> g) [[sycl::reqd_work_group_size(32)]] {
        int calls = 0;
        const auto call = [&] { return ++calls; };
        call();
        call();
        const int self =
            g.leader() * 10 + int(g.get_local_linear_id()) * 100; // the group is one work-item here
        g.parallel_for_work_item(range<1>(count), [&](h_item<1> it) {
          o[g.get_group_id(0) * count + it.get_logical_local_id(0)] = calls + self;
        });
      });
    });
  }
  EXPECT_EQ(out, std::vector<int>(groups * count, 12));
}

/// Not allowed, but programs contain it.
TEST(hierarchical, nested_item_scopes_run_in_one_work_item) {
  queue q;
  const int groups = 4, local = 8;
  std::vector<int> out(groups * local, 0);
  run_groups<class nested_scopes>(q, out, range<1>(groups), range<1>(local),
                                  [=](const group<1>& g, const auto& o) {
    g.parallel_for_work_item([&](h_item<1> it) {
      g.parallel_for_work_item(
          [&](h_item<1> other) { o[it.get_global_id(0)] += 1 + int(other.get_local_id(0)); });
    });
  });
  for (int i = 0; i < groups * local; ++i) EXPECT_EQ(out[i], 36) << i;
}

} // namespace
