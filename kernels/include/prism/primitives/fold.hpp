// The order in which elements are combined. It depends on the number of elements and on whether the operator
// commutes, but not on the device. Results are therefore reproducible.
//
// Commutative operators: element i goes to accumulator i mod 32 (compilers vectorise the accumulators). The
// accumulators are combined by halving (j with j + 16, then j + 8, ...). The last elements, fewer than 32,
// follow one by one. Other operators: from the first element to the last.
#pragma once

#include <prism/primitives/operand.hpp>

#include <functional>

namespace prism::primitives {

/// Whether op(a, b) equals op(b, a) for every a and b. Specialise it for your own commutative operators:
/// reductions with them are faster.
template <typename Operator>
struct commutes : std::false_type {};
template <typename T>
struct commutes<std::plus<T>> : std::true_type {};
template <typename T>
struct commutes<std::multiplies<T>> : std::true_type {};
template <typename T>
struct commutes<std::bit_and<T>> : std::true_type {};
template <typename T>
struct commutes<std::bit_or<T>> : std::true_type {};
template <typename T>
struct commutes<std::bit_xor<T>> : std::true_type {};
template <typename T>
struct commutes<sycl::minimum<T>> : std::true_type {};
template <typename T>
struct commutes<sycl::maximum<T>> : std::true_type {};

namespace detail {

inline constexpr std::size_t lanes = 32;

template <typename R, typename Operator>
R fold_accumulators(R* sums, const Operator& op) {
  // at -O1 too: lavapipe takes seconds to compile stores to places that vary
  PRISM_UNROLL
  for (std::size_t width = lanes / 2; width > 0; width /= 2) {
    PRISM_UNROLL
    for (std::size_t j = 0; j < width; ++j) sums[j] = op(sums[j], sums[j + width]);
  }
  return sums[0];
}

/// The elements get(0) to get(count - 1), count > 0.
template <typename R, typename Get, typename Operator>
R fold(const Get& get, std::size_t count, const Operator& op) {
  if constexpr (commutes<Operator>::value) {
    R sum;
    std::size_t i = 1;
    if (count < lanes) {
      sum = get(0);
    } else {
      R sums[lanes];
      PRISM_TWO_VECTORS
      for (std::size_t j = 0; j < lanes; ++j) sums[j] = get(j);
      for (i = lanes; i + lanes <= count; i += lanes) {
        PRISM_TWO_VECTORS
        for (std::size_t j = 0; j < lanes; ++j) sums[j] = op(sums[j], get(i + j));
      }
      sum = fold_accumulators(sums, op);
    }
    for (; i < count; ++i) sum = op(sum, get(i));
    return sum;
  } else {
    R sum = get(0);
    for (std::size_t i = 1; i < count; ++i) sum = op(sum, get(i));
    return sum;
  }
}

/// The elements that a kernel reads. A bound source has two forms of access to element i, get(i): near() if
/// adjacent elements are adjacent in memory (is_near()), far() in every case.
template <typename Bound, typename Use>
void open(const Bound& bound, const Use& use) {
  if (bound.is_near()) use(bound.near());
  else use(bound.far());
}

/// function(element), or function(i, element), for each element of a view.
template <bool Indexed, typename Operand, typename Function>
struct bound_source {
  Operand operand;
  Function function;
  template <typename Elements>
  static auto getter(const Elements& elements, const Function& apply) {
    return [=](std::size_t i) {
      if constexpr (Indexed) return apply(i, elements[i]);
      else return apply(elements[i]);
    };
  }
  bool is_near() const { return operand.stride == 1; }
  auto near() const { return getter(operand.open().data, function); }
  auto far() const { return getter(operand.open(), function); }
};
template <bool Indexed, typename View, typename Function>
struct source {
  View view;
  Function function;
  auto bind(sycl::handler& h) const {
    auto operand = detail::bind(h, view);
    return bound_source<Indexed, decltype(operand), Function>{operand, function};
  }
};
template <bool Indexed = false, typename T, typename Place, typename Function>
auto elements_of(const vector_view<T, Place>& view, const Function& function) {
  const auto in = readable(view);
  return source<Indexed, std::remove_const_t<decltype(in)>, Function>{in, function};
}

/// function(a, b) for the elements of two views.
template <typename First, typename Second, typename Function>
struct bound_pair_source {
  First first;
  Second second;
  Function function;
  template <typename A, typename B>
  static auto getter(const A& a, const B& b, const Function& apply) {
    return [=](std::size_t i) { return apply(a[i], b[i]); };
  }
  bool is_near() const { return first.stride == 1 && second.stride == 1; }
  auto near() const { return getter(first.open().data, second.open().data, function); }
  auto far() const { return getter(first.open(), second.open(), function); }
};
template <typename First, typename Second, typename Function>
struct pair_source {
  First first;
  Second second;
  Function function;
  auto bind(sycl::handler& h) const {
    auto a = detail::bind(h, first);
    auto b = detail::bind(h, second);
    return bound_pair_source<decltype(a), decltype(b), Function>{a, b, function};
  }
};

/// Elements of intermediate memory.
template <typename T>
struct temporary_source {
  temporary<T> memory;
  struct bound {
    bound_temporary<T> operand;
    static constexpr bool is_near() { return true; }
    auto near() const {
      return [data = static_cast<const T*>(operand.open())](std::size_t i) { return data[i]; };
    }
    auto far() const { return near(); }
  };
  auto bind(sycl::handler& h) const { return bound{detail::bind(h, memory)}; }
};

struct same {
  template <typename T>
  T operator()(const T& value) const {
    return value;
  }
};

} // namespace detail
} // namespace prism::primitives
