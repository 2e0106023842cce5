// The kernel of align.hpp. A result is a 31-bit number, so that an atomic maximum finds the best result of
// all work-items. The high bits hold the score. The low bits hold the piece's number counted from the end, so
// that of equal scores the first piece wins.
#include "kernels/checks.hpp"

#include <prism/kernels/align.hpp>

#include <algorithm>

namespace prism::kernels {

namespace {

constexpr int padding =
    16; // reads are padded to a multiple of this with bases that score 0 and so never raise the best score
constexpr int piece_bits = 21;
constexpr int last_piece = (1 << piece_bits) - 1;

template <std::size_t Piece, int Rows>
void submit(sycl::queue& queue, const packed_reads& reads, sycl::buffer<std::uint8_t>& genome,
            sycl::buffer<int>& best) {
  const std::size_t size = genome.size(), pieces = (size + Piece - 1) / Piece;
  sycl::buffer<std::uint8_t> bases(reads.bases.data(), sycl::range<1>(reads.bases.size()));
  sycl::buffer<std::uint32_t> starts(reads.starts.data(), sycl::range<1>(reads.starts.size())),
      lengths(reads.lengths.data(), sycl::range<1>(reads.lengths.size()));
  queue.submit(
      [&](sycl::handler& h) { h.fill(sycl::accessor(best, h, sycl::write_only, sycl::no_init), 0); });
  queue.submit([&](sycl::handler& h) {
    sycl::accessor read(bases, h, sycl::read_only), whole(genome, h, sycl::read_only);
    sycl::accessor start(starts, h, sycl::read_only), length(lengths, h, sycl::read_only);
    sycl::accessor out(best, h, sycl::read_write);
    h.parallel_for(sycl::range<2>(reads.starts.size(), pieces), [=](sycl::id<2> i) {
      const std::size_t count = length[i[0]], begin = i[1] * Piece,
                        end = std::min(begin + Piece + longest_span(count), size);
      const int score = best_score<Rows, int(longest_read)>(read, start[i[0]], int(count), whole, begin, end);
      sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device,
                       sycl::access::address_space::global_space>(out[i[0]])
          .fetch_max(score << piece_bits | (last_piece - int(i[1])));
    });
  });
  queue.wait_and_throw();
}

constexpr std::size_t size_of(align_pieces p) {
  return p == align_pieces::of_256 ? 256 : p == align_pieces::of_1024 ? 1024 : 2048;
}

} // namespace

packed_reads pack(const std::vector<std::vector<std::uint8_t>>& reads) {
  packed_reads out;
  for (const auto& r : reads) {
    require(!r.empty() && r.size() <= longest_read, "align: a read of " + std::to_string(r.size()) +
                                                        " bases; a read must have 1 to " +
                                                        std::to_string(longest_read));
    out.starts.push_back(std::uint32_t(out.bases.size()));
    out.lengths.push_back(std::uint32_t((r.size() + padding - 1) / padding * padding));
    out.bases.insert(out.bases.end(), r.begin(), r.end());
    out.bases.resize(out.starts.back() + out.lengths.back(), 4);
  }
  return out;
}

std::vector<alignment> align(sycl::queue& queue, align_pieces pieces, const packed_reads& reads,
                             sycl::buffer<std::uint8_t>& genome) {
  if (reads.starts.empty()) return {};
  require_whole(genome, "align", "genome");
  require(genome.size() <= std::size_t(256) << piece_bits,
          "align: a genome of " + std::to_string(genome.size()) + " bases; at most 2^29 are supported");
  sycl::buffer<int> best{sycl::range<1>(reads.starts.size())};
  switch (pieces) {
    case align_pieces::of_256: submit<256, 8>(queue, reads, genome, best); break;
    case align_pieces::of_1024: submit<1024, 8>(queue, reads, genome, best); break;
    case align_pieces::of_2048: submit<2048, 16>(queue, reads, genome, best); break;
  }
  const sycl::host_accessor found(best, sycl::read_only);
  std::vector<alignment> out;
  for (std::size_t r = 0; r < reads.starts.size(); ++r) {
    const std::size_t first = std::size_t(last_piece - (found[r] & last_piece)) * size_of(pieces);
    out.push_back({found[r] >> piece_bits, first,
                   std::min(size_of(pieces) + longest_span(reads.lengths[r]), genome.size() - first)});
  }
  return out;
}

} // namespace prism::kernels
