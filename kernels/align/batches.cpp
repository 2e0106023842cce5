#include "kernels/align/batches.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace prism::align::detail {
namespace {

constexpr int lanes = 16, codes = 5;                          // a base above 3 is code 4
constexpr int bias = -mismatch_score;                         // makes the profile's scores unsigned
constexpr int largest_byte = 255 - bias;                      // a score that 8 bits can hold, or a larger one
constexpr std::size_t columns_of_item = std::size_t{1} << 14; // bases of the genome for one work-item

// Arithmetic that ends at zero, and for bytes at 255.
inline std::uint8_t less(std::uint8_t a, std::uint8_t b) {
  return a > b ? std::uint8_t(a - b) : std::uint8_t(0);
}
inline std::uint8_t more(std::uint8_t a, std::uint8_t b) {
  const auto sum = std::uint8_t(a + b);
  return sum < a ? std::uint8_t(255) : sum;
}
inline std::int16_t less(std::int16_t a, std::int16_t b) {
  return std::max(std::int16_t(a - b), std::int16_t(0));
}
inline std::int16_t more(std::int16_t a, std::int16_t b) { return std::int16_t(a + b); }

/// One base of the genome against one row of the reads. `left`, `gap`: the last column's best score, and that
/// with a gap in the read; `corner`, `above`, `down`: the same of the row before, and with a gap in the
/// genome.
template <typename Cell>
inline void row(const std::uint8_t* scores, Cell* left, Cell* gap, Cell* corner, Cell* above, Cell* down,
                Cell* best) {
#ifdef __clang__
#pragma clang loop vectorize(enable) unroll(disable) interleave(disable)
#endif
  for (int l = 0; l < lanes; ++l) {
    const Cell in_read = std::max(less(left[l], Cell(gap_open_cost)), less(gap[l], Cell(gap_extend_cost)));
    const Cell in_genome =
        std::max(less(above[l], Cell(gap_open_cost)), less(down[l], Cell(gap_extend_cost)));
    const Cell paired = less(more(corner[l], Cell(scores[l])), Cell(bias));
    const Cell here = std::max(paired, std::max(in_read, in_genome));
    corner[l] = left[l];
    left[l] = above[l] = here;
    gap[l] = in_read;
    down[l] = in_genome;
    best[l] = std::max(best[l], here);
  }
}

struct range_of_columns {
  std::size_t begin, end, span; // span: the longest alignment, in bases of the genome
  std::size_t piece;
};

/// The best score of each read, and the piece in which its alignment lies: one that ends at base g begins
/// behind g - span.
template <typename Cell>
inline void sweep(const std::uint8_t* profile, std::size_t rows, const std::uint8_t* genome,
                  const range_of_columns& columns, int* scores, int* pieces) {
  Cell left[lanes * longest_read], gap[lanes * longest_read], best[lanes];
  for (std::size_t i = 0; i < lanes * rows; ++i) left[i] = gap[i] = 0;
  for (int l = 0; l < lanes; ++l) best[l] = 0;
  for (std::size_t g = columns.begin; g < columns.end;) {
    const std::size_t number = g + 1 < columns.span ? 0 : (g + 1 - columns.span) / columns.piece;
    const std::size_t end = std::min(columns.end, (number + 1) * columns.piece + columns.span - 1);
    for (; g < end; ++g) {
      const int base = std::min<int>(genome[g], codes - 1);
      const std::uint8_t* const of_base = profile + std::size_t(base) * rows * lanes;
      Cell corner[lanes], above[lanes], down[lanes];
      for (int l = 0; l < lanes; ++l) corner[l] = above[l] = down[l] = 0;
      for (std::size_t i = 0; i < rows; ++i)
        row(of_base + i * lanes, left + i * lanes, gap + i * lanes, corner, above, down, best);
    }
    for (int l = 0; l < lanes; ++l) {
      if (int(best[l]) <= scores[l]) continue;
      scores[l] = int(best[l]);
      pieces[l] = int(number);
    }
  }
}

/// Batches of up to sixteen reads of one length, and their profiles. The pieces of results depend on the
/// length.
struct batch_list {
  std::vector<std::uint8_t> profiles;     // of a batch: [code][row][lane]
  std::vector<std::uint32_t> first, rows; // of each batch: where its profile begins, and the reads' length
  std::vector<std::uint32_t> read;        // the read in each lane; a batch with fewer repeats its last one
};

batch_list batches_of(const packed_reads& reads) {
  std::vector<std::uint32_t> order(reads.starts.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return std::tie(reads.lengths[a], a) < std::tie(reads.lengths[b], b); });
  batch_list out;
  for (std::size_t at = 0; at < order.size();) {
    const std::size_t rows = reads.lengths[order[at]], batch = out.read.size();
    for (int l = 0; l < lanes; ++l) {
      out.read.push_back(order[at]);
      const bool has_more = at + 1 < order.size() && reads.lengths[order[at + 1]] == rows;
      if (has_more && l + 1 < lanes) ++at;
    }
    ++at;
    const std::uint32_t* const in = out.read.data() + batch;
    out.first.push_back(static_cast<std::uint32_t>(out.profiles.size()));
    out.rows.push_back(static_cast<std::uint32_t>(rows));
    for (int code = 0; code < codes; ++code)
      for (std::size_t i = 0; i < rows; ++i)
        for (int l = 0; l < lanes; ++l) {
          const int base = reads.bases[reads.starts[in[l]] + i];
          out.profiles.push_back(std::uint8_t(bias + score_of(code, base)));
        }
  }
  return out;
}

} // namespace

