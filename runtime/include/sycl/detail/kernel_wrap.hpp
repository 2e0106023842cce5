// Converts a user's functor to a kernel: the wrappers whose bytes are captured, and the host bodies. The
// wrapper for a range skips items outside of the range, because launches are rounded up to whole work-groups.
#pragma once

#include <sycl/detail/kernel_abi.hpp>
#include <sycl/device_copyable.hpp>
#include <sycl/ext/oneapi/experimental/kernel_properties.hpp>
#include <sycl/nd_item.hpp>
#include <sycl/specialization.hpp>

#include <type_traits>

namespace sycl {
inline namespace _V1 {

class handler;

namespace detail {

template <typename F, typename... Args>
inline constexpr bool callable = std::is_invocable_v<const F&, Args...> || std::is_invocable_v<F&, Args...>;

/// Tests with an lvalue, so that kernels may take their item by value or by any reference, including `auto&`.
template <typename F, typename Item>
inline constexpr bool callable_with = callable<F, Item&>;

/// Calls the kernel. The standard requires a const call operator. If a function object has only a non-const
/// one, each work-item calls its own copy, because all work-items share the captured values.
template <typename F, typename... Args>
void call_kernel(const F& function, Args&&... arguments) {
  if constexpr (std::is_invocable_v<const F&, Args...>) {
    function(static_cast<Args&&>(arguments)...);
  } else {
    F own = function;
    own(static_cast<Args&&>(arguments)...);
  }
}

#if defined(__PRISM_COMPILER__)
/// Instantiated for a kernel that captures what no device can hold. The plugin finds it by its annotation and
/// reports the captures by name, at the program's line (compiler/front/clang/captures.cpp).
template <typename F>
__attribute__((annotate("prism.refused_captures"))) void refuse_captures() {}
#endif

/// Detects common mistakes (std::vector, std::string, smart pointers, sycl::buffer) by a non-trivial
/// destructor, because the captures of a lambda cannot be inspected here.
template <typename F>
constexpr void check_kernel_type() {
  constexpr bool may_be_copied = is_device_copyable_v<F> || std::is_trivially_destructible_v<F>;
#if defined(__PRISM_COMPILER__)
  if constexpr (!may_be_copied) refuse_captures<F>();
#else
  static_assert(
      may_be_copied,
      "a kernel captures something that is not device-copyable (std::vector, std::string, a smart pointer, a "
      "sycl::buffer or queue?): capture plain data, USM pointers or accessors, and capture by value [=]");
#endif
}

template <typename F>
struct single_task_kernel {
  F function;
  void operator()() const {
    __prism_dimensions(1);
    apply_kernel_properties<F, 1>();
    if (__prism_group_id(0) * __prism_local_size(0) + __prism_local_id(0) == 0) call({});
  }
  void call(const id<1>&) const {
    if constexpr (callable<F>) call_kernel(function);
    else call_kernel(function, kernel_handler_maker::make());
  }
};

template <int Dimensions, typename F, bool WithOffset>
struct range_kernel {
  range<Dimensions> extent;
  id<Dimensions> offset; // only for the deprecated forms
  F function;

  void operator()() const {
    __prism_dimensions(Dimensions);
    apply_kernel_properties<F, Dimensions>();
    const id<Dimensions> point = this_global_id<Dimensions>();
    for (int d = 0; d < Dimensions; ++d) {
      if (__prism_outside(point[d], extent[d])) return;
    }
    call(point);
  }
  void call(const id<Dimensions>& point) const {
    if constexpr (WithOffset) pass(make_item<Dimensions, true>(extent, point + offset, offset));
    else pass(make_item<Dimensions, true>(extent, point));
  }
  void pass(item<Dimensions, true> place) const {
    if constexpr (callable_with<F, item<Dimensions, true>>) {
      call_kernel(function, place);
    } else if constexpr (callable<F, item<Dimensions, true>, kernel_handler>) {
      call_kernel(function, place, kernel_handler_maker::make());
    } else if constexpr (callable<F, item<Dimensions, false>, kernel_handler>) {
      call_kernel(function, make_item<Dimensions, false>(extent, place.get_id()),
                  kernel_handler_maker::make());
    } else {
      static_assert(callable_with<F, item<Dimensions, false>>,
                    "the kernel of parallel_for(range) must be callable with a sycl::item, a "
                    "sycl::id or (one dimension) an integer of the range's dimensions, and perhaps a "
                    "sycl::kernel_handler");
      item<Dimensions, false> plain = make_item<Dimensions, false>(extent, place.get_id());
      call_kernel(function, plain);
    }
  }
};

template <int Dimensions, typename F>
struct nd_range_kernel {
  id<Dimensions> offset; // deprecated, usually zero
  F function;
  void operator()() const {
    __prism_dimensions(Dimensions);
    apply_kernel_properties<F, Dimensions>();
    nd_item<Dimensions> place = make_nd_item<Dimensions>(offset);
    if constexpr (callable<F, nd_item<Dimensions>, kernel_handler>) {
      call_kernel(function, place, kernel_handler_maker::make());
    } else {
      static_assert(callable_with<F, nd_item<Dimensions>>,
                    "the kernel of parallel_for(nd_range) must be callable with a sycl::nd_item "
                    "of the nd_range's dimensions, and perhaps a sycl::kernel_handler");
      call_kernel(function, place);
    }
  }
};

/// Runs all items of a box on one host thread. x is the inner loop, so that the compiler can vectorise it.
/// The functor is copied, so that the compiler knows that the kernel's stores do not change captured values.
template <int Dimensions, typename Kernel>
void run_box(const void* closure, const std::uint64_t begin[3], const std::uint64_t end[3]) {
  const Kernel kernel = *static_cast<const Kernel*>(closure);
  const std::uint64_t first = begin[0], last = end[0];
  for (std::uint64_t z = begin[2]; z < end[2]; ++z) {
    for (std::uint64_t y = begin[1]; y < end[1]; ++y) {
      for (std::uint64_t x = first; x < last; ++x) {
        if constexpr (Dimensions == 1) kernel.call(id<1>(x));
        else if constexpr (Dimensions == 2) kernel.call(id<2>(y, x));
        else kernel.call(id<3>(z, y, x));
      }
    }
  }
}

template <typename Name, typename Kernel>
void run_item(const void* closure) {
  kernel_entry<Name, Kernel>(static_cast<const Kernel*>(closure));
}

struct native_range;

/// A free function kernel (sycl_ext_oneapi_free_function_kernels), as its kernel object launches it.
struct kernel_function {
  int dimensions; // of its nd_range; 0: a single task
  std::size_t parameters;
  const std::size_t* sizes; // of the parameters, in bytes
  /// `values`: the bytes of each argument. Null: a parameter is not plain bytes.
  void (*launch)(handler& group, const native_range& items, const void* const* values);
};
/// Specialised for the functors of such kernels.
template <typename Name>
struct function_of_kernel {
  static constexpr const kernel_function* pointer = nullptr;
};

/// An entry in the list of the kernels that a program's host code can launch, compiled with or without the
/// plugin. Constructors add entries before main and when a library is loaded; unloading the library removes
/// them.
struct kernel_node {
  const char* pretty; // contains the kernel's name: pretty_kernel_name
  const void* tag;    // unique for the kernel's name
  const kernel_slot* slot;
  std::size_t closure_bytes;
  void (*body)(const void*); // keeps the kernel in the object file if the code that launches it is dropped,
                             // as after if (0)
  const kernel_function* function; // null: not a free function kernel
  kernel_node* next;
};
void list_kernel(kernel_node& node) noexcept;
void unlist_kernel(kernel_node& node) noexcept;

template <typename Name>
const char* pretty_kernel_name() {
  return __PRETTY_FUNCTION__;
}
/// Returns the readable name in `pretty`, or the compiler's label of a kernel without a name. It stays valid
/// until the process ends.
const char* extract_kernel_name(const char* pretty, const kernel_slot& slot);
template <typename Name, typename Kernel>
const char* kernel_name() {
  static const char* const name =
      extract_kernel_name(pretty_kernel_name<Name>(), kernel_slot_of<Name, Kernel>::value);
  return name;
}
template <typename Name>
struct __attribute__((visibility("hidden"))) kernel_tag {
  inline static char value = 0;
};
template <typename Name, typename Kernel>
struct __attribute__((visibility("hidden"))) kernel_listing {
  kernel_node node{pretty_kernel_name<Name>(),
                   &kernel_tag<Name>::value,
                   &kernel_slot_of<Name, Kernel>::value,
                   sizeof(Kernel),
                   &run_item<Name, Kernel>,
                   function_of_kernel<Name>::pointer,
                   nullptr};
  kernel_listing() noexcept { list_kernel(node); }
  ~kernel_listing() { unlist_kernel(node); }
  static kernel_listing entry;
};
template <typename Name, typename Kernel>
inline kernel_listing<Name, Kernel> kernel_listing<Name, Kernel>::entry;

/// Who chooses the order of a kernel's floating-point sums (prism/reproducible.hpp).
enum class sum_order : unsigned char {
  by_launch, // the device, or a launch that asks for the fixed order
  fixed,     // compiled with prism++ --reproducible
  by_device  // no launch: the program has other kernels for other devices
};

/// A kernel launch, passed to runtime/api. Dimension 0 is x.
struct kernel_launch {
  const kernel_slot* slot;
  const char* name;
  host_body body;
  const void* bytes;
  std::size_t size;
  bool is_range;
  std::uint64_t global[3] = {1, 1, 1};
  std::uint64_t local[3] = {0, 0, 0};
  int group_dimensions = 0;   // not 0: `global` is the number of work-groups, in so many dimensions
  bool chooses_group = false; // the runtime chooses the work-group size
  int dimensions = -1; // of the range with which the captured bytes begin, or of the nd_range with whose
                       // offset they begin; 0: a single task
  const char* functor = nullptr; // contains its type
  sum_order order = sum_order::by_launch;
  bool synchronises_all = false; // has the property use_root_sync
};

template <typename Name, typename Kernel>
kernel_launch describe(const Kernel& kernel, bool is_range) {
  (void)&kernel_listing<Name, Kernel>::entry;
  kernel_launch launch{&kernel_slot_of<Name, Kernel>::value,
                       kernel_name<Name, Kernel>(),
                       {&run_item<Name, Kernel>, nullptr},
                       &kernel,
                       sizeof(Kernel),
                       is_range};
  launch.functor = pretty_kernel_name<Kernel>();
#if defined(__PRISM_REPRODUCIBLE__)
  launch.order = sum_order::fixed;
#elif defined(__PRISM_ORDER_BY_DEVICE__) // PRISM's own operations
  launch.order = sum_order::by_device;
#endif
  return launch;
}

struct unnamed; // the kernel has no name: its functor's type is the name
template <typename Name, typename F>
using kernel_key = std::conditional_t<std::is_same_v<Name, unnamed>, F, Name>;

}
}
} // namespace sycl::_V1::detail
