// Sorting, merging and searching: the functions that programs call. Numbers in their own order are sorted by
// digits, all other keys by comparison.
#pragma once

#include <prism/primitives/merge_sort.hpp>
#include <prism/primitives/radix_sort.hpp>

#include <functional>
#include <type_traits>

namespace prism::primitives {
namespace detail {

template <typename Key, typename Compare>
inline constexpr bool is_ascending =
    is_radix_key<Key> && (std::is_same_v<Compare, std::less<>> || std::is_same_v<Compare, std::less<Key>>);
template <typename Key, typename Compare>
inline constexpr bool is_descending = is_radix_key<Key> && (std::is_same_v<Compare, std::greater<>> ||
                                                            std::is_same_v<Compare, std::greater<Key>>);

template <typename T, typename Place, typename Values, typename Compare>
sycl::event sort_any(const execution& on, const vector_view<T, Place>& keys, const Values& values,
                     const Compare& before, const std::vector<sycl::event>& depends) {
  command_chain chain(on, depends);
  if constexpr (is_ascending<T, Compare> || is_descending<T, Compare>)
    radix_sort(chain, keys, values, is_descending<T, Compare>);
  else merge_sort(chain, keys, values, before);
  return chain.last();
}

template <typename A, typename B, typename Out, typename Compare>
void merge_views(command_chain& chain, const A& a, const B& b, const Out& out, const Compare& before) {
  if (out.size == 0) return;
  const std::size_t segment = plan_merge(chain.on(), out.size).longest_segment, a_count = a.size,
                    b_count = b.size, n = out.size;
  chain.submit([&](sycl::handler& h) {
    const auto bound_a = bind(h, a);
    const auto bound_b = bind(h, b);
    const auto bound_out = bind(h, out);
    for_parts(h, (n + segment - 1) / segment, chunk_group(chain.on()), [=](std::size_t part) {
      const auto from_a = bound_a.open();
      const auto from_b = bound_b.open();
      const auto to = bound_out.open();
      const std::size_t begin = part * segment, end = std::min(begin + segment, n);
      const std::size_t i = merge_path(from_a, a_count, from_b, b_count, begin, before),
                        i_end = merge_path(from_a, a_count, from_b, b_count, end, before), j = begin - i,
                        j_end = end - i_end;
      merge_serially(from_a.behind(i), i_end - i, from_b.behind(j), j_end - j, before,
                     [=](std::size_t k, bool is_a, std::size_t place) {
        to[begin + k] = is_a ? from_a[i + place] : from_b[j + place];
      });
    });
  });
}

/// The number of elements of `sorted` that belong before `value`: those less than it, or with `Upper` also
/// those equal to it.
template <bool Upper, typename Sorted, typename T, typename Compare>
std::size_t bound_of(const Sorted& sorted, std::size_t n, const T& value, const Compare& before) {
  std::size_t low = 0, high = n;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const bool is_before = Upper ? !before(value, sorted[middle]) : before(sorted[middle], value);
    if (is_before) low = middle + 1;
    else high = middle;
  }
  return low;
}

template <bool Upper, typename T, typename Place, typename V, typename ValuePlace, typename U,
          typename OutPlace, typename Compare>
sycl::event find_bounds(const char* operation, const execution& on, const vector_view<T, Place>& sorted,
                        const vector_view<V, ValuePlace>& values, const vector_view<U, OutPlace>& places,
                        const Compare& before, const std::vector<sycl::event>& depends) {
  require_operand(operation, "sorted", sorted);
  require_operand(operation, "values", values);
  require_operand(operation, "places", places);
  require_extent(operation, "places", places.size, values.size);
  command_chain chain(on, depends);
  if (!values.empty())
    chain.submit([&](sycl::handler& h) {
      const auto from = bind(h, readable(sorted));
      const auto wanted = bind(h, readable(values));
      const auto to = bind(h, places);
      const std::size_t n = sorted.size;
      h.parallel_for(sycl::range<1>(values.size), [=](sycl::id<1> i) {
        to.open()[i] = U(bound_of<Upper>(from.open(), n, wanted.open()[i], before));
      });
    });
  return chain.last();
}

} // namespace detail

/// Sorts `keys` in place, stably. With std::less or std::greater, numbers are sorted by their digits
/// (radix_sort.hpp). Floating-point numbers are then in IEEE 754's total order or its reverse, which orders
/// NaNs too. Any other `before` must be a strict weak order of trivially copyable keys; otherwise (NaNs under
/// <) the result is some permutation. Memory: as much as the keys. Thread-safe; does not block.
template <typename T, typename Place, typename Compare = std::less<>,
          typename = std::enable_if_t<!std::is_convertible_v<Compare, std::vector<sycl::event>>>>
sycl::event sort(const execution& on, const vector_view<T, Place>& keys, Compare before = {},
                 const std::vector<sycl::event>& depends = {}) {
  detail::require_operand("sort", "keys", keys);
  return detail::sort_any(on, keys, detail::no_values(), before, depends);
}

/// The same; `values`, one for each key, move with the keys. The two must not overlap.
template <typename T, typename Place, typename V, typename ValuePlace, typename Compare = std::less<>>
sycl::event sort_by_key(const execution& on, const vector_view<T, Place>& keys,
                        const vector_view<V, ValuePlace>& values, Compare before = {},
                        const std::vector<sycl::event>& depends = {}) {
  detail::require_operand("sort_by_key", "keys", keys);
  detail::require_operand("sort_by_key", "values", values);
  detail::require_extent("sort_by_key", "values", values.size, keys.size);
  return detail::sort_any(on, keys, values, before, depends);
}

/// Merges two sorted sequences. `out` has the extents of a and b together and must overlap neither. Of equal
/// elements those of a come first.
template <typename A, typename APlace, typename B, typename BPlace, typename U, typename OutPlace,
          typename Compare = std::less<>>
sycl::event merge(const execution& on, const vector_view<A, APlace>& a, const vector_view<B, BPlace>& b,
                  const vector_view<U, OutPlace>& out, Compare before = {},
                  const std::vector<sycl::event>& depends = {}) {
  detail::require_operand("merge", "a", a);
  detail::require_operand("merge", "b", b);
  detail::require_operand("merge", "out", out);
  detail::require_extent("merge", "out", out.size, a.size + b.size);
  command_chain chain(on, depends);
  detail::merge_views(chain, detail::readable(a), detail::readable(b), out, before);
  return chain.last();
}

/// places[i] = the number of elements of `sorted` less than values[i]: the first index where it could be
/// inserted.
template <typename T, typename Place, typename V, typename ValuePlace, typename U, typename OutPlace,
          typename Compare = std::less<>>
sycl::event lower_bound(const execution& on, const vector_view<T, Place>& sorted,
                        const vector_view<V, ValuePlace>& values, const vector_view<U, OutPlace>& places,
                        Compare before = {}, const std::vector<sycl::event>& depends = {}) {
  return detail::find_bounds<false>("lower_bound", on, sorted, values, places, before, depends);
}
/// places[i] = the number of elements of `sorted` not greater than values[i]: the last index where it could
/// be inserted.
template <typename T, typename Place, typename V, typename ValuePlace, typename U, typename OutPlace,
          typename Compare = std::less<>>
sycl::event upper_bound(const execution& on, const vector_view<T, Place>& sorted,
                        const vector_view<V, ValuePlace>& values, const vector_view<U, OutPlace>& places,
                        Compare before = {}, const std::vector<sycl::event>& depends = {}) {
  return detail::find_bounds<true>("upper_bound", on, sorted, values, places, before, depends);
}

} // namespace prism::primitives
