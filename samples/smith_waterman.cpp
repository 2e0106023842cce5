// Kernel of smith_waterman.hpp.
#include "samples/smith_waterman.hpp"

#include <prism/align/recurrence.hpp>

#include <algorithm>
#include <stdexcept>

namespace samples {
namespace {

using namespace prism::align;

constexpr int piece = 1024; // genome bases of one work-item
constexpr int rows = 8;     // computed together; reads are padded to a multiple

} // namespace

alignment_scores align(sycl::queue& queue, const std::vector<sequence>& reads, const sequence& genome) {
  std::vector<std::uint8_t> bases;
  std::vector<int> starts, lengths;
  alignment_scores result;
  for (const sequence& read : reads) {
    if (read.bases.size() > std::size_t(longest_read))
      throw std::invalid_argument("read " + read.name + " has " + std::to_string(read.bases.size()) +
                                  " bases, at most " + std::to_string(longest_read) + " are aligned");
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
      sycl::accessor read(base_buffer, handler, sycl::read_only),
          whole(genome_buffer, handler, sycl::read_only);
      sycl::accessor start(start_buffer, handler, sycl::read_only),
          length(length_buffer, handler, sycl::read_only);
      sycl::accessor best(best_buffer, handler, sycl::read_write);
      handler.parallel_for(sycl::range<2>(reads.size(), pieces), [=](sycl::id<2> i) {
        const int bases_in_read = length[i[0]];
        const std::size_t begin = i[1] * piece,
                          end = std::min(begin + piece + longest_span(bases_in_read), genome_size);
        const int score = best_score<rows, longest_read>(read, start[i[0]], bases_in_read, whole, begin, end);
        sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device,
                         sycl::access::address_space::global_space>(best[i[0]])
            .fetch_max(score);
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
  std::vector<int> h(n + 1, 0), gap(n + 1, -gap_open_cost);
  int best = 0;
  for (std::uint8_t base : genome.bases) {
    int diagonal = 0, f = -gap_open_cost;
    for (std::size_t i = 1; i <= n; ++i) {
      gap[i] = std::max(h[i] - gap_open_cost, gap[i] - gap_extend_cost);
      f = std::max(h[i - 1] - gap_open_cost, f - gap_extend_cost);
      const int here = std::max({0, diagonal + score_of(base, read.bases[i - 1]), gap[i], f});
      diagonal = h[i];
      h[i] = here;
      best = std::max(best, here);
    }
  }
  return best;
}

} // namespace samples
