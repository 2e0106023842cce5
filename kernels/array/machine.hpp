// The kernels that run a program (program.hpp), for one arithmetic. Each file run_*.cpp instantiates one.
#pragma once

#include "kernels/array/program.hpp"

#include "kernels/array/number.hpp"

#include <algorithm>

namespace prism::array_detail {

/// Calls `run` with the function of `op`; operations that T has not do nothing.
template <typename T, typename Run>
inline void dispatch(step_op op, const Run& run) {
  using f = functions<T>;
#define PRISM_STEP(name, expression)                                                                         \
  case step_op::name:                                                                                        \
    run([](T a, T b, T c) -> T {                                                                             \
      (void)a, (void)b, (void)c;                                                                             \
      return expression;                                                                                     \
    });                                                                                                      \
    break;
  switch (op) {
    PRISM_STEP(add, f::add(a, b))
    PRISM_STEP(subtract, f::subtract(a, b))
    PRISM_STEP(multiply, f::multiply(a, b))
    PRISM_STEP(equal, T(f::equal(a, b)))
    PRISM_STEP(not_equal, T(!f::equal(a, b)))
    PRISM_STEP(logical_and, T(f::truth(a) & f::truth(b)))
    PRISM_STEP(logical_or, T(f::truth(a) | f::truth(b)))
    PRISM_STEP(logical_xor, T(f::truth(a) ^ f::truth(b)))
    PRISM_STEP(logical_not, T(!f::truth(a)))
    PRISM_STEP(choose, f::truth(a) ? b : c)
    PRISM_STEP(negative, f::subtract(T(0), a))
    PRISM_STEP(positive, a)
    PRISM_STEP(square, f::multiply(a, a))
    PRISM_STEP(abs, f::abs(a))
    PRISM_STEP(sign, f::sign(a))
    PRISM_STEP(power, f::power(a, b))
    default: break;
  }
  if constexpr (!f::is_complex) {
    switch (op) {
      PRISM_STEP(floor_divide, f::floor_divide(a, b))
      PRISM_STEP(remainder, f::remainder(a, b))
      PRISM_STEP(maximum, f::maximum(a, b))
      PRISM_STEP(minimum, f::minimum(a, b))
      PRISM_STEP(less, T(a < b))
      PRISM_STEP(less_equal, T(a <= b))
      PRISM_STEP(greater, T(a > b))
      PRISM_STEP(greater_equal, T(a >= b))
      default: break;
    }
  }
  if constexpr (f::is_integer) {
    switch (op) {
      PRISM_STEP(bitwise_and, a & b)
      PRISM_STEP(bitwise_or, a | b)
      PRISM_STEP(bitwise_xor, a ^ b)
      PRISM_STEP(bitwise_invert, ~a)
      PRISM_STEP(shift_left, f::shift_left(a, b))
      PRISM_STEP(shift_right, f::shift_right(a, b))
      PRISM_STEP(wrap8, T(std::int8_t(a)))
      PRISM_STEP(wrap16, T(std::int16_t(a)))
      PRISM_STEP(wrap32, T(std::int32_t(a)))
      PRISM_STEP(wrap_u8, T(std::uint8_t(a)))
      PRISM_STEP(wrap_u16, T(std::uint16_t(a)))
      PRISM_STEP(wrap_u32, T(std::uint32_t(a)))
      default: break;
    }
  } else {
    switch (op) {
      PRISM_STEP(divide, f::divide(a, b))
      PRISM_STEP(reciprocal, f::divide(T(1), a))
      PRISM_STEP(floor, f::floor(a))
      PRISM_STEP(ceil, f::ceil(a))
      PRISM_STEP(trunc, f::trunc(a))
      PRISM_STEP(round, f::round(a))
      PRISM_STEP(isnan, T(f::isnan(a)))
      PRISM_STEP(isinf, T(f::isinf(a)))
      PRISM_STEP(isfinite, T(f::isfinite(a)))
      PRISM_STEP(sqrt, f::sqrt(a))
      PRISM_STEP(exp, f::exp(a))
      PRISM_STEP(log, f::log(a))
      PRISM_STEP(sin, f::sin(a))
      PRISM_STEP(cos, f::cos(a))
      PRISM_STEP(tan, f::tan(a))
      PRISM_STEP(sinh, f::sinh(a))
      PRISM_STEP(cosh, f::cosh(a))
      PRISM_STEP(tanh, f::tanh(a))
      PRISM_STEP(expm1, f::expm1(a))
      PRISM_STEP(log1p, f::log1p(a))
      PRISM_STEP(log2, f::log2(a))
      PRISM_STEP(log10, f::log10(a))
      PRISM_STEP(asin, f::asin(a))
      PRISM_STEP(acos, f::acos(a))
      PRISM_STEP(atan, f::atan(a))
      PRISM_STEP(asinh, f::asinh(a))
      PRISM_STEP(acosh, f::acosh(a))
      PRISM_STEP(atanh, f::atanh(a))
      default: break;
    }
  }
  if constexpr (f::is_complex) {
    switch (op) {
      PRISM_STEP(conj, f::conj(a))
      default: break;
    }
  } else if constexpr (!f::is_integer) {
    switch (op) {
      PRISM_STEP(signbit, T(sycl::signbit(a) != 0))
      PRISM_STEP(atan2, sycl::atan2(a, b))
      PRISM_STEP(hypot, sycl::hypot(a, b))
      PRISM_STEP(copysign, sycl::copysign(a, b))
      PRISM_STEP(logaddexp, f::logaddexp(a, b))
      PRISM_STEP(nextafter, sycl::nextafter(a, b))
      default: break;
    }
  }
#undef PRISM_STEP
}

/// The types that a program of arithmetic T reads and writes: real arithmetic has no complex arrays.
template <typename T, typename Use>
inline void with_type(std::int32_t type, const Use& use) {
  switch (static_cast<dtype>(type)) {
    case dtype::boolean: use(truth_value{}); break;
    case dtype::int8: use(std::int8_t{}); break;
    case dtype::int16: use(std::int16_t{}); break;
    case dtype::int32: use(std::int32_t{}); break;
    case dtype::int64: use(std::int64_t{}); break;
    case dtype::uint8: use(std::uint8_t{}); break;
    case dtype::uint16: use(std::uint16_t{}); break;
    case dtype::uint32: use(std::uint32_t{}); break;
    case dtype::uint64: use(std::uint64_t{}); break;
    case dtype::float32: use(float{}); break;
    default: break;
  }
  if constexpr (has_double<T>) {
    if (static_cast<dtype>(type) == dtype::float64) use(double{});
    if constexpr (functions<T>::is_complex) {
      if (static_cast<dtype>(type) == dtype::complex128) use(pair<double>{});
    }
  }
  if constexpr (functions<T>::is_complex) {
    if (static_cast<dtype>(type) == dtype::complex64) use(pair<float>{});
  }
}

inline std::int64_t offset_of(const program& p, const program_array& array, std::int64_t i) {
  if (array.is_flat) return i;
  std::int64_t offset = 0;
  for (int d = p.rank - 1; d >= 0; --d) {
    const std::int64_t rest = i / p.extent[d];
    offset += (i - rest * p.extent[d]) * array.strides[d];
    i = rest;
  }
  return offset;
}

template <typename T>
inline T constant_of(const program& p, int k) {
  if constexpr (functions<T>::is_integer) return T(p.integer_constant[k]);
  else if constexpr (functions<T>::is_complex) return T(p.constant[k][0], p.constant[k][1]);
  else return T(p.constant[k][0]);
}

/// Calls part(first, count, offset) for the runs of elements [first, first + count) along the last dimension.
template <typename Part>
inline void for_each_run(const program& p, const program_array& array, std::int64_t begin, int count,
                         const Part& part) {
  const std::int64_t inner = array.is_flat ? p.size : p.extent[p.rank - 1];
  for (int done = 0; done < count;) {
    const std::int64_t at = begin + done, left = inner - at % inner;
    const int run = left < count - done ? int(left) : count - done;
    part(done, run, offset_of(p, array, at));
    done += run;
  }
}

template <typename T, int chunk>
inline void load_chunk(const program& p, const program_array& array, std::int64_t begin, int count, T* to) {
  with_type<T>(array.type, [&](auto element) {
    using E = decltype(element);
    const E* data = reinterpret_cast<const E*>(array.data);
    const std::int64_t stride = array.is_flat ? 1 : array.strides[p.rank - 1];
    for_each_run(p, array, begin, count, [&](int first, int run, std::int64_t offset) {
      const E* from = data + offset;
      if (stride == 1) {
        for (int i = 0; i < run; ++i) to[first + i] = converted<T>(from[i]);
      } else if (stride == 0) {
        const T value = converted<T>(from[0]);
        for (int i = 0; i < run; ++i) to[first + i] = value;
      } else {
        for (int i = 0; i < run; ++i) to[first + i] = converted<T>(from[i * stride]);
      }
    });
  });
}

template <typename T, int chunk>
inline void store_chunk(const program& p, std::int64_t begin, int count, const T* from) {
  with_type<T>(p.result.type, [&](auto element) {
    using E = decltype(element);
    E* data = reinterpret_cast<E*>(p.result.data);
    const std::int64_t stride = p.result.is_flat ? 1 : p.result.strides[p.rank - 1];
    for_each_run(p, p.result, begin, count, [&](int first, int run, std::int64_t offset) {
      E* to = data + offset;
      if (stride == 1) {
        for (int i = 0; i < run; ++i) to[i] = converted<E>(from[first + i]);
      } else {
        for (int i = 0; i < run; ++i) to[i * stride] = converted<E>(from[first + i]);
      }
    });
  });
}

/// The elements [begin, begin + count) of a program, step by step. `place` has memory for every name.
template <typename T, int chunk>
inline void run_chunk(const program& p, std::int64_t begin, int count, T (*place)[chunk]) {
  const T* value[first_constant + max_constants];
  for (int k = 0; k < p.leaves; ++k) {
    const program_array& array = p.leaf[k];
    T* own = place[first_leaf + k];
    if (array.is_flat && array.type == std::int32_t(type_of_arithmetic<T>))
      value[first_leaf + k] = reinterpret_cast<const T*>(array.data) + begin;
    else {
      load_chunk<T, chunk>(p, array, begin, count, own);
      value[first_leaf + k] = own;
    }
  }
  for (int k = 0; k < p.constants; ++k) value[first_constant + k] = place[first_constant + k];
  const bool direct = p.result.is_flat && p.result.type == std::int32_t(type_of_arithmetic<T>);
  for (int s = 0; s < p.steps; ++s) {
    const step& now = p.list[s];
    T* to = place[now.to];
    if (direct && s + 1 == p.steps) to = reinterpret_cast<T*>(p.result.data) + begin;
    const T *a = value[now.a], *b = value[now.b], *c = value[now.c];
    dispatch<T>(now.op, [=](auto function) {
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#endif
      for (int i = 0; i < count; ++i) to[i] = function(a[i], b[i], c[i]);
    });
    value[now.to] = to;
  }
  if (!direct) store_chunk<T, chunk>(p, begin, count, value[p.list[p.steps - 1].to]);
}

template <typename T>
class chunk_kernel;
template <typename T>
class element_kernel;

template <typename T>
sycl::event launch_chunks(sycl::queue& queue, const program& host, const program* p) {
  constexpr int chunk = sizeof(T) > 8 ? 256 : sizeof(T) == 8 ? 512 : 1024;
  const std::int64_t chunks = (host.size + chunk - 1) / chunk;
  const std::size_t items = std::size_t(std::min<std::int64_t>((chunks + 7) / 8, 256));
  const std::int64_t share = (chunks + std::int64_t(items) - 1) / std::int64_t(items);
  return queue.parallel_for<chunk_kernel<T>>(sycl::nd_range<1>(items, 1), [=](sycl::nd_item<1> item) {
    T place[first_constant + max_constants][chunk];
    for (int k = 0; k < p->constants; ++k) {
      const T value = constant_of<T>(*p, k);
      for (int i = 0; i < chunk; ++i) place[first_constant + k][i] = value;
    }
    const std::int64_t first = std::int64_t(item.get_global_id(0)) * share * chunk;
    for (std::int64_t k = 0; k < share; ++k) {
      const std::int64_t begin = first + k * chunk;
      if (begin >= p->size) break;
      run_chunk<T, chunk>(*p, begin, p->size - begin < chunk ? int(p->size - begin) : chunk, place);
    }
  });
}

template <typename T>
sycl::event launch_elements(sycl::queue& queue, const program& host, const program* p) {
  return queue.parallel_for<element_kernel<T>>(sycl::range<1>(std::size_t(host.size)), [=](sycl::id<1> id) {
    const std::int64_t i = std::int64_t(id[0]);
    T value[first_constant + max_constants];
    for (int k = 0; k < p->leaves; ++k)
      with_type<T>(p->leaf[k].type, [&](auto element) {
        using E = decltype(element);
        value[first_leaf + k] =
            converted<T>(reinterpret_cast<const E*>(p->leaf[k].data)[offset_of(*p, p->leaf[k], i)]);
      });
    for (int k = 0; k < p->constants; ++k) value[first_constant + k] = constant_of<T>(*p, k);
    int last = 0;
    for (int s = 0; s < p->steps; ++s) {
      const step now = p->list[s];
      const T a = value[now.a], b = value[now.b], c = value[now.c];
      T made{};
      dispatch<T>(now.op, [&](auto function) { made = function(a, b, c); });
      last = now.to;
      value[last] = made;
    }
    const T made = value[last];
    with_type<T>(p->result.type, [&](auto element) {
      using E = decltype(element);
      reinterpret_cast<E*>(p->result.data)[offset_of(*p, p->result, i)] = converted<E>(made);
    });
  });
}

template <typename T>
sycl::event launch_as(sycl::queue& queue, const program* p, const program& host) {
  if (queue.get_device().get_backend() == sycl::backend::ext_prism_host)
    return launch_chunks<T>(queue, host, p);
  return launch_elements<T>(queue, host, p);
}

} // namespace prism::array_detail
