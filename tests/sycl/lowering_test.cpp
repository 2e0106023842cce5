// Features that are hard to lower for some device: both widths of atomics, half, fused multiply-add, constant
// zeros, large private arrays, sub-groups in loops and next to divergent code. Expected values are computed
// on the host.
#include "tests/sycl/common.hpp"

#include <cmath>
#include <random>

namespace {

using namespace sycl;

// Kernels compute ids in 32 bits where the launch has few work-items
// (devices/vulkan/lower/small_numbers.hpp).
TEST(ids, above_32_bits_are_right_in_kernels_that_also_run_with_small_ones) {
  queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  constexpr std::size_t n = 512, far = std::size_t(1) << 32;
  unsigned* found = malloc_device<unsigned>(n, q);
  std::vector<unsigned> values(n);
  const auto run = [&](std::size_t first, std::size_t end, std::size_t step) {
    q.fill(found, 7u, n).wait();
    // a quotient and a guard, by an id that begins at `first`
    q.parallel_for(nd_range<1>(n, 64), [=](nd_item<1> i) {
      const std::size_t k = i.get_global_id(0) + first;
      if (k < end) found[k - first] = unsigned(k / step + (k >> 10));
    }).wait();
    q.copy(found, values.data(), n).wait();
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = i + first;
      ASSERT_EQ(values[i], k < end ? unsigned(k / step + (k >> 10)) : 7u) << first << ' ' << end << ' ' << i;
    }
  };
  run(0, n, 3);           // all small
  run(5, 300, 2);         // as before
  run(far, far + 100, 3); // a large summand and a large bound
  run(far - 200, far, 3); // some ids are small
  run(far - 1, far + 1, 5);
  run(0, far + 100, 3);             // only the bound is large
  run(0, std::size_t(-1), far + 1); // and the divisor
  run(std::size_t(0) - 100, 20, 7); // a negative summand
  free(found, q);
}

TEST(ids, with_signs_are_compared_with_negative_bounds) {
  queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  constexpr std::int64_t n = 256;
  int* found = malloc_device<int>(n, q);
  std::vector<int> values(n);
  for (const std::int64_t end :
       {std::int64_t(100), std::int64_t(-1), std::int64_t(1) << 40, -(std::int64_t(1) << 40)}) {
    q.fill(found, 0, n).wait();
    q.parallel_for(range<1>(n), [=](id<1> i) {
      const std::int64_t k = std::int64_t(i[0]);
      if (k < end) found[k] = 1;
    }).wait();
    q.copy(found, values.data(), n).wait();
    for (std::int64_t k = 0; k < n; ++k)
      ASSERT_EQ(values[std::size_t(k)], k < end ? 1 : 0) << end << ' ' << k;
  }
  free(found, q);
}

TEST(atomics, of_32_and_64_bits_work_in_one_kernel) {
  queue q;
  SKIP_WITHOUT(q, atomic64);
  constexpr int n = 300;
  std::vector<std::uint32_t> narrow(4, 0);
  std::vector<std::uint64_t> wide(4, 0);
  {
    buffer<std::uint32_t> b(narrow);
    buffer<std::uint64_t> c(wide);
    q.submit([&](handler& h) {
      accessor small(b, h, read_write);
      accessor large(c, h, read_write);
      h.parallel_for(range<1>(n), [=](id<1> i) {
        atomic_ref<std::uint32_t, memory_order::relaxed, memory_scope::device>(small[i[0] % 4])
            .fetch_add(std::uint32_t(i[0]));
        atomic_ref<std::uint64_t, memory_order::relaxed, memory_scope::device>(large[i[0] % 4])
            .fetch_add(i[0] << 33);
        atomic_ref<std::uint64_t, memory_order::relaxed, memory_scope::device>(large[i[0] % 4])
            .fetch_max(i[0]);
      });
    });
  }
  std::uint32_t sums[4] = {};
  for (std::uint32_t i = 0; i < n; ++i) sums[i % 4] += i;
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(narrow[k], sums[k]) << k;
    EXPECT_EQ(wide[k] >> 33, sums[k]) << k;
  }
}

