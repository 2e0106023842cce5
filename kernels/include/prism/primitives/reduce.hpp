// Reductions. Tiles of 4,096 elements are folded in the order of fold.hpp, then their results are folded,
// until one is left. On processors a work-item folds a tile. On graphics processors 32 adjacent work-items
// are the 32 accumulators of a tile and read adjacent elements. The order is the same, and so is the result.
// M. Harris, "Optimizing parallel reduction in CUDA" (2007), for the second.
#pragma once

#include <prism/primitives/fold.hpp>

#include <limits>

namespace prism::primitives {
namespace detail {

inline constexpr std::size_t reduce_tile = 4096;

/// Writes the result of each tile to to[tile]; `combine` computes the stored value from it.
template <typename R, typename Source, typename Target, typename Operator, typename Combine>
void fold_tiles(command_chain& chain, std::size_t n, const Source& from, const Target& to, const Operator& op,
                const Combine& combine) {
  const std::size_t tiles = (n + reduce_tile - 1) / reduce_tile, group = chunk_group(chain.on());
  chain.submit([&](sycl::handler& h) {
    const auto in = from.bind(h);
    const auto out = bind(h, to);
    for_parts(h, tiles, group, [=](std::size_t tile) {
      const std::size_t first = tile * reduce_tile, count = std::min(reduce_tile, n - first);
      open(in, [&](const auto& get) {
        out.open()[tile] = combine(fold<R>([&](std::size_t i) { return get(first + i); }, count, op));
      });
    });
  });
}

/// The same by 32 work-items per tile, for commutative operators.
template <typename R, typename Source, typename Target, typename Operator>
void fold_tiles_in_groups(command_chain& chain, std::size_t n, const Source& from, const Target& to,
                          const Operator& op) {
  constexpr std::size_t tiles_of_group = 4;
  const std::size_t tiles = (n + reduce_tile - 1) / reduce_tile,
                    groups = (tiles + tiles_of_group - 1) / tiles_of_group;
  chain.submit([&](sycl::handler& h) {
    const auto in = from.bind(h);
    const auto out = bind(h, to);
    sycl::local_accessor<R> sums(tiles_of_group * lanes, h);
    const sycl::nd_range<1> range(groups * tiles_of_group * lanes, tiles_of_group * lanes);
    h.parallel_for(range, [=](sycl::nd_item<1> item) {
      const std::size_t local = item.get_local_id(0), lane = local % lanes,
                        tile = item.get_group(0) * tiles_of_group + local / lanes, first = tile * reduce_tile,
                        count = tile < tiles ? std::min(reduce_tile, n - first) : 0;
      open(in, [&](const auto& get) {
        if (lane + lanes <= count / lanes * lanes) {
          R sum = get(first + lane);
          for (std::size_t i = lane + lanes; i < count / lanes * lanes; i += lanes)
            sum = op(sum, get(first + i));
          sums[local] = sum;
        } else if (lane < count / lanes * lanes) {
          sums[local] = get(first + lane);
        }
      });
      sycl::group_barrier(item.get_group());
      if (lane != 0 || count == 0) return;
      open(in, [&](const auto& get) {
        R sum;
        std::size_t i = 1;
        if (count < lanes) {
          sum = get(first);
        } else {
          R all[lanes];
          for (std::size_t j = 0; j < lanes; ++j) all[j] = sums[local + j];
          sum = fold_accumulators(all, op);
          i = count / lanes * lanes;
        }
        for (; i < count; ++i) sum = op(sum, get(first + i));
        out.open()[tile] = sum;
      });
    });
  });
}

/// Writes finish(fold of all elements) to the first element of `to`; n > 0. After the first level few
/// elements remain: work-items fold their tiles on every device.
template <typename R, typename Source, typename Target, typename Operator, typename Combine>
void reduce_source(command_chain& chain, std::size_t n, const Source& from, const Target& to,
                   const Operator& op, const Combine& finish) {
  std::size_t count = (n + reduce_tile - 1) / reduce_tile;
  temporary<R> sums = chain.memory().template take<R>(count);
  if constexpr (commutes<Operator>::value) {
    if (chain.on().how() == method::work_groups) fold_tiles_in_groups<R>(chain, n, from, sums, op);
    else fold_tiles<R>(chain, n, from, sums, op, same());
  } else {
    fold_tiles<R>(chain, n, from, sums, op, same());
  }
  while (count > reduce_tile) {
    const std::size_t fewer = (count + reduce_tile - 1) / reduce_tile;
    temporary<R> next = chain.memory().template take<R>(fewer);
    fold_tiles<R>(chain, count, temporary_source<R>{sums}, next, op, same());
    sums = next, count = fewer;
  }
  fold_tiles<R>(chain, count, temporary_source<R>{sums}, to, op, finish);
}

template <typename Target, typename R>
void store(command_chain& chain, const Target& to, const R& value) {
  chain.submit([&](sycl::handler& h) {
    const auto out = bind(h, to);
    h.single_task([=] { out.open()[0] = value; });
  });
}

template <typename R, typename Source, typename Target, typename Operator>
sycl::event reduce_from(const execution& on, std::size_t n, const Source& from, const Target& to,
                        const R& init, const Operator& op, const std::vector<sycl::event>& depends) {
  command_chain chain(on, depends);
  if (n == 0) store(chain, to, init);
  else reduce_source<R>(chain, n, from, to, op, [=](const R& sum) { return op(init, sum); });
  return chain.last();
}

} // namespace detail

/// out[0] = init op function(in[0]) op function(in[1]) ..., in an order of evaluation that depends only on
/// the number of elements (fold.hpp). `op` must be associative, and may round. Without elements out[0] is
/// init. Values have the type of `init`. `out` has one element. Errors: errc::invalid for an invalid view or
/// another extent of `out`. Thread-safe; does not block.
template <typename T, typename Place, typename U, typename OutPlace, typename R, typename Operator,
          typename Function>
sycl::event transform_reduce(const execution& on, const vector_view<T, Place>& in,
                             const vector_view<U, OutPlace>& out, R init, Operator op, Function function,
                             const std::vector<sycl::event>& depends = {}) {
  detail::require_operand("transform_reduce", "in", in);
  detail::require_operand("transform_reduce", "out", out);
  detail::require_extent("transform_reduce", "out", out.size, 1);
  return detail::reduce_from(on, in.size, detail::elements_of(in, function), out, init, op, depends);
}

/// The same of function(a[0], b[0]), function(a[1], b[1]), ...; both have one extent.
template <typename A, typename APlace, typename B, typename BPlace, typename U, typename OutPlace, typename R,
          typename Operator, typename Function>
sycl::event transform_reduce(const execution& on, const vector_view<A, APlace>& a,
                             const vector_view<B, BPlace>& b, const vector_view<U, OutPlace>& out, R init,
                             Operator op, Function function, const std::vector<sycl::event>& depends = {}) {
  detail::require_operand("transform_reduce", "a", a);
  detail::require_operand("transform_reduce", "b", b);
  detail::require_operand("transform_reduce", "out", out);
  detail::require_extent("transform_reduce", "b", b.size, a.size);
  detail::require_extent("transform_reduce", "out", out.size, 1);
  const auto first = detail::readable(a);
  const auto second = detail::readable(b);
  const detail::pair_source<decltype(first), decltype(second), Function> from{first, second, function};
  return detail::reduce_from(on, a.size, from, out, init, op, depends);
}

/// out[0] = init op in[0] op in[1] ...: transform_reduce without a function.
template <typename T, typename Place, typename U, typename OutPlace, typename R, typename Operator>
sycl::event reduce(const execution& on, const vector_view<T, Place>& in, const vector_view<U, OutPlace>& out,
                   R init, Operator op, const std::vector<sycl::event>& depends = {}) {
  detail::require_operand("reduce", "in", in);
  detail::require_operand("reduce", "out", out);
  detail::require_extent("reduce", "out", out.size, 1);
  return detail::reduce_from(on, in.size, detail::elements_of(in, detail::same()), out, init, op, depends);
}
/// The sum, in the type of the elements of `out`.
template <typename T, typename Place, typename U, typename OutPlace>
sycl::event reduce(const execution& on, const vector_view<T, Place>& in, const vector_view<U, OutPlace>& out,
                   const std::vector<sycl::event>& depends = {}) {
  return reduce(on, in, out, U{}, std::plus<U>(), depends);
}

namespace detail {

template <typename T>
struct located {
  T value;
  std::uint64_t place; // no_place: no element yet
};
inline constexpr std::uint64_t no_place = ~std::uint64_t(0);

/// The one that `before` orders first; of equal ones the one with the lower index.
template <typename Compare>
struct first_of {
  Compare before;
  template <typename T>
  located<T> operator()(const located<T>& a, const located<T>& b) const {
    const bool second = b.place != no_place && (a.place == no_place || before(b.value, a.value) ||
                                                (!before(a.value, b.value) && b.place < a.place));
    return second ? b : a;
  }
};

template <typename T>
struct locate {
  located<T> operator()(std::size_t i, const T& value) const { return {value, i}; }
};

template <typename T, typename Place, typename U, typename OutPlace, typename Compare>
sycl::event arg_first(const char* operation, const execution& on, const vector_view<T, Place>& in,
                      const vector_view<U, OutPlace>& place, Compare before,
                      const std::vector<sycl::event>& depends) {
  require_operand(operation, "in", in);
  require_operand(operation, "place", place);
  require_extent(operation, "place", place.size, 1);
  if (in.empty()) prism::detail::refuse_view(std::string(operation) + ": in has no elements");
  using value = std::remove_const_t<T>;
  const auto from = elements_of<true>(in, locate<value>());
  command_chain chain(on, depends);
  reduce_source<located<value>>(chain, in.size, from, place, first_of<Compare>{before},
                                [](const located<value>& found) { return U(found.place); });
  return chain.last();
}

} // namespace detail

/// place[0] = index of the first element that no other is less than. The result is unspecified if there are
/// NaNs, because they are neither less nor greater than anything. `in` must have elements: errc::invalid.
template <typename T, typename Place, typename U, typename OutPlace>
sycl::event argmin(const execution& on, const vector_view<T, Place>& in,
                   const vector_view<U, OutPlace>& place, const std::vector<sycl::event>& depends = {}) {
  return detail::arg_first("argmin", on, in, place, std::less<>(), depends);
}
/// place[0] = index of the first element that is not less than any other; see argmin.
template <typename T, typename Place, typename U, typename OutPlace>
sycl::event argmax(const execution& on, const vector_view<T, Place>& in,
                   const vector_view<U, OutPlace>& place, const std::vector<sycl::event>& depends = {}) {
  return detail::arg_first("argmax", on, in, place, std::greater<>(), depends);
}

} // namespace prism::primitives
