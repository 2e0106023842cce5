// The extension sycl_ext_oneapi_free_function_kernels: functions as kernels, whose parameters are the
// kernel's arguments. A function becomes a kernel where the program launches it or asks for its kernel_id, as
// a functor whose members are the arguments and whose call operator calls the function. Kernels that the
// program only defines are therefore not in get_kernel_ids(), and the extension's macro is not defined.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <cstring>
#include <tuple>

#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/free_function_kernel_properties.hpp>
#include <sycl/kernel_bundle.hpp>

namespace sycl {
inline namespace _V1 {

namespace detail {

/// The kernel's functor. Each work-item has its own copy of the arguments.
template <auto* Func, typename... Params>
struct function_kernel {
  std::tuple<Params...> arguments;
  void operator()() const {
    std::apply([](auto... own) { Func(own...); }, arguments);
  }
  template <int Dims>
  void operator()(const nd_item<Dims>&) const {
    (*this)();
  }
};

template <auto* Func, typename Function>
struct functor_of_function {
  static_assert(std::is_void_v<Function>, "the function of a kernel must return void and not be variadic");
};
template <auto* Func, typename... Params>
struct functor_of_function<Func, void(Params...)> {
  static_assert((!std::is_reference_v<Params> && ...), "a kernel cannot have parameters that are references");
  static_assert((!std::is_same_v<std::remove_cv_t<Params>, kernel_handler> && ...),
                "the function of a kernel cannot have a parameter of type kernel_handler");
  using type = function_kernel<Func, Params...>;
};
template <auto* Func, typename... Params>
struct functor_of_function<Func, void(Params...) noexcept> : functor_of_function<Func, void(Params...)> {};

template <auto* Func>
using function_functor = typename functor_of_function<Func, std::remove_pointer_t<decltype(Func)>>::type;

/// Adds the kernel to the program, as its launch does.
template <auto* Func>
void list_function() {
  using functor = function_functor<Func>;
  constexpr int dimensions = dimensions_of_function<Func>();
  if constexpr (dimensions == 0) (void)&kernel_listing<functor, single_task_kernel<functor>>::entry;
  else (void)&kernel_listing<functor, nd_range_kernel<dimensions, functor>>::entry;
}

/// `values`: the bytes of each argument.
template <auto* Func, typename... Params>
void launch_function(handler& group, const native_range& items, const void* const* values) {
  function_kernel<Func, Params...> kernel;
  std::apply([&](auto&... members) { (std::memcpy(&members, *values++, sizeof members), ...); },
             kernel.arguments);
  constexpr int dimensions = dimensions_of_function<Func>();
  if constexpr (dimensions == 0) {
    group.single_task(kernel);
  } else {
    const auto& global = items.global; // the runtime has refused offsets
    const auto& local = items.local;
    if constexpr (dimensions == 3)
      group.parallel_for(nd_range<3>({global[2], global[1], global[0]}, {local[2], local[1], local[0]}),
                         kernel);
    else if constexpr (dimensions == 2)
      group.parallel_for(nd_range<2>({global[1], global[0]}, {local[1], local[0]}), kernel);
    else group.parallel_for(nd_range<1>(global[0], local[0]), kernel);
  }
}

/// The kernel object of a function takes arguments by set_arg if they are bytes.
template <auto* Func, typename... Params>
struct function_of_kernel<function_kernel<Func, Params...>> {
  static constexpr bool takes_bytes =
      ((std::is_trivially_copyable_v<Params> && std::is_default_constructible_v<Params>) && ...);
  static constexpr std::size_t sizes[] = {sizeof(Params)..., 0};
  static constexpr auto launch() noexcept {
    if constexpr (takes_bytes) return &launch_function<Func, Params...>;
    else return nullptr;
  }
  static constexpr kernel_function value{dimensions_of_function<Func>(), sizeof...(Params), sizes, launch()};
  static constexpr const kernel_function* pointer = &value;
};

template <auto* Func, int Dims, typename... Args>
constexpr void check_function_launch() {
  static_assert(
      dimensions_of_function<Func>() == Dims,
      "the function is not a kernel of this kind: write SYCL_EXT_ONEAPI_FUNCTION_PROPERTY("
      "(nd_range_kernel<dimensions>)) or (single_task_kernel) at its first declaration, and compile "
      "with prism++ or clang");
  static_assert(std::is_invocable_v<decltype(Func), Args...>,
                "the function cannot be called with these arguments");
}

/// A function asks for its work-item by get_nd_item, whose ids begin at 0.
template <int Dims>
void refuse_offset(const nd_range<Dims>& items) {
  for (const std::uint64_t offset : native_items(items).offset)
    if (offset != 0)
      throw_error(errc::nd_range,
                  "nd_launch: a function as kernel cannot be launched with an offset, which it "
                  "cannot ask for; pass the offset as an argument");
}

} // namespace detail

template <auto* Func, typename... Params>
struct is_device_copyable<detail::function_kernel<Func, Params...>>
    : std::bool_constant<(is_device_copyable_v<Params> && ...)> {};

namespace ext {
namespace oneapi {
namespace experimental {

template <auto* Func>
struct kernel_function_s {};
template <auto* Func>
inline constexpr kernel_function_s<Func> kernel_function;

// ---- launches. Each argument is converted to the type of the function's parameter.

template <auto* Func, typename... Args>
void single_task(handler& group, kernel_function_s<Func>, Args&&... args) {
  sycl::detail::check_function_launch<Func, 0, Args...>();
  group.single_task(sycl::detail::function_functor<Func>{{std::forward<Args>(args)...}});
}
template <auto* Func, typename... Args>
void single_task(queue on, kernel_function_s<Func> function, Args&&... args) {
  on.submit([&](handler& group) { experimental::single_task(group, function, std::forward<Args>(args)...); },
            sycl::detail::call_site::unknown());
}
template <auto* Func, int Dimensions, typename... Args>
void nd_launch(handler& group, nd_range<Dimensions> items, kernel_function_s<Func>, Args&&... args) {
  sycl::detail::check_function_launch<Func, Dimensions, Args...>();
  sycl::detail::refuse_offset(items);
  group.parallel_for(items, sycl::detail::function_functor<Func>{{std::forward<Args>(args)...}});
}
template <auto* Func, int Dimensions, typename... Args>
void nd_launch(queue on, nd_range<Dimensions> items, kernel_function_s<Func> function, Args&&... args) {
  on.submit([&](handler& group) {
    experimental::nd_launch(group, items, function, std::forward<Args>(args)...);
  }, sycl::detail::call_site::unknown());
}
template <auto* Func, int Dimensions, typename Properties, typename... Args>
void nd_launch(handler& group, launch_config<nd_range<Dimensions>, Properties> config,
               kernel_function_s<Func> function, Args&&... args) {
  experimental::nd_launch(group, config.get_range(), function, std::forward<Args>(args)...);
}
template <auto* Func, int Dimensions, typename Properties, typename... Args>
void nd_launch(queue on, launch_config<nd_range<Dimensions>, Properties> config,
               kernel_function_s<Func> function, Args&&... args) {
  experimental::nd_launch(on, config.get_range(), function, std::forward<Args>(args)...);
}

// ---- kernel identifiers and bundles

template <auto* Func, std::enable_if_t<is_kernel_v<Func>, int> = 0>
kernel_id get_kernel_id() {
  sycl::detail::list_function<Func>();
  return sycl::get_kernel_id<sycl::detail::function_functor<Func>>();
}
template <auto* Func, bundle_state State, std::enable_if_t<is_kernel_v<Func>, int> = 0>
kernel_bundle<State> get_kernel_bundle(const context& in) {
  return sycl::get_kernel_bundle<State>(in, {experimental::get_kernel_id<Func>()});
}
template <auto* Func, bundle_state State, std::enable_if_t<is_kernel_v<Func>, int> = 0>
kernel_bundle<State> get_kernel_bundle(const context& in, const std::vector<device>& on) {
  return sycl::get_kernel_bundle<State>(in, on, {experimental::get_kernel_id<Func>()});
}
template <auto* Func, bundle_state State, std::enable_if_t<is_kernel_v<Func>, int> = 0>
bool has_kernel_bundle(const context& in) {
  return sycl::has_kernel_bundle<State>(in, {experimental::get_kernel_id<Func>()});
}
template <auto* Func, bundle_state State, std::enable_if_t<is_kernel_v<Func>, int> = 0>
bool has_kernel_bundle(const context& in, const std::vector<device>& on) {
  return sycl::has_kernel_bundle<State>(in, on, {experimental::get_kernel_id<Func>()});
}
template <auto* Func, std::enable_if_t<is_kernel_v<Func>, int> = 0>
bool is_compatible(const device& on) {
  return sycl::is_compatible({experimental::get_kernel_id<Func>()}, on);
}

// ---- what kernel::get_info says, without a bundle

template <auto* Func, typename Param, std::enable_if_t<is_kernel_v<Func>, int> = 0>
auto get_kernel_info(const context& of) {
  return experimental::get_kernel_bundle<Func, bundle_state::executable>(of)
      .template ext_oneapi_get_kernel<Func>()
      .template get_info<Param>();
}
template <auto* Func, typename Param, std::enable_if_t<is_kernel_v<Func>, int> = 0>
auto get_kernel_info(const context& of, const device& on) {
  return experimental::get_kernel_bundle<Func, bundle_state::executable>(of)
      .template ext_oneapi_get_kernel<Func>()
      .template get_info<Param>(on);
}
template <auto* Func, typename Param, std::enable_if_t<is_kernel_v<Func>, int> = 0>
auto get_kernel_info(const queue& of) {
  return experimental::get_kernel_info<Func, Param>(of.get_context(), of.get_device());
}

}
}
} // namespace ext::oneapi::experimental

namespace detail {
template <auto* Func>
kernel_id function_kernel_id() {
  return ext::oneapi::experimental::get_kernel_id<Func>();
}
} // namespace detail

}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