/// Each work-item tries to replace the value n by its own number, and one succeeds. The kernel computes both
/// values.
template <class T>
int winners_of_an_exchange(queue& q) {
  constexpr int n = 32;
  const float count = n;
  buffer<T> cell(1), seen(n);
  host_accessor{cell, write_only}[0] = T(n);
  q.submit([&](handler& h) {
    accessor shared(cell, h, read_write);
    accessor found(seen, h, write_only);
    h.parallel_for(range<1>(n), [=](id<1> i) {
      T expected = T(count);
      const T own = T(i[0]);
      const bool done =
          atomic_ref<T, memory_order::relaxed, memory_scope::device>(shared[0]).compare_exchange_strong(
              expected, own);
      found[i] = done ? expected : own;
    });
  });
  int winners = 0;
  host_accessor found(seen, read_only);
  for (int i = 0; i < n; ++i) winners += found[i] == T(n) ? 1 : 0;
  return winners;
}

TEST(atomics, exchange_values_just_computed) {
  queue q;
  EXPECT_EQ(winners_of_an_exchange<float>(q), 1);
  EXPECT_EQ(winners_of_an_exchange<int>(q), 1);
  if (q.get_device().has(aspect::fp64) && q.get_device().has(aspect::atomic64)) {
    EXPECT_EQ(winners_of_an_exchange<double>(q), 1);
  }
}

TEST(atomics, of_integers_take_the_bits_of_computed_floats) {
  queue q;
  constexpr int n = 64;
  constexpr float half = 0.5F;
  const float scale = half;
  std::vector<int> cells(4, 0);
  {
    buffer<int> b(cells);
    q.submit([&](handler& h) {
      accessor global(b, h, read_write);
      local_accessor<int> local(1, h);
      h.parallel_for(nd_range<1>(n, n), [=](nd_item<1> it) {
        using device_ref = atomic_ref<int, memory_order::relaxed, memory_scope::device>;
        const int i = static_cast<int>(it.get_local_id(0)),
                  bits = bit_cast<int>(scale * static_cast<float>(i));
        if (i == 0) local[0] = 0;
        group_barrier(it.get_group());
        device_ref(global[0]).fetch_max(bits);
        device_ref(global[1]).fetch_or(bits);
        device_ref(global[2]).exchange(bits);
        atomic_ref<int, memory_order::relaxed, memory_scope::work_group>(local[0]).fetch_max(bits);
        group_barrier(it.get_group());
        if (i == 0) global[3] = local[0];
      });
    });
  }
  int all = 0;
  for (int i = 0; i < n; ++i) all |= bit_cast<int>(half * static_cast<float>(i));
  EXPECT_EQ(bit_cast<float>(cells[0]), half * (n - 1));
  EXPECT_EQ(cells[1], all);
  const float last = bit_cast<float>(cells[2]) / half;
  EXPECT_TRUE(last >= 0 && last < n && last == std::floor(last)) << last;
  EXPECT_EQ(bit_cast<float>(cells[3]), half * (n - 1));
}

/// Each work-item passes a value to the next one. The order and scope of the fences are captured values.
TEST(fences, accept_a_memory_order_known_only_at_run_time) {
  queue q;
  constexpr int n = 64, local = 8;
  for (memory_order order :
       {memory_order::relaxed, memory_order::acquire, memory_order::release, memory_order::acq_rel}) {
    std::vector<int> values(n), results(n);
    for (int i = 0; i < n; ++i) values[i] = i;
    {
      buffer<int> b(values), r(results);
      q.submit([&](handler& h) {
        accessor given(b, h, read_write);
        accessor taken(r, h, write_only);
        const memory_scope scope =
            order == memory_order::acquire ? memory_scope::sub_group : memory_scope::work_group;
        h.parallel_for(nd_range<1>(n, local), [=](nd_item<1> it) {
          const std::size_t i = it.get_global_id(0), first = it.get_group(0) * local;
          given[i] = given[i] * 3 + 1;
          atomic_fence(order, scope);
          group_barrier(it.get_group());
          taken[i] = given[first + (i - first + 1) % local];
        });
      });
    }
    for (int i = 0; i < n; ++i)
      EXPECT_EQ(results[i], (i / local * local + (i % local + 1) % local) * 3 + 1) << i;
  }
}

