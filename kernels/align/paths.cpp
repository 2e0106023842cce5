// Many reads on a device: three kernels, each for the reads that need it. On processors a work-item searches
// all diagonals of a read, on other devices a block of them. An atomic
// minimum selects the first path by a key: (diagonal, first row, last row), or with gaps (column, row).
#include "kernels/align/batches.hpp"
#include "kernels/align/traceback.hpp"

#include <prism/align/path.hpp>

namespace prism::align {
namespace {

constexpr std::uint32_t none = ~std::uint32_t(0);
constexpr std::size_t widest_window = std::size_t(pieces::of_2048) + longest_span(longest_read);
constexpr int row_bits = 8, rows_of_step = 8;
constexpr std::size_t header = 3;                           // words of a traced path before its runs
constexpr std::size_t words_at_once = std::size_t{1} << 22; // of bands
static_assert(longest_read == 1 << row_bits);
static_assert(widest_window + longest_read < std::size_t{1} << (31 - 2 * row_bits));

/// A read of `packed_reads` with its window of the genome.
struct placed_read {
  std::uint32_t number, start, first;
  std::int32_t length, padded, width, known, score;

  detail::window in(const std::uint8_t* bases, const std::uint8_t* genome) const {
    return {bases + start, genome + first, length, width, known, score};
  }
};
struct range_of_diagonals {
  std::int32_t lowest, highest;
};

using atomic_key = sycl::atomic_ref<std::uint32_t, sycl::memory_order::relaxed, sycl::memory_scope::device,
                                    sycl::access::address_space::global_space>;
using atomic_diagonal =
    sycl::atomic_ref<std::int32_t, sycl::memory_order::relaxed, sycl::memory_scope::device,
                     sycl::access::address_space::global_space>;

template <typename T>
std::vector<T> read_back(sycl::buffer<T>& from) {
  const sycl::host_accessor all(from, sycl::read_only);
  return {all.begin(), all.end()};
}

/// The operands of all kernels, and how they divide a read.
class device_search {
public:
  device_search(sycl::queue& queue, const packed_reads& reads, blas::place<std::uint8_t> genome)
      : m_queue(queue), m_genome(std::move(genome)), m_bases(detail::copied(reads.bases)),
        m_whole(detail::prefers_batches(queue.get_device())) {}

  std::vector<std::uint32_t> gapless(const std::vector<placed_read>& all);
  std::vector<std::uint32_t> ends(const std::vector<placed_read>& all);
  /// Of each read the words of its path: runs, first row, first column, and the runs backwards, each a length
  /// times four and a step. `at`: where they begin.
  std::vector<std::uint32_t> traced(const std::vector<placed_read>& all,
                                    const std::vector<std::uint32_t>& ends, std::vector<std::uint32_t>& at);

private:
  std::size_t parts(const std::vector<placed_read>& all) const {
    if (m_whole) return 1;
    int most = 1;
    for (const placed_read& r : all) most = std::max(most, r.width + r.length);
    return std::size_t(most / detail::diagonals_of_block + 1);
  }
  template <typename Result, typename Visit>
  void over_diagonals(const std::vector<placed_read>& all, sycl::buffer<Result>& results, const Visit& visit);

