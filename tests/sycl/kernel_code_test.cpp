// The code of kernels: what they may capture, and the C++ that they compute with.
#include "tests/sycl/launch.hpp"

#include <array>

using prism_test::contents;
using prism_test::run;

namespace {

struct nested {
  short s;
  struct {
    double d; // stored, not computed with: also for devices without fp64
    std::array<int, 3> v;
  } inner;
  char c;
};

TEST(captures, of_scalars_structs_arrays_and_tables) {
  const int table[5] = {10, 20, 30, 40, 50};
  const nested n{7, {1.5, {100, 200, 300}}, 'x'};
  const bool flag = true;
  const std::int8_t small = -3;
  const std::uint64_t large = 1ull << 40;
  EXPECT_EQ(run(5,
                [=](sycl::handler& h, auto a) {
    h.parallel_for(5, [=](sycl::id<1> i) {
      a[i] = table[i[0]] + n.s + n.inner.v[i[0] % 3] + (n.c == 'x' ? 1 : 0) + (flag ? small : 0) +
             int(large >> 40);
    });
  }),
            (std::vector<int>{116, 226, 336, 146, 256}));
}

TEST(captures, of_several_buffers_of_different_types) {
  sycl::queue q;
  sycl::buffer<float> f{sycl::range<1>(32)};
  sycl::buffer<std::uint8_t> u{sycl::range<1>(32)};
  sycl::buffer<std::int64_t> l{sycl::range<1>(32)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor fa(f, h, sycl::write_only);
    sycl::accessor ua(u, h, sycl::write_only);
    sycl::accessor la(l, h, sycl::write_only);
    h.parallel_for(32, [=](sycl::id<1> i) {
      fa[i] = float(i[0]) / 2;
      ua[i] = std::uint8_t(i[0] * 9);
      la[i] = std::int64_t(i[0]) << 33;
    });
  });
  EXPECT_EQ(contents(f)[31], 15.5f);
  EXPECT_EQ(contents(u)[31], std::uint8_t(279));
  EXPECT_EQ(contents(l)[31], std::int64_t(31) << 33);
}

TEST(captures, of_an_array_of_accessors) {
  sycl::queue q;
  sycl::buffer<int> b0{sycl::range<1>(8)}, b1{sycl::range<1>(8)};
  q.submit([&](sycl::handler& h) {
    using acc = sycl::accessor<int, 1, sycl::access_mode::write>;
    const std::array<acc, 2> both{acc(b0, h), acc(b1, h)};
    h.parallel_for(8, [=](sycl::id<1> i) {
      both[0][i] = int(i[0]);
      both[1][i] = -int(i[0]);
    });
  });
  EXPECT_EQ(contents(b0)[7], 7);
  EXPECT_EQ(contents(b1)[7], -7);
}

template <typename T>
T collatz(T n) {
  T steps = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  return steps;
}

TEST(code, of_loops_calls_switches_and_private_arrays) {
  const auto reference = [](int i) {
    int buckets[8] = {};
    for (int k = 0; k < 20; ++k) {
      if ((k * i) % 7 == 3) continue;
      if (k > 15 && i % 3 == 0) break;
      buckets[(k * i + k) & 7] += k;
    }
    int total = collatz(i + 1);
    for (int k = 0; k < 8; ++k) {
      switch (buckets[k] % 4) {
        case 0: total += k; break;
        case 1: total -= buckets[k]; [[fallthrough]];
        case 2: total ^= 5; break;
        default: total *= 3;
      }
    }
    return total;
  };
  std::vector<int> want(300);
  for (int i = 0; i < 300; ++i) want[i] = reference(i);
  EXPECT_EQ(
      run(300, [=](sycl::handler& h, auto a) { h.parallel_for(300, [=](int i) { a[i] = reference(i); }); }),
      want);
}

struct counted_loop {
  std::size_t start, step;
  std::uint32_t bound;
};

