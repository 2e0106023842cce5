// Local alignment on every device, in USM and buffers, against the recurrence on the host; paths and
// variants.
#include "tests/sycl/common.hpp"

#include <prism/align/variants.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

namespace pa = prism::align;
using bases = std::vector<std::uint8_t>;

bases any_bases(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  bases out(count);
  for (auto& b : out) b = std::uint8_t(random() % 4);
  return out;
}

int expected_score(const bases& read, const bases& genome) {
  bases padded = read;
  padded.resize((read.size() + 15) / 16 * 16, 4);
  return pa::best_score<1, 256>(padded, 0, int(padded.size()), genome, 0, genome.size());
}

TEST(align, finds_the_best_score_and_its_place_with_pieces_of_each_length) {
  sycl::queue queue;
  const bases genome = any_bases(3000, 1);
  std::vector<bases> all{
      {genome.begin() + 2500, genome.begin() + 2600}, any_bases(17, 2), any_bases(256, 3), {2}};
  const pa::packed_reads reads = pa::pack(all);
  for (const pa::pieces length : {pa::pieces::of_256, pa::pieces::of_1024, pa::pieces::of_2048}) {
    std::vector<std::int32_t> best(all.size() + 2, 77);
    {
      const sycl::buffer<std::uint8_t> g(genome.data(), sycl::range<1>(genome.size()));
      const sycl::buffer<std::int32_t> b(best.data(), sycl::range<1>(best.size()));
      pa::local(queue, reads, prism::view_of(g), prism::view_of(b).subvector(1, all.size()), length);
    }
    queue.wait_and_throw();
    EXPECT_EQ(best.front(), 77);
    EXPECT_EQ(best.back(), 77);
    for (std::size_t r = 0; r < all.size(); ++r) {
      const pa::alignment found = pa::decoded(best[r + 1], reads, r, genome.size(), length);
      EXPECT_EQ(found.score, expected_score(all[r], genome)) << "read " << r;
      const bases window(genome.begin() + std::ptrdiff_t(found.first),
                         genome.begin() + std::ptrdiff_t(found.first + found.count));
      EXPECT_EQ(found.score, expected_score(all[r], window)) << "read " << r;
    }
  }
}

/// Enough reads for several batches of SIMD lanes, of which some are not full; one score exceeds 8 bits, and
/// one alignment lies across the border between two work-items of processors.
TEST(align, many_reads_of_several_lengths_have_the_scores_of_each_alone) {
  sycl::queue queue;
  const bases genome = any_bases(20000, 4);
  std::vector<bases> all;
  for (unsigned r = 0; r < 21; ++r) all.push_back(any_bases(100 + 20 * (r % 2), 10 + r));
  const auto part = [&](std::ptrdiff_t first, std::ptrdiff_t count) {
    return bases(genome.begin() + first, genome.begin() + first + count);
  };
  all.push_back(part(7000, 256));
  all.push_back(part(16384 - 60, 120));
  all.back().erase(all.back().begin() + 50, all.back().begin() + 53); // a gap in the read
  all.push_back(bases(90, 4));                                        // unknown bases
  const pa::packed_reads reads = pa::pack(all);
  std::vector<std::int32_t> best(all.size());
  {
    const sycl::buffer<std::uint8_t> g(genome.data(), sycl::range<1>(genome.size()));
    const sycl::buffer<std::int32_t> b(best.data(), sycl::range<1>(best.size()));
    pa::local(queue, reads, prism::view_of(g), prism::view_of(b));
  }
  queue.wait_and_throw();
  for (std::size_t r = 0; r < all.size(); ++r) {
    const pa::alignment found = pa::decoded(best[r], reads, r, genome.size());
    EXPECT_EQ(found.score, expected_score(all[r], genome)) << "read " << r;
    const bases window = part(std::ptrdiff_t(found.first), std::ptrdiff_t(found.count));
    EXPECT_EQ(found.score, expected_score(all[r], window)) << "read " << r;
  }
}