/// Runs `f(a, b, c)` on the device and on the host for many triples, and compares the bits.
template <typename T, typename F>
void same_on_the_host(queue& q, F f, double low, double high) {
  constexpr int n = 2000;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> values(low, high);
  std::vector<T> a(n), b(n), c(n), r(n);
  for (int i = 0; i < n; ++i) a[i] = T(values(random)), b[i] = T(values(random)), c[i] = T(values(random));
  {
    buffer<T> ba(a), bb(b), bc(c), br(r);
    q.submit([&](handler& h) {
      accessor x(ba, h, read_only);
      accessor y(bb, h, read_only);
      accessor z(bc, h, read_only);
      accessor o(br, h, write_only);
      h.parallel_for(range<1>(n), [=](id<1> i) { o[i] = f(x[i], y[i], z[i]); });
    });
  }
  for (int i = 0; i < n; ++i) {
    const T expected = f(a[i], b[i], c[i]);
    ASSERT_EQ(std::memcmp(&r[i], &expected, sizeof(T)), 0)
        << i << ": of " << double(a[i]) << ", " << double(b[i]) << ", " << double(c[i]) << " came "
        << double(r[i]) << ", not " << double(expected);
  }
}

// Three statements, so that the operations may not be contracted.
constexpr auto three_operations = [](auto a, auto b, auto c) {
  auto product = a * b;
  auto sum = product + c;
  auto ratio = sum / b;
  return ratio;
};

TEST(half_numbers, are_rounded_after_every_operation) {
  queue q; // half needs no aspect: where the device lacks it, it is computed as float
  same_on_the_host<half>(q, three_operations, 0.01, 60);
  same_on_the_host<half>(q, three_operations, 1e-6,
                         1e-4); // products and inputs below the smallest normal number
}

/// Floats at and next to all halves and the middles between neighbours, of both signs; infinity, NaN, tiny
/// and huge ones.
std::vector<float> floats_around_halves() {
  std::vector<float> all{0.0f, 1e-40f, 1e-30f,  1e-8f,    65519.9f, 65520.0f,
                         1e6f, 1e30f,  3.4e38f, INFINITY, NAN};
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    const float low = bit_cast<half>(std::uint16_t(bits)), high = bit_cast<half>(std::uint16_t(bits + 1));
    for (const float at : {low, (low + high) / 2})
      for (const float near : {std::nextafter(at, 0.0f), at, std::nextafter(at, high)}) all.push_back(near);
  }
  for (std::size_t i = all.size(); i-- > 0;) all.push_back(-all[i]);
  return all;
}

bool same_half(std::uint16_t a, std::uint16_t b) {
  const auto is_nan = [](unsigned bits) { return (bits & 0x7fff) > 0x7c00; };
  return a == b || (is_nan(a) && is_nan(b));
}

