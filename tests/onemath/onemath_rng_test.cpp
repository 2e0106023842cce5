// Programs written for oneMath's random numbers: published words of both engines, skip_ahead and leapfrog
// against sequences that the host computes, and exceptions. Distributions: onemath_rng_laws_test.cpp.
#include "tests/onemath/shared_memory.hpp"

#include <oneapi/math.hpp>

#include <cmath>

namespace {

namespace math = oneapi::math;
namespace rng = oneapi::math::rng;
using words = std::vector<std::uint32_t>;

template <typename Engine>
words some(Engine& engine, std::size_t n) {
  words out(n);
  {
    sycl::buffer<std::uint32_t, 1> r(out.data(), n);
    rng::generate(rng::bits<std::uint32_t>(), engine, std::int64_t(n), r);
  }
  return out;
}

/// MRG32k3a as its author prints it: in double, word by word.
struct in_double {
  double x[3], y[3];
  explicit in_double(double seed = 12345) {
    for (int i = 0; i < 3; ++i) x[i] = y[i] = seed;
  }
  std::uint32_t next() {
    const double m1 = 4294967087.0, m2 = 4294944443.0;
    double p = std::fmod(1403580.0 * x[1] - 810728.0 * x[0], m1);
    if (p < 0) p += m1;
    double q = std::fmod(527612.0 * y[2] - 1370589.0 * y[0], m2);
    if (q < 0) q += m2;
    x[0] = x[1], x[1] = x[2], x[2] = p, y[0] = y[1], y[1] = y[2], y[2] = q;
    return std::uint32_t(p < q ? p - q + m1 : p - q);
  }
};
words in_order(std::size_t n) {
  in_double from;
  words out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(from.next());
  return out;
}
/// L'Ecuyer's uniform number of a word.
double unit(std::uint32_t z) { return z / 4294967088.0; }

TEST(onemath_rng, philox_has_the_words_of_its_authors) {
  sycl::queue queue;
  // Random123, kat_vectors, philox4x32 10
  rng::philox4x32x10 zero(queue);
  EXPECT_EQ(some(zero, 4), (words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  rng::philox4x32x10 ones(queue, {~std::uint64_t(0), ~std::uint64_t(0), ~std::uint64_t(0)});
  EXPECT_EQ(some(ones, 4), (words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  rng::philox4x32x10 pi(queue, {0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e});
  EXPECT_EQ(some(pi, 4), (words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  // C++26, [rand.predef]: the 10,000th of std::philox4x32
  rng::default_engine standard(queue, 20111115);
  rng::skip_ahead(standard, 9999);
  EXPECT_EQ(some(standard, 1)[0], 1955073260u);
}

TEST(onemath_rng, mrg32k3a_has_the_numbers_of_its_author) {
  sycl::queue queue;
  // RngStreams, test2RngStream.res: streams begin 2^127 words apart, substreams 2^76
  rng::mrg32k3a g1(queue, {12345, 12345, 12345, 12345, 12345, 12345});
  EXPECT_NEAR(unit(some(g1, 36)[35]), 0.07941673614985, 1e-14);
  rng::mrg32k3a g2(queue, {3692455944, 1366884236, 2968912127, 335948734, 4161675175, 475798818});
  rng::mrg32k3a skipped(queue, {12345, 12345, 12345, 12345, 12345, 12345});
  rng::skip_ahead(skipped, {0, std::uint64_t(1) << 63});
  EXPECT_EQ(some(skipped, 50), some(g2, 50));
  rng::mrg32k3a g3(queue, {12345, 12345, 12345, 12345, 12345, 12345});
  rng::skip_ahead(g3, {0, 0, 1});
  rng::mrg32k3a substream(g3);
  const words first = some(g3, 5);
  const double expected[] = {0.7285097861965, 0.9655872822837, 0.9961841304801, 0.1149884161813,
                             0.9731454191297};
  for (std::size_t i = 0; i < std::size(expected); ++i) EXPECT_NEAR(unit(first[i]), expected[i], 1e-13);
  rng::skip_ahead(substream, {0, std::uint64_t(1) << 14});
  const double fourth[] = {0.1734545396358, 0.03286351608942, 0.2643169129682, 0.3059403602117,
                           0.5476303035177};
  const words later = some(substream, 5);
  for (std::size_t i = 0; i < std::size(fourth); ++i) EXPECT_NEAR(unit(later[i]), fourth[i], 1e-13);
}

TEST(onemath_rng, words_do_not_depend_on_how_calls_divide_them) {
  sycl::queue queue;
  const words expected = in_order(1'200'000); // long enough for runs of more than 64 words
  rng::mrg32k3a whole(queue, {12345, 12345, 12345, 12345, 12345, 12345}), parts(whole);
  EXPECT_EQ(some(whole, expected.size()), expected);
  rng::philox4x32x10 all(queue, 5), pieces(queue, 5);
  const words blocks = some(all, 300);
  for (std::uint32_t i = 0; i < 300; ++i)
    EXPECT_EQ(blocks[i], prism::random::philox(i / 4, 0, 5).word[i % 4]);
  std::size_t at = 0;
  for (const std::size_t n : {1, 2, 3, 4, 5, 63, 64, 65, 70}) {
    const words one = some(parts, n), two = some(pieces, n);
    EXPECT_EQ(one, words(expected.begin() + std::ptrdiff_t(at), expected.begin() + std::ptrdiff_t(at + n)));
    EXPECT_EQ(two, words(blocks.begin() + std::ptrdiff_t(at), blocks.begin() + std::ptrdiff_t(at + n)));
    at += n;
  }
}

template <typename Engine>
void leap_and_skip(const Engine& begin) {
  Engine whole(begin);
  const words all = some(whole, 4000);
  for (std::uint64_t k = 0; k < 3; ++k) {
    Engine one(begin);
    rng::skip_ahead(one, 7);
    rng::leapfrog(one, k, 3); // words 7 + k + 3 i
    const words third = some(one, 200);
    for (std::size_t i = 0; i < third.size(); ++i) EXPECT_EQ(third[i], all[7 + k + 3 * i]);
    rng::skip_ahead(one, 10);
    rng::leapfrog(one, 1, 5); // of those, every fifth
    const words fifteenth = some(one, 130);
    for (std::size_t i = 0; i < fifteenth.size(); ++i)
      EXPECT_EQ(fifteenth[i], all[7 + k + 3 * (211 + 5 * i)]);
  }
}
TEST(onemath_rng, leapfrog_takes_every_nth_word) {
  sycl::queue queue;
  leap_and_skip(rng::philox4x32x10(queue, 99));
  leap_and_skip(rng::mrg32k3a(queue, 99));
  // Strides beyond 32 bits, and counters that carry into the upper half.
  rng::philox4x32x10 far(queue, {3, ~std::uint64_t(0) - 1, 7});
  rng::leapfrog(far, 5, std::uint64_t(1) << 63);
  const words leaps = some(far, 9);
  for (std::uint64_t i = 0; i < 9; ++i) {
    // word 5 + 2^63 i is word 1 of a block 1 + 2^61 i behind the first
    const std::uint64_t low = ~std::uint64_t(0) - 1 + 1 + (i << 61), high = i == 0 ? 7 : 8;
    EXPECT_EQ(leaps[i], prism::random::philox(low, high, 3).word[1]) << i;
  }
  EXPECT_THROW(rng::leapfrog(far, 0, 2), math::invalid_argument); // 2^64 words
  EXPECT_THROW(rng::leapfrog(far, 0, 0), math::invalid_argument);
}

TEST(onemath_rng, skips_are_added_beyond_64_bits) {
  sycl::queue queue;
  const auto check = [&](auto one) {
    auto other = one;
    for (int i = 0; i < 64; ++i) rng::skip_ahead(one, std::uint64_t(1) << 62);
    rng::skip_ahead(one, 3);
    rng::skip_ahead(other, {3, 16});
    EXPECT_EQ(some(one, 20), some(other, 20));
  };
  check(rng::philox4x32x10(queue, 1));
  check(rng::mrg32k3a(queue, 1));
}

TEST(onemath_rng, seeds_are_those_of_the_specification) {
  sycl::queue queue;
  rng::mrg32k3a plain(queue), one(queue, 1), none(queue, std::initializer_list<std::uint32_t>{}),
      all(queue, {1, 1, 1, 1, 1, 1});
  const words expected = some(all, 9);
  EXPECT_EQ(some(plain, 9), expected);
  EXPECT_EQ(some(one, 9), expected);
  EXPECT_EQ(some(none, 9), expected);
  rng::mrg32k3a zeros(queue, {0, 0, 0, 0, 0, 0}), modulus(queue, {4294967087u, 0, 0, 4294944443u, 0, 0}),
      first(queue, {1, 0, 0, 1, 0, 0});
  const words begun = some(first, 9);
  EXPECT_EQ(some(zeros, 9), begun);
  EXPECT_EQ(some(modulus, 9), begun);
}

TEST(onemath_rng, copies_and_moves_have_their_own_position) {
  sycl::queue queue;
  rng::philox4x32x10 engine(queue, 777), copy(engine);
  const words first = some(engine, 5), second = some(engine, 5);
  EXPECT_EQ(some(copy, 5), first);
  rng::philox4x32x10 moved(std::move(copy));
  EXPECT_EQ(some(moved, 5), second);
  moved = rng::philox4x32x10(queue, 777);
  EXPECT_EQ(some(moved, 5), first);
}

TEST(onemath_rng, pointers_have_the_words_of_buffers_and_wait_for_events) {
  sycl::queue queue;
  REQUIRE_SHARED_MEMORY(queue);
  rng::mrg32k3a engine(queue, 4), same(engine);
  const words expected = some(same, 1000);
  std::uint32_t* const r = sycl::malloc_shared<std::uint32_t>(1001, queue);
  r[1000] = 5;
  const sycl::event filled = queue.fill(r, 17u, 1000);
  rng::generate(rng::bits<>(), engine, 1000, r, {filled}).wait();
  EXPECT_EQ(words(r, r + 1000), expected);
  EXPECT_EQ(r[1000], 5u);
  rng::generate(rng::bits<>(), engine, 0, r, {queue.fill(r, 17u, 1000)}).wait();
  EXPECT_EQ(words(r, r + 1000), words(1000, 17u));
  rng::philox4x32x10 philox(queue, 8), twin(philox);
  auto* const wide = reinterpret_cast<std::uint64_t*>(sycl::malloc_shared<double>(3, queue));
  rng::generate(rng::uniform_bits<std::uint64_t>(), philox, 3, wide).wait();
  const words halves = some(twin, 6);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(wide[i], std::uint64_t(halves[2 * i + 1]) << 32 | halves[2 * i]);
  sycl::free(r, queue), sycl::free(wide, queue);
}

TEST(onemath_rng, missing_engines_are_refused_by_name) {
  sycl::queue queue;
  const auto refuses = [](const char* name, const auto& make) {
    try {
      make();
      ADD_FAILURE() << name;
    } catch (const math::unimplemented& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  };
  refuses("mcg31m1", [&] { rng::mcg31m1 one(queue, 3); });
  refuses("mcg59", [&] { rng::mcg59 one(queue, {3, 4}); });
  refuses("r250", [&] { rng::r250 one(queue); });
  refuses("wichmann_hill", [&] { rng::wichmann_hill one(queue, 3, 1); });
  refuses("mt19937", [&] { rng::mt19937 one(queue); });
  refuses("sfmt19937", [&] { rng::sfmt19937 one(queue); });
  refuses("mt2203", [&] { rng::mt2203 one(queue, 3, 1); });
  refuses("ars5", [&] { rng::ars5 one(queue); });
  refuses("sobol", [&] { rng::sobol one(queue, 10); });
  refuses("niederreiter", [&] { rng::niederreiter one(queue, 10); });
  refuses("nondeterministic", [&] { rng::nondeterministic one(queue); });
  refuses("uniform_bits of mrg32k3a", [&] {
    rng::mrg32k3a engine(queue);
    sycl::buffer<std::uint32_t, 1> r{sycl::range<1>(4)};
    rng::generate(rng::uniform_bits<>(), engine, 4, r);
  });
}

TEST(onemath_rng, wrong_arguments_are_refused) {
  sycl::queue queue;
  rng::philox4x32x10 engine(queue, 1), same(engine);
  sycl::buffer<std::uint32_t, 1> r{sycl::range<1>(4)};
  sycl::buffer<float, 1> reals{sycl::range<1>(4)};
  float* const none = nullptr;
  EXPECT_THROW(rng::generate(rng::bits<>(), engine, -1, r), math::invalid_argument);
  EXPECT_THROW(rng::generate(rng::bits<>(), engine, 5, r), math::invalid_argument);
  EXPECT_THROW(rng::generate(rng::gaussian<>(), engine, 5, reals), math::invalid_argument);
  EXPECT_THROW(rng::generate(rng::uniform<>(), engine, 1, none), math::invalid_argument);
  EXPECT_THROW((rng::uniform<double>(1, 1)), math::invalid_argument);
  EXPECT_THROW((rng::uniform<std::int32_t>(3, 2)), math::invalid_argument);
  EXPECT_THROW((rng::uniform<float>(0, NAN)), math::invalid_argument);
  EXPECT_THROW((rng::gaussian<float>(0, 0)), math::invalid_argument);
  EXPECT_THROW((rng::lognormal<float>(0, 1, 0, -1)), math::invalid_argument);
  EXPECT_THROW((rng::exponential<float>(0, -1)), math::invalid_argument);
  EXPECT_THROW((rng::weibull<float>(0, 0, 1)), math::invalid_argument);
  EXPECT_THROW((rng::gamma<double>(0, 0, 1)), math::invalid_argument);
  EXPECT_THROW((rng::beta<double>(1, 0, 0, 1)), math::invalid_argument);
  EXPECT_THROW(rng::bernoulli<>(1.5f), math::invalid_argument);
  EXPECT_THROW(rng::geometric<>(1.0f), math::invalid_argument);
  EXPECT_THROW(rng::binomial<>(0, 0.5), math::invalid_argument);
  EXPECT_THROW(rng::poisson<>(0), math::invalid_argument);
  sycl::buffer<std::int32_t, 1> counts{sycl::range<1>(4)};
  EXPECT_THROW(rng::generate(rng::poisson<>(3e9), engine, 4, counts), math::invalid_argument);
  if (!queue.get_device().has(sycl::aspect::fp64)) {
    sycl::buffer<double, 1> doubles{sycl::range<1>(4)};
    EXPECT_THROW(rng::generate(rng::uniform<double>(), engine, 4, doubles), math::unsupported_device);
  }
  EXPECT_EQ(some(engine, 4), some(same, 4)); // nothing moved the engine
}

} // namespace