bool prefers_batches(const sycl::device& device) {
  return device.get_backend() == sycl::backend::ext_prism_host ||
         (device.get_backend() == sycl::backend::opencl && device.is_cpu() &&
          device.has(sycl::aspect::usm_shared_allocations)); // rusticl has none, and llvmpipe limits loops
}

sycl::event submit_batches(sycl::queue& queue, const call& what, std::size_t piece,
                           const sycl::event& cleared) {
  const batch_list list = batches_of(what.reads);
  sycl::buffer<std::uint8_t> profiles = copied(list.profiles);
  sycl::buffer<std::uint32_t> firsts = copied(list.first), lengths = copied(list.rows),
                              order = copied(list.read);
  const std::size_t size = what.size, parts = (size + columns_of_item - 1) / columns_of_item;
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(cleared);
    sycl::accessor profile(profiles, h, sycl::read_only);
    sycl::accessor first(firsts, h, sycl::read_only), length(lengths, h, sycl::read_only),
        read(order, h, sycl::read_only);
    const std::uint8_t* const all = what.genome.read_only(h);
    std::int32_t* const results = what.best.read_write(h);
    const std::ptrdiff_t first_base = what.genome.offset, first_result = what.best.offset;
    h.parallel_for(sycl::range<2>(list.first.size(), parts), [=](sycl::id<2> i) {
      const std::size_t rows = length[i[0]], span = longest_span(rows), start = i[1] * columns_of_item;
      const range_of_columns columns{start > span ? start - span : 0, std::min(start + columns_of_item, size),
                                     span, piece};
      const std::uint8_t* const mine = &profile[first[i[0]]];
      int scores[lanes], pieces[lanes], largest = 0;
      for (int l = 0; l < lanes; ++l) scores[l] = pieces[l] = 0;
      sweep<std::uint8_t>(mine, rows, all + first_base, columns, scores, pieces);
      for (int l = 0; l < lanes; ++l) largest = std::max(largest, scores[l]);
      if (largest >= largest_byte) {
        for (int l = 0; l < lanes; ++l) scores[l] = pieces[l] = 0;
        sweep<std::int16_t>(mine, rows, all + first_base, columns, scores, pieces);
      }
      for (int l = 0; l < lanes; ++l)
        sycl::atomic_ref<std::int32_t, sycl::memory_order::relaxed, sycl::memory_scope::device,
                         sycl::access::address_space::global_space>(
            results[first_result + static_cast<std::ptrdiff_t>(read[i[0] * lanes + std::size_t(l)])])
            .fetch_max(scores[l] << piece_bits | (last_piece - pieces[l]));
    });
  });
}

} // namespace prism::align::detail