TEST(half_numbers, of_all_values_are_read_and_floats_around_them_are_rounded) {
  queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  const std::vector<float> all = floats_around_halves();
  const std::size_t n = all.size();
  float *from = malloc_device<float>(n, q), *seen = malloc_device<float>(n, q);
  half *stored = malloc_device<half>(n, q), *every = malloc_device<half>(65536, q);
  q.copy(all.data(), from, n).wait();
  q.parallel_for(range<1>(65536), [=](id<1> i) { every[i] = bit_cast<half>(std::uint16_t(i[0])); }).wait();
  q.parallel_for(range<1>(n), [=](id<1> i) {
    stored[i] = half(from[i]);
    seen[i] = float(every[i[0] & 0xffff]);
  }).wait();
  std::vector<half> halves(n);
  std::vector<float> floats(n);
  q.copy(stored, halves.data(), n).wait();
  q.copy(seen, floats.data(), n).wait();
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_PRED2(same_half, bit_cast<std::uint16_t>(halves[i]), bit_cast<std::uint16_t>(half(all[i])))
        << all[i];
  for (std::size_t i = 0; i < 65536; ++i) {
    const float expected = bit_cast<half>(std::uint16_t(i));
    if (std::isnan(expected)) ASSERT_TRUE(std::isnan(floats[i])) << i;
    else ASSERT_EQ(bit_cast<std::uint32_t>(floats[i]), bit_cast<std::uint32_t>(expected)) << i;
  }
  // each product is rounded before the sum: by a small half, so that products are subnormal, and by a large
  // one
  for (const half by : {half(1.0f), half(0.0007f), half(3.14f), half(900.0f)}) {
    q.parallel_for(range<1>(65536), [=](id<1> i) {
      stored[i] = every[i] * by - every[(i[0] * 7919) & 0xffff];
    }).wait();
    q.copy(stored, halves.data(), 65536).wait();
    for (std::size_t i = 0; i < 65536; ++i) {
      const half product = bit_cast<half>(std::uint16_t(i)) * by;
      const half expected = product - bit_cast<half>(std::uint16_t(i * 7919));
      ASSERT_PRED2(same_half, bit_cast<std::uint16_t>(halves[i]), bit_cast<std::uint16_t>(expected))
          << i << ' ' << float(by);
    }
  }
  for (void* memory : {(void*)from, (void*)seen, (void*)stored, (void*)every}) free(memory, q);
}

TEST(half_numbers, convert_to_and_from_everything) {
  queue q;
  same_on_the_host<half>(q, [](half a, half b, half) {
    return half(float(a) * 3.1f + float(int(b)) + float(std::int16_t(b)));
  }, 0, 200);
  same_on_the_host<half>(q, [](half a, half b, half c) {
    return a < b ? half(int(c) * 3) : half(std::int8_t(int(c)) - 1);
  }, 0, 40);
}

TEST(fma, is_fused_for_float) {
  queue q;
  same_on_the_host<float>(q, [](float a, float b, float c) { return sycl::fma(a, b, -c * a); }, 1, 2);
}

TEST(fma, is_fused_for_double) {
  queue q;
  SKIP_WITHOUT(q, fp64);
  same_on_the_host<double>(q, [](double a, double b, double c) { return sycl::fma(a, b, -c * a); }, 1, 2);
}

TEST(fma, is_fused_for_half) {
  queue q;
  same_on_the_host<half>(q, [](half a, half b, half c) { return sycl::fma(a, b, half(-c)); }, 1, 2);
}

/// Operations of x and a constant zero: some drivers replace x * 0 by 0 for any x.
template <typename T>
void expect_that_zeros_are_numbers() {
  const float values[] = {INFINITY, -INFINITY, NAN, -1, 0, -0.0f, 3};
  constexpr int n = 7, results = 9;
  const auto compute = [](T x, auto put) {
    const T zero = 0;
    put(0, x * zero), put(1, zero / x), put(2, x / zero), put(3, x + zero), put(4, zero - x);
    put(5, x - zero), put(6, x * -zero), put(7, sycl::fma(x, zero, T(1))), put(8, x * zero + zero);
  };
  queue q;
  if (q.get_device().get_platform().get_info<info::platform::name>() == "rusticl")
    GTEST_SKIP() << "rusticl replaces x * 0 by 0 and x + 0 by x";
  std::vector<T> data(n * results);
  for (int i = 0; i < n; ++i) data[i * results] = static_cast<T>(values[i]);
  {
    buffer<T> b(data);
    q.submit([&](handler& h) {
      accessor a(b, h, read_write);
      h.parallel_for(range<1>(n), [=](id<1> i) {
        compute(a[i[0] * results], [&](int k, T value) { a[i[0] * results + k] = value; });
      });
    });
  }
  for (int i = 0; i < n; ++i) {
    volatile float hidden = values[i]; // computed when the test runs
    compute(static_cast<T>(float(hidden)), [&](int k, T value) {
      const double expected = static_cast<double>(value), found = static_cast<double>(data[i * results + k]);
      EXPECT_TRUE(std::isnan(expected) ? std::isnan(found) : found == expected)
          << "result " << k << " of " << values[i] << ": " << found;
      if (expected == 0)
        EXPECT_EQ(std::signbit(found), std::signbit(expected)) << "result " << k << " of " << values[i];
    });
  }
}

