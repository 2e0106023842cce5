// What is wrong with a kernel for its launch, from the types of parallel_for's arguments alone. The same
// conditions as those by which kernel_wrap.hpp calls the kernel, asked in the same order, so that a generic
// kernel's body is compiled for the same arguments.
#pragma once

#include <sycl/detail/kernel_wrap.hpp>
#include <sycl/event.hpp>

#include <tuple>
#include <utility>
#include <vector>

namespace sycl {
inline namespace _V1 {
class kernel;

namespace detail {

template <typename T>
inline constexpr bool is_id = false;
template <int D>
inline constexpr bool is_id<id<D>> = true;

enum class launch_fault { none, nd_item_over_range, item_over_nd_range, dimensions, parameters, reducers };

template <typename F, int D>
constexpr bool takes_item_of() {
  return callable_with<F, item<D, true>> || callable<F, item<D, true>, kernel_handler> ||
         callable<F, item<D, false>, kernel_handler> || callable_with<F, item<D, false>>;
}
template <typename F, int D>
constexpr bool takes_nd_item_of() {
  return callable<F, nd_item<D>, kernel_handler> || callable_with<F, nd_item<D>>;
}
template <typename F>
constexpr bool takes_any_item() {
  return takes_item_of<F, 1>() || takes_item_of<F, 2>() || takes_item_of<F, 3>();
}
template <typename F>
constexpr bool takes_any_nd_item() {
  return takes_nd_item_of<F, 1>() || takes_nd_item_of<F, 2>() || takes_nd_item_of<F, 3>();
}

template <typename F, int D>
constexpr launch_fault fault_over_range() {
  if constexpr (takes_item_of<F, D>()) return launch_fault::none;
  else if constexpr (takes_any_item<F>()) return launch_fault::dimensions;
  else if constexpr (takes_any_nd_item<F>()) return launch_fault::nd_item_over_range;
  else return launch_fault::parameters;
}
template <typename F, int D>
constexpr launch_fault fault_over_nd_range() {
  if constexpr (takes_nd_item_of<F, D>()) return launch_fault::none;
  else if constexpr (takes_any_nd_item<F>()) return launch_fault::dimensions;
  else if constexpr (takes_any_item<F>()) return launch_fault::item_over_nd_range;
  else return launch_fault::parameters;
}

template <typename T>
inline constexpr bool is_before_reductions =
    std::is_same_v<T, event> || std::is_same_v<T, std::vector<event>> || is_id<T> ||
    ext::oneapi::experimental::is_property_list_v<T>;

template <typename T, typename = void>
inline constexpr bool has_reducer = false;
template <typename T>
inline constexpr bool has_reducer<T, std::void_t<typename T::reducer_type>> = true;

/// `I`: the reductions' places in the tuple of arguments.
template <typename All, typename F, int D, bool IsNd, std::size_t Before, std::size_t... I>
constexpr launch_fault fault_with_reductions(std::index_sequence<I...>) {
  if constexpr (!(has_reducer<std::tuple_element_t<Before + I, All>> && ...)) {
    return launch_fault::none; // reduction.hpp names arguments that are no reductions
  } else if constexpr (IsNd) {
    return callable<F, nd_item<D>&, typename std::tuple_element_t<Before + I, All>::reducer_type&...>
               ? launch_fault::none
               : launch_fault::reducers;
  } else if constexpr (callable<F, item<D, true>&,
                                typename std::tuple_element_t<Before + I, All>::reducer_type&...>) {
    return launch_fault::none;
  } else {
    return callable<F, item<D, false>&, typename std::tuple_element_t<Before + I, All>::reducer_type&...>
               ? launch_fault::none
               : launch_fault::reducers;
  }
}

/// `Rest`: [dependencies,] [properties,] [offset,] reductions, kernel. None for kernel objects.
template <int D, bool IsNd, typename... Rest>
constexpr launch_fault fault_of_launch() {
  if constexpr (sizeof...(Rest) == 0) {
    return launch_fault::none;
  } else {
    using all = std::tuple<std::decay_t<Rest>...>;
    using function = std::tuple_element_t<sizeof...(Rest) - 1, all>;
    constexpr std::size_t before = (std::size_t{0} + ... + is_before_reductions<std::decay_t<Rest>>);
    if constexpr (std::is_same_v<function, kernel>) return launch_fault::none;
    else if constexpr (before + 1 != sizeof...(Rest))
      return fault_with_reductions<all, function, D, IsNd, before>(
          std::make_index_sequence<sizeof...(Rest) - 1 - before>());
    else if constexpr (IsNd) return fault_over_nd_range<function, D>();
    else return fault_over_range<function, D>();
  }
}

}
}
} // namespace sycl::_V1::detail

// One line each: compilers print a macro's lines with each error.
// clang-format off
#if defined(__clang__) // other compilers have the static_assert of kernel_wrap.hpp and reduction.hpp
#define PRISM_REFUSE_LAUNCH(D, IS_ND, FAULT, MESSAGE) __attribute__((diagnose_if((detail::fault_of_launch<D, IS_ND, Rest...>() == detail::launch_fault::FAULT), MESSAGE, "error")))
#else
#define PRISM_REFUSE_LAUNCH(D, IS_ND, FAULT, MESSAGE)
#endif
#define PRISM_CHECKED_LAUNCH(D, IS_ND) \
  PRISM_REFUSE_LAUNCH(D, IS_ND, nd_item_over_range, "the kernel takes a sycl::nd_item, but a sycl::range has no work-groups: launch it over a sycl::nd_range, or take a sycl::item or sycl::id") \
  PRISM_REFUSE_LAUNCH(D, IS_ND, item_over_nd_range, "the kernel takes a sycl::item or sycl::id, but is launched over a sycl::nd_range: take a sycl::nd_item, or launch it over a sycl::range") \
  PRISM_REFUSE_LAUNCH(D, IS_ND, dimensions, "the kernel's item, id or nd_item has other dimensions than the range that it is launched over") \
  PRISM_REFUSE_LAUNCH(D, IS_ND, reducers, "the kernel cannot be called with a work-item of its launch and one reducer, by reference, for each reduction") \
  PRISM_REFUSE_LAUNCH(D, IS_ND, parameters, "the kernel cannot be called with a work-item of its launch: over a range it takes a sycl::item, a sycl::id or (one dimension) an integer, over an nd_range a sycl::nd_item, and perhaps a sycl::kernel_handler")
// clang-format on