TEST(align, takes_usm_with_an_event_and_refuses_what_it_cannot_do) {
  sycl::queue queue;
  const pa::packed_reads reads = pa::pack({{0, 1, 2, 3}});
  sycl::buffer<std::uint8_t> genome{sycl::range<1>(8)};
  sycl::buffer<std::int32_t> best{sycl::range<1>(2)};
  const auto refusal = [](const auto& call) {
    std::string text;
    EXPECT_EQ(prism_test::error_of(call, &text), sycl::errc::invalid);
    return text;
  };
  EXPECT_NE(refusal([&] {
    pa::local(queue, reads, prism::view_of(genome), prism::view_of(best));
  }).find("1 reads, but room for 2 results"),
            std::string::npos);
  EXPECT_NE(refusal([&] { pa::pack({bases(257)}); }).find("257 bases"), std::string::npos);
  EXPECT_NE(refusal([&] { pa::decoded(0, reads, 1, 8); }).find("no read 1"), std::string::npos);
  if (!queue.get_device().has(sycl::aspect::usm_device_allocations)) return;
  auto* const g = sycl::malloc_device<std::uint8_t>(8, queue);
  auto* const b = sycl::malloc_device<std::int32_t>(1, queue);
  const bases all{3, 3, 0, 1, 2, 3, 3, 3};
  const sycl::event copied = queue.copy(all.data(), g, all.size());
  std::int32_t found = 0;
  pa::local(queue, reads, prism::vector_view<const std::uint8_t>(g, 8), prism::vector_view(b, 1),
            pa::pieces::of_256, {copied})
      .wait();
  queue.copy(b, &found, 1).wait();
  EXPECT_EQ(pa::decoded(found, reads, 0, 8, pa::pieces::of_256).score, 4 * pa::match_score);
  sycl::free(g, queue), sycl::free(b, queue);
}

/// Of the path, by the definition of the score; also checks that it stays within read and genome.
int score_along(const pa::path& path, const bases& read, const bases& genome) {
  std::size_t at = path.position, in_read = path.skipped;
  int score = 0;
  for (const auto& [operation, count] : path.operations) {
    if (operation != 'M') score -= pa::gap_open_cost + int(count - 1) * pa::gap_extend_cost;
    for (std::size_t i = 0; operation == 'M' && i < count; ++i)
      score += pa::score_of(read.at(in_read + i), genome.at(at + i));
    at += operation == 'I' ? 0 : count;
    in_read += operation == 'D' ? 0 : count;
  }
  EXPECT_LE(at, genome.size());
  EXPECT_LE(in_read, read.size());
  return score;
}

TEST(align, the_path_of_a_read_has_its_score) {
  const bases genome = any_bases(900, 5);
  std::mt19937 random(6);
  for (int round = 0; round < 60; ++round) {
    const auto first = std::ptrdiff_t(random() % 600);
    bases read(genome.begin() + first, genome.begin() + first + 40 + std::ptrdiff_t(random() % 200));
    for (int change = 0; change < round % 5; ++change) {
      const auto at = std::ptrdiff_t(random() % read.size());
      if (round % 3 == 0) read[std::size_t(at)] = std::uint8_t(random() % 5);
      else if (round % 3 == 1) read.erase(read.begin() + at);
      else read.insert(read.begin() + at, std::uint8_t(random() % 4));
    }
    const pa::alignment found{expected_score(read, genome), 3, 890}; // not the whole genome
    const pa::alignment whole{found.score, 0, genome.size()};
    const pa::path path = pa::path_of(read, genome.data(), whole);
    EXPECT_EQ(score_along(path, read, genome), found.score) << "read " << round;
    if (first >= 3 && first < 600)
      EXPECT_EQ(score_along(pa::path_of(read, genome.data(), found), read, genome), found.score);
  }
  EXPECT_TRUE(pa::path_of({0, 1}, genome.data(), {0, 0, 900}).operations.empty());
  const pa::path exact =
      pa::path_of({genome.begin() + 70, genome.begin() + 170}, genome.data(), {200, 0, 900});
  EXPECT_EQ(std::make_pair(exact.position, exact.skipped), std::make_pair(std::size_t(70), std::size_t(0)));
  EXPECT_EQ(exact.operations.at(0), std::make_pair('M', std::size_t(100)));
}