/// Compilers may use a 32-bit counter if the bound has 32 bits. The last step then passes 2^32.
std::vector<counted_loop> loops_to_the_32_bit_limit() {
  constexpr std::uint32_t most = 0xffffffffu;
  return {{0, 1, 0},
          {0, 1, 5},
          {3, 7, 3},
          {std::size_t(1) << 32, 1, most},
          {most - 5, 1, most},
          {most - 5, 4, most},
          {0, most, most},
          {1, most - 1, most},
          {7, std::size_t(1) << 31, most},
          {7, std::size_t(1) << 32, most},
          {7, (std::size_t(1) << 32) + 1, most},
          {most - 1, ~std::size_t(0) - 1, most}, // from here on the step is negative
          {7, ~std::size_t(0), most},
          {8, ~std::size_t(0) - 2, 9},
          {5, ~std::size_t(0) << 32, 9},
          {5, (~std::size_t(0) << 32) + 1, 9},
          {0, ~std::size_t(0), 1}};
}

struct counted_result {
  std::size_t rounds = 0, sum = 0, products = 0, last = 0, plain = 0;
};

void run_counted(const counted_loop& asked, counted_result& out) {
  for (std::size_t i = asked.start; i < asked.bound; i += asked.step) {
    ++out.rounds;
    out.sum += i;
    out.products ^= (i + 3) * asked.step;
    out.last = i + asked.step;
    if (out.rounds == 9) break;
  }
  if (out.rounds < 9)
    for (std::size_t i = asked.start; i < asked.bound; i += asked.step)
      out.plain += i; // a loop with one exit
}

TEST(code, of_counters_that_reach_the_32_bit_limit) {
  const std::vector<counted_loop> loops = loops_to_the_32_bit_limit();
  std::vector<counted_result> expected(loops.size()), found(loops.size());
  for (std::size_t i = 0; i < loops.size(); ++i) run_counted(loops[i], expected[i]);
  {
    sycl::buffer<counted_loop> from(loops.data(), sycl::range<1>(loops.size()));
    sycl::buffer<counted_result> to(found.data(), sycl::range<1>(found.size()));
    sycl::queue().submit([&](sycl::handler& h) {
      const sycl::accessor asked(from, h, sycl::read_only);
      const sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
      h.parallel_for(loops.size(), [=](sycl::id<1> i) {
        counted_result mine;
        run_counted(asked[i], mine);
        out[i] = mine;
      });
    });
  }
  for (std::size_t i = 0; i < loops.size(); ++i) {
    EXPECT_EQ(found[i].rounds, expected[i].rounds) << i;
    EXPECT_EQ(found[i].sum, expected[i].sum) << i;
    EXPECT_EQ(found[i].products, expected[i].products) << i;
    EXPECT_EQ(found[i].last, expected[i].last) << i;
    EXPECT_EQ(found[i].plain, expected[i].plain) << i;
  }
}

TEST(code, of_counters_that_reach_the_32_bit_limit_in_loops_with_one_exit) {
  for (const counted_loop& asked : loops_to_the_32_bit_limit()) {
    counted_result expected;
    run_counted(asked, expected);
    if (expected.rounds == 9) continue;
    constexpr std::size_t items = 3;
    std::vector<std::size_t> sums(items);
    const auto sum_from = [asked](std::size_t start) {
      std::size_t sum = 0;
      for (std::size_t i = start; i < asked.bound; i += asked.step) sum += i + 1;
      return sum;
    };
    {
      sycl::buffer<std::size_t> to(sums.data(), sycl::range<1>(items));
      sycl::queue().submit([&](sycl::handler& h) {
        const sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
        h.parallel_for(items, [=](sycl::id<1> item) { out[item] = sum_from(asked.start + item); });
      });
    }
    for (std::size_t item = 0; item < items; ++item)
      EXPECT_EQ(sums[item], sum_from(asked.start + item))
          << asked.start << ' ' << asked.step << ' ' << asked.bound << ' ' << item;
  }
}

// LLVM computes such sums in closed form, with 65-bit integers.
TEST(code, that_sums_its_counters) {
  std::vector<std::uint64_t> sums(100);
  const auto sum_to = [](std::uint64_t n, std::uint64_t factor) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < n; ++i) sum += i * factor;
    return sum;
  };
  {
    sycl::buffer<std::uint64_t> to(sums.data(), sycl::range<1>(sums.size()));
    sycl::queue().submit([&](sycl::handler& h) {
      const sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sums.size(), [=](sycl::id<1> i) { out[i] = sum_to(i[0] * 977, 0x123456789abcdefu); });
    });
  }
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], sum_to(i * 977, 0x123456789abcdefu)) << i;
}

