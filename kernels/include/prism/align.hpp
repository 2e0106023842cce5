// Local alignment of reads to a genome: the best score of each read and its location in the genome, on every
// device. Scores and recurrence: <prism/align/recurrence.hpp>. On graphics processors a work-item aligns one
// read to one piece of the genome, on processors sixteen reads to a longer one, in SIMD lanes. Pieces overlap
// by the longest span that a positive alignment can have. Link prism::operations.
//
//   const prism::align::packed_reads reads = prism::align::pack(bases);
//   prism::align::local(queue, reads, prism::view_of(genome), prism::view_of(best));
//   prism::align::alignment first = prism::align::decoded(result[0], reads, 0, genome.size());
//
// Operands are views (<prism/views.hpp>) of contiguous elements, both over USM or both over buffers. They
// must not overlap. The call submits commands and returns at once with the event of the last one. Errors:
// errc::invalid for views and extents that cannot be used; errors on the device are asynchronous errors of
// the queue. Complexity: bases of all reads times bases of the genome. Source: O. Gotoh, "An improved
// algorithm for matching biological sequences", J. Mol. Biol. 162, 1982.
#pragma once

#include <prism/align/recurrence.hpp>
#include <prism/views.hpp>

#include <sycl/sycl.hpp>

#include <cstdint>
#include <vector>

namespace prism::align {

inline constexpr std::size_t longest_read = 256;

/// Reads, one after the other, with bases as codes 0..3, padded. pack() makes them.
struct packed_reads {
  std::vector<std::uint8_t> bases;
  std::vector<std::uint32_t> starts, lengths; // padded lengths
};
/// Throws sycl::exception (invalid) for a read of more than longest_read bases, or none.
packed_reads pack(const std::vector<std::vector<std::uint8_t>>& reads);

struct alignment {
  int score = 0;
  std::size_t first = 0,
              count =
                  0; // the alignment lies within these bases of the genome; of several best ones, the first
};

/// The length of the pieces of the genome: short ones give more work-items, long ones repeat less.
enum class pieces : std::uint16_t { of_256 = 256, of_1024 = 1024, of_2048 = 2048 };

using events = std::vector<sycl::event>;

/// best[r] = the result of read r, in the form for decoded(). The genome has at most 2^29 bases. `reads` may
/// be destroyed after the call.
sycl::event local(sycl::queue& queue, const packed_reads& reads,
                  const vector_view<const std::uint8_t>& genome, const vector_view<std::int32_t>& best,
                  pieces length = pieces::of_1024, const events& depends = {});
sycl::event local(sycl::queue& queue, const packed_reads& reads,
                  const vector_view<const std::uint8_t, buffer_place<const std::uint8_t>>& genome,
                  const vector_view<std::int32_t, buffer_place<std::int32_t>>& best,
                  pieces length = pieces::of_1024, const events& depends = {});

/// The result of read number `read` of `reads`, from what local() wrote for it with the same pieces.
alignment decoded(std::int32_t best, const packed_reads& reads, std::size_t read, std::size_t genome_size,
                  pieces length = pieces::of_1024);

} // namespace prism::align
