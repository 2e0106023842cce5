// Declarations of the functions of OpenCL C that the texts of kernel images call (compiler/opencl): those of
// clang's header opencl-c.h, with the same names and attributes. That header declares all functions in 900
// KB, which PoCL parses for each program, in .2 s; these take .01 s.
#pragma once

#include <string_view>

namespace prism::image_format {

/// With this macro opencl-c.h is empty. Types and constants come from opencl-c-base.h.
inline constexpr std::string_view no_function_header = "-D_OPENCL_H_";

/// If defined, the text converts halves by arithmetic of floats and integers instead of by the driver's
/// functions, unless it computes in halves (image::half_macro).
inline constexpr const char* own_halves_macro = "PRISM_OWN_HALVES";

inline constexpr std::string_view opencl_functions = R"(
#define prism_pure __attribute__((overloadable, const))
#define prism_reads __attribute__((overloadable, pure))
#define prism_plain __attribute__((overloadable))
size_t prism_pure get_global_size(uint);
size_t prism_pure get_global_id(uint);
size_t prism_pure get_local_size(uint);
size_t prism_pure get_local_id(uint);
size_t prism_pure get_num_groups(uint);
size_t prism_pure get_group_id(uint);
size_t prism_pure get_global_offset(uint);
uint prism_pure get_work_dim(void);
void __attribute__((overloadable, convergent)) barrier(cl_mem_fence_flags);
void prism_plain mem_fence(cl_mem_fence_flags);
#if __OPENCL_C_VERSION__ >= 200
void prism_plain atomic_work_item_fence(cl_mem_fence_flags, memory_order, memory_scope);
#endif
#define prism_on_real(f, T) T prism_pure f(T);
#define prism_on_reals(f, T) T prism_pure f(T, T);
#define prism_with_int(f, T) T prism_pure f(T, int);
#define prism_math(T) \
  prism_on_real(acos, T) prism_on_real(acosh, T) prism_on_real(asin, T) prism_on_real(asinh, T) \
  prism_on_real(atan, T) prism_on_real(atanh, T) prism_on_real(cbrt, T) prism_on_real(ceil, T) \
  prism_on_real(cos, T) prism_on_real(cosh, T) prism_on_real(erf, T) prism_on_real(exp, T) \
  prism_on_real(exp2, T) prism_on_real(exp10, T) prism_on_real(expm1, T) prism_on_real(fabs, T) \
  prism_on_real(floor, T) prism_on_real(lgamma, T) prism_on_real(log, T) prism_on_real(log10, T) \
  prism_on_real(log1p, T) prism_on_real(log2, T) prism_on_real(logb, T) prism_on_real(rint, T) \
  prism_on_real(round, T) prism_on_real(rsqrt, T) prism_on_real(sin, T) prism_on_real(sinh, T) \
  prism_on_real(sqrt, T) prism_on_real(tan, T) prism_on_real(tanh, T) prism_on_real(trunc, T) \
  prism_on_real(sinpi, T) prism_on_real(cospi, T) prism_on_real(tanpi, T) prism_on_real(asinpi, T) \
  prism_on_real(acospi, T) prism_on_real(atanpi, T) prism_on_reals(atan2, T) prism_on_reals(atan2pi, T) \
  prism_on_reals(fdim, T) prism_on_reals(fmax, T) prism_on_reals(fmin, T) prism_on_reals(fmod, T) \
  prism_on_reals(hypot, T) prism_on_reals(maxmag, T) prism_on_reals(minmag, T) prism_on_reals(nextafter, T) \
  prism_on_reals(pow, T) prism_on_reals(powr, T) prism_on_reals(remainder, T) prism_with_int(ldexp, T) \
  prism_with_int(pown, T) prism_with_int(rootn, T) T prism_pure fma(T, T, T); int prism_pure ilogb(T);
prism_math(float)
prism_on_real(native_cos, float) prism_on_real(native_exp, float) prism_on_real(native_exp2, float)
prism_on_real(native_exp10, float) prism_on_real(native_log, float) prism_on_real(native_log2, float)
prism_on_real(native_log10, float) prism_on_real(native_recip, float) prism_on_real(native_rsqrt, float)
prism_on_real(native_sin, float) prism_on_real(native_sqrt, float) prism_on_real(native_tan, float)
prism_on_reals(native_divide, float) prism_on_reals(native_powr, float)
#define prism_bits(T) T prism_pure clz(T); T prism_pure popcount(T);
prism_bits(char) prism_bits(uchar) prism_bits(short) prism_bits(ushort)
prism_bits(int) prism_bits(uint) prism_bits(long) prism_bits(ulong)
#define prism_half_stores(T, space) void prism_plain vstore_half_rte(T, size_t, space half*);
#define prism_half_loads(space) float prism_reads vload_half(size_t, const space half*);
prism_half_loads(__constant)
#if defined(__opencl_c_generic_address_space)
prism_half_loads() prism_half_stores(float, )
#endif
#if defined(__opencl_c_named_address_space_builtins)
prism_half_loads(__global) prism_half_loads(__local) prism_half_loads(__private)
prism_half_stores(float, __global) prism_half_stores(float, __local) prism_half_stores(float, __private)
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
prism_math(double)
#if defined(__opencl_c_generic_address_space)
prism_half_stores(double, )
#endif
#if defined(__opencl_c_named_address_space_builtins)
prism_half_stores(double, __global) prism_half_stores(double, __local) prism_half_stores(double, __private)
#endif
#endif
#define prism_atomic(f, T, space) T prism_plain f(volatile space T*, T);
#define prism_exchange(f, T, space) T prism_plain f(volatile space T*, T, T);
#define prism_atomics(begin, T, space) \
  prism_atomic(begin##add, T, space) prism_atomic(begin##sub, T, space) prism_atomic(begin##xchg, T, space) \
  prism_atomic(begin##min, T, space) prism_atomic(begin##max, T, space) prism_atomic(begin##and, T, space) \
  prism_atomic(begin##or, T, space) prism_atomic(begin##xor, T, space) prism_exchange(begin##cmpxchg, T, space)
prism_atomics(atomic_, int, __global) prism_atomics(atomic_, uint, __global)
prism_atomics(atomic_, int, __local) prism_atomics(atomic_, uint, __local)
#if defined(__opencl_c_generic_address_space)
prism_atomics(atomic_, int, ) prism_atomics(atomic_, uint, )
#endif
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
prism_atomics(atom_, long, __global) prism_atomics(atom_, ulong, __global)
prism_atomics(atom_, long, __local) prism_atomics(atom_, ulong, __local)
#endif
)";

} // namespace prism::image_format
