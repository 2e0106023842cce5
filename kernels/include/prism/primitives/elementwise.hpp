// Functions with one result per element: transform, for_each_zip, gather and scatter.
#pragma once

#include <prism/primitives/operand.hpp>

#include <type_traits>

namespace prism::primitives {
namespace detail {

/// Several operands, as a kernel captures them. call(function, i): function(element i of each).
struct no_more {
  static constexpr bool is_near() { return true; }
  template <bool Near, typename Function, typename... Elements>
  void call(const Function& function, std::size_t, Elements&... elements) const {
    function(elements...);
  }
};
template <typename First, typename Rest>
struct pack {
  First first;
  Rest rest;
  bool is_near() const { return first.stride == 1 && rest.is_near(); }
  template <bool Near, typename Function, typename... Elements>
  void call(const Function& function, std::size_t i, Elements&... elements) const {
    if constexpr (Near) rest.template call<Near>(function, i, elements..., first.open().data[i]);
    else rest.template call<Near>(function, i, elements..., first.open()[i]);
  }
};
inline no_more bind_all(sycl::handler&) { return {}; }
template <typename First, typename... Rest>
auto bind_all(sycl::handler& h, const First& first, const Rest&... rest) {
  auto bound = bind(h, first);
  auto others = bind_all(h, rest...);
  return pack<decltype(bound), decltype(others)>{bound, others};
}

template <typename Function, typename... Views>
sycl::event for_each_element(const execution& on, std::size_t n, const std::vector<sycl::event>& depends,
                             const Function& function, const Views&... views) {
  command_chain chain(on, depends);
  if (n > 0)
    chain.submit([&](sycl::handler& h) {
      const auto all = bind_all(h, views...);
      h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) {
        if (all.is_near()) all.template call<true>(function, i[0]);
        else all.template call<false>(function, i[0]);
      });
    });
  return chain.last();
}

template <typename T, typename U, typename Function>
struct assign_one {
  Function function;
  void operator()(const T& x, U& to) const { to = function(x); }
};
template <typename A, typename B, typename U, typename Function>
struct assign_two {
  Function function;
  void operator()(const A& x, const B& y, U& to) const { to = function(x, y); }
};

template <bool Scatter, typename In, typename Indices, typename Out>
sycl::event move_by_index(const execution& on, const In& in, const Indices& indices, const Out& out,
                          const std::vector<sycl::event>& depends) {
  command_chain chain(on, depends);
  if (indices.size > 0)
    chain.submit([&](sycl::handler& h) {
      const auto from = bind(h, in);
      const auto places = bind(h, indices);
      const auto to = bind(h, out);
      h.parallel_for(sycl::range<1>(indices.size), [=](sycl::id<1> i) {
        const auto place = static_cast<std::size_t>(places.open()[i[0]]);
        if constexpr (Scatter) to.open()[place] = from.open()[i[0]];
        else to.open()[i[0]] = from.open()[place];
      });
    });
  return chain.last();
}

} // namespace detail

/// out[i] = function(in[i]). The views have one extent; `out` may be `in` itself.
template <typename T, typename Place, typename U, typename OutPlace, typename Function>
sycl::event transform(const execution& on, const vector_view<T, Place>& in,
                      const vector_view<U, OutPlace>& out, Function function,
                      const std::vector<sycl::event>& depends = {}) {
  detail::require_operand("transform", "in", in);
  detail::require_operand("transform", "out", out);
  detail::require_extent("transform", "out", out.size, in.size);
  const detail::assign_one<std::remove_const_t<T>, U, Function> assign{function};
  return detail::for_each_element(on, in.size, depends, assign, detail::readable(in), out);
}

/// out[i] = function(a[i], b[i]). The views have one extent; `out` may be `a` or `b` itself.
template <typename A, typename APlace, typename B, typename BPlace, typename U, typename OutPlace,
          typename Function>
sycl::event transform(const execution& on, const vector_view<A, APlace>& a, const vector_view<B, BPlace>& b,
                      const vector_view<U, OutPlace>& out, Function function,
                      const std::vector<sycl::event>& depends = {}) {
  detail::require_operand("transform", "a", a);
  detail::require_operand("transform", "b", b);
  detail::require_operand("transform", "out", out);
  detail::require_extent("transform", "b", b.size, a.size);
  detail::require_extent("transform", "out", out.size, a.size);
  const detail::assign_two<std::remove_const_t<A>, std::remove_const_t<B>, U, Function> assign{function};
  return detail::for_each_element(on, a.size, depends, assign, detail::readable(a), detail::readable(b), out);
}

/// function(first[i], rest[i]...) for every i, with references to the elements. Elements of views of const T
/// are only read. The views have one extent.
template <typename Function, typename T, typename Place, typename... Views>
sycl::event for_each_zip(const execution& on, Function function, const std::vector<sycl::event>& depends,
                         const vector_view<T, Place>& first, const Views&... rest) {
  detail::require_operand("for_each_zip", "a view", first);
  (detail::require_operand("for_each_zip", "a view", rest), ...);
  (detail::require_extent("for_each_zip", "a view", rest.size, first.size), ...);
  return detail::for_each_element(on, first.size, depends, function, first, rest...);
}

/// out[i] = in[indices[i]]. `indices` and `out` have one extent. Every index must be below the extent of
/// `in`; that is not checked. `out` must overlap neither of the others.
template <typename T, typename Place, typename I, typename IndexPlace, typename U, typename OutPlace>
sycl::event gather(const execution& on, const vector_view<T, Place>& in,
                   const vector_view<I, IndexPlace>& indices, const vector_view<U, OutPlace>& out,
                   const std::vector<sycl::event>& depends = {}) {
  detail::require_operand("gather", "in", in);
  detail::require_operand("gather", "indices", indices);
  detail::require_operand("gather", "out", out);
  detail::require_extent("gather", "out", out.size, indices.size);
  return detail::move_by_index<false>(on, detail::readable(in), detail::readable(indices), out, depends);
}

/// out[indices[i]] = in[i]. `indices` and `in` have one extent. Every index must be below the extent of
/// `out`, and no two may be equal; that is not checked.
template <typename T, typename Place, typename I, typename IndexPlace, typename U, typename OutPlace>
sycl::event scatter(const execution& on, const vector_view<T, Place>& in,
                    const vector_view<I, IndexPlace>& indices, const vector_view<U, OutPlace>& out,
                    const std::vector<sycl::event>& depends = {}) {
  detail::require_operand("scatter", "in", in);
  detail::require_operand("scatter", "indices", indices);
  detail::require_operand("scatter", "out", out);
  detail::require_extent("scatter", "in", in.size, indices.size);
  return detail::move_by_index<true>(on, detail::readable(in), detail::readable(indices), out, depends);
}

} // namespace prism::primitives
