// Functions of a sub-group that some of its work-items do not call, because they have ended a loop earlier,
// returned or taken the other side of a branch. Programs for GPUs have such code. The others wait where the
// paths meet, and the function is for those that call it. Expected values are computed by plain C++.
#include "tests/sycl/common.hpp"

#include <numeric>

namespace {

constexpr int items = 64, groups = 3;

/// What `body(item, local memory, row lengths)` returns in each work-item of the groups.
template <typename Body>
std::vector<int> run(std::vector<int> lengths, Body body) {
  sycl::queue q;
  sycl::buffer<int> out{sycl::range<1>(items * groups)}, in(lengths);
  q.submit([&](sycl::handler& h) {
    sycl::accessor o(out, h, sycl::write_only, sycl::no_init);
    sycl::accessor n(in, h, sycl::read_only);
    sycl::local_accessor<int> l(sycl::range<1>(4 * items), h);
    h.parallel_for(sycl::nd_range<1>(items * groups, items),
                   [=](sycl::nd_item<1> i) { o[i.get_global_id(0)] = body(i, l, n); });
  });
  sycl::host_accessor a(out, sycl::read_only);
  return {a.begin(), a.end()};
}

/// Lengths of rows that differ between the work-items of a sub-group of any size.
std::vector<int> lengths() {
  std::vector<int> all(items);
  for (int i = 0; i < items; ++i) all[i] = i * 7 % 5 + i / 9;
  return all;
}

/// Work-items as fibers wait for those that have not ended, but at one place of the program's code only.
bool runs_fibers() {
  const char* form = std::getenv("PRISM_HOST_KERNELS");
  return form && std::string(form) == "fibers" &&
         sycl::device().get_backend() == sycl::backend::ext_prism_host;
}
#define SKIP_FIBERS()                                                                                        \
  if (runs_fibers()) GTEST_SKIP() << "work-items are fibers (PRISM_HOST_KERNELS)"

TEST(partial_barrier, is_in_a_loop_over_the_rows_of_a_part_of_the_sub_group) {
  // Vectors of 4 work-items: each has its own rows, and passes values through local memory behind a barrier.
  constexpr int vector = 4, rows = 21;
  const auto seen = run(lengths(), [](sycl::nd_item<1> i, const auto& l, const auto& n) {
    const sycl::sub_group part = i.get_sub_group();
    const int me = int(i.get_local_id(0)), lane = me % vector, team = items / vector;
    int sum = 0;
    for (int row = me / vector; row < rows; row += team) {
      for (int k = lane; k < n[row]; k += vector) sum += k;
      l[me] = row * 100 + lane;
      sycl::group_barrier(part);
      sum += 1000 * l[me / vector * vector + (lane + 1) % vector];
      sycl::group_barrier(part);
    }
    return sum;
  });
  const std::vector<int> n = lengths();
  for (int g = 0; g < groups; ++g)
    for (int me = 0; me < items; ++me) {
      int sum = 0;
      for (int row = me / vector; row < rows; row += items / vector) {
        for (int k = me % vector; k < n[row]; k += vector) sum += k;
        sum += 1000 * (row * 100 + (me + 1) % vector);
      }
      ASSERT_EQ(seen[g * items + me], sum) << me;
    }
}

TEST(partial_barrier, is_in_an_inner_loop_whose_iterations_differ) {
  SKIP_FIBERS();
  // All work-items are in the same iteration of the outer loop: the sub-group's first one counts them.
  const auto seen = run(lengths(), [](sycl::nd_item<1> i, const auto& l, const auto& n) {
    const sycl::sub_group part = i.get_sub_group();
    const int me = int(i.get_local_id(0)), width = int(part.get_max_local_range()[0]);
    const int first = me / width * width, next = first + (me - first + 1) % width;
    int sum = 0;
    l[me] = 0;
    for (int outer = 0; outer < 6; ++outer) {
      for (int k = 0; k < n[(me + outer) % items]; ++k) {
        l[me] += 1;
        sycl::group_barrier(part);
      }
      sycl::group_barrier(part); // the neighbour has ended its iterations too
      sum = sum * 3 + l[next];
      sycl::group_barrier(part);
    }
    return sum;
  });
  const std::vector<int> n = lengths();
  const auto width_of = [] {
    return int(sycl::device().get_info<sycl::info::device::sub_group_sizes>().back());
  };
  const int width = width_of();
  for (int g = 0; g < groups; ++g)
    for (int me = 0; me < items; ++me) {
      const int first = me / width * width, next = first + (me - first + 1) % width;
      int sum = 0, passed = 0;
      for (int outer = 0; outer < 6; ++outer) {
        passed += n[(next + outer) % items];
        sum = sum * 3 + passed;
      }
      ASSERT_EQ(seen[g * items + me], sum) << me;
    }
}

#define SKIP_WITH_SMALLER_SUB_GROUPS(least)                                                                  \
  if (const sycl::device device;                                                                             \
      int(device.get_info<sycl::info::device::sub_group_sizes>().back()) < (least))                          \
  GTEST_SKIP() << "the sub-groups have fewer than " << (least)                                               \
               << " work-items: " << prism_test::name_of(device)

TEST(partial_shuffles, sum_rows_of_different_lengths) {
  constexpr int vector = 4, rows = 21;
  SKIP_WITH_SMALLER_SUB_GROUPS(vector);
  const auto seen = run(lengths(), [](sycl::nd_item<1> i, const auto&, const auto& n) {
    const sycl::sub_group part = i.get_sub_group();
    const int me = int(i.get_local_id(0)), lane = me % vector, team = items / vector;
    int all = 0;
    for (int row = me / vector; row < rows; row += team) {
      int sum = 0;
      for (int k = lane; k < n[row]; k += vector) sum += k + 1;
      for (int step = vector / 2; step > 0; step /= 2) sum += sycl::permute_group_by_xor(part, sum, step);
      all = all * 10 + sum;
    }
    return all;
  });
  const std::vector<int> n = lengths();
  for (int g = 0; g < groups; ++g)
    for (int me = 0; me < items; ++me) {
      int all = 0;
      for (int row = me / vector; row < rows; row += items / vector)
        all = all * 10 + n[row] * (n[row] + 1) / 2;
      ASSERT_EQ(seen[g * items + me], all) << me;
    }
}

TEST(partial_shuffles, are_a_scan_in_each_iteration_of_a_vector) {
  // An inclusive scan over chunks of 8, in as many iterations as the vector's row has chunks.
  constexpr int vector = 8;
  const auto seen = run(lengths(), [](sycl::nd_item<1> i, const auto&, const auto& n) {
    const sycl::sub_group part = i.get_sub_group();
    const int me = int(i.get_local_id(0)), lane = me % vector, row = me / vector;
    int total = 0, out = 0;
    for (int begin = 0; begin < n[row * 5] * vector; begin += vector) {
      int value = begin + lane;
      for (int step = 1; step < vector; step *= 2) {
        const int before = sycl::shift_group_right(part, value, step);
        if (lane >= step) value += before;
      }
      value += total;
      total = sycl::select_from_group(part, value, part.get_local_linear_id() / vector * vector + vector - 1);
      out = out * 3 + value;
    }
    return out;
  });
  SKIP_WITH_SMALLER_SUB_GROUPS(vector);
  const std::vector<int> n = lengths();
  for (int g = 0; g < groups; ++g)
    for (int me = 0; me < items; ++me) {
      unsigned total = 0, out = 0;
      const int lane = me % vector;
      for (int begin = 0; begin < n[me / vector * 5] * vector; begin += vector) {
        unsigned value = total;
        for (int k = 0; k < vector; ++k) {
          total += unsigned(begin + k);
          if (k <= lane) value += unsigned(begin + k);
        }
        out = out * 3 + value;
      }
      ASSERT_EQ(unsigned(seen[g * items + me]), out) << me;
    }
}

TEST(partial_shuffles, follow_the_return_of_the_last_work_items) {
  SKIP_WITH_SMALLER_SUB_GROUPS(4);
  const auto seen = run(lengths(), [](sycl::nd_item<1> i, const auto&, const auto&) {
    const sycl::sub_group part = i.get_sub_group();
    const int me = int(i.get_local_id(0)), last = items - 6;
    if (me >= last) return -me;
    int sum = 0;
    for (int step = 1; step < 4; step *= 2) sum = sum * 100 + sycl::permute_group_by_xor(part, me, step);
    return sum;
  });
  for (int i = 0; i < items * groups; ++i) {
    const int me = i % items, last = items - 6;
    if (me >= last) ASSERT_EQ(seen[i], -me);
    else if (me < last / 4 * 4) ASSERT_EQ(seen[i], (me ^ 1) * 100 + (me ^ 2));
  }
}

TEST(partial_barrier, has_another_one_on_the_other_side_of_the_branch) {
  SKIP_FIBERS();
  const auto seen = run(lengths(), [](sycl::nd_item<1> i, const auto& l, const auto& n) {
    const sycl::sub_group part = i.get_sub_group();
    const int me = int(i.get_local_id(0)), other = me ^ 2; // on the same side
    int sum = 0;
    for (int k = 0; k < 5; ++k) {
      l[me] = me + k;
      if ((me + k) % 2 == 0) {
        sycl::group_barrier(part);
        sum += l[other];
        sycl::group_barrier(part);
      } else {
        for (int again = 0; again < 1 + n[me / 4]; ++again) {
          sycl::group_barrier(part);
          l[items + me] = sum + again;
          sycl::group_barrier(part);
          sum += 7 * l[items + other] % 1001;
          sycl::group_barrier(part);
        }
      }
      sycl::group_barrier(part);
      sum = sum * 3 % 10007 + l[me ^ 1];
      sycl::group_barrier(part);
    }
    return sum;
  });
  const std::vector<int> n = lengths();
  std::vector<int> sum(items), l(2 * items);
  for (int k = 0; k < 5; ++k) {
    for (int me = 0; me < items; ++me) l[me] = me + k;
    std::vector<int> now = sum;
    for (int me = 0; me < items; ++me)
      if ((me + k) % 2 == 0) now[me] += l[me ^ 2];
    for (int me = 0; me < items; me += 4)
      for (int again = 0; again < 1 + n[me / 4]; ++again) {
        for (int w = me; w < me + 4; ++w) l[items + w] = now[w] + again;
        for (int w = me; w < me + 4; ++w)
          if ((w + k) % 2 != 0) now[w] += 7 * l[items + (w ^ 2)] % 1001;
      }
    for (int me = 0; me < items; ++me) sum[me] = now[me] * 3 % 10007 + l[me ^ 1];
  }
  for (int i = 0; i < items * groups; ++i) ASSERT_EQ(seen[i], sum[i % items]) << i % items;
}

TEST(partial_barrier, is_in_a_loop_with_several_ends) {
  SKIP_FIBERS();
  const auto seen = run(lengths(), [](sycl::nd_item<1> i, const auto& l, const auto& n) {
    const sycl::sub_group part = i.get_sub_group();
    const int me = int(i.get_local_id(0)), other = me ^ 1, pair = me / 2;
    int sum = 0;
    for (int k = 0;; ++k) {
      if (k > n[pair] + 3) break;
      if ((k + pair) % 3 == 0) continue;
      l[me] = sum + me + k;
      sycl::group_barrier(part);
      sum = sum * 5 % 1009 + l[other];
      sycl::group_barrier(part);
      if (k > 2 && pair % 4 == 1) return -sum;
    }
    sycl::group_barrier(part);
    return sum;
  });
  const std::vector<int> n = lengths();
  for (int pair = 0; pair < items / 2; ++pair) {
    int sum[2] = {0, 0};
    bool returned = false;
    for (int k = 0; !returned && k <= n[pair] + 3; ++k) {
      if ((k + pair) % 3 == 0) continue;
      const int l[2] = {sum[0] + 2 * pair + k, sum[1] + 2 * pair + 1 + k};
      for (int w = 0; w < 2; ++w) sum[w] = sum[w] * 5 % 1009 + l[1 - w];
      returned = k > 2 && pair % 4 == 1;
    }
    for (int g = 0; g < groups; ++g)
      for (int w = 0; w < 2; ++w)
        ASSERT_EQ(seen[g * items + 2 * pair + w], returned ? -sum[w] : sum[w]) << pair;
  }
}

TEST(partial_vote, is_of_the_work_items_that_are_still_in_the_loop) {
  const int width = int(sycl::device().get_info<sycl::info::device::sub_group_sizes>().back());
  const auto seen = run(lengths(), [](sycl::nd_item<1> i, const auto&, const auto& n) {
    const sycl::sub_group part = i.get_sub_group();
    const int me = int(i.get_local_id(0));
    int sum = 0;
    for (int k = 0; k < n[me]; ++k) {
      const bool odd = sycl::any_of_group(part, me % 2 != 0), high = sycl::all_of_group(part, n[me] > k + 1),
                 none = sycl::none_of_group(part, n[me] == k + 2);
      sum = sum * 8 % 100003 + odd + 2 * high + 4 * none;
    }
    return sum;
  });
  const std::vector<int> n = lengths();
  for (int me = 0; me < items; ++me) {
    const int first = me / width * width;
    int sum = 0;
    for (int k = 0; k < n[me]; ++k) {
      bool odd = false, high = true, none = true;
      for (int w = first; w < std::min(items, first + width); ++w)
        if (n[w] > k) odd |= w % 2 != 0, high &= n[w] > k + 1, none &= n[w] != k + 2;
      sum = sum * 8 % 100003 + odd + 2 * high + 4 * none;
    }
    for (int g = 0; g < groups; ++g) ASSERT_EQ(seen[g * items + me], sum) << me;
  }
}

TEST(partial_sums, are_of_the_work_items_that_are_still_in_the_loop) {
  const int width = int(sycl::device().get_info<sycl::info::device::sub_group_sizes>().back());
  const auto seen = run(lengths(), [](sycl::nd_item<1> i, const auto&, const auto& n) {
    const sycl::sub_group part = i.get_sub_group();
    const int me = int(i.get_local_id(0));
    int known = 0;
    for (int k = 0; k < n[me]; ++k) {
      const int sum = sycl::reduce_over_group(part, known + me, sycl::plus<int>());
      const int largest = sycl::reduce_over_group(part, known % 1009 + me, sycl::maximum<int>());
      known = (known + 7 * sum + 5 * largest) % 100003;
    }
    return known;
  });
  const std::vector<int> n = lengths();
  std::vector<int> known(items);
  for (int k = 0; k < 20; ++k) {
    const std::vector<int> old = known;
    for (int me = 0; me < items; ++me) {
      int sum = 0, largest = 0;
      for (int first = me / width * width, w = first; w < std::min(items, first + width); ++w)
        if (n[w] > k) sum += old[w] + w, largest = std::max(largest, old[w] % 1009 + w);
      if (n[me] > k) known[me] = (old[me] + 7 * sum + 5 * largest) % 100003;
    }
  }
  for (int i = 0; i < items * groups; ++i) ASSERT_EQ(seen[i], known[i % items]) << i % items;
}

TEST(partial_scan, is_over_the_work_items_that_are_still_in_the_loop) {
  if (const std::string name = prism_test::name_of(sycl::device());
      sycl::device().get_backend() == sycl::backend::ext_prism_vulkan && name.find("llvmpipe") != name.npos)
    GTEST_SKIP() << "its scans add the values of work-items that are elsewhere (Mesa 22.3): " << name;
  const int width = int(sycl::device().get_info<sycl::info::device::sub_group_sizes>().back());
  const auto seen = run(lengths(), [](sycl::nd_item<1> i, const auto&, const auto& n) {
    const sycl::sub_group part = i.get_sub_group();
    const int me = int(i.get_local_id(0));
    int known = 0;
    for (int k = 0; k < n[me]; ++k) {
      const int until = sycl::inclusive_scan_over_group(part, known + me * k, sycl::plus<int>());
      const int before = sycl::exclusive_scan_over_group(part, known + me, 3, sycl::plus<int>());
      known = (known + 7 * until + 5 * before) % 100003;
    }
    return known;
  });
  const std::vector<int> n = lengths();
  std::vector<int> known(items);
  for (int k = 0; k < 20; ++k) {
    const std::vector<int> old = known;
    for (int me = 0; me < items; ++me) {
      int until = 0, before = 3;
      for (int w = me / width * width; w <= me; ++w)
        if (n[w] > k) until += old[w] + w * k, before += w < me ? old[w] + w : 0;
      if (n[me] > k) known[me] = (old[me] + 7 * until + 5 * before) % 100003;
    }
  }
  for (int i = 0; i < items * groups; ++i) ASSERT_EQ(seen[i], known[i % items]) << i % items;
}

TEST(partial_sums, of_a_structure_follow_the_order_of_the_work_items) {
  struct line {
    int scale, shift;
    int padding[3];
  };
  const auto after = [](const line& a, const line& b) {
    return line{a.scale * b.scale % 1009, (a.scale * b.shift + a.shift) % 1009, {}};
  };
  const int width = int(sycl::device().get_info<sycl::info::device::sub_group_sizes>().back());
  const auto seen = run(lengths(), [after](sycl::nd_item<1> i, const auto&, const auto& n) {
    const sycl::sub_group part = i.get_sub_group();
    const int me = int(i.get_local_id(0));
    int known = 0;
    for (int k = 0; k < n[me]; ++k) {
      const line all = sycl::reduce_over_group(part, line{me + 2, k, {}}, after);
      known = known * 3 % 10007 + all.scale + 7 * all.shift;
    }
    return known;
  });
  if (sycl::device().get_backend() == sycl::backend::ext_prism_vulkan)
    GTEST_SKIP() << "shuffles combine the values of a structure on Vulkan, and read those that are missing: "
                 << prism_test::name_of(sycl::device());
  const std::vector<int> n = lengths();
  for (int me = 0; me < items; ++me) {
    const int first = me / width * width;
    int known = 0;
    for (int k = 0; k < n[me]; ++k) {
      line all{1, 0, {}};
      for (int w = first; w < std::min(items, first + width); ++w)
        if (n[w] > k) all = after(all, line{w + 2, k, {}});
      known = known * 3 % 10007 + all.scale + 7 * all.shift;
    }
    for (int g = 0; g < groups; ++g) ASSERT_EQ(seen[g * items + me], known) << me;
  }
}

/// The host device's report of a kernel that waits wrongly.
template <typename Body>
std::string report_of(Body body) {
  prism_test::error_log log;
  sycl::queue watched{sycl::device(), log.handler()};
  watched.submit([&](sycl::handler& h) {
    h.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> i) { body(i); });
  });
  watched.wait_and_throw();
  return log.texts.empty() ? "" : log.texts[0];
}

TEST(partial_barrier, of_the_work_group_is_an_error_on_the_host_device) {
  if (sycl::device().get_backend() != sycl::backend::ext_prism_host)
    GTEST_SKIP() << "the behaviour is undefined on other devices";
  const std::string text = report_of([](sycl::nd_item<1> i) {
    const sycl::sub_group part = i.get_sub_group();
    for (int k = int(i.get_local_id(0)); k < 40; k += 16) {
      sycl::group_barrier(part);
      sycl::group_barrier(i.get_group());
    }
  });
  EXPECT_NE(text.find("never reach"), std::string::npos) << text;
}

TEST(partial_barrier, in_front_of_another_one_is_an_error_of_work_items_that_are_fibers) {
  if (!runs_fibers()) GTEST_SKIP() << "work-items are no fibers (PRISM_HOST_KERNELS)";
  const std::string text = report_of([](sycl::nd_item<1> i) {
    const sycl::sub_group part = i.get_sub_group();
    for (int k = int(i.get_local_id(0)); k < 40; k += 16) sycl::group_barrier(part);
    sycl::group_barrier(part);
  });
  EXPECT_NE(text.find("sub-group operation that others of their sub-group never reach"), std::string::npos)
      << text;
}

} // namespace
