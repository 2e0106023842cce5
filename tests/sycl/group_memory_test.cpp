// Memory that a work-group shares, except local accessors: asynchronous copies, objects in group-local
// memory, hierarchical kernels; and queries and masks of extensions.
#pragma GCC diagnostic ignored                                                                               \
    "-Wdeprecated-declarations" // hierarchical kernels and copies of old pointers are
#include "tests/sycl/common.hpp"

#include <random>

namespace {

using namespace sycl;
using prism_test::counted;

TEST(async_work_group_copy, brings_blocks_in_and_out) {
  queue q;
  const int n = 96, local = 24;
  const std::vector<int> in = counted(n);
  std::vector<int> out(n, -1);
  {
    buffer<int> bi(in), bo(out);
    q.submit([&](handler& h) {
      accessor<int, 1, access_mode::read_write> i(bi, h);
      accessor<int, 1, access_mode::write> o(bo, h);
      local_accessor<int, 1> tile(local, h);
      h.parallel_for(nd_range<1>(n, local), [=](nd_item<1> it) {
        const auto g = it.get_group();
        const auto first = std::ptrdiff_t(g.get_group_id(0) * local);
        auto mine = tile.template get_multi_ptr<access::decorated::yes>();
        device_event in_done =
            it.async_work_group_copy(mine, i.template get_multi_ptr<access::decorated::yes>() + first, local);
        it.wait_for(in_done);
        const int turned = tile[local - 1 - it.get_local_id(0)] * 2;
        group_barrier(g);
        tile[it.get_local_id(0)] = turned;
        group_barrier(g);
        g.wait_for(
            g.async_work_group_copy(o.template get_multi_ptr<access::decorated::yes>() + first, mine, local));
      });
    });
  }
  for (int i = 0; i < n; ++i) EXPECT_EQ(out[i], 2 * (i / local * local + local - 1 - i % local));
}

TEST(async_work_group_copy, takes_strides_on_the_global_side) {
  queue q;
  const std::vector<int> in = counted(60);
  std::vector<int> out(60, -1);
  {
    buffer<int> bi(in), bo(out);
    q.submit([&](handler& h) {
      accessor<int, 1, access_mode::read_write> i(bi, h), o(bo, h);
      local_accessor<int, 1> tile(20, h);
      h.parallel_for(nd_range<1>(7, 7), [=](nd_item<1> it) { // fewer items than elements
        it.async_work_group_copy(tile.get_pointer(), i.get_pointer(), 20, 3).wait();
        it.async_work_group_copy(o.get_pointer() + 1, tile.get_pointer(), 20, 3).wait();
      });
    });
  }
  for (int i = 0; i < 60; ++i) EXPECT_EQ(out[i], i % 3 == 1 ? i - 1 : -1) << i;
}

TEST(group_local_memory, each_call_site_has_its_own_object) {
  queue q;
  const int n = 64, local = 16;
  std::vector<int> out(n, -1);
  {
    buffer<int> b(out);
    q.submit([&](handler& h) {
      accessor<int, 1, access_mode::write> o(b, h);
      local_accessor<int, 1> third(local, h);
      h.parallel_for(nd_range<1>(n, local), [=](nd_item<1> it) {
        const auto g = it.get_group();
        const int l = int(it.get_local_id(0));
        auto& first = *ext::oneapi::group_local_memory_for_overwrite<int[16]>(g);
        auto& second = *ext::oneapi::group_local_memory_for_overwrite<int[16]>(g);
        auto start = ext::oneapi::group_local_memory<int>(g, 1000);
        first[l] = l;
        second[l] = 100 + l;
        third[l] = 10000 * l;
        group_barrier(g);
        const int sum = reduce_over_group(g, 1, plus<>()); // its scratch memory must be separate as well
        o[it.get_global_id()] = first[15 - l] + second[(l + 1) % 16] + *start + third[(l + 2) % 16] + sum;
      });
    });
  }
  for (int i = 0; i < n; ++i) {
    const int l = i % local;
    EXPECT_EQ(out[i], 15 - l + 100 + (l + 1) % 16 + 1000 + 10000 * ((l + 2) % 16) + 16) << i;
  }
}

TEST(this_work_item, ids_are_available_without_an_argument) {
  queue q;
  std::vector<int> out(24, -1);
  {
    buffer<int, 1> b(out);
    q.submit([&](handler& h) {
      accessor<int, 1, access_mode::write> o(b, h);
      h.parallel_for(nd_range<2>({4, 6}, {2, 3}), [=](nd_item<2> given) {
        const auto it = ext::oneapi::this_work_item::get_nd_item<2>();
        const auto g = ext::oneapi::this_work_item::get_work_group<2>();
        const auto s = ext::oneapi::experimental::this_sub_group();
        const bool same = it == given && g == given.get_group() && s == given.get_sub_group();
        o[it.get_global_linear_id()] = same ? int(it.get_global_linear_id()) : -2;
      });
    });
  }
  EXPECT_EQ(out, counted(24));
}

/// Called from the kernel; gets no item argument.
int weight_of_this_item() {
  const auto place = ext::oneapi::experimental::this_item<3>();
  const id<3> where = ext::oneapi::experimental::this_id<3>();
  return place.get_id() == where ? int(place.get_linear_id()) : -2;
}

TEST(this_work_item, has_id_and_range_in_a_range_kernel) {
  queue q;
  const range<3> all(5, 7, 11);
  std::vector<int> out(all.size(), -1), sizes(3, -1), single(7, -1);
  {
    buffer<int, 3> b(out.data(), all);
    buffer<int> s(sizes), one(single);
    q.submit([&](handler& h) {
      accessor o(b, h, write_only);
      accessor size(s, h, write_only);
      h.parallel_for(all, [=](id<3> i) {
        o[i] = weight_of_this_item();
        if (i == id<3>(4, 6, 10))
          for (int d = 0; d < 3; ++d) size[d] = int(ext::oneapi::experimental::this_item<3>().get_range(d));
      });
    });
    q.submit([&](handler& h) {
      accessor o(one, h, write_only);
      h.parallel_for(range<1>(7), [=](item<1> i) {
        o[i] = int(10 * ext::oneapi::experimental::this_item<1>().get_range(0) +
                   ext::oneapi::experimental::this_id<1>()[0]);
      });
    });
  }
  EXPECT_EQ(out, counted(int(all.size())));
  EXPECT_EQ(sizes, (std::vector<int>{5, 7, 11}));
  EXPECT_EQ(single, (std::vector<int>{70, 71, 72, 73, 74, 75, 76}));
}

TEST(this_work_item, has_global_id_and_range_in_an_nd_range_kernel) {
  queue q;
  std::vector<int> out(24, -1);
  {
    buffer<int, 1> b(out);
    q.submit([&](handler& h) {
      accessor o(b, h, write_only);
      h.parallel_for(nd_range<2>({4, 6}, {2, 3}), [=](nd_item<2> given) {
        const auto place = ext::oneapi::experimental::this_item<2>();
        const bool same =
            place.get_id() == given.get_global_id() && place.get_range() == given.get_global_range();
        o[given.get_global_linear_id()] = same ? int(place.get_linear_id()) : -2;
      });
    });
  }
  EXPECT_EQ(out, counted(24));
}

TEST(sub_group_mask, holds_the_ballot) {
  queue q;
  const int n = 32;
  std::vector<int> out(n, -1);
  std::vector<int> lanes(n);
  {
    buffer<int> b(out), bl(lanes);
    q.submit([&](handler& h) {
      accessor<int, 1, access_mode::write> o(b, h), l(bl, h);
      h.parallel_for(nd_range<1>(n, n), [=](nd_item<1> it) {
        const auto s = it.get_sub_group();
        const int lane = int(s.get_local_linear_id());
        auto mask = ext::oneapi::group_ballot(s, lane % 3 == 0);
        int value = int(mask.count()) + 100 * int(mask.find_high()[0]) + 10000 * mask.test(lane);
        mask.flip();
        const ext::oneapi::sub_group_mask given(marray<unsigned char, 2>(0xffu, 0xffu)), all = ~0ull;
        value +=
            20000 * mask[id<1>(lane)] +
            100000 * ((~mask).any() && given.count() == (given.size() < 16 ? given.size() : 16) && all.all());
        o[it.get_global_id()] = value;
        l[it.get_global_id()] = int(s.get_local_linear_range());
      });
    });
  }
  for (int i = 0, lane = 0; i < n; ++i, lane = lane + 1 == lanes[i - 1] ? 0 : lane + 1) {
    const int count = (lanes[i] + 2) / 3, high = (count - 1) * 3;
    EXPECT_EQ(out[i], count + 100 * high + (lane % 3 == 0 ? 10000 : 20000) + 100000) << i;
  }
}

TEST(old_sub_group, shuffles_loads_and_stores) {
  queue q;
  const int n = 64;
  std::vector<int> in = counted(n), out(n), twice(n);
  std::vector<int> shuffled(n), lanes(n), first(n);
  {
    buffer<int> bi(in), bo(out), bs(shuffled), bl(lanes), bf(first);
    q.submit([&](handler& h) {
      accessor<int, 1, access_mode::read_write> i(bi, h), o(bo, h), x(bs, h), l(bl, h), f(bf, h);
      h.parallel_for(nd_range<1>(n, n), [=](nd_item<1> it) {
        ext::oneapi::sub_group s = it.get_sub_group();
        const auto base = std::ptrdiff_t(it.get_global_id(0) - s.get_local_linear_id());
        const int own = s.load(i.get_pointer() + base);
        s.store(o.get_pointer() + base, own * 3);
        x[it.get_global_id()] = s.shuffle(own, 0) + s.shuffle_xor(own, 0);
        l[it.get_global_id()] = int(s.get_local_linear_range());
        f[it.get_global_id()] = int(base);
      });
    });
  }
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(out[i], 3 * i);
    EXPECT_EQ(shuffled[i], first[i] + i);
  }
}

