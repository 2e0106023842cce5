// detail::same<A, B>: A == B of two enumerators in a template. On operands of an enumeration's type clang
// tries each of the hundreds of built-in operators ==, which costs as much as parsing fifty lines; matching a
// specialisation does not.
#pragma once

namespace sycl {
inline namespace _V1 {
namespace detail {

template <auto A, auto B>
inline constexpr bool same = false;
template <auto A>
inline constexpr bool same<A, A> = true;

}
}
} // namespace sycl::_V1::detail
