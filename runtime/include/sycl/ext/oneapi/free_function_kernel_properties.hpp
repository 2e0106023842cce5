// The properties of sycl_ext_oneapi_free_function_kernels, which make a function a kernel, and the traits
// that read them from a function's address.
//
// A property is an alignment of the function, because clang folds a question about the alignment of an
// address and C++ cannot ask about other attributes. No program aligns its functions so by itself. Compilers
// other than clang cannot read it: there no function is a kernel, and its launch is refused.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/ext/oneapi/properties/properties.hpp>

namespace sycl {
inline namespace _V1 {

namespace ext {
namespace oneapi {
namespace experimental {

struct nd_range_kernel_key {
  template <int Dims>
  using value_t = property_value<nd_range_kernel_key, std::integral_constant<int, Dims>>;
};
struct single_task_kernel_key {
  using value_t = property_value<single_task_kernel_key>;
};
template <int Dims>
struct property_value<nd_range_kernel_key, std::integral_constant<int, Dims>> {
  static_assert(1 <= Dims && Dims <= 3, "nd_range_kernel: a range has 1, 2 or 3 dimensions");
  using key_t = nd_range_kernel_key;
  static constexpr int dimensions = Dims;
};

template <int Dims>
inline constexpr nd_range_kernel_key::value_t<Dims> nd_range_kernel;
inline constexpr single_task_kernel_key::value_t single_task_kernel;

template <>
struct is_property_key<nd_range_kernel_key> : std::true_type {};
template <>
struct is_property_key<single_task_kernel_key> : std::true_type {};

}
}
} // namespace ext::oneapi::experimental

namespace detail {

/// The alignment of a kernel with an nd_range of that many dimensions; 0: of a single task.
constexpr int alignment_of_kernel(int dimensions) { return 256 << dimensions; }

template <typename Key, typename... Params>
constexpr int alignment_for(ext::oneapi::experimental::property_value<Key, Params...> property) {
  constexpr bool is_range = std::is_same_v<Key, ext::oneapi::experimental::nd_range_kernel_key>;
  static_assert(is_range || std::is_same_v<Key, ext::oneapi::experimental::single_task_kernel_key>,
                "PRISM supports only nd_range_kernel and single_task_kernel as properties of a function; "
                "write [[sycl::reqd_work_group_size(...)]] and the other attributes of SYCL 2020 instead");
  if constexpr (is_range) return alignment_of_kernel(property.dimensions);
  else return alignment_of_kernel(0);
}

#if defined(__clang__)
template <auto* Func, int Alignment>
inline constexpr bool is_aligned =
    __builtin_constant_p(__builtin_is_aligned(reinterpret_cast<const char*>(Func), Alignment));
#else
template <auto*, int>
inline constexpr bool is_aligned = false;
#endif

/// The dimensions of the function's nd_range; 0: a single task; -1: not a kernel.
template <auto* Func>
constexpr int dimensions_of_function() {
  if constexpr (std::is_function_v<std::remove_pointer_t<decltype(Func)>>) {
    if constexpr (is_aligned<Func, alignment_of_kernel(4)>) return -1;
    else if constexpr (is_aligned<Func, alignment_of_kernel(3)>) return 3;
    else if constexpr (is_aligned<Func, alignment_of_kernel(2)>) return 2;
    else if constexpr (is_aligned<Func, alignment_of_kernel(1)>) return 1;
    else if constexpr (is_aligned<Func, alignment_of_kernel(0)>) return 0;
    else return -1;
  } else {
    return -1;
  }
}

} // namespace detail

namespace ext {
namespace oneapi {
namespace experimental {

template <auto* Func, int Dims>
struct is_nd_range_kernel
    : std::bool_constant<1 <= Dims && sycl::detail::dimensions_of_function<Func>() == Dims> {};
template <auto* Func, int Dims>
inline constexpr bool is_nd_range_kernel_v = is_nd_range_kernel<Func, Dims>::value;

template <auto* Func>
struct is_single_task_kernel : std::bool_constant<sycl::detail::dimensions_of_function<Func>() == 0> {};
template <auto* Func>
inline constexpr bool is_single_task_kernel_v = is_single_task_kernel<Func>::value;

template <auto* Func>
struct is_kernel : std::bool_constant<0 <= sycl::detail::dimensions_of_function<Func>()> {};
template <auto* Func>
inline constexpr bool is_kernel_v = is_kernel<Func>::value;

}
}
} // namespace ext::oneapi::experimental

}
} // namespace sycl::_V1

/// Before the declaration of a function: makes it a kernel.
#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(...)                                                               \
  __attribute__((aligned(::sycl::detail::alignment_for(__VA_ARGS__))))

#include <sycl/detail/user_macros_restore.hpp>