TEST(old_sub_group, loads_and_stores_vectors) {
  queue q;
  const int n = 128; // every work-item has two elements
  std::vector<int> in = counted(n), out(n), sums(n / 2), lanes(n / 2), starts(n / 2);
  {
    buffer<int> bi(in), bo(out), bs(sums), bl(lanes), bb(starts);
    q.submit([&](handler& h) {
      accessor<int, 1, access_mode::read_write> i(bi, h), o(bo, h), x(bs, h), l(bl, h), b(bb, h);
      h.parallel_for(nd_range<1>(n / 2, n / 2), [=](nd_item<1> it) {
        sub_group s = it.get_sub_group();
        const auto base = 2 * std::ptrdiff_t(it.get_global_id(0) - s.get_local_linear_id());
        vec<int, 2> two = s.load<2>(i.get_multi_ptr<access::decorated::yes>() + base);
        x[it.get_global_id()] = two[0] + two[1];
        l[it.get_global_id()] = int(s.get_local_linear_range());
        b[it.get_global_id()] = int(base);
        s.store<2>(address_space_cast<access::address_space::global_space, access::decorated::no>(&o[base]),
                   two * 2);
      });
    });
  }
  for (int k = 0; k < n; ++k) EXPECT_EQ(out[k], 2 * k);
  for (int k = 0; k < n / 2; ++k) {
    const int lane = k - starts[k] / 2;
    EXPECT_EQ(sums[k], 2 * starts[k] + 2 * lane + lanes[k]);
  }
}