TEST(constant_zeros, are_ordinary_operands_for_float) { expect_that_zeros_are_numbers<float>(); }
TEST(constant_zeros, are_ordinary_operands_for_double) {
  SKIP_WITHOUT(queue(), fp64);
  expect_that_zeros_are_numbers<double>();
}
TEST(constant_zeros, are_ordinary_operands_for_half) { expect_that_zeros_are_numbers<half>(); }

TEST(private_memory, holds_64_KiB_in_every_work_item) {
  queue q;
  constexpr int words = 16384, items = 8;
  std::vector<std::uint32_t> sums(items);
  const auto compute = [&] {
    buffer<std::uint32_t> b(sums);
    q.submit([&](handler& h) {
      accessor o(b, h, write_only);
      h.parallel_for(nd_range<1>(items, 4), [=](nd_item<1> it) {
        const std::uint32_t id = static_cast<std::uint32_t>(it.get_global_linear_id());
        std::uint32_t table[words];
        for (int i = 0; i < words; ++i) table[i] = static_cast<std::uint32_t>(i) * (id + 3);
        std::uint32_t sum = 0;
        for (int i = 0; i < 1000; ++i) sum += table[(static_cast<std::uint32_t>(i) * 40503u + id) % words];
        o[id] = sum;
      });
    });
  };
  SKIP_WITHOUT_PRIVATE_MEMORY(compute());
  for (std::uint32_t id = 0; id < items; ++id) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < 1000; ++i) sum += (i * 40503u + id) % words * (id + 3);
    EXPECT_EQ(sums[id], sum) << id;
  }
}

/// The position of a work-item in its work-group, and its results.
struct answer {
  std::uint32_t sub_group, lane, lanes, value;
};

template <typename Kernel>
std::vector<answer> in_sub_groups(queue& q, int items, int local, Kernel kernel) {
  std::vector<answer> out(items);
  buffer<answer> b(out);
  q.submit([&](handler& h) {
    accessor o(b, h, write_only);
    h.parallel_for(nd_range<1>(items, local), [=](nd_item<1> it) {
      const sub_group sg = it.get_sub_group();
      const std::uint32_t value = kernel(it, sg, static_cast<std::uint32_t>(it.get_global_linear_id()));
      o[it.get_global_id()] = {sg.get_group_linear_id(), sg.get_local_linear_id(),
                               sg.get_local_linear_range(), value};
    });
  });
  host_accessor done(b, read_only);
  return {done.begin(), done.end()};
}

/// The other members of item i's sub-group.
std::vector<std::uint32_t> members(const std::vector<answer>& all, std::size_t i, std::size_t local) {
  std::vector<std::uint32_t> found;
  const std::size_t first = i / local * local;
  for (std::size_t k = first; k < first + local; ++k)
    if (all[k].sub_group == all[i].sub_group) found.push_back(static_cast<std::uint32_t>(k));
  return found;
}

constexpr std::uint32_t steps_of(std::uint32_t i) { return i * 2654435761u >> 28; }

/// Loops of different lengths between two exchanges: all work-items must have reconverged for the second one.
/// Runs `f(x, data)` for 96 work-items in groups of 48 on the device and on the host.
template <typename F>
void compare_neighbours(F f, const char* what) {
  constexpr int items = 96;
  std::vector<int> data(200), seen(items);
  for (int i = 0; i < 200; ++i) data[i] = i * 7 + 3;
  {
    queue q;
    buffer<int> d(data), s(seen);
    q.submit([&](handler& h) {
      accessor in(d, h, read_write); // for atomics as well
      accessor out(s, h, write_only, no_init);
      h.parallel_for(nd_range<1>(items, 48), [=](nd_item<1> i) {
        const int x = int(i.get_global_id(0));
        out[x] = f(x, in);
      });
    });
  }
  for (int x = 0; x < items; ++x) EXPECT_EQ(seen[x], f(x, data)) << what << " of work-item " << x;
}

