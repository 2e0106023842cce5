// The three levels of the BLAS, each in its own file. make_call calls them after it has checked types, counts
// and extents.
#pragma once

#include "providers/cblas/shape.hpp"

namespace prism_cblas {

template <typename T>
bool make_level1(const library& from, const prism_provider_operation& what, call& out, const char*& why);
template <typename T>
bool make_level2(const library& from, const prism_provider_operation& what, call& out, const char*& why);
template <typename T>
bool make_level3(const library& from, const prism_provider_operation& what, call& out, const char*& why);

/// Decompositions, where the library has a LAPACK in addition to its BLAS.
template <typename T>
bool make_lapack(const library& from, const prism_provider_operation& what, call& out, const char*& why);

/// A scalar of a run as the type's.
template <typename T>
T value_of(const double* pair) {
  if constexpr (is_complex<T>) return T(real<T>(pair[0]), real<T>(pair[1]));
  else return T(pair[0]);
}
template <typename T>
T* at(std::byte* const* first, int i) {
  return reinterpret_cast<T*>(first[i]);
}

inline bool refuse(const char*& why, const char* reason) { return why = reason, false; }
/// Uses `run` if the library has the routine.
inline bool take(call& out, const void* routine, runner run, const char*& why) {
  if (!routine) return refuse(why, "the library has no such routine for this type");
  out.run = run;
  return true;
}

/// The increment of vector `number`, and the address to pass: the CBLAS takes the lowest address.
/// `any_order`: the sign does not matter, and the CBLAS would refuse a negative one.
template <typename T>
bool vector_of(const operand& x, int number, call& out, int& increment, bool any_order, const char*& why) {
  const std::int64_t n = x.extent[0], stride = n > 1 ? x.stride[0] : 1;
  if (stride == 0) return refuse(why, "a vector's stride is 0");
  if (stride > INT_MAX || stride < -INT_MAX) return refuse(why, "a vector's stride has more than 31 bits");
  if (stride < 0) out.shift[number] = (n - 1) * stride * std::int64_t(sizeof(T));
  increment = any_order && stride < 0 ? -int(stride) : int(stride);
  return true;
}

} // namespace prism_cblas