TEST(hierarchical, group_and_private_variables_keep_their_values) {
  queue q;
  const int groups = 5, local = 8;
  std::vector<int> out(groups * local, -1), runs(groups, 0);
  {
    buffer<int> b(out), br(runs);
    q.submit([&](handler& h) {
      accessor<int, 1, access_mode::write> o(b, h);
      accessor<int, 1, access_mode::read_write> r(br, h);
      h.parallel_for_work_group<class hierarchical_sum>(range<1>(groups), range<1>(local), [=](group<1> g) {
        int tile[local];
        private_memory<int> private_values(g);
        r[g.get_group_id(0)] += 1; // once a group
        g.parallel_for_work_item([&](h_item<1> it) {
          tile[it.get_local_id(0)] = int(it.get_global_id(0));
          private_values(it) = int(it.get_physical_local_id(0)) * 100;
        });
        int sum = 0;
        for (int v : tile) sum += v;
        g.parallel_for_work_item([&](h_item<1> it) {
          o[it.get_global_id()] = sum + private_values(it) + tile[local - 1 - it.get_local_id(0)];
        });
      });
    });
  }
  EXPECT_EQ(runs, std::vector<int>(groups, 1));
  for (int g = 0; g < groups; ++g) {
    for (int l = 0; l < local; ++l) {
      const int sum = g * local * local + local * (local - 1) / 2;
      EXPECT_EQ(out[g * local + l], sum + 100 * l + g * local + local - 1 - l);
    }
  }
}