// LLVM turns the loop into a bit reversal of a six-bit number.
TEST(numbers_of_64_bits, keep_the_sign_of_an_int_behind_a_variable) {
  constexpr std::size_t n = 64;
  std::vector<int> from(n);
  for (std::size_t i = 0; i < n; ++i) from[i] = int(i) - 32;
  std::vector<std::int64_t> sizes(n), signs(n), low(n);
  queue q;
  {
    buffer<int> in(from);
    buffer<std::int64_t> size(sizes), sign(signs), shifted(low);
    q.submit([&](handler& h) {
      accessor x(in, h, read_only);
      accessor a(size, h, write_only), b(sign, h, write_only), c(shifted, h, write_only);
      h.parallel_for(range<1>(n), [=](id<1> i) {
        volatile std::int64_t wide = x[i];
        a[i] = wide < 0 ? -wide : wide;
        b[i] = wide >= 0 ? 1 : -1;
        c[i] = int(wide >> 32) < 0 ? 7 : 5;
      });
    });
  }
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(sizes[i], std::abs(from[i])) << from[i];
    EXPECT_EQ(signs[i], from[i] < 0 ? -1 : 1) << from[i];
    EXPECT_EQ(low[i], from[i] < 0 ? 7 : 5) << from[i];
  }
}

TEST(integers_of_few_bits, are_reversed) {
  compare_neighbours([](int x, const auto& data) {
    int reversed = 0;
    for (int bit = 0; bit < 6; ++bit) reversed |= ((data[x] >> bit) & 1) << (5 - bit);
    return reversed;
  }, "the reversed bits");
}

#ifdef __BITINT_MAXWIDTH__ // clang's
TEST(integers_of_few_bits, have_their_bits_counted) {
  using small = unsigned _BitInt(11);
  using with_sign = _BitInt(21);
  compare_neighbours([](int x, const auto& data) {
    const small a = static_cast<small>(data[x] * 37), b = static_cast<small>(x % 3 == 0 ? 0 : x << 2);
    const with_sign c = static_cast<with_sign>(data[x] * 12345), d = static_cast<with_sign>(x * 99991);
    const int counts = __builtin_popcountg(a) + 100 * __builtin_clzg(b, 11) + 10000 * __builtin_ctzg(b, 11);
    return counts + int(a < b ? a : b) * 3 + int(c > d ? c : d) + int(static_cast<small>(a << 3 | a >> 8));
  }, "numbers of 11 and 21 bits");
}
#endif

// An earlier error on llvmpipe: results of work-items that had left a loop changed while other work-items
// continued it.
TEST(results_of_loops, keep_the_value_of_the_work_items_last_iteration) {
  for (int bound : {5, 13, 40, 100}) {
    compare_neighbours([=](int x, const auto& data) {
      unsigned sum = 1; // sums wrap
      for (int i = x % 9; i < bound; i += 12) sum = sum * 3 + unsigned(data[i]);
      return int(sum * 5);
    }, "a sum of loads");
    compare_neighbours([=](int x, const auto&) {
      unsigned sum = 1, last = 0;
      for (int i = x % 9; i < bound; i += 12) sum = sum * 3 + unsigned(i * 7), last = sum ^ unsigned(i);
      return int(sum * 5 + last);
    }, "two results");
    compare_neighbours([=](int x, const auto& data) {
      unsigned product = 1, total = 0;
      for (int j = 0; j <= x % 5; ++j) {
        unsigned sum = unsigned(j);
        for (int i = x % 7; i < bound; i += 11 + j) sum = sum * 3 + unsigned(data[i]);
        total += sum * 9;
        product = product * 3 + (sum ^ total);
      }
      return int(product * 5 + total);
    }, "loops in loops");
    compare_neighbours([=](int x, const auto& data) {
      unsigned sum = 1, found = 0;
      int i = x % 9;
      for (;;) {
        sum = sum * 3 + unsigned(data[i]);
        if (sum % 7 == 3) {
          found = sum + 1;
          break;
        }
        i += 5;
        if (i >= bound) break;
        if (sum % 5 == 0) continue;
        sum += unsigned(i);
      }
      return int(sum * 5 + found * 3 + unsigned(i));
    }, "several ways out");
    compare_neighbours([=](int x, const auto& data) {
      int i = x % 9;
      while (i < bound && data[i] % 11 != x % 11) i += 3;
      return data[i % 100] * 3 + i * 5;
    }, "a search");
  }
}

