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

/// By the definition: the first diagonal with the score, else back from the first cell that has it in the
/// whole matrix, by a diagonal step where it is possible, else by a deletion.
pa::path expected_path(const bases& read, const bases& genome, const pa::alignment& found) {
  const auto n = std::ptrdiff_t(read.size()), width = std::ptrdiff_t(found.count);
  const std::uint8_t* const window = genome.data() + found.first;
  for (std::ptrdiff_t d = 1 - n; d < width; ++d) {
    std::ptrdiff_t begin = 0;
    int here = 0;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      if (d + i >= 0 && d + i < width)
        here = std::max(0, here + pa::score_of(read[std::size_t(i)], window[d + i]));
      if (here == 0) begin = i + 1;
      if (here > 0 && here == found.score)
        return {
            found.first + std::size_t(d + begin), std::size_t(begin), {{'M', std::size_t(i + 1 - begin)}}};
    }
  }
  struct scores {
    int best = 0, deletion = -pa::gap_open_cost, insertion = -pa::gap_open_cost;
  };
  const auto columns = std::size_t(width) + 1;
  std::vector<scores> all(std::size_t(n + 1) * columns);
  const auto at = [&](std::size_t i, std::size_t g) -> scores& { return all[i * columns + g]; };
  std::size_t i = 0, g = 0;
  for (std::size_t c = 1; c < columns; ++c)
    for (std::size_t r = 1; r <= read.size(); ++r) {
      scores& to = at(r, c);
      to.deletion =
          std::max(at(r, c - 1).best - pa::gap_open_cost, at(r, c - 1).deletion - pa::gap_extend_cost);
      to.insertion =
          std::max(at(r - 1, c).best - pa::gap_open_cost, at(r - 1, c).insertion - pa::gap_extend_cost);
      to.best = std::max(
          {0, at(r - 1, c - 1).best + pa::score_of(read[r - 1], window[c - 1]), to.deletion, to.insertion});
      if (to.best == found.score && i == 0) i = r, g = c;
    }
  std::string letters;
  while (at(i, g).best > 0) {
    const scores& here = at(i, g);
    if (here.best == at(i - 1, g - 1).best + pa::score_of(read[i - 1], window[g - 1])) {
      letters += 'M', --i, --g;
      continue;
    }
    const bool deleted = here.best == here.deletion;
    for (bool open = false; !open;) { // until the gap opens
      const int now = deleted ? at(i, g).deletion : at(i, g).insertion;
      deleted ? --g : --i;
      letters += deleted ? 'D' : 'I';
      open = now == at(i, g).best - pa::gap_open_cost;
    }
  }
  pa::path out{found.first + g, i, {}};
  for (auto c = letters.rbegin(); c != letters.rend(); ++c)
    if (out.operations.empty() || out.operations.back().first != *c) out.operations.emplace_back(*c, 1);
    else ++out.operations.back().second;
  return out;
}

std::string text_of(const pa::path& path) {
  std::string out = std::to_string(path.position) + ' ' + std::to_string(path.skipped) + ' ';
  for (const auto& [operation, count] : path.operations) out += std::to_string(count) + operation;
  return out;
}

/// Reads with gaps at their ends, with ends that differ from the genome, from repeats where many paths have
/// the same score, with unknown bases, and reads that occur nowhere.
std::vector<bases> reads_of_each_kind(const bases& genome, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t limit) { return std::ptrdiff_t(random() % limit); };
  std::vector<bases> out{
      any_bases(120, seed), any_bases(256, seed + 1), any_bases(5, seed + 2), bases(90, 4), {1}};
  for (int round = 0; round < 60; ++round) {
    const std::ptrdiff_t first = below(genome.size() - 256), length = 30 + below(200);
    bases read(genome.begin() + first, genome.begin() + first + length);
    for (int change = 0; change < round % 6; ++change) {
      const std::ptrdiff_t place = change == 0   ? 4 + below(4)
                                   : change == 1 ? length - 12
                                                 : below(read.size());
      const auto there = read.begin() + std::min(place, std::ptrdiff_t(read.size()) - 5);
      if (round % 4 == 0) *there = std::uint8_t(random() % 6);
      else if (round % 4 == 1) read.erase(there, there + 1 + below(4));
      else if (round % 4 == 2) read.insert(there, std::size_t(1 + below(5)), std::uint8_t(random() % 4));
      else *there = std::uint8_t(random() % 4);
    }
    if (round % 7 == 0) std::copy_n(any_bases(20, unsigned(round)).begin(), 20, read.begin());
    read.resize(std::min<std::size_t>(read.size(), 256));
    out.push_back(std::move(read));
  }
  return out;
}

TEST(align, paths_on_the_device_are_those_of_the_whole_matrix) {
  sycl::queue queue;
  bases genome = any_bases(3000, 21);
  for (std::size_t i = 1000; i < 1400; ++i) genome[i] = std::uint8_t(i % 3 == 0 ? 2 : 1); // repeats
  for (std::size_t i = 1600; i < 1610; ++i) genome[i] = 4;
  for (const pa::pieces length : {pa::pieces::of_256, pa::pieces::of_1024}) {
    const std::vector<bases> all = reads_of_each_kind(genome, unsigned(length));
    const pa::packed_reads reads = pa::pack(all);
    const sycl::buffer<std::uint8_t> g(genome.data(), sycl::range<1>(genome.size()));
    std::vector<pa::alignment> found;
    {
      sycl::buffer<std::int32_t> b{sycl::range<1>(all.size())};
      pa::local(queue, reads, prism::view_of(g), prism::view_of(b), length);
      const sycl::host_accessor best(b, sycl::read_only);
      for (std::size_t r = 0; r < all.size(); ++r)
        found.push_back(pa::decoded(best[r], reads, r, genome.size(), length));
    }
    const std::vector<pa::path> paths = pa::paths(queue, reads, prism::view_of(g), found);
    ASSERT_EQ(paths.size(), all.size());
    std::size_t gapped = 0;
    for (std::size_t r = 0; r < all.size(); ++r) {
      const std::string wanted =
          text_of(found[r].score == 0 ? pa::path{} : expected_path(all[r], genome, found[r]));
      EXPECT_EQ(text_of(paths[r]), wanted) << "read " << r;
      EXPECT_EQ(text_of(pa::path_of(all[r], genome.data(), found[r])), wanted)
          << "read " << r << ", on the host";
      gapped += paths[r].operations.size() > 1;
    }
    EXPECT_GT(gapped, 15u);
  }
}

TEST(align, paths_are_refused_for_windows_outside_of_the_genome) {
  sycl::queue queue;
  const pa::packed_reads reads = pa::pack({{0, 1, 2, 3}});
  sycl::buffer<std::uint8_t> genome{sycl::range<1>(8)};
  const auto refusal = [&](const std::vector<pa::alignment>& found) {
    std::string text;
    EXPECT_EQ(prism_test::error_of([&] { pa::paths(queue, reads, prism::view_of(genome), found); }, &text),
              sycl::errc::invalid);
    return text;
  };
  EXPECT_NE(refusal({}).find("1 reads, but 0 alignments"), std::string::npos);
  EXPECT_NE(refusal({{2, 4, 5}}).find("bases 4 to 9 of a genome of 8"), std::string::npos);
  EXPECT_TRUE(pa::paths(queue, pa::pack({}), prism::view_of(genome), {}).empty());
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