constexpr specialization_id<int> added(5);

TEST(hierarchical, kernels_read_specialisation_constants) {
  queue q;
  std::vector<int> out(12);
  {
    buffer<int> b(out);
    q.submit([&](handler& h) {
      accessor<int, 1, access_mode::write> o(b, h);
      h.set_specialization_constant<added>(40);
      h.parallel_for_work_group<class hierarchical_constant>(range<1>(3), range<1>(4),
                                                             [=](group<1> g, kernel_handler k) {
        const int more = k.get_specialization_constant<added>();
        g.parallel_for_work_item(
            [&](h_item<1> it) { o[it.get_global_id()] = int(it.get_global_id(0)) + more; });
      });
    });
  }
  EXPECT_EQ(out, counted(12, 40));
}

TEST(hierarchical, runs_any_logical_range) {
  queue q;
  std::vector<int> out(2 * 3 * 4 * 5, -1);
  {
    buffer<int> b(out);
    q.submit([&](handler& h) {
      accessor<int, 1, access_mode::write> o(b, h);
      h.parallel_for_work_group(range<2>(2, 3), [=](group<2> g) {
        g.parallel_for_work_item(range<2>(4, 5), [&](h_item<2> it) {
          o[it.get_global().get_linear_id()] =
              it.get_global_range() == range<2>(8, 15) && it.get_logical_local_range() == range<2>(4, 5) &&
                      it.get_physical_local_range() == range<2>(1, 1)
                  ? int(it.get_logical_local_id(0) * 100 + it.get_logical_local_id(1))
                  : -2;
        });
      });
    });
  }
  for (int i = 0; i < 120; ++i) EXPECT_EQ(out[i], i / 15 % 4 * 100 + i % 15 % 5) << i;
}

TEST(hierarchical, refuses_a_group_that_private_memory_cannot_hold) {
  queue q;
  EXPECT_EQ(prism_test::error_of([&] {
    q.submit([&](handler& h) { h.parallel_for_work_group(range<1>(1), range<1>(2000), [=](group<1>) {}); });
  }),
            errc::nd_range);
}

TEST(old_atomic, counts_by_members_and_functions) {
  queue q;
  std::vector<int> counts(4, 0);
  counts[3] = 1000;
  {
    buffer<int> b(counts);
    q.submit([&](handler& h) {
      accessor<int, 1, access_mode::read_write> c(b, h);
      h.parallel_for(range<1>(100), [=](id<1> i) {
        atomic<int> total(c.get_pointer());
        total.fetch_add(1);
        atomic_fetch_max(atomic<int>(global_ptr<int>(c.get_pointer() + 1)), int(i[0]));
        atomic_fetch_or(atomic<int>(global_ptr<int>(c.get_pointer() + 2)), 1 << (i[0] % 8));
        atomic_fetch_min(atomic<int>(global_ptr<int>(c.get_pointer() + 3)), int(i[0]) + 7);
      });
    });
  }
  EXPECT_EQ(counts, (std::vector<int>{100, 99, 255, 7}));
}
TEST(hierarchical, global_ids_follow_the_physical_range) {
  queue q;
  std::vector<int> times(8);
  {
    buffer<int> b(times);
    q.submit([&](handler& h) {
      accessor<int, 1, access_mode::read_write> t(b, h);
      h.parallel_for_work_group(range<1>(2), range<1>(4), [=](group<1> g) {
        g.parallel_for_work_item(range<1>(10), [&](h_item<1> it) {
          t[it.get_global_id()] +=
              it.get_global_range(0) == 8 && it.get_global_id(0) == g[0] * 4 + it.get_logical_local_id(0) % 4;
        });
      });
    });
  }
  EXPECT_EQ(times, (std::vector<int>{3, 3, 2, 2, 3, 3, 2, 2}));
}

