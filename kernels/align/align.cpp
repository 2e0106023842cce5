// The functions of align.hpp, and the kernel for graphics processors: one read and one piece of the genome in
// each work-item. Processors have that of batches.hpp, which also defines the form of results.
#include "kernels/align/batches.hpp"

#include <algorithm>

namespace prism::align {
namespace {

using detail::call;
using detail::copied;
using detail::last_piece;
using detail::piece_bits;
using detail::placed;

constexpr int padding =
    16; // reads are padded to a multiple of this with bases that score 0 and so never raise the best score
template <std::size_t Piece, int Rows>
sycl::event submit(sycl::queue& queue, const call& what, const events& depends) {
  const std::size_t size = what.size, count = what.reads.starts.size(), parts = (size + Piece - 1) / Piece;
  const sycl::event cleared = queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    std::int32_t* const out = what.best.read_write(h);
    const std::ptrdiff_t offset = what.best.offset;
    h.parallel_for(sycl::range<1>(count),
                   [=](sycl::id<1> i) { out[offset + static_cast<std::ptrdiff_t>(i[0])] = 0; });
  });
  if (parts == 0) return cleared;
  if (detail::prefers_batches(queue.get_device())) return detail::submit_batches(queue, what, Piece, cleared);
  sycl::buffer<std::uint8_t> bases = copied(what.reads.bases);
  sycl::buffer<std::uint32_t> starts = copied(what.reads.starts), lengths = copied(what.reads.lengths);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(cleared);
    sycl::accessor read(bases, h, sycl::read_only);
    sycl::accessor start(starts, h, sycl::read_only), length(lengths, h, sycl::read_only);
    const std::uint8_t* const all = what.genome.read_only(h);
    std::int32_t* const best = what.best.read_write(h);
    const std::ptrdiff_t first_base = what.genome.offset, first_result = what.best.offset;
    h.parallel_for(sycl::range<2>(count, parts), [=](sycl::id<2> i) {
      const std::size_t bases_of_read = length[i[0]], begin = i[1] * Piece,
                        end = std::min(begin + Piece + longest_span(bases_of_read), size);
      const int score = best_score<Rows, int(longest_read)>(read, start[i[0]], int(bases_of_read),
                                                            all + first_base, begin, end);
      sycl::atomic_ref<std::int32_t, sycl::memory_order::relaxed, sycl::memory_scope::device,
                       sycl::access::address_space::global_space>(
          best[first_result + static_cast<std::ptrdiff_t>(i[0])])
          .fetch_max(score << piece_bits | (last_piece - int(i[1])));
    });
  });
}

template <typename Genome, typename Best>
sycl::event checked_local(sycl::queue& queue, const packed_reads& reads, const Genome& genome,
                          const Best& best, pieces length, const events& depends) {
  detail::require_genome(genome);
  prism::require_possible("align: best", best);
  if (best.size > 1 && best.stride != 1)
    prism::detail::refuse_view("align: results with stride " + std::to_string(best.stride) +
                               "; they are contiguous");
  if (best.size != reads.starts.size())
    prism::detail::refuse_view("align: " + std::to_string(reads.starts.size()) + " reads, but room for " +
                               std::to_string(best.size) + " results");
  if (best.size == 0) return queue.ext_oneapi_submit_barrier(depends);
  const call what{reads, placed(genome), genome.size, placed(best)};
  switch (length) {
    case pieces::of_256: return submit<256, 8>(queue, what, depends);
    case pieces::of_1024: return submit<1024, 8>(queue, what, depends);
    case pieces::of_2048: return submit<2048, 16>(queue, what, depends);
  }
  prism::detail::refuse_view("align: pieces of " + std::to_string(int(length)) +
                             "; supported are 256, 1024 and 2048");
}

} // namespace

packed_reads pack(const std::vector<std::vector<std::uint8_t>>& reads) {
  packed_reads out;
  for (const auto& r : reads) {
    if (r.empty() || r.size() > longest_read)
      prism::detail::refuse_view("align: a read of " + std::to_string(r.size()) +
                                 " bases; a read must have 1 to " + std::to_string(longest_read));
    out.starts.push_back(std::uint32_t(out.bases.size()));
    out.lengths.push_back(std::uint32_t((r.size() + padding - 1) / padding * padding));
    out.bases.insert(out.bases.end(), r.begin(), r.end());
    out.bases.resize(out.starts.back() + out.lengths.back(), 4);
  }
  return out;
}

sycl::event local(sycl::queue& queue, const packed_reads& reads,
                  const vector_view<const std::uint8_t>& genome, const vector_view<std::int32_t>& best,
                  pieces length, const events& depends) {
  return checked_local(queue, reads, genome, best, length, depends);
}
sycl::event local(sycl::queue& queue, const packed_reads& reads,
                  const vector_view<const std::uint8_t, buffer_place<const std::uint8_t>>& genome,
                  const vector_view<std::int32_t, buffer_place<std::int32_t>>& best, pieces length,
                  const events& depends) {
  return checked_local(queue, reads, genome, best, length, depends);
}

alignment decoded(std::int32_t best, const packed_reads& reads, std::size_t read, std::size_t genome_size,
                  pieces length) {
  const auto size = static_cast<std::size_t>(length);
  if (read >= reads.lengths.size())
    prism::detail::refuse_view("align: there is no read " + std::to_string(read) + " among " +
                               std::to_string(reads.lengths.size()));
  const std::size_t first =
      std::min(static_cast<std::size_t>(last_piece - (best & last_piece)) * size, genome_size);
  return {best >> piece_bits, first, std::min(size + longest_span(reads.lengths[read]), genome_size - first)};
}

} // namespace prism::align
