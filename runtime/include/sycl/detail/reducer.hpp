// sycl::reducer and its state: an accumulator that starts from the identity if it is known, and otherwise
// records whether it has a value.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <sycl/detail/optional_value.hpp>
#include <sycl/detail/same.hpp>
#include <sycl/functional.hpp>

namespace sycl {
inline namespace _V1 {

template <typename T, typename BinaryOperation, int Dimensions, std::size_t Extent, bool HasIdentity>
class reducer;

namespace detail {

/// The state of a reducer: a value if the identity is known, else an optional value.
template <typename T, bool HasIdentity>
using reduction_state = std::conditional_t<HasIdentity, T, optional_value<T>>;

template <typename T, typename Op>
inline T join_states(const T& a, const T& b, const Op& op) {
  return static_cast<T>(op(a, b));
}
template <typename T, typename Op>
inline optional_value<T> join_states(const optional_value<T>& a, const optional_value<T>& b, const Op& op) {
  return join(a, b, op);
}

/// The identity of a reduction, if it is known.
template <typename T, bool HasIdentity>
struct identity_holder {
  T value;
  reduction_state<T, true> start() const { return value; }
};
template <typename T>
struct identity_holder<T, false> {
  reduction_state<T, false> start() const { return {}; }
};

struct reducer_access;

} // namespace detail

/// The reducer of one value. Operators exist only for the matching function object.
template <typename T, typename BinaryOperation, std::size_t Extent, bool HasIdentity>
class reducer<T, BinaryOperation, 0, Extent, HasIdentity> {
  static constexpr detail::operation kind = detail::operation_of<BinaryOperation>;
  using state = detail::reduction_state<T, HasIdentity>;

public:
  using value_type = T;
  using binary_operation = BinaryOperation;
  static constexpr int dimensions = 0;

  reducer(const reducer&) = delete;
  reducer& operator=(const reducer&) = delete;

  reducer& combine(const T& partial) {
    m_state = detail::join_states(m_state, state(partial), m_op);
    return *this;
  }
  template <bool H = HasIdentity, std::enable_if_t<H, int> = 0>
  T identity() const {
    return m_identity.value;
  }

  template <detail::operation K = kind, std::enable_if_t<detail::same<K, detail::operation::plus>, int> = 0>
  friend reducer& operator+=(reducer& r, const T& v) {
    return r.combine(v);
  }
  template <detail::operation K = kind,
            std::enable_if_t<detail::same<K, detail::operation::multiplies>, int> = 0>
  friend reducer& operator*=(reducer& r, const T& v) {
    return r.combine(v);
  }
  template <detail::operation K = kind,
            std::enable_if_t<detail::same<K, detail::operation::bit_and>, int> = 0>
  friend reducer& operator&=(reducer& r, const T& v) {
    return r.combine(v);
  }
  template <detail::operation K = kind, std::enable_if_t<detail::same<K, detail::operation::bit_or>, int> = 0>
  friend reducer& operator|=(reducer& r, const T& v) {
    return r.combine(v);
  }
  template <detail::operation K = kind,
            std::enable_if_t<detail::same<K, detail::operation::bit_xor>, int> = 0>
  friend reducer& operator^=(reducer& r, const T& v) {
    return r.combine(v);
  }
  template <detail::operation K = kind,
            std::enable_if_t<detail::same<K, detail::operation::plus> && std::is_integral_v<T> &&
                                 !std::is_same_v<T, bool>,
                             int> = 0>
  friend reducer& operator++(reducer& r) {
    return r.combine(T(1));
  }
  template <detail::operation K = kind,
            std::enable_if_t<detail::same<K, detail::operation::plus> && std::is_integral_v<T> &&
                                 !std::is_same_v<T, bool>,
                             int> = 0>
  friend void operator++(reducer& r, int) {
    r.combine(T(1));
  } // an extension of other implementations

#if defined(__clang__) // what the standard does not give this reducer, refused at the line that asks for it
  // clang-format off
  template <bool H = HasIdentity, std::enable_if_t<!H, int> = 0>
  __attribute__((diagnose_if(true, "no identity is known for this reduction's operation and type: pass it to sycl::reduction(variable, identity, operation)", "error")))
  T identity() const;
#define PRISM_REFUSED_OPERATOR(SYMBOL, OPERATION) \
  template <detail::operation K = kind, std::enable_if_t<!detail::same<K, detail::operation::OPERATION>, int> = 0> \
  friend __attribute__((unavailable("the reduction has another operation than sycl::" #OPERATION ": call combine(value), which applies its own operation"))) reducer& operator SYMBOL(reducer& r, const T&) { return r; }
  PRISM_REFUSED_OPERATOR(+=, plus)
  PRISM_REFUSED_OPERATOR(*=, multiplies)
  PRISM_REFUSED_OPERATOR(&=, bit_and)
  PRISM_REFUSED_OPERATOR(|=, bit_or)
  PRISM_REFUSED_OPERATOR(^=, bit_xor)
  // clang-format on
#undef PRISM_REFUSED_OPERATOR
#endif

private:
  friend detail::reducer_access;

  reducer(const BinaryOperation& op, const detail::identity_holder<T, HasIdentity>& identity)
      : m_op(op), m_identity(identity), m_state(identity.start()) {}

  BinaryOperation m_op;
  detail::identity_holder<T, HasIdentity> m_identity;
  state m_state;
};

/// The reducer of a span of values. operator[] returns the reducer of one value.
template <typename T, typename BinaryOperation, std::size_t Extent, bool HasIdentity>
class reducer<T, BinaryOperation, 1, Extent, HasIdentity> {
public:
  using value_type = T;
  using binary_operation = BinaryOperation;
  static constexpr int dimensions = 1;
  using element_type = reducer<T, BinaryOperation, 0, 1, HasIdentity>;

  reducer(const reducer&) = delete;
  reducer& operator=(const reducer&) = delete;

  element_type& operator[](std::size_t index) { return m_elements[index]; }
  template <bool H = HasIdentity, std::enable_if_t<H, int> = 0>
  T identity() const {
    return m_elements[0].identity();
  }

private:
  friend detail::reducer_access;

  template <std::size_t... I>
  reducer(const BinaryOperation& op, const detail::identity_holder<T, HasIdentity>& identity,
          std::index_sequence<I...>);

  element_type m_elements[Extent];
};

namespace detail {

struct reducer_access {
  template <typename Reducer, typename Op, typename Identity>
  static Reducer make(const Op& op, const Identity& identity) {
    return Reducer(op, identity);
  }
  template <typename Reducer, typename Op, typename Identity, std::size_t... I>
  static Reducer make_span(const Op& op, const Identity& identity, std::index_sequence<I...> places) {
    return Reducer(op, identity, places);
  }
  template <typename Reducer>
  static const auto& state(const Reducer& r, [[maybe_unused]] std::size_t element) {
    if constexpr (Reducer::dimensions == 0) return r.m_state;
    else return r.m_elements[element].m_state;
  }
  template <typename Element, typename Op, typename Identity>
  static Element element(std::size_t, const Op& op, const Identity& identity) {
    return Element(op, identity);
  }
};

} // namespace detail

template <typename T, typename BinaryOperation, std::size_t Extent, bool HasIdentity>
template <std::size_t... I>
reducer<T, BinaryOperation, 1, Extent, HasIdentity>::reducer(
    const BinaryOperation& op, const detail::identity_holder<T, HasIdentity>& identity,
    std::index_sequence<I...>)
    : m_elements{detail::reducer_access::element<element_type>(I, op, identity)...} {}

}
} // namespace sycl::_V1