__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;

struct wide_results {
  uint128 sum, difference, product, shifted, quotient, remainder, chosen;
  int128 negated, halved;
  int order;
};

wide_results wide_arithmetic(uint128 a, uint128 b, unsigned amount) {
  wide_results r{};
  r.sum = a + b;
  r.difference = a - b;
  r.product = a * b;
  r.shifted = (a << amount) ^ (b >> amount);
  r.quotient = a / (b | 1);
  r.remainder = a % (b | 1);
  r.chosen = (a & b) > (a ^ b) ? a | b : ~a;
  r.negated = int128(-a);
  r.halved = int128(b) >> (127 - amount);
  r.order = (a < b) + 2 * (int128(a) < int128(b)) + 4 * (a == b) + 8 * (int128(a) >= -5);
  return r;
}

TEST(code, of_128_bit_integers) {
  const auto wide = [](std::uint64_t high, std::uint64_t low) { return uint128(high) << 64 | low; };
  const std::vector<uint128> values = {0,
                                       1,
                                       wide(0, ~0ull),
                                       wide(1, 0),
                                       wide(~0ull, ~0ull),
                                       wide(1ull << 63, 0),
                                       wide(0x0123456789abcdef, 0xfedcba9876543210),
                                       10007};
  const std::size_t n = values.size();
  std::vector<wide_results> found(n * n * 4);
  const unsigned amounts[4] = {0, 1, 64, 127};
  {
    sycl::buffer<uint128> from(values.data(), sycl::range<1>(n));
    sycl::buffer<wide_results> to(found.data(), sycl::range<1>(found.size()));
    sycl::queue().submit([&](sycl::handler& h) {
      const sycl::accessor in(from, h, sycl::read_only);
      const sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
      h.parallel_for(found.size(), [=](sycl::id<1> i) {
        out[i] = wide_arithmetic(in[i / 4 / n], in[i / 4 % n], amounts[i % 4]);
      });
    });
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const wide_results expected = wide_arithmetic(values[i / 4 / n], values[i / 4 % n], amounts[i % 4]);
    EXPECT_TRUE(found[i].sum == expected.sum && found[i].difference == expected.difference &&
                found[i].product == expected.product)
        << i;
    EXPECT_TRUE(found[i].shifted == expected.shifted && found[i].chosen == expected.chosen &&
                found[i].order == expected.order)
        << i;
    EXPECT_TRUE(found[i].quotient == expected.quotient && found[i].remainder == expected.remainder) << i;
    EXPECT_TRUE(found[i].negated == expected.negated && found[i].halved == expected.halved) << i;
  }
}

TEST(code, of_float_math) {
  sycl::queue q;
  sycl::buffer<float> b{sycl::range<1>(100)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only);
    h.parallel_for(100, [=](sycl::id<1> i) {
      const float x = float(i[0]) * 0.1f;
      a[i] = sycl::sqrt(x) + sycl::fmax(x, 3.0f);
    });
  });
  const auto got = contents(b);
  for (int i = 0; i < 100; ++i) EXPECT_NEAR(got[i], std::sqrt(i * 0.1f) + std::fmax(i * 0.1f, 3.0f), 1e-5f);
}

TEST(code, in_double_runs_or_is_refused_by_name) {
  sycl::queue q;
  sycl::buffer<double> b{sycl::range<1>(10)};
  const auto submit = [&] {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::write_only);
      h.parallel_for(10, [=](sycl::id<1> i) { a[i] = 1.0 / (double(i[0]) + 1.0); });
    });
  };
  if (q.get_device().has(sycl::aspect::fp64)) {
    submit();
    EXPECT_EQ(contents(b)[2], 1.0 / 3.0);
  } else {
    std::string text;
    EXPECT_EQ(prism_test::error_of(submit, &text), sycl::errc::kernel_not_supported);
    EXPECT_NE(text.find("fp64"), std::string::npos) << text;
  }
}

} // namespace
