// Stable sorting by comparison. Each work-item sorts blocks that fit into a cache (by ranks among eight
// elements, then by merging). Then all work-items merge pairs of sorted sequences (merge_path.hpp). D. E.
// Knuth, "The Art of Computer Programming", vol. 3, 5.2.4.
#pragma once

#include <prism/primitives/merge_path.hpp>

#include <utility>

namespace prism::primitives {
namespace detail {

struct no_values {};

/// A sequence that passes move between two contiguous memories: the operand (or a copy, if the operand has a
/// stride), and a second one.
template <typename View, typename T>
struct alternating {
  View view;
  temporary<T> other, copy;
  bool is_copied() const { return view.stride != 1; }
};
template <typename T>
struct two_pointers {
  T *home, *away;
  T* side(bool at_home) const { return at_home ? home : away; }
};
template <typename Bound, typename T>
struct bound_alternating {
  Bound view;
  bound_temporary<T> other, copy;
  two_pointers<T> open() const {
    const auto elements = view.open();
    return {elements.stride == 1 ? elements.data : copy.open(), other.open()};
  }
};
template <typename View, typename T>
auto bind(sycl::handler& h, const alternating<View, T>& sequence) {
  auto view = bind(h, sequence.view);
  return bound_alternating<decltype(view), T>{view, bind(h, sequence.other), bind(h, sequence.copy)};
}
struct bound_nothing {
  no_values open() const { return {}; }
};
inline bound_nothing bind(sycl::handler&, const no_values&) { return {}; }

template <typename T, typename Place>
auto alternate(command_chain& chain, const vector_view<T, Place>& view) {
  return alternating<vector_view<T, Place>, T>{
      view, chain.memory().template take<T>(view.size),
      chain.memory().template take<T>(view.stride == 1 ? 1 : view.size)};
}
inline no_values alternate(command_chain&, const no_values&) { return {}; }

template <bool Back, typename View, typename T>
void copy_strided(command_chain& chain, const alternating<View, T>& sequence) {
  if (!sequence.is_copied()) return;
  chain.submit([&](sycl::handler& h) {
    const auto view = bind(h, sequence.view);
    const auto copy = bind(h, sequence.copy);
    h.parallel_for(sycl::range<1>(sequence.view.size), [=](sycl::id<1> i) {
      if constexpr (Back) view.open()[i] = copy.open()[i];
      else copy.open()[i] = view.open()[i];
    });
  });
}
template <bool Back>
void copy_strided(command_chain&, const no_values&) {}

/// Merges two sorted sequences of keys, and their values, into `to` and `values_to`.
template <typename T, typename V, typename Compare>
void merge_runs(const T* a, std::size_t a_count, const T* b, std::size_t b_count, T* to, const V& values_a,
                const V& values_b, const V& values_to, const Compare& before) {
  merge_serially(a, a_count, b, b_count, before, [=](std::size_t k, bool from_a, std::size_t i) {
    to[k] = *((PRISM_UNPREDICTABLE(from_a) ? a : b) + i);
    if constexpr (!std::is_same_v<V, no_values>)
      values_to[k] = *((PRISM_UNPREDICTABLE(from_a) ? values_a : values_b) + i);
  });
}

template <typename V>
V behind(const V& values, std::size_t count) {
  if constexpr (std::is_same_v<V, no_values>) return values;
  else return values + count;
}
template <typename V>
auto side_of(const V& pointers, bool at_home) {
  if constexpr (std::is_same_v<V, no_values>) return pointers;
  else return pointers.side(at_home);
}

inline constexpr std::size_t ranked_run = 8;

/// Sorts up to eight keys by counting the keys before each; `to` may be `from`.
template <typename T, typename V, typename Compare>
void sort_by_ranks(const T* from, T* to, const V& values_from, const V& values_to, std::size_t count,
                   const Compare& before) {
  T keys[ranked_run];
  std::uint32_t ranks[ranked_run] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (std::size_t i = 0; i < count; ++i) keys[i] = from[i];
  PRISM_UNROLL
  for (std::size_t i = 0; i < ranked_run; ++i) {
    PRISM_UNROLL
    for (std::size_t j = i + 1; j < ranked_run; ++j) {
      const std::uint32_t swapped = j < count && before(keys[j], keys[i]) ? 1 : 0;
      ranks[i] += swapped, ranks[j] -= swapped;
    }
  }
  if constexpr (!std::is_same_v<V, no_values>) {
    std::remove_pointer_t<V> values[ranked_run];
    for (std::size_t i = 0; i < count; ++i) values[i] = values_from[i];
    for (std::size_t i = 0; i < count; ++i) values_to[ranks[i]] = values[i];
  }
  for (std::size_t i = 0; i < count; ++i) to[ranks[i]] = keys[i];
}

/// Sorts `count` elements from `first` on, which are in the operand; the result is on side `to_home`.
template <typename Pointers, typename Values, typename Compare>
void sort_block(const Pointers& keys, const Values& values, std::size_t first, std::size_t count,
                bool to_home, const Compare& before) {
  bool at_home = to_home;
  for (std::size_t width = ranked_run; width < count; width *= 2) at_home = !at_home;
  for (std::size_t run = 0; run < count; run += ranked_run)
    sort_by_ranks(keys.home + first + run, keys.side(at_home) + first + run,
                  behind(side_of(values, true), first + run), behind(side_of(values, at_home), first + run),
                  count - run < ranked_run ? count - run : ranked_run, before);
  for (std::size_t width = ranked_run; width < count; width *= 2, at_home = !at_home)
    for (std::size_t begin = 0; begin < count; begin += 2 * width) {
      const std::size_t left = count - begin, a_count = left < width ? left : width,
                        b_count = left - a_count < width ? left - a_count : width, at = first + begin;
      const auto* from = keys.side(at_home) + at;
      const auto values_from = behind(side_of(values, at_home), at);
      merge_runs(from, a_count, from + a_count, b_count, keys.side(!at_home) + at, values_from,
                 behind(values_from, a_count), behind(side_of(values, !at_home), at), before);
    }
}

struct merge_plan {
  std::size_t n, block, longest_segment, group;
};
inline merge_plan plan_merge(const execution& on, std::size_t n) {
  // Segments are short except on the host device: llvmpipe ends a work-item's loops after 65,535 iterations.
  if (on.how() == method::chained) return {n, 8192, 65536, 1};
  return {n, 512, 1024, chunk_group(on)};
}

template <typename Keys, typename Values, typename Compare>
void sort_blocks(command_chain& chain, const merge_plan& plan, const Keys& keys, const Values& values,
                 bool to_home, const Compare& before) {
  chain.submit([&](sycl::handler& h) {
    const auto bound_keys = bind(h, keys);
    const auto bound_values = bind(h, values);
    for_parts(h, (plan.n + plan.block - 1) / plan.block, plan.group, [=](std::size_t block) {
      const std::size_t first = block * plan.block;
      sort_block(bound_keys.open(), bound_values.open(), first, std::min(plan.block, plan.n - first), to_home,
                 before);
    });
  });
}

/// Merges pairs of sorted sequences of `width` elements to the other side; `segment` divides `width`.
template <typename Keys, typename Values, typename Compare>
void merge_pass(command_chain& chain, const merge_plan& plan, std::size_t width, const Keys& keys,
                const Values& values, bool from_home, const Compare& before) {
  const std::size_t segment = std::min(2 * width, plan.longest_segment), n = plan.n;
  chain.submit([&](sycl::handler& h) {
    const auto bound_keys = bind(h, keys);
    const auto bound_values = bind(h, values);
    for_parts(h, (n + segment - 1) / segment, plan.group, [=](std::size_t part) {
      const std::size_t out = part * segment, pair = out / (2 * width) * (2 * width), left = n - pair;
      const std::size_t a_count = std::min(width, left), b_count = std::min(width, left - a_count);
      const auto all_keys = bound_keys.open();
      const auto all_values = bound_values.open();
      const auto* a = all_keys.side(from_home) + pair;
      const auto* b = a + a_count;
      const std::size_t begin = out - pair, end = std::min(begin + segment, a_count + b_count);
      const std::size_t i = merge_path(a, a_count, b, b_count, begin, before),
                        i_end = merge_path(a, a_count, b, b_count, end, before), j = begin - i,
                        j_end = end - i_end;
      const auto values_a = behind(side_of(all_values, from_home), pair);
      merge_runs(a + i, i_end - i, b + j, j_end - j, all_keys.side(!from_home) + out, behind(values_a, i),
                 behind(values_a, a_count + j), behind(side_of(all_values, !from_home), out), before);
    });
  });
}

/// `keys` and `values` are sequences with two sides each. Their elements are in the operand before and after.
template <typename Keys, typename Values, typename Compare>
void merge_sort_sides(command_chain& chain, std::size_t n, const Keys& keys, const Values& values,
                      const Compare& before) {
  const merge_plan plan = plan_merge(chain.on(), n);
  bool at_home = true;
  for (std::size_t width = plan.block; width < n; width *= 2) at_home = !at_home;
  sort_blocks(chain, plan, keys, values, at_home, before);
  for (std::size_t width = plan.block; width < n; width *= 2, at_home = !at_home)
    merge_pass(chain, plan, width, keys, values, at_home, before);
}

template <typename T, typename Place, typename Values, typename Compare>
void merge_sort(command_chain& chain, const vector_view<T, Place>& keys, const Values& values,
                const Compare& before) {
  if (keys.size < 2) return;
  const auto all_keys = alternate(chain, keys);
  const auto all_values = alternate(chain, values);
  copy_strided<false>(chain, all_keys);
  copy_strided<false>(chain, all_values);
  merge_sort_sides(chain, keys.size, all_keys, all_values, before);
  copy_strided<true>(chain, all_keys);
  copy_strided<true>(chain, all_values);
}

/// Sorts elements in intermediate memory, with as much additional memory.
template <typename T>
struct temporary_pair {
  temporary<T> home, away;
};
template <typename T>
struct bound_temporary_pair {
  bound_temporary<T> home, away;
  two_pointers<T> open() const { return {home.open(), away.open()}; }
};
template <typename T>
auto bind(sycl::handler& h, const temporary_pair<T>& pair) {
  return bound_temporary_pair<T>{bind(h, pair.home), bind(h, pair.away)};
}

} // namespace detail
} // namespace prism::primitives
