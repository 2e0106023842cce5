// detail::same<A, B>: A == B for two enumerators in a template. For operands of an enumeration type clang
// tries hundreds of built-in operators ==, which takes as long as parsing fifty lines; matching a
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
