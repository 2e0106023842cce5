// The first k elements of an order. Each chunk keeps its k best elements in a heap; then the best elements of
// all chunks are sorted. D. E. Knuth, "The Art of Computer Programming", vol. 3, 5.2.3 (heaps).
#pragma once

#include <prism/primitives/reduce.hpp>
#include <prism/primitives/sort.hpp>

#include <functional>

namespace prism::primitives {
namespace detail {

/// Elements in the requested order; equal ones by their index.
template <typename Compare>
struct before_with_place {
  Compare before;
  template <typename T>
  bool operator()(const located<T>& a, const located<T>& b) const {
    return before(a.value, b.value) || (!before(b.value, a.value) && a.place < b.place);
  }
};

/// The element at `root` sinks until none below it in heap[0, count) comes later.
template <typename T, typename Compare>
void sink_in_heap(located<T>* heap, std::size_t count, std::size_t root, const Compare& before) {
  for (std::size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
    if (child + 1 < count && before(heap[child], heap[child + 1])) ++child;
    if (!before(heap[root], heap[child])) return;
    const located<T> risen = heap[child];
    heap[child] = heap[root];
    heap[root] = risen;
    root = child;
  }
}

/// Selects the first `k` of the elements `first` to `end - 1` into heap[0, k); there must be at least k.
template <typename T, typename Elements, typename Compare>
void select_first(const Elements& in, std::size_t first, std::size_t end, std::size_t k, located<T>* heap,
                  const Compare& before) {
  for (std::size_t i = 0; i < k; ++i) heap[i] = {in[first + i], first + i};
  if (k == end - first) return;
  for (std::size_t root = k / 2; root > 0; --root) sink_in_heap(heap, k, root - 1, before);
  for (std::size_t i = first + k; i < end; ++i) {
    const located<T> next{in[i], i};
    if (!before(next, heap[0])) continue;
    heap[0] = next;
    sink_in_heap(heap, k, 0, before);
  }
}

} // namespace detail

/// values[0], values[1], ... = the first elements of `in` in the order of `before`, places[0], ... = their
/// indices in `in`. Of equal elements the one with the lower index comes first. Without `before`: the
/// largest. `values` and `places` have one extent, at most that of `in`. The result is unspecified if there
/// are NaNs, because they are not ordered. Memory: about a sixteenth of `in` for small k, otherwise twice
/// `in`.
template <typename T, typename Place, typename U, typename OutPlace, typename I, typename IndexPlace,
          typename Compare = std::greater<>>
sycl::event top_k(const execution& on, const vector_view<T, Place>& in,
                  const vector_view<U, OutPlace>& values, const vector_view<I, IndexPlace>& places,
                  Compare before = {}, const std::vector<sycl::event>& depends = {}) {
  using value = std::remove_const_t<T>;
  detail::require_operand("top_k", "in", in);
  detail::require_operand("top_k", "values", values);
  detail::require_operand("top_k", "places", places);
  detail::require_extent("top_k", "places", places.size, values.size);
  if (values.size > in.size)
    prism::detail::refuse_view("top_k: the first " + std::to_string(values.size) + " of " +
                               std::to_string(in.size) + " elements");
  command_chain chain(on, depends);
  const std::size_t n = in.size, k = values.size;
  if (k == 0) return chain.last();
  std::size_t length = 4096;
  if (on.how() == method::chained)
    length = std::max(
        length,
        n / (8 * on.queue().get_device().template get_info<sycl::info::device::max_compute_units>()) + 1);
  const std::size_t per_chunk = 16 * k <= length ? k : length, whole = n / length, rest = n - whole * length,
                    last = std::min(per_chunk, rest), count = whole * per_chunk + last;
  const auto candidates = chain.memory().template take<detail::located<value>>(count),
             other = chain.memory().template take<detail::located<value>>(count);
  const detail::before_with_place<Compare> order{before};
  chain.submit([&](sycl::handler& h) {
    const auto from = detail::bind(h, detail::readable(in));
    const auto memory = detail::bind(h, candidates);
    detail::for_parts(h, whole + (rest ? 1 : 0), detail::chunk_group(on), [=](std::size_t part) {
      const std::size_t first = part * length, end = std::min(n, first + length);
      detail::select_first(from.open(), first, end, std::min(per_chunk, end - first),
                           memory.open() + part * per_chunk, order);
    });
  });
  const detail::temporary_pair<detail::located<value>> pair{candidates, other};
  detail::merge_sort_sides(chain, count, pair, detail::no_values(), order);
  chain.submit([&](sycl::handler& h) {
    const auto sorted = detail::bind(h, candidates);
    const auto to = detail::bind(h, values);
    const auto to_places = detail::bind(h, places);
    h.parallel_for(sycl::range<1>(k), [=](sycl::id<1> i) {
      to.open()[i[0]] = sorted.open()[i[0]].value;
      to_places.open()[i[0]] = I(sorted.open()[i[0]].place);
    });
  });
  return chain.last();
}

} // namespace prism::primitives