TEST(group_local_memory, takes_the_values_of_an_arrays_elements) {
  queue q;
  const int groups = 4, local = 4;
  std::vector<int> out(groups * local, -1);
  {
    buffer<int> b(out);
    q.submit([&](handler& h) {
      accessor o(b, h, write_only);
      h.parallel_for(nd_range<1>(groups * local, local), [=](nd_item<1> it) {
        const auto g = it.get_group();
        const int at = int(g.get_group_id(0));
        auto& given =
            *ext::oneapi::group_local_memory<int[4]>(g, at, at + 10, 7); // the fourth element is zero
        auto& zeros = *ext::oneapi::group_local_memory<float[64]>(g);
        o[it.get_global_id()] = given[it.get_local_id(0)] * 100 + int(zeros[it.get_local_id(0) * 16 + 15]);
      });
    });
  }
  std::vector<int> expected;
  for (int g = 0; g < groups; ++g)
    for (int value : {g, g + 10, 7, 0}) expected.push_back(value * 100);
  EXPECT_EQ(out, expected);
}

TEST(group_local_memory, of_a_file_with_a_long_path) {
  queue q;
  SKIP_WITHOUT(q, usm_host_allocations);
  int* found = malloc_host<int>(1, q);
  q.parallel_for(nd_range<1>(4, 4), [=](nd_item<1> item) {
#line 1 "/a/path/that/is/much/longer/than/what/any/compiler/would/unroll/a/loop/over/at/any/level/of/optimisation/and/still/quite/ordinary/group_memory_test.cpp"
    auto& numbers = *ext::oneapi::group_local_memory<int[4]>(item.get_group());
#line 1 "group_memory_test.cpp"
    numbers[item.get_local_id()] = static_cast<int>(item.get_local_id(0)) + 1;
    group_barrier(item.get_group());
    if (item.get_local_id(0) == 0) *found = numbers[0] + numbers[1] + numbers[2] + numbers[3];
  }).wait();
  EXPECT_EQ(*found, 10);
  free(found, q);
}

TEST(bfloat16, computes_like_rounded_floats_on_every_device) {
  using ext::oneapi::bfloat16;
  queue q;
  const int n = 300;
  std::vector<float> in(n);
  for (int i = 0; i < n; ++i) in[i] = (i - 150) * 1.2345f;
  std::vector<bfloat16> out(4 * n);
  const auto compute = [](float x, bfloat16* r) {
    const bfloat16 a = x, b = x * 0.37f;
    r[0] = a + b;
    r[1] = a * b - bfloat16(3);
    r[2] = ext::oneapi::experimental::fma(a, b, a);
    r[3] = a < b ? a / 7 : b + 1;
  };
  {
    buffer<float> bi(in);
    buffer<bfloat16> bo(out);
    q.submit([&](handler& h) {
      accessor<float, 1, access_mode::read> i(bi, h);
      accessor<bfloat16, 1, access_mode::write> o(bo, h);
      h.parallel_for(range<1>(n), [=](id<1> at) {
        bfloat16 r[4];
        compute(i[at], r);
        for (int k = 0; k < 4; ++k) o[at[0] * 4 + k] = r[k];
      });
    });
  }
  for (int i = 0; i < n; ++i) {
    bfloat16 expected[4];
    compute(in[i], expected);
    for (int k = 0; k < 4; ++k)
      EXPECT_EQ(bit_cast<std::uint16_t>(out[4 * i + k]), bit_cast<std::uint16_t>(expected[k]))
          << i << " " << k;
  }
  EXPECT_EQ(float(bfloat16(1.00390625f)), 1.0f); // ties to even
  EXPECT_EQ(float(bfloat16(1.01171875f)), 1.015625f);
}