/// The three costs by H. Li's formula in double precision, relative to the least.
std::array<double, 3> expected_costs(double support, double depth) {
  const double right = -10 * std::log10(0.99), wrong = 20, half = 10 * std::log10(2.0);
  std::array<double, 3> out{support * wrong + (depth - support) * right, depth * half,
                            support * right + (depth - support) * wrong};
  const double least = *std::min_element(out.begin(), out.end());
  for (double& c : out) c -= least;
  return out;
}

TEST(align, genotypes_are_the_most_likely_ones) {
  sycl::queue queue;
  const bases genome = any_bases(30, 7);
  for (const std::size_t depth : {5u, 24u, 300u, 50000u})
    for (const std::size_t support : {depth / 8, depth / 2, depth - 1, depth}) {
      pa::pileup pile(genome);
      bases changed = genome;
      changed[10] = std::uint8_t((genome[10] + 1) % 4);
      for (std::size_t r = 0; r < depth; ++r)
        pile.add(r < support ? changed : genome, {0, 0, {{'M', genome.size()}}});
      EXPECT_EQ(pile.columns()[10].bases[changed[10]], support);
      const auto found = pile.variants(queue, 0, genome.size());
      const auto costs = expected_costs(double(support), double(depth));
      if (support < 4 || costs[0] < 20) {
        EXPECT_TRUE(found.empty()) << support << " of " << depth;
        continue;
      }
      ASSERT_EQ(found.size(), 1u) << support << " of " << depth;
      EXPECT_EQ(found[0].position, 10u);
      EXPECT_EQ(costs[std::size_t(found[0].copies)], 0) << support << " of " << depth;
      EXPECT_EQ(std::make_pair(found[0].depth, found[0].support), std::make_pair(depth, support));
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_NEAR(found[0].likelihoods[c], std::min(costs[c], 999.0), 1) << support << " of " << depth;
      EXPECT_NEAR(found[0].quality, std::min(costs[0], 999.0), 0.5);
    }
}

TEST(align, gaps_are_reported_at_their_leftmost_position) {
  sycl::queue queue;
  const bases genome{0, 1, 2, 2, 2, 3, 0, 1}; // ACGGGTAC
  pa::pileup pile(genome);
  const bases shorter{0, 1, 2, 2, 3, 0, 1}, longer{0, 1, 2, 2, 2, 2, 3, 0, 1};
  for (int r = 0; r < 6; ++r) {
    pile.add(shorter, {0, 0, {{'M', 4}, {'D', 1}, {'M', 3}}});
    pile.add(longer, {0, 0, {{'M', 5}, {'I', 1}, {'M', 3}}});
  }
  const auto found = pile.variants(queue, 0, genome.size());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(std::tie(found[0].position, found[0].before, found[0].after),
            std::make_tuple(std::size_t(1), std::string("C"), std::string("CG")));
  EXPECT_EQ(std::tie(found[1].position, found[1].before, found[1].after),
            std::make_tuple(std::size_t(1), std::string("CG"), std::string("C")));
  EXPECT_EQ(found[0].copies, 1);
  EXPECT_EQ(pile.insertions(1), 6u);
  EXPECT_EQ(pile.deletions(1), 6u);
  EXPECT_EQ(pile.columns()[4].deleted, 6u);
  EXPECT_TRUE(pile.variants(queue, 2, 6).empty()); // of this part only
}

} // namespace
