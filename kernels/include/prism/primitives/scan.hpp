// Prefix sums. Rows of 256 elements have totals (in the order of fold.hpp). 256 rows are a block, in which
// the totals before each row are combined from the first on. The totals of the blocks are combined in the
// same way. Each row starts with the value before its block, combined with the value before it in the block.
// This order depends only on the number of elements, and both methods use it:
//
// chained, one pass over memory: a work-group takes the next block and computes its total. It writes the
// block, while that is still in the cache, once the totals of all blocks before it are known. D. Merrill & M.
// Garland, "Single-pass parallel prefix scan with decoupled look-back" (2016). chunks, two passes: totals of
// rows, of blocks, of all, then each row independently. G. Blelloch, "Prefix sums and their applications"
// (1990).
#pragma once

#include <prism/primitives/fold.hpp>

#include <optional>

namespace prism::primitives {
namespace detail {

inline constexpr std::size_t scan_row = 256, scan_block_rows = 256, scan_block = scan_row * scan_block_rows,
                             rows_at_once = 4;

/// The value before an element; empty before the first element of an inclusive scan.
template <typename R>
struct before {
  bool exists;
  R value;
  template <typename Operator>
  before then(const R& more, const Operator& op) const {
    return {true, exists ? op(value, more) : more};
  }
};

/// Elements `first` to `first + count - 1`, one after the other.
template <bool Exclusive, typename R, typename Get, typename Put, typename Operator>
void write_row(const Get& get, const Put& put, std::size_t first, std::size_t count, const before<R>& start,
               const Operator& op) {
  std::size_t i = 0;
  R sum;
  if (start.exists) {
    sum = start.value;
  } else {
    sum = get(first);
    put(first, sum);
    i = 1;
  }
  for (; i < count; ++i) {
    const R element = get(first + i);
    if constexpr (Exclusive) put(first + i, sum);
    sum = op(sum, element);
    if constexpr (!Exclusive) put(first + i, sum);
  }
}

/// Several whole rows at once, so that the sums of one do not wait for those of another. They are written
/// from the first on, because memory is fastest in order.
template <bool Exclusive, typename R, typename Get, typename Put, typename Operator>
void write_rows(const Get& get, const Put& put, std::size_t first, R* sums, const Operator& op) {
  R results[rows_at_once * scan_row];
  for (std::size_t i = 0; i < scan_row; ++i) {
    PRISM_UNROLL
    for (std::size_t r = 0; r < rows_at_once; ++r) {
      const R element = get(first + r * scan_row + i);
      if constexpr (Exclusive) results[r * scan_row + i] = sums[r];
      sums[r] = op(sums[r], element);
      if constexpr (!Exclusive) results[r * scan_row + i] = sums[r];
    }
  }
  for (std::size_t i = 0; i < rows_at_once * scan_row; ++i) put(first + i, results[i]);
}

/// The output of a scan: element i of a view.
template <typename View>
struct view_sink {
  View view;
  template <typename Operand>
  struct bound {
    Operand operand;
    bool is_near() const { return operand.stride == 1; }
    auto near() const {
      return [data = operand.open().data](std::size_t i, const auto& value) { data[i] = value; };
    }
    auto far() const {
      return [to = operand.open()](std::size_t i, const auto& value) { to[i] = value; };
    }
  };
  auto bind(sycl::handler& h) const {
    auto operand = detail::bind(h, view);
    return bound<decltype(operand)>{operand};
  }
};
template <typename T>
struct temporary_sink {
  temporary<T> memory;
  struct bound {
    bound_temporary<T> operand;
    static constexpr bool is_near() { return true; }
    auto near() const {
      return [data = operand.open()](std::size_t i, const T& value) { data[i] = value; };
    }
    auto far() const { return near(); }
  };
  auto bind(sycl::handler& h) const { return bound{detail::bind(h, memory)}; }
};

/// Combines the totals of the rows of one block, and writes the total before each row to before_rows[row].
/// Returns the block's total. `elements` > 0.
template <typename R, typename Get, typename Operator>
R total_rows(const Get& get, std::size_t first, std::size_t elements, R* before_rows, const Operator& op) {
  R sum{};
  for (std::size_t row = 0; row * scan_row < elements; ++row) {
    const std::size_t begin = first + row * scan_row, count = std::min(scan_row, elements - row * scan_row);
    const R total = fold<R>([&](std::size_t i) { return get(begin + i); }, count, op);
    if (row != 0) before_rows[row] = sum;
    sum = row == 0 ? total : op(sum, total);
  }
  return sum;
}

template <bool Exclusive, bool AtOnce, typename R, typename Get, typename Put, typename Operator>
void write_block(const Get& get, const Put& put, std::size_t first, std::size_t elements,
                 const R* before_rows, const before<R>& start, const Operator& op) {
  std::size_t row = 0;
  while (row * scan_row < elements) {
    if constexpr (AtOnce)
      if (row > 0 && (row + rows_at_once) * scan_row <= elements) {
        R sums[rows_at_once];
        PRISM_UNROLL
        for (std::size_t r = 0; r < rows_at_once; ++r) sums[r] = start.then(before_rows[row + r], op).value;
        write_rows<Exclusive>(get, put, first + row * scan_row, sums, op);
        row += rows_at_once;
        continue;
      }
    write_row<Exclusive>(get, put, first + row * scan_row, std::min(scan_row, elements - row * scan_row),
                         row == 0 ? start : start.then(before_rows[row], op), op);
    ++row;
  }
}

template <typename T>
T take_next(T* counter) {
  return sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device,
                          sycl::access::address_space::global_space>(*counter)
      .fetch_add(T(1));
}
using shared_flag = sycl::atomic_ref<std::uint32_t, sycl::memory_order::acq_rel, sycl::memory_scope::device,
                                     sycl::access::address_space::global_space>;

/// The data that the work-groups of a chained scan share: the next block, and for each block its total,
/// whether that is available, and the values before its rows.
template <typename R>
struct chain_state {
  std::uint32_t *next, *is_known;
  R *totals, *before_rows;
};

/// The work of one work-group in a chained scan. It takes blocks until none is left, and writes those for
/// which the total of all earlier blocks is known. It waits only with `most_pending` unwritten blocks, or at
/// the end. Each work-group combines the totals itself, in the same order.
template <bool Exclusive, bool Near, typename R, typename Get, typename Put, typename Operator>
void scan_blocks(const chain_state<R>& state, std::size_t n, std::uint32_t most_blocks, const Get& get,
                 const Put& put, before<R> start, const Operator& op) {
  constexpr std::uint32_t most_pending = 8;
  const auto blocks = static_cast<std::uint32_t>((n + scan_block - 1) / scan_block);
  std::uint32_t pending[most_pending], taken = 0, written = 0, combined = 0;
  bool all_taken = false;
  while (!all_taken || written < taken) {
    if (!all_taken) {
      const std::uint32_t block = taken < most_blocks ? take_next(state.next) : blocks;
      all_taken = block >= blocks;
      if (!all_taken) {
        const std::size_t first = block * scan_block;
        state.totals[block] = total_rows(get, first, std::min(scan_block, n - first),
                                         state.before_rows + block * scan_block_rows, op);
        shared_flag(state.is_known[block]).store(1, sycl::memory_order::release);
        pending[taken++ % most_pending] = block;
      }
    }
    while (written < taken) {
      const std::uint32_t block = pending[written % most_pending];
      const bool must = all_taken || taken - written == most_pending;
      while (combined < block &&
             (shared_flag(state.is_known[combined]).load(sycl::memory_order::acquire) != 0 || must))
        if (shared_flag(state.is_known[combined]).load(sycl::memory_order::acquire) != 0)
          start = start.then(state.totals[combined++], op);
      if (combined < block) break;
      const std::size_t first = block * scan_block;
      write_block<Exclusive, Near>(get, put, first, std::min(scan_block, n - first),
                                   state.before_rows + block * scan_block_rows, start, op);
      ++written;
    }
  }
}

template <bool Exclusive, typename R, typename Source, typename Sink, typename Operator>
void scan_chained(command_chain& chain, std::size_t n, const Source& from, const Sink& to,
                  const before<R>& init, const Operator& op) {
  const std::size_t blocks = (n + scan_block - 1) / scan_block;
  const std::size_t units =
      chain.on().queue().get_device().template get_info<sycl::info::device::max_compute_units>();
  const std::size_t groups = std::min(blocks, units + 1);
  const auto flags = chain.memory().template take<std::uint32_t>(blocks + 1);
  const auto totals = chain.memory().template take<R>(blocks + blocks * scan_block_rows);
  chain.submit([&](sycl::handler& h) {
    const auto flag_memory = bind(h, flags);
    h.parallel_for(sycl::range<1>(blocks + 1), [=](sycl::id<1> i) { flag_memory.open()[i] = 0; });
  });
  chain.submit([&](sycl::handler& h) {
    const auto in = from.bind(h);
    const auto out = to.bind(h);
    const auto flag_memory = bind(h, flags);
    const auto total_memory = bind(h, totals);
    for_parts(h, groups, 1, [=](std::size_t group) {
      // On the host device the first group runs alone, which shows how much work there is.
      const std::uint32_t most = group == 0 ? 1 : std::uint32_t(-1);
      const chain_state<R> state{flag_memory.open(), flag_memory.open() + 1, total_memory.open(),
                                 total_memory.open() + blocks};
      if (in.is_near() && out.is_near())
        scan_blocks<Exclusive, true>(state, n, most, in.near(), out.near(), init, op);
      else scan_blocks<Exclusive, false>(state, n, most, in.far(), out.far(), init, op);
    });
  });
}

template <bool Exclusive, typename R, typename Source, typename Sink, typename Operator>
void scan_chunks(command_chain& chain, std::size_t n, const Source& from, const Sink& to,
                 const before<R>& init, const Operator& op) {
  const std::size_t rows = (n + scan_row - 1) / scan_row, blocks = (n + scan_block - 1) / scan_block,
                    group = chunk_group(chain.on());
  const temporary<R> row_totals = chain.memory().template take<R>(rows),
                     block_totals = chain.memory().template take<R>(blocks);
  chain.submit([&](sycl::handler& h) {
    const auto in = from.bind(h);
    const auto totals = bind(h, row_totals);
    for_parts(h, rows, group, [=](std::size_t row) {
      const std::size_t first = row * scan_row;
      open(in, [&](const auto& get) {
        totals.open()[row] =
            fold<R>([&](std::size_t i) { return get(first + i); }, std::min(scan_row, n - first), op);
      });
    });
  });
  chain.submit([&](sycl::handler& h) {
    const auto totals = bind(h, row_totals), sums = bind(h, block_totals);
    for_parts(h, blocks, group, [=](std::size_t block) {
      R* before_rows = totals.open() + block * scan_block_rows;
      const std::size_t count = std::min(scan_block_rows, rows - block * scan_block_rows);
      R sum = before_rows[0];
      for (std::size_t row = 1; row < count; ++row) {
        const R total = before_rows[row];
        before_rows[row] = sum;
        sum = op(sum, total);
      }
      sums.open()[block] = sum;
    });
  });
  if (blocks > 1)
    chain.submit([&](sycl::handler& h) {
      const auto totals = bind(h, block_totals);
      h.single_task([=] {
        R* sums = totals.open();
        before<R> start = init;
        for (std::size_t block = 0; block < blocks; ++block) {
          const R total = sums[block];
          if (start.exists) sums[block] = start.value;
          start = start.then(total, op);
        }
      });
    });
  chain.submit([&](sycl::handler& h) {
    const auto in = from.bind(h);
    const auto out = to.bind(h);
    const auto before_rows = bind(h, row_totals), before_blocks = bind(h, block_totals);
    for_parts(h, rows, group, [=](std::size_t row) {
      const std::size_t block = row / scan_block_rows, first = row * scan_row;
      before<R> start = init;
      if (block > 0) start = {true, before_blocks.open()[block]};
      if (row % scan_block_rows != 0) start = start.then(before_rows.open()[row], op);
      const std::size_t count = std::min(scan_row, n - first);
      if (in.is_near() && out.is_near()) write_row<Exclusive>(in.near(), out.near(), first, count, start, op);
      else write_row<Exclusive>(in.far(), out.far(), first, count, start, op);
    });
  });
}

/// Also in place: elements are read before their locations are written.
template <bool Exclusive, typename R, typename Source, typename Sink, typename Operator>
void scan_source(command_chain& chain, std::size_t n, const Source& from, const Sink& to,
                 const before<R>& init, const Operator& op) {
  if (n == 0) return;
  if (chain.on().how() == method::chained) scan_chained<Exclusive, R>(chain, n, from, to, init, op);
  else scan_chunks<Exclusive, R>(chain, n, from, to, init, op);
}

template <bool Exclusive, typename R, typename T, typename Place, typename U, typename OutPlace,
          typename Operator>
sycl::event scan_views(const char* operation, const execution& on, const vector_view<T, Place>& in,
                       const vector_view<U, OutPlace>& out, const before<R>& init, const Operator& op,
                       const std::vector<sycl::event>& depends) {
  require_operand(operation, "in", in);
  require_operand(operation, "out", out);
  require_extent(operation, "out", out.size, in.size);
  command_chain chain(on, depends);
  scan_source<Exclusive, R>(chain, in.size, elements_of(in, same()), view_sink<vector_view<U, OutPlace>>{out},
                            init, op);
  return chain.last();
}

} // namespace detail

/// out[i] = in[0] op ... op in[i]; with `init`: init op in[0] op ... op in[i]. `op` must be associative, and
/// may round; the order of evaluation depends only on the number of elements. Values have the type of `init`,
/// without it that of the elements of `out`. `out` has the extent of `in` and may be `in` itself; they must
/// not overlap otherwise. Errors: errc::invalid for invalid views and for extents that differ. Thread-safe;
/// does not block.
template <typename T, typename Place, typename U, typename OutPlace, typename Operator>
sycl::event inclusive_scan(const execution& on, const vector_view<T, Place>& in,
                           const vector_view<U, OutPlace>& out, Operator op,
                           const std::vector<sycl::event>& depends = {}) {
  return detail::scan_views<false>("inclusive_scan", on, in, out, detail::before<U>{false, U{}}, op, depends);
}
template <typename T, typename Place, typename U, typename OutPlace, typename Operator, typename R>
sycl::event inclusive_scan(const execution& on, const vector_view<T, Place>& in,
                           const vector_view<U, OutPlace>& out, Operator op, R init,
                           const std::vector<sycl::event>& depends = {}) {
  return detail::scan_views<false>("inclusive_scan", on, in, out, detail::before<R>{true, init}, op, depends);
}
/// Sums.
template <typename T, typename Place, typename U, typename OutPlace>
sycl::event inclusive_scan(const execution& on, const vector_view<T, Place>& in,
                           const vector_view<U, OutPlace>& out,
                           const std::vector<sycl::event>& depends = {}) {
  return inclusive_scan(on, in, out, std::plus<U>(), depends);
}

/// out[0] = init, out[i] = init op in[0] op ... op in[i - 1]; otherwise as inclusive_scan.
template <typename T, typename Place, typename U, typename OutPlace, typename R, typename Operator>
sycl::event exclusive_scan(const execution& on, const vector_view<T, Place>& in,
                           const vector_view<U, OutPlace>& out, R init, Operator op,
                           const std::vector<sycl::event>& depends = {}) {
  return detail::scan_views<true>("exclusive_scan", on, in, out, detail::before<R>{true, init}, op, depends);
}
/// Sums of the elements before each element.
template <typename T, typename Place, typename U, typename OutPlace>
sycl::event exclusive_scan(const execution& on, const vector_view<T, Place>& in,
                           const vector_view<U, OutPlace>& out,
                           const std::vector<sycl::event>& depends = {}) {
  return exclusive_scan(on, in, out, U{}, std::plus<U>(), depends);
}

} // namespace prism::primitives