  sycl::queue& m_queue;
  blas::place<std::uint8_t> m_genome;
  sycl::buffer<std::uint8_t> m_bases;
  bool m_whole;
};

/// Calls visit(window, first diagonal of a block, result of the read) until it returns true.
template <typename Result, typename Visit>
void device_search::over_diagonals(const std::vector<placed_read>& all, sycl::buffer<Result>& results,
                                   const Visit& visit) {
  sycl::buffer<placed_read> given = detail::copied(all);
  m_queue.submit([&](sycl::handler& h) {
    const sycl::accessor of(given, h, sycl::read_only);
    const sycl::accessor bases(m_bases, h, sycl::read_only);
    const sycl::accessor result(results, h, sycl::read_write);
    const std::uint8_t* const genome = m_genome.read_only(h);
    const std::ptrdiff_t offset = m_genome.offset;
    const bool whole = m_whole;
    h.parallel_for(sycl::range<2>(all.size(), parts(all)), [=](sycl::id<2> i) {
      const placed_read r = of[i[0]];
      const detail::window w = r.in(&bases[0], genome + offset);
      int first = 1 - w.length + int(i[1]) * detail::diagonals_of_block;
      for (; first < w.width; first += detail::diagonals_of_block)
        if (visit(w, first, result[i[0]]) || !whole) break;
    });
  });
}

std::vector<std::uint32_t> device_search::gapless(const std::vector<placed_read>& all) {
  sycl::buffer<std::uint32_t> keys = detail::copied(std::vector<std::uint32_t>(all.size(), none));
  over_diagonals(all, keys, [](const detail::window& w, int first, std::uint32_t& key) {
    return detail::visit_diagonals(w, w.matches(), first, [&](int diagonal) {
      const detail::gapless found = detail::on_diagonal(w, diagonal);
      if (found.end == 0) return false;
      const auto number = std::uint32_t(diagonal + int(longest_read));
      atomic_key(key).fetch_min((number << row_bits | std::uint32_t(found.begin)) << row_bits |
                                std::uint32_t(found.end - 1));
      return true;
    });
  });
  return read_back(keys);
}

std::vector<std::uint32_t> device_search::ends(const std::vector<placed_read>& all) {
  std::vector<range_of_diagonals> nowhere;
  for (const placed_read& r : all) nowhere.push_back({r.width, -r.length});
  sycl::buffer<range_of_diagonals> ranges = detail::copied(nowhere);
  over_diagonals(all, ranges, [](const detail::window& w, int first, range_of_diagonals& range) {
    int lowest = w.width, highest = -w.length;
    detail::visit_diagonals(w, w.matches_of_part(), first, [&](int diagonal) {
      if (detail::has_run(w, diagonal))
        lowest = std::min(lowest, diagonal), highest = std::max(highest, diagonal);
      return false;
    });
    atomic_diagonal(range.lowest).fetch_min(lowest);
    atomic_diagonal(range.highest).fetch_max(highest);
    return false;
  });
  sycl::buffer<std::uint32_t> keys = detail::copied(std::vector<std::uint32_t>(all.size(), none));
  sycl::buffer<placed_read> given = detail::copied(all);
  m_queue.submit([&](sycl::handler& h) {
    const sycl::accessor of(given, h, sycl::read_only);
    const sycl::accessor bases(m_bases, h, sycl::read_only);
    const sycl::accessor range(ranges, h, sycl::read_only);
    const sycl::accessor key(keys, h, sycl::read_write);
    const std::uint8_t* const genome = m_genome.read_only(h);
    const std::ptrdiff_t offset = m_genome.offset;
    const bool whole = m_whole;
    h.parallel_for(sycl::range<2>(all.size(), parts(all)), [=](sycl::id<2> i) {
      const placed_read r = of[i[0]];
      const detail::window w = r.in(&bases[0], genome + offset);
      detail::columns in = detail::columns_around(w, range[i[0]].lowest, range[i[0]].highest);
      if (!whole) { // a part, and the columns before it that an alignment which ends in it can have
        const int begin = in.begin + int(i[1]) * detail::diagonals_of_block;
        in.end = std::min(in.end, begin + detail::diagonals_of_block);
        in.begin = std::max(in.begin, begin - w.length - w.longest_deletion());
      }
      if (in.begin >= in.end) return;
      const std::uint32_t found = detail::first_cell<rows_of_step>(w, r.padded, in, none);
      if (found != none) atomic_key(key[i[0]]).fetch_min(found);
    });
  });
  return read_back(keys);
}

std::vector<std::uint32_t> device_search::traced(const std::vector<placed_read>& all,
                                                 const std::vector<std::uint32_t>& ends,
                                                 std::vector<std::uint32_t>& at) {
  std::vector<std::uint32_t> bands;
  std::size_t words = 0, results = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const detail::window w = all[i].in(nullptr, nullptr);
    bands.push_back(std::uint32_t(words)), at.push_back(std::uint32_t(results));
    words += (ends[i] % longest_read + 1) * std::size_t(detail::band_to(w).words);
    results += header + 2 * std::size_t(w.loss() / gap_open_cost) + 1;
  }
  sycl::buffer<std::uint32_t> scratch{sycl::range<1>(words)}, out{sycl::range<1>(results)};
  sycl::buffer<std::uint32_t> band_of = detail::copied(bands), end_of = detail::copied(ends),
                              at_of = detail::copied(at);
  sycl::buffer<placed_read> given = detail::copied(all);
  m_queue.submit([&](sycl::handler& h) {
    const sycl::accessor of(given, h, sycl::read_only);
    const sycl::accessor bases(m_bases, h, sycl::read_only);
    const sycl::accessor band_begin(band_of, h, sycl::read_only), end(end_of, h, sycl::read_only),
        begin(at_of, h, sycl::read_only);
    const sycl::accessor steps(scratch, h, sycl::read_write, sycl::no_init);
    const sycl::accessor result(out, h, sycl::write_only, sycl::no_init);
    const std::uint8_t* const genome = m_genome.read_only(h);
    const std::ptrdiff_t offset = m_genome.offset;
    h.parallel_for(sycl::range<1>(all.size()), [=](sycl::id<1> i) {
      const detail::window w = of[i].in(&bases[0], genome + offset);
      const detail::cell last{int(end[i] % longest_read), int(end[i] / longest_read)};
      const detail::band in = detail::band_to(w);
      std::uint32_t* const mine = &steps[band_begin[i]];
      detail::fill_band(w, last, in, mine);
      const std::size_t first_run = begin[i] + header;
      std::uint32_t runs = 0, run = 0;
      const detail::cell first = detail::walk(last, in, mine, [&](detail::step how) {
        if (run != 0 && (run & 3) == std::uint32_t(how)) {
          run += 4;
          return;
        }
        if (run != 0) result[first_run + runs++] = run;
        run = 4 + std::uint32_t(how);
      });
      if (run != 0) result[first_run + runs++] = run;
      result[begin[i]] = runs;
      result[begin[i] + 1] = std::uint32_t(first.row);
      result[begin[i] + 2] = std::uint32_t(first.column);
    });
  });
  return read_back(out);
}

path path_of_words(const std::uint32_t* words, std::size_t first) {
  path out{first + words[2], words[1], {}};
  for (std::uint32_t run = words[0]; run-- > 0;) {
    const std::uint32_t each = words[header + run];
    out.operations.emplace_back(detail::letter_of(detail::step(each & 3)), each >> 2);
  }
  return out;
}

/// The reads that can have a path.
std::vector<placed_read> placed_reads(const packed_reads& reads, std::size_t genome_size,
                                      const std::vector<alignment>& found) {
  if (found.size() != reads.starts.size())
    prism::detail::refuse_view("align: " + std::to_string(reads.starts.size()) + " reads, but " +
                               std::to_string(found.size()) + " alignments");
  std::vector<placed_read> out;
  for (std::size_t r = 0; r < found.size(); ++r) {
    const alignment& f = found[r];
    if (f.first > genome_size || f.count > genome_size - f.first || f.count > widest_window)
      prism::detail::refuse_view("align: alignment " + std::to_string(r) + " has bases " +
                                 std::to_string(f.first) + " to " + std::to_string(f.first + f.count) +
                                 " of a genome of " + std::to_string(genome_size) +
                                 "; decoded() gives at most " + std::to_string(widest_window));
    const std::uint8_t* const bases = reads.bases.data() + reads.starts[r];
    auto length = int(reads.lengths[r]); // without the padding
    while (length > 0 && bases[length - 1] > 3) --length;
    const auto known = std::count_if(bases, bases + length, [](std::uint8_t base) { return base < 4; });
    const placed_read p{std::uint32_t(r),
                        reads.starts[r],
                        std::uint32_t(f.first),
                        length,
                        std::int32_t(reads.lengths[r]),
                        std::int32_t(f.count),
                        std::int32_t(known),
                        f.score};
    if (f.count > 0 && p.in(nullptr, nullptr).possible()) out.push_back(p);
  }
  return out;
}

template <typename Genome>
std::vector<path> paths_on(sycl::queue& queue, const packed_reads& reads, const Genome& genome,
                           const std::vector<alignment>& found) {
  detail::require_genome(genome);
  const std::vector<placed_read> all = placed_reads(reads, genome.size, found);
  std::vector<path> out(found.size());
  if (all.empty()) return out;
  device_search on(queue, reads, detail::placed(genome));
  std::vector<placed_read> gapped, some;
  const std::vector<std::uint32_t> keys = on.gapless(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (keys[i] == none) {
      gapped.push_back(all[i]);
      continue;
    }
    const std::size_t last = keys[i] % longest_read, begin = (keys[i] >> row_bits) % longest_read;
    const std::size_t position = all[i].first + (keys[i] >> 2 * row_bits) + begin - longest_read;
    out[all[i].number] = {position, begin, {{'M', last + 1 - begin}}};
  }
  if (gapped.empty()) return out;
  const std::vector<std::uint32_t> ends = on.ends(gapped);
  std::vector<std::uint32_t> some_ends;
  std::size_t words = 0;
  for (std::size_t i = 0; i < gapped.size(); ++i) {
    if (ends[i] != none) {
      some.push_back(gapped[i]), some_ends.push_back(ends[i]);
      words +=
          (ends[i] % longest_read + 1) * std::size_t(detail::band_to(gapped[i].in(nullptr, nullptr)).words);
    }
    if (some.empty() || (words < words_at_once && i + 1 < gapped.size())) continue;
    std::vector<std::uint32_t> at;
    const std::vector<std::uint32_t> traced = on.traced(some, some_ends, at);
    for (std::size_t k = 0; k < some.size(); ++k)
      out[some[k].number] = path_of_words(traced.data() + at[k], some[k].first);
    some.clear(), some_ends.clear(), words = 0;
  }
  return out;
}

} // namespace

std::vector<path> paths(sycl::queue& queue, const packed_reads& reads,
                        const vector_view<const std::uint8_t>& genome, const std::vector<alignment>& found) {
  return paths_on(queue, reads, genome, found);
}
std::vector<path> paths(sycl::queue& queue, const packed_reads& reads,
                        const vector_view<const std::uint8_t, buffer_place<const std::uint8_t>>& genome,
                        const std::vector<alignment>& found) {
  return paths_on(queue, reads, genome, found);
}

} // namespace prism::align