TEST(sub_groups, reconverge_after_loops_of_different_length) {
  queue q;
  constexpr int local = 20,
                items = 100; // the last sub-group of a work-group is a partial one on most devices
  const auto all = in_sub_groups(q, items, local, [](nd_item<1>, sub_group sg, std::uint32_t i) {
    std::uint32_t sum = 0;
    for (std::uint32_t round = 0; round < 4; ++round) {
      std::uint32_t x = i + round;
      for (std::uint32_t k = 0; k < steps_of(i + round); ++k) {
        x = x * 3 + k;
        if (x % 11 == 5) break;
      }
      if ((i & 1) != 0) x += 7;
      sum += reduce_over_group(sg, x, plus<>());
    }
    return sum;
  });
  for (std::uint32_t i = 0; i < items; ++i) {
    std::uint32_t sum = 0;
    for (std::uint32_t round = 0; round < 4; ++round)
      for (std::uint32_t m : members(all, i, local)) {
        std::uint32_t x = m + round;
        for (std::uint32_t k = 0; k < steps_of(m + round); ++k) {
          x = x * 3 + k;
          if (x % 11 == 5) break;
        }
        sum += (m & 1) != 0 ? x + 7 : x;
      }
    ASSERT_EQ(all[i].value, sum) << i;
  }
}

/// Every sub-group has its own number of iterations, which a vote decides.
TEST(sub_groups, vote_on_leaving_a_loop) {
  queue q;
  constexpr int local = 20, items = 100;
  const auto all = in_sub_groups(q, items, local, [](nd_item<1>, sub_group sg, std::uint32_t i) {
    std::uint32_t rounds = 0, x = i;
    while (any_of_group(sg, steps_of(i) > rounds)) {
      x += group_broadcast(sg, x, rounds % sg.get_local_linear_range());
      ++rounds;
    }
    return x;
  });
  for (std::uint32_t i = 0; i < items; ++i) {
    const auto group = members(all, i, local);
    std::uint32_t rounds = 0;
    for (std::uint32_t m : group) rounds = std::max(rounds, steps_of(m));
    std::vector<std::uint32_t> x(group);
    for (std::uint32_t r = 0; r < rounds; ++r) {
      const std::uint32_t given = x[r % group.size()];
      for (std::uint32_t& one : x) one += given;
    }
    ASSERT_EQ(all[i].value, x[all[i].lane]) << i;
  }
}

/// Sub-groups of one work-group take different branches, each with exchanges of its own.
TEST(sub_groups, work_in_divergent_branches) {
  queue q;
  constexpr int local = 64, items = 256;
  const auto all = in_sub_groups(q, items, local, [](nd_item<1>, sub_group sg, std::uint32_t i) {
    if (sg.get_group_linear_id() % 3 == 0) return reduce_over_group(sg, i, maximum<>());
    if (sg.get_group_linear_id() % 3 == 1) return inclusive_scan_over_group(sg, i, plus<>());
    std::uint32_t x = i;
    for (std::uint32_t k = 1; k < sg.get_max_local_range()[0]; k *= 2)
      x += permute_group_by_xor(sg, x, k) * k;
    return x;
  });
  for (std::uint32_t i = 0; i < items; ++i) {
    const auto group = members(all, i, local);
    std::uint32_t expected = 0;
    if (all[i].sub_group % 3 == 0) expected = group.back();
    else if (all[i].sub_group % 3 == 1) {
      for (std::uint32_t m : group) expected += m <= i ? m : 0;
    } else {
      std::vector<std::uint32_t> x(group);
      for (std::uint32_t k = 1; k < group.size(); k *= 2) {
        const std::vector<std::uint32_t> before = x;
        for (std::uint32_t m = 0; m < x.size(); ++m) x[m] += before[m ^ k] * k;
      }
      expected = x[all[i].lane];
    }
    ASSERT_EQ(all[i].value, expected) << i;
  }
}

} // namespace
