// Kernel of smith_waterman.hpp.
#include "samples/smith_waterman.hpp"

#include <algorithm>
#include <stdexcept>

namespace samples {
namespace {

constexpr int match = 2, mismatch = -2, gap_open = 3, gap_extend = 1;
constexpr int piece = 1024; // genome bases a work-item owns
// Rows done together, in registers. Reads are padded to a multiple with bases that score 0, which no best score gains
// from. It also keeps a work-item under the 65,535 loop iterations after which lavapipe and rusticl stop it.
constexpr int rows = 8;

constexpr int score_of(int a, int b) { return a > 3 || b > 3 ? 0 : a == b ? match : mismatch; }

/// Best score of a read of `length` bases against genome[begin, end), one genome base (column) at a time.
template <typename Reads, typename Genome>
int best_score(const Reads& reads, std::size_t first, int length /* a multiple of `rows` */, const Genome& genome, std::size_t begin, std::size_t end) {
  short h[longest_read], e[longest_read]; // last column: best score ending here, ... with a gap in the read
  for (int i = 0; i < length; ++i) h[i] = e[i] = 0;
  int best = 0;
  for (std::size_t g = begin; g < end; ++g) {
    const int base = genome[g];
    int diagonal = 0, above = 0, f = 0; // h of (i-1, g-1), of (i-1, g), and the gap in the genome
    for (int i0 = 0; i0 < length; i0 += rows) {
#pragma unroll
      for (int row = 0; row < rows; ++row) {
        const int i = i0 + row;
        const int gap_in_read = std::max(int(h[i]) - gap_open, int(e[i]) - gap_extend);
        f = std::max(above - gap_open, f - gap_extend);
        const int here = std::max(std::max(0, diagonal + score_of(base, reads[first + i])), std::max(gap_in_read, f));
        diagonal = h[i];
        e[i] = short(std::max(gap_in_read, 0));
        h[i] = short(here);
        above = here;
        best = std::max(best, here);
      }
    }
  }
  return best;
}

} // namespace

alignment_scores align(sycl::queue& queue, const std::vector<sequence>& reads, const sequence& genome) {
  std::vector<std::uint8_t> bases;
  std::vector<int> starts, lengths;
  alignment_scores result;
  for (const sequence& read : reads) {
    if (read.bases.size() > std::size_t(longest_read))
      throw std::invalid_argument("read " + read.name + " has " + std::to_string(read.bases.size()) + " bases, at most " +
                                  std::to_string(longest_read) + " are aligned");
    starts.push_back(int(bases.size()));
    lengths.push_back(int(read.bases.size() + rows - 1) / rows * rows);
    bases.insert(bases.end(), read.bases.begin(), read.bases.end());
    bases.resize(std::size_t(starts.back() + lengths.back()), 4);
    result.cells += double(read.bases.size()) * double(genome.bases.size());
  }
  result.best.assign(reads.size(), 0);
  const std::size_t genome_size = genome.bases.size(), pieces = (genome_size + piece - 1) / piece;
  sycl::buffer<std::uint8_t> base_buffer(bases.data(), sycl::range<1>(bases.size()));
  sycl::buffer<std::uint8_t> genome_buffer(genome.bases.data(), sycl::range<1>(genome_size));
  sycl::buffer<int> start_buffer(starts), length_buffer(lengths), best_buffer(result.best);
  result.time = timed(1, [&] {
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(best_buffer, handler, sycl::write_only, sycl::no_init);
      handler.fill(out, 0);
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor read(base_buffer, handler, sycl::read_only), whole(genome_buffer, handler, sycl::read_only);
      sycl::accessor start(start_buffer, handler, sycl::read_only), length(length_buffer, handler, sycl::read_only);
      sycl::accessor best(best_buffer, handler, sycl::read_write);
      handler.parallel_for(sycl::range<2>(reads.size(), pieces), [=](sycl::id<2> i) {
        const int bases_in_read = length[i[0]];
        // A positive score needs gaps in the read shorter than 2 * length: no alignment spans more than 3 * length.
        const std::size_t begin = i[1] * piece, overlap = 3 * std::size_t(bases_in_read);
        const std::size_t end = std::min(begin + piece + overlap, genome_size);
        const int score = best_score(read, start[i[0]], bases_in_read, whole, begin, end);
        sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device,
                         sycl::access::address_space::global_space>(best[i[0]]).fetch_max(score);
      });
    });
    queue.wait_and_throw();
  });
  sycl::host_accessor scores(best_buffer, sycl::read_only);
  std::vector<int> copied(reads.size());
  for (std::size_t r = 0; r < reads.size(); ++r) copied[r] = scores[r];
  result.best = copied;
  return result;
}

int reference_score(const sequence& read, const sequence& genome) {
  const std::size_t n = read.bases.size();
  std::vector<int> h(n + 1, 0), gap(n + 1, -gap_open);
  int best = 0;
  for (std::uint8_t base : genome.bases) {
    int diagonal = 0, f = -gap_open;
    for (std::size_t i = 1; i <= n; ++i) {
      gap[i] = std::max(h[i] - gap_open, gap[i] - gap_extend);
      f = std::max(h[i - 1] - gap_open, f - gap_extend);
      const int here = std::max({0, diagonal + score_of(base, read.bases[i - 1]), gap[i], f});
      diagonal = h[i];
      h[i] = here;
      best = std::max(best, here);
    }
  }
  return best;
}

} // namespace samples
