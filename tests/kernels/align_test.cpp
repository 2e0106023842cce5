// Local alignment on every device, in USM and buffers, against the recurrence on the host.
#include "tests/sycl/common.hpp"

#include <prism/align.hpp>

#include <gtest/gtest.h>

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

} // namespace