/// A number of 113 bits.
#if defined(__aarch64__) || defined(__riscv)
using quad = long double;
#else
using quad = __float128;
#endif

/// Rounds a sum that 113 bits hold exactly.
std::uint16_t rounded_once(quad value) {
  std::uint16_t best = 0;
  int scale = 0;
  const bool negative = value < 0;
  quad size = negative ? -value : value;
  for (; size >= 256; ++scale) size /= 2;
  for (; size < 128 && scale > -133; --scale) size *= 2;
  const auto whole = static_cast<unsigned>(size);
  const quad rest = size - whole;
  best = static_cast<std::uint16_t>(
      whole + (rest > 0.5 || (rest == 0.5 && whole % 2 != 0) ? 1 : 0)); // may carry into the exponent
  return static_cast<std::uint16_t>((negative ? 0x8000 : 0) | (scale + 133) * 128 + best);
}
TEST(bfloat16, is_converted_to_half_and_back_and_fma_rounds_once) {
  using ext::oneapi::bfloat16;
  queue q;
  std::mt19937 random(5);
  std::vector<bfloat16> in;
  const auto number = [&](int most) {
    return bit_cast<bfloat16>(static_cast<std::uint16_t>(
        (random() % 2) << 15 | (127 - most + random() % (2 * most)) << 7 | random() % 128));
  };
  for (int i = 0; i < 500; ++i)
    for (int k = 0; k < 3; ++k) in.push_back(number(k == 2 ? 20 : 10));
  for (float tiny : {0x1p-100f, -0x1p-100f, 0x1p-12f})
    in.insert(in.end(), {bfloat16(1.0625f), bfloat16(1.0625f), bfloat16(tiny)});
  const std::size_t n = in.size() / 3;
  std::vector<bfloat16> sums(n), back(n);
  std::vector<half> halves(n);
  {
    buffer<bfloat16> bi(in), bs(sums), bb(back);
    buffer<half> bh(halves);
    q.submit([&](handler& h) {
      accessor x(bi, h, read_only);
      accessor s(bs, h, write_only), r(bb, h, write_only);
      accessor o(bh, h, write_only);
      h.parallel_for(range<1>(n), [=](id<1> i) {
        s[i] = ext::oneapi::fma(x[3 * i[0]], x[3 * i[0] + 1], x[3 * i[0] + 2]);
        const half narrow = x[3 * i[0]];
        o[i] = narrow;
        r[i] = narrow;
      });
    });
  }
  for (std::size_t i = 0; i < n; ++i) {
    const float a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    const auto exact = static_cast<quad>(a) * b + c;
    const auto seen = bit_cast<std::uint16_t>(sums[i]);
    if (exact == 0) EXPECT_EQ(seen & 0x7fff, 0) << a << ' ' << b << ' ' << c;
    else EXPECT_EQ(seen, rounded_once(exact)) << std::hexfloat << a << ' ' << b << ' ' << c;
    EXPECT_EQ(bit_cast<std::uint16_t>(halves[i]), bit_cast<std::uint16_t>(half(a)));
    EXPECT_EQ(float(back[i]), float(bfloat16(float(half(a)))));
  }
  EXPECT_EQ(float(sums[n - 3]), 1.1328125f) << "a tie and a trace more";
  EXPECT_EQ(float(sums[n - 2]), 1.125f) << "a tie and a trace less";
  static_assert(std::is_same_v<decltype(bfloat16() * 2.0f), bfloat16> &&
                std::is_same_v<decltype(half() + bfloat16()), bfloat16>);
}

} // namespace
