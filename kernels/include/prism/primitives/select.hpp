// Selection of elements: copy_if, unique and partition, all in the order of the input. Each is a scan of
// zeros and ones (scan.hpp) that writes the selected elements instead of the sums. G. Blelloch, "Prefix sums
// and their applications" (1990).
#pragma once

#include <prism/primitives/reduce.hpp>
#include <prism/primitives/scan.hpp>

namespace prism::primitives {
namespace detail {

template <typename Predicate>
struct holds {
  Predicate predicate;
  template <typename Elements>
  bool operator()(const Elements& in, std::size_t i) const {
    return predicate(in[i]);
  }
};
template <typename Equal>
struct differs_from_last {
  Equal equal;
  template <typename Elements>
  bool operator()(const Elements& in, std::size_t i) const {
    return i == 0 || !equal(in[i - 1], in[i]);
  }
};

/// 1 for each selected element, 0 for others.
template <typename View, typename Choice>
struct choice_source {
  View in;
  Choice choice;
  template <typename Operand>
  struct bound {
    Operand operand;
    Choice choice;
    template <typename Elements>
    static auto getter(const Elements& elements, const Choice& choice) {
      return [=](std::size_t i) { return std::uint64_t(choice(elements, i) ? 1 : 0); };
    }
    bool is_near() const { return operand.stride == 1; }
    auto near() const { return getter(operand.open().data, choice); }
    auto far() const { return getter(operand.open(), choice); }
  };
  auto bind(sycl::handler& h) const {
    auto operand = detail::bind(h, in);
    return bound<decltype(operand)>{operand, choice};
  }
};

/// Writes the selected elements contiguously, with `Rest` also the others from `n` on. After the last element
/// it writes the number of selected elements.
template <bool Rest, typename View, typename T, typename Count, typename Choice>
struct choice_sink {
  View in;
  temporary<T> chosen;
  Count count;
  Choice choice;
  template <typename In, typename BoundCount>
  struct bound {
    In in;
    bound_temporary<T> chosen;
    BoundCount count;
    Choice choice;
    std::size_t n;
    template <typename Elements, typename Counter>
    static auto putter(const Elements& from, T* to, const Counter& counter, const Choice& choice,
                       std::size_t n) {
      return [=](std::size_t i, std::uint64_t before) {
        const bool is_chosen = choice(from, i);
        if (is_chosen) to[before] = from[i];
        else if constexpr (Rest) to[n + i - before] = from[i];
        if (i + 1 == n) counter[0] = std::remove_reference_t<decltype(counter[0])>(before + is_chosen);
      };
    }
    bool is_near() const { return in.stride == 1; }
    auto near() const { return putter(in.open().data, chosen.open(), count.open(), choice, n); }
    auto far() const { return putter(in.open(), chosen.open(), count.open(), choice, n); }
  };
  auto bind(sycl::handler& h) const {
    auto from = detail::bind(h, in);
    auto counter = detail::bind(h, count);
    return bound<decltype(from), decltype(counter)>{from, detail::bind(h, chosen), counter, choice, in.size};
  }
};

/// Writes to intermediate memory, then to `out`, so that `out` may be `in`.
template <bool Rest, typename T, typename Place, typename U, typename OutPlace, typename C,
          typename CountPlace, typename Choice>
sycl::event choose(const char* operation, const execution& on, const vector_view<T, Place>& in,
                   const vector_view<U, OutPlace>& out, const vector_view<C, CountPlace>& count,
                   const Choice& choice, const std::vector<sycl::event>& depends) {
  require_operand(operation, "in", in);
  require_operand(operation, "out", out);
  require_operand(operation, "count", count);
  require_extent(operation, "out", out.size, in.size);
  require_extent(operation, "count", count.size, 1);
  command_chain chain(on, depends);
  const std::size_t n = in.size;
  if (n == 0) {
    store(chain, count, C(0));
    return chain.last();
  }
  const auto from = readable(in);
  using view = std::remove_const_t<decltype(from)>;
  const auto chosen = chain.memory().template take<U>(Rest ? 2 * n : n);
  const choice_sink<Rest, view, U, vector_view<C, CountPlace>, Choice> sink{from, chosen, count, choice};
  scan_source<true>(chain, n, choice_source<view, Choice>{from, choice}, sink, before<std::uint64_t>{true, 0},
                    std::plus<std::uint64_t>());
  chain.submit([&](sycl::handler& h) {
    const auto elements = bind(h, chosen);
    const auto counter = bind(h, readable(count));
    const auto to = bind(h, out);
    h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> id) {
      const std::size_t i = id[0];
      const auto found = std::size_t(counter.open()[0]);
      if (i < found) to.open()[i] = elements.open()[i];
      else if constexpr (Rest) to.open()[i] = elements.open()[n + i - found];
    });
  });
  return chain.last();
}

} // namespace detail

/// Writes the elements for which predicate(element) holds to out[0], out[1], ..., and their number to
/// count[0]. `out` has the extent of `in`, and its elements from count[0] on keep their values; it may be
/// `in` itself. Memory: as much as `out` and half of it again. Thread-safe; does not block.
template <typename T, typename Place, typename U, typename OutPlace, typename C, typename CountPlace,
          typename Predicate>
sycl::event copy_if(const execution& on, const vector_view<T, Place>& in, const vector_view<U, OutPlace>& out,
                    const vector_view<C, CountPlace>& count, Predicate predicate,
                    const std::vector<sycl::event>& depends = {}) {
  return detail::choose<false>("copy_if", on, in, out, count, detail::holds<Predicate>{predicate}, depends);
}

/// Writes the first of each sequence of equal adjacent elements, otherwise as copy_if.
template <typename T, typename Place, typename U, typename OutPlace, typename C, typename CountPlace,
          typename Equal = std::equal_to<>>
sycl::event unique(const execution& on, const vector_view<T, Place>& in, const vector_view<U, OutPlace>& out,
                   const vector_view<C, CountPlace>& count, Equal equal = {},
                   const std::vector<sycl::event>& depends = {}) {
  return detail::choose<false>("unique", on, in, out, count, detail::differs_from_last<Equal>{equal},
                               depends);
}

/// Writes the elements for which predicate(element) holds, in order, then the others, in order, and the
/// number of the former to count[0]. `out` may be `in` itself. Memory: twice as much as `out`.
template <typename T, typename Place, typename U, typename OutPlace, typename C, typename CountPlace,
          typename Predicate>
sycl::event partition(const execution& on, const vector_view<T, Place>& in,
                      const vector_view<U, OutPlace>& out, const vector_view<C, CountPlace>& count,
                      Predicate predicate, const std::vector<sycl::event>& depends = {}) {
  return detail::choose<true>("partition", on, in, out, count, detail::holds<Predicate>{predicate}, depends);
}

} // namespace prism::primitives
