// Random arrays: the generator's published test vectors, the same numbers on every device, and their
// distribution.
#include "tests/sycl/common.hpp"

#include <prism/random.hpp>

#include <prism/random/philox.hpp>

#include <cmath>
#include <cstring>

namespace {

using namespace prism;

TEST(array_random, philox_gives_the_vectors_of_its_authors) {
  // Random123, kat_vectors, philox4x32 10
  const auto is = [](const random::block& b, std::uint32_t w0, std::uint32_t w1, std::uint32_t w2,
                     std::uint32_t w3) {
    return b.word[0] == w0 && b.word[1] == w1 && b.word[2] == w2 && b.word[3] == w3;
  };
  EXPECT_TRUE(is(random::philox(0, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_TRUE(is(random::philox(~0ull, ~0ull, ~0ull), 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_TRUE(is(random::philox(0x85a308d3243f6a88, 0x0370734413198a2e, 0x299f31d0a4093822), 0xd16cfe09,
                 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

TEST(array_random, every_device_makes_the_same_words_and_integers) {
  random_generator r(7);
  const std::vector<std::uint64_t> words = r.words({3, 5}).to_vector<std::uint64_t>();
  for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i], random::word_of(7, i));
  EXPECT_EQ(r.position(), 15u);
  const std::vector<std::int64_t> integers = r.integers(-5, 1000, {40}).to_vector<std::int64_t>();
  for (std::size_t i = 0; i < integers.size(); ++i)
    EXPECT_EQ(integers[i], -5 + std::int64_t((unsigned __int128)(random::word_of(7, 15 + i)) * 1005 >> 64));
}

TEST(array_random, every_device_makes_the_same_bits_of_uniform_numbers) {
  random_generator r(8);
  const std::vector<float> single = r.uniform({50}, -1, 3, dtype::float32).to_vector<float>();
  for (std::size_t i = 0; i < single.size(); ++i) {
    const volatile float product = 4.0f * (float(random::word_of(8, i) >> 40) * 0x1p-24f);
    EXPECT_EQ(single[i], -1.0f + product);
  }
  if (!sycl::device().has(sycl::aspect::fp64)) return;
  const std::vector<double> real = r.uniform({50}).to_vector<double>();
  for (std::size_t i = 0; i < real.size(); ++i)
    EXPECT_EQ(real[i], double(random::word_of(8, 50 + i) >> 11) * 0x1p-53);
}

TEST(array_random, every_device_makes_the_same_bits_of_normal_numbers) {
  if (!sycl::device().has(sycl::aspect::fp64))
    GTEST_SKIP() << prism_test::name_of(sycl::device()) << " has no aspect::fp64";
  random_generator r(9);
  const std::vector<double> x = r.normal({20000}).to_vector<double>();
  // The bits of host, PoCL and lavapipe on 25 November 2026, hashed.
  std::uint64_t bits = 0;
  for (const double each : x) {
    std::uint64_t b;
    std::memcpy(&b, &each, 8);
    bits = (bits ^ b) * 0x9e3779b97f4a7c15u;
  }
  EXPECT_EQ(bits, 0xf9ef0d11be91469du) << std::hex << bits;
  // Python: statistics.NormalDist().inv_cdf((k + 0.5) / 2**53), k the upper 53 bits of the first words.
  const double expected[] = {0.08589565656682151, 0.7487981750499544,   -0.014656961088932271,
                             -0.1243962665572858, 0.055819573653215084, -0.31635486783507955};
  for (std::size_t i = 0; i < std::size(expected); ++i)
    EXPECT_NEAR(x[i], expected[i], 4e-16 * (1 + std::fabs(expected[i])));
}

TEST(array_random, normal_numbers_have_the_moments_and_the_tails_of_the_distribution) {
  if (!sycl::device().has(sycl::aspect::fp64))
    GTEST_SKIP() << prism_test::name_of(sycl::device()) << " has no aspect::fp64";
  random_generator r(10);
  const std::vector<float> x = r.normal({100000}, 3, 2, dtype::float32).to_vector<float>();
  double mean = 0, square = 0;
  int beyond = 0;
  for (const float each : x) {
    const double d = (each - 3.0) / 2.0;
    mean += d / 1e5;
    square += d * d / 1e5;
    beyond += std::fabs(d) > 3;
  }
  EXPECT_NEAR(mean, 0, 4 / std::sqrt(1e5));
  EXPECT_NEAR(square, 1, 4 * std::sqrt(2 / 1e5));
  EXPECT_NEAR(beyond, 270, 70);
}

TEST(array_random, a_sequence_does_not_depend_on_how_calls_divide_it) {
  random_generator whole(11), parts(11);
  const std::vector<float> all = whole.uniform({7}, 0, 1, dtype::float32).to_vector<float>();
  std::vector<float> joined = parts.uniform({3}, 0, 1, dtype::float32).to_vector<float>();
  EXPECT_EQ(parts.uniform({0, 4}, 0, 1, dtype::float32).size(), 0);
  const std::vector<float> rest = parts.uniform({2, 2}, 0, 1, dtype::float32).to_vector<float>();
  joined.insert(joined.end(), rest.begin(), rest.end());
  EXPECT_EQ(joined, all);
  parts.set_position(2);
  EXPECT_EQ(parts.uniform({1}, 0, 1, dtype::float32).to_vector<float>()[0], all[2]);
}

TEST(array_random, arguments_without_a_distribution_are_refused) {
  random_generator r(12);
  EXPECT_EQ(prism_test::error_of([&] { r.integers(3, 3, {2}); }), sycl::errc::invalid);
  EXPECT_EQ(prism_test::error_of([&] { r.uniform({2}, 0, INFINITY); }), sycl::errc::invalid);
  EXPECT_EQ(prism_test::error_of([&] { r.uniform({2}, 0, 1, dtype::int32); }), sycl::errc::invalid);
  EXPECT_EQ(prism_test::error_of([&] { r.normal({2}, 0, -1); }), sycl::errc::invalid);
  EXPECT_EQ(r.position(), 0u);
}

} // namespace
