// sycl::handler: the interface of a command group function (SYCL 2020, "Command group handler class").
//
// A group has at most one command; a second one throws errc::invalid. If the function throws, nothing is
// submitted. A handler is only valid inside of the function, and is not thread-safe.
#pragma once

#include <sycl/accessor.hpp>
#include <sycl/detail/byte_count.hpp>
#include <sycl/detail/kernel_wrap.hpp>
#include <sycl/detail/launch_fault.hpp>
#include <sycl/event.hpp>
#include <sycl/hierarchical.hpp>
#include <sycl/interop_handle.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/local_accessor.hpp>

namespace prism {
struct native_work;
template <typename T>
class dynamic_parameter;
}

// Deprecated names cause warnings in programs, not in this header.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
namespace sycl {
inline namespace _V1 {

class queue;

namespace detail {
class executable_graph;
class handler_impl;
class queue_impl;

/// Defined in reduction.hpp: parallel_for with reductions. `rest`: the reductions, then the kernel.
template <typename Name, typename Shape, typename... Rest>
void launch_with_reductions(handler& group, const Shape& shape, Rest&&... rest);

/// Returns a token for the block to which a sycl::stream writes. `text` is the size of the text in bytes.
std::uint64_t bind_stream(handler& group, std::size_t text);

/// The source or destination of an explicit copy, given by an accessor.
struct accessor_side {
  std::uint64_t token;
  element_box region;
  std::uint64_t element_bytes;
};
struct pointer_side {
  void* pointer;
  std::shared_ptr<void> keep_alive;
};

/// The range of a native kernel, with the slowest dimension last, as in drivers. If the local size is zero,
/// the driver chooses it.
struct native_range {
  std::uint64_t global[3] = {1, 1, 1}, local[3] = {0, 0, 0}, offset[3] = {0, 0, 0};
};
template <int D>
native_range native_items(const range<D>& items, const id<D>& offset) {
  native_range out;
  for (int d = 0; d < D; ++d) {
    out.global[d] = items[D - 1 - d];
    out.offset[d] = offset[D - 1 - d];
  }
  return out;
}
template <int D>
native_range native_items(const nd_range<D>& items) {
  native_range out = native_items(items.get_global_range(), items.get_offset());
  for (int d = 0; d < 3; ++d) out.local[d] = d < D ? items.get_local_range()[D - 1 - d] : 1;
  return out;
}

/// Chooses a work-group size that divides the global range, dimension 0 being x: as many work-items as a
/// group usually has, at most as many as the device of the group takes.
void choose_local_range(const handler& group, const std::uint64_t global[3], int dimensions,
                        std::uint64_t local[3]);
template <int D>
nd_range<D> with_local_range(const handler& group, const nd_range<D>& items) {
  native_range native = native_items(items.get_global_range(), id<D>());
  choose_local_range(group, native.global, D, native.local);
  range<D> local;
  for (int d = 0; d < D; ++d) local[d] = static_cast<std::size_t>(native.local[D - 1 - d]);
  return {items.get_global_range(), local};
}

} // namespace detail

namespace ext {
namespace oneapi {
namespace experimental {
template <typename T, typename PropertyListT>
class device_global;
}
}
} // namespace ext::oneapi::experimental

class handler {
public:
  handler(const handler&) = delete;
  handler& operator=(const handler&) = delete;

  // ---- dependencies of the command

  /// Binds a placeholder accessor. No effect on other accessors and on accessors that are already bound.
  template <typename DataT, int D, access_mode M, target T, access::placeholder P>
  void require(accessor<DataT, D, M, T, P> what) {
    bind_placeholder(what.prism_token());
  }
  /// For a command of a graph (sycl_ext_oneapi_graph); for set_arg below.
  template <typename T>
  void require(prism::dynamic_parameter<T> what) {
    what.prism_require(*this);
  }
  void depends_on(event what);
  void depends_on(const std::vector<event>& all);

  // ---- specialisation constants or a kernel bundle: a command group may use only one of them

  // Both throw errc::invalid after use_kernel_bundle.

  template <auto& SpecName>
  void set_specialization_constant(detail::specialization_value<SpecName> value) {
    set_constant(&SpecName, &value, sizeof value);
  }
  template <auto& SpecName>
  detail::specialization_value<SpecName> get_specialization_constant() const {
    using value_type = detail::specialization_value<SpecName>;
    alignas(value_type) unsigned char bytes[sizeof(value_type)];
    get_constant(&SpecName, bytes, sizeof bytes);
    return *reinterpret_cast<const value_type*>(bytes);
  }
  /// Takes the kernels of this group, and the values of specialisation constants, from `bundle`. Throws
  /// errc::invalid for a bundle of another context. The kernel's launch throws errc::kernel_not_supported if
  /// the bundle does not have it.
  void use_kernel_bundle(const kernel_bundle<bundle_state::executable>& bundle);

  // ---- kernels

  // Kernel objects must be of native kernels (make_kernel) or of free function kernels; others throw
  // errc::invalid. A free function kernel takes trivially copyable values and USM pointers, and needs all.

  /// Sets an argument of a kernel object, numbered from 0: an accessor of this group, a local accessor, a USM
  /// pointer or a trivially copyable value. Arguments that are not set here keep the value that the program
  /// set in the native kernel.
  template <typename DataT, int D, access_mode M, target T, access::placeholder P>
  void set_arg(int index, const accessor<DataT, D, M, T, P>& what) {
    if (what.is_placeholder()) require(what);
    set_accessor_argument(index, what.prism_token());
  }
  template <typename DataT, int D>
  void set_arg(int index, const local_accessor<DataT, D>& what) {
    set_local_argument(index, what.prism_token());
  }
  template <typename T, std::enable_if_t<std::is_trivially_copyable_v<T>, int> = 0>
  void set_arg(int index, const T& value) {
    if constexpr (std::is_pointer_v<T>) set_pointer_argument(index, value);
    else set_value_argument(index, &value, sizeof value);
  }
  /// For a command of a graph (sycl_ext_oneapi_graph): an argument whose value the program can change.
  template <typename T>
  void set_arg(int index, const prism::dynamic_parameter<T>& what) {
    what.prism_set_argument(*this, index);
  }
  template <typename... Ts>
  void set_args(Ts&&... values) {
    int index = 0;
    (set_arg(index++, std::forward<Ts>(values)), ...);
  }
  void single_task(const kernel& object) { set_native_kernel(object, {{1, 1, 1}, {1, 1, 1}, {0, 0, 0}}); }

  template <typename Name = detail::unnamed, typename F>
  void single_task(const F& kernel) {
    detail::check_kernel_type<F>();
    static_assert(detail::callable<F> || detail::callable<F, kernel_handler>,
                  "the kernel of single_task must be callable without arguments or with a "
                  "sycl::kernel_handler");
    using wrapper = detail::single_task_kernel<F>;
    const wrapper wrapped{kernel};
    auto launch = detail::describe<detail::kernel_key<Name, F>>(wrapped, true);
    launch.body.range = &detail::run_box<1, wrapper>;
    launch.dimensions = 0;
    set_kernel(launch);
  }
  /// `properties`, here and below: properties of sycl_ext_oneapi_kernel_properties, added to those of the
  /// kernel's class.
  template <typename Name = detail::unnamed, typename Properties, typename F,
            std::enable_if_t<ext::oneapi::experimental::is_property_list_v<Properties>, int> = 0>
  void single_task(Properties, const F& kernel) {
    if constexpr (std::is_same_v<F, sycl::kernel>) {
      check_native_properties<Properties>();
      single_task(kernel);
    } else {
      single_task<Name>(detail::kernel_with_properties<F, Properties>(kernel));
    }
  }

  /// `rest`: [properties,] reductions, then the kernel.
  template <typename Name = detail::unnamed, typename... Rest>
  PRISM_CHECKED_LAUNCH(1, false)
  void parallel_for(range<1> items, Rest&&... rest) {
    over_range<Name>(items, std::forward<Rest>(rest)...);
  }
  template <typename Name = detail::unnamed, typename... Rest>
  PRISM_CHECKED_LAUNCH(2, false)
  void parallel_for(range<2> items, Rest&&... rest) {
    over_range<Name>(items, std::forward<Rest>(rest)...);
  }
  template <typename Name = detail::unnamed, typename... Rest>
  PRISM_CHECKED_LAUNCH(3, false)
  void parallel_for(range<3> items, Rest&&... rest) {
    over_range<Name>(items, std::forward<Rest>(rest)...);
  }
  template <typename Name = detail::unnamed, typename F>
  [[deprecated("offsets are deprecated: add them to the ids in the kernel")]]
  void parallel_for(range<1> items, id<1> offset, F&& kernel) {
    over_range<Name>(items, offset, std::forward<F>(kernel));
  }
  template <typename Name = detail::unnamed, typename F>
  [[deprecated("offsets are deprecated: add them to the ids in the kernel")]]
  void parallel_for(range<2> items, id<2> offset, F&& kernel) {
    over_range<Name>(items, offset, std::forward<F>(kernel));
  }
  template <typename Name = detail::unnamed, typename F>
  [[deprecated("offsets are deprecated: add them to the ids in the kernel")]]
  void parallel_for(range<3> items, id<3> offset, F&& kernel) {
    over_range<Name>(items, offset, std::forward<F>(kernel));
  }
  template <typename Name = detail::unnamed, int Dimensions, typename... Rest>
  PRISM_CHECKED_LAUNCH(Dimensions, true)
  void parallel_for(nd_range<Dimensions> items, Rest&&... rest) {
    static_assert(sizeof...(Rest) > 0, "parallel_for needs a kernel");
    if (items.get_local_range()[0] == detail::automatic_local_size)
      items = detail::with_local_range(*this, items);
    if constexpr (takes_properties<Rest...>) launch_with_properties<Name>(items, std::forward<Rest>(rest)...);
    else if constexpr ((std::is_same_v<std::decay_t<Rest>, kernel> || ...))
      launch_native(detail::native_items(items), rest...);
    else if constexpr (sizeof...(Rest) == 1) launch_nd_range<Name>(items, rest...);
    else detail::launch_with_reductions<Name>(*this, items, std::forward<Rest>(rest)...);
  }

  /// Deprecated in SYCL 2020. Without `local` PRISM chooses the work-group size, and the kernel sees a
  /// physical range of one work-item.
  template <typename Name = detail::unnamed, int Dimensions, typename F>
  [[deprecated("hierarchical kernels are deprecated: use an nd_range and group_barrier")]]
  void parallel_for_work_group(range<Dimensions> groups, const F& kernel) {
    range<Dimensions> one = groups;
    for (int d = 0; d < Dimensions; ++d) one[d] = 1;
    launch_work_groups<Name, true>(groups, {}, one, kernel);
  }
  template <typename Name = detail::unnamed, int Dimensions, typename F>
  [[deprecated("hierarchical kernels are deprecated: use an nd_range and group_barrier")]]
  void parallel_for_work_group(range<Dimensions> groups, range<Dimensions> local, const F& kernel) {
    launch_work_groups<Name, false>(groups, {local}, local, kernel);
  }
  template <typename Name = detail::unnamed, int Dimensions, typename Properties, typename F,
            std::enable_if_t<ext::oneapi::experimental::is_property_list_v<Properties>, int> = 0>
  [[deprecated("hierarchical kernels are deprecated: use an nd_range and group_barrier")]]
  void parallel_for_work_group(range<Dimensions> groups, Properties, const F& kernel) {
    parallel_for_work_group<Name>(groups, detail::kernel_with_properties<F, Properties>(kernel));
  }
  template <typename Name = detail::unnamed, int Dimensions, typename Properties, typename F,
            std::enable_if_t<ext::oneapi::experimental::is_property_list_v<Properties>, int> = 0>
  [[deprecated("hierarchical kernels are deprecated: use an nd_range and group_barrier")]]
  void parallel_for_work_group(range<Dimensions> groups, range<Dimensions> local, Properties,
                               const F& kernel) {
    parallel_for_work_group<Name>(groups, local, detail::kernel_with_properties<F, Properties>(kernel));
  }

  /// Makes a native command the command of the group; see prism/native.hpp, which has this as a function.
  /// set_arg sets its arguments.
  void prism_native(std::function<void*(const prism::native_work&)> function);

  // ---- host tasks

  /// `task` has no parameters or a sycl::interop_handle. Its exceptions become asynchronous errors. If it
  /// takes the handle, device accessors represent native memory; otherwise they access the elements, as host
  /// task accessors do.
  template <typename F>
  void host_task(F&& task) {
    using function = std::decay_t<F>;
    constexpr bool is_interop = std::is_invocable_v<function&, interop_handle>;
    auto own = std::make_shared<function>(std::forward<F>(task));
    set_host_task([own](const interop_handle& handle) {
      if constexpr (is_interop) (*own)(handle);
      else (*own)();
      (void)handle;
    }, const_cast<void*>(static_cast<const void*>(own.get())), sizeof(function), is_interop);
  }

  // ---- explicit memory operations

  template <typename SrcT, int D, access_mode M, target T, access::placeholder P, typename DestT>
  void copy(accessor<SrcT, D, M, T, P> from, std::shared_ptr<DestT> to,
            detail::call_site site = detail::call_site::here()) {
    auto* pointer = static_cast<void*>(to.get());
    copy_out(side(from), {pointer, std::shared_ptr<void>(to, pointer)}, site);
  }
  template <typename SrcT, typename DestT, int D, access_mode M, target T, access::placeholder P>
  void copy(std::shared_ptr<SrcT> from, accessor<DestT, D, M, T, P> to,
            detail::call_site site = detail::call_site::here()) {
    auto* pointer = const_cast<void*>(static_cast<const void*>(from.get()));
    copy_in({pointer, std::shared_ptr<void>(from, pointer)}, side(to), site);
  }
  template <typename SrcT, int D, access_mode M, target T, access::placeholder P, typename DestT>
  void copy(accessor<SrcT, D, M, T, P> from, DestT* to, detail::call_site site = detail::call_site::here()) {
    copy_out(side(from), {to, nullptr}, site);
  }
  template <typename SrcT, typename DestT, int D, access_mode M, target T, access::placeholder P>
  void copy(const SrcT* from, accessor<DestT, D, M, T, P> to,
            detail::call_site site = detail::call_site::here()) {
    copy_in({const_cast<SrcT*>(from), nullptr}, side(to), site);
  }
  template <typename SrcT, int SrcD, access_mode SrcM, target SrcTarget, access::placeholder SrcP,
            typename DestT, int DestD, access_mode DestM, target DestTarget, access::placeholder DestP>
  void copy(accessor<SrcT, SrcD, SrcM, SrcTarget, SrcP> from,
            accessor<DestT, DestD, DestM, DestTarget, DestP> to,
            detail::call_site site = detail::call_site::here()) {
    copy_across(side(from), side(to), site);
  }
  template <typename DataT, int D, access_mode M, target T, access::placeholder P>
  void update_host(accessor<DataT, D, M, T, P> what, detail::call_site site = detail::call_site::here()) {
    update(side(what), site);
  }
  template <typename DataT, int D, access_mode M, target T, access::placeholder P>
  void fill(accessor<DataT, D, M, T, P> to, const DataT& value,
            detail::call_site site = detail::call_site::here()) {
    static_assert(is_device_copyable_v<DataT>, "fill needs a device-copyable type");
    fill_accessor(side(to), &value, site);
  }

  void memcpy(void* to, const void* from, std::size_t bytes,
              detail::call_site site = detail::call_site::here());
  template <typename T>
  void copy(const T* from, T* to, std::size_t count, detail::call_site site = detail::call_site::here()) {
    static_assert(is_device_copyable_v<T>, "copy needs a device-copyable type");
    memcpy(static_cast<void*>(to), from, detail::product_of(count, sizeof(T)), site);
  }
  // Copies a part of a device_global, at an offset in elements or bytes from its start. Throws errc::invalid
  // if the part exceeds it.
  template <typename T, typename P>
  void copy(const std::remove_all_extents_t<T>* from, ext::oneapi::experimental::device_global<T, P>& to,
            std::size_t count = sizeof(T) / sizeof(std::remove_all_extents_t<T>), std::size_t start = 0,
            detail::call_site site = detail::call_site::here()) {
    using element = std::remove_all_extents_t<T>;
    copy_global(&to, sizeof(T), start, count, sizeof(element), const_cast<element*>(from), true, site);
  }
  template <typename T, typename P>
  void copy(const ext::oneapi::experimental::device_global<T, P>& from, std::remove_all_extents_t<T>* to,
            std::size_t count = sizeof(T) / sizeof(std::remove_all_extents_t<T>), std::size_t start = 0,
            detail::call_site site = detail::call_site::here()) {
    copy_global(&from, sizeof(T), start, count, sizeof(std::remove_all_extents_t<T>), to, false, site);
  }
  template <typename T, typename P>
  void memcpy(ext::oneapi::experimental::device_global<T, P>& to, const void* from,
              std::size_t bytes = sizeof(T), std::size_t offset = 0,
              detail::call_site site = detail::call_site::here()) {
    copy_global(&to, sizeof(T), offset, bytes, 1, const_cast<void*>(from), true, site);
  }
  template <typename T, typename P>
  void memcpy(void* to, const ext::oneapi::experimental::device_global<T, P>& from,
              std::size_t bytes = sizeof(T), std::size_t offset = 0,
              detail::call_site site = detail::call_site::here()) {
    copy_global(&from, sizeof(T), offset, bytes, 1, to, false, site);
  }

  void memset(void* to, int value, std::size_t bytes, detail::call_site site = detail::call_site::here());
  template <typename T>
  void fill(void* to, const T& value, std::size_t count, detail::call_site site = detail::call_site::here()) {
    static_assert(is_device_copyable_v<T>, "fill needs a device-copyable type");
    fill_pointer(to, &value, sizeof(T), count, site);
  }
  /// A hint, ordered as a command.
  void prefetch(const void* from, std::size_t bytes, detail::call_site site = detail::call_site::here());
  /// A hint; 0 resets it. PRISM's devices support no other value.
  void mem_advise(const void* from, std::size_t bytes, int advice,
                  detail::call_site site = detail::call_site::here());

  // ---- extensions of other implementations

  /// Executes a graph (sycl_ext_oneapi_graph).
  template <typename Graph>
  void ext_oneapi_graph(Graph what) {
    execute_graph(*this, what);
  }
  // sycl_ext_oneapi_bindless_images: a command that waits for a semaphore of another program, or signals it.
  // A value belongs to a timeline. Defined in <sycl/ext/oneapi/experimental/external_semaphore.hpp>.
  template <typename Semaphore, typename... Value>
  void ext_oneapi_wait_external_semaphore(Semaphore what, Value... value) {
    prism_use_semaphore(*this, what, true, sizeof...(value) != 0, (std::uint64_t(value) + ... + 0));
  }
  template <typename Semaphore, typename... Value>
  void ext_oneapi_signal_external_semaphore(Semaphore what, Value... value) {
    prism_use_semaphore(*this, what, false, sizeof...(value) != 0, (std::uint64_t(value) + ... + 0));
  }
  /// Makes a barrier the command of the group: it waits for all commands submitted to the queue before, or
  /// for the given events.
  void ext_oneapi_barrier() { prism_barrier(); }
  void ext_oneapi_barrier(const std::vector<event>& events);
  // These process `height` rows of `width` bytes (elements in copy and fill). The pitch is the distance
  // between the starts of rows, in the same unit. Throw errc::invalid if rows overlap.
  void ext_oneapi_memcpy2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                           std::size_t width, std::size_t height,
                           detail::call_site site = detail::call_site::here());
  template <typename T>
  void ext_oneapi_copy2d(const T* from, std::size_t from_pitch, T* to, std::size_t to_pitch,
                         std::size_t width, std::size_t height,
                         detail::call_site site = detail::call_site::here()) {
    static_assert(is_device_copyable_v<T>, "copy2d needs a device-copyable type");
    ext_oneapi_memcpy2d(to, detail::product_of(to_pitch, sizeof(T)), from,
                        detail::product_of(from_pitch, sizeof(T)), detail::product_of(width, sizeof(T)),
                        height, site);
  }
  void ext_oneapi_memset2d(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                           detail::call_site site = detail::call_site::here()) {
    const auto byte = static_cast<unsigned char>(value);
    fill_pitched(to, pitch, &byte, 1, width, height, site);
  }
  template <typename T>
  void ext_oneapi_fill2d(void* to, std::size_t pitch, const T& value, std::size_t width, std::size_t height,
                         detail::call_site site = detail::call_site::here()) {
    static_assert(is_device_copyable_v<T>, "fill2d needs a device-copyable type");
    fill_pitched(to, detail::product_of(pitch, sizeof(T)), &value, sizeof(T),
                 detail::product_of(width, sizeof(T)), height, site);
  }

  // ---- for PRISM's own headers

  /// Adds a command group that is submitted directly after this one and depends on it. The group's event is
  /// that of the last one.
  void prism_then(std::function<void(handler&)> group);
  /// The type of the program's function object, for kernels that headers wrap around it: messages then name
  /// the program's line.
  void prism_wraps(const char* functor);
  device prism_device() const;
  /// Whether sums have the order that does not depend on the device (prism/reproducible.hpp).
  bool prism_fixes_order() const;
  /// Makes a barrier the command: it waits for all commands submitted to the queue before.
  void prism_barrier();
  void prism_graph(std::shared_ptr<detail::executable_graph> graph);

private:
  friend class detail::handler_impl;
  friend class queue;
  friend std::uint64_t detail::bind_accessor(handler&, const detail::impl_ptr<detail::buffer_impl>&,
                                             const detail::access_request&);
  friend std::uint64_t detail::bind_local(handler&, std::uint64_t, std::uint64_t);
  friend std::uint64_t detail::bind_stream(handler&, std::size_t);

  explicit handler(detail::handler_impl& impl) : m_impl(impl) {}

  template <typename Properties>
  static constexpr void check_native_properties() {
    static_assert(
        !detail::kernel_property_list<0, Properties>::is_known_when_compiling,
        "a kernel object is compiled already: it cannot have properties that change how a kernel is "
        "compiled");
  }
  template <typename Name, typename Shape, typename Properties, typename... Rest>
  void launch_with_properties(const Shape& items, const Properties&, Rest&&... rest) {
    launch_split<Name, Properties>(items, std::tie(rest...), std::make_index_sequence<sizeof...(Rest) - 1>());
  }
  template <typename Name, typename Properties, typename Shape, typename... Rest, std::size_t... I>
  void launch_split(const Shape& items, std::tuple<Rest&...> rest, std::index_sequence<I...>) {
    const auto& kernel = std::get<sizeof...(I)>(rest);
    using function = std::decay_t<decltype(kernel)>;
    if constexpr (std::is_same_v<function, sycl::kernel>) {
      check_native_properties<Properties>();
      parallel_for(items, kernel);
    } else {
      parallel_for<Name>(items, std::get<I>(rest)...,
                         detail::kernel_with_properties<function, Properties>(kernel));
    }
  }
  template <typename Name, int D, typename... Rest>
  void over_range(const range<D>& items, Rest&&... rest) {
    static_assert(sizeof...(Rest) > 0, "parallel_for needs a kernel");
    if constexpr (takes_properties<Rest...>) {
      launch_with_properties<Name>(items, std::forward<Rest>(rest)...);
    } else if constexpr ((std::is_same_v<std::decay_t<Rest>, kernel> || ...)) {
      launch_native(detail::native_items(items, id<D>()), rest...);
    } else if constexpr (sizeof...(Rest) == 1) {
      launch_range<Name, D, false>(items, {}, rest...);
    } else if constexpr (sizeof...(Rest) == 2 && detail::is_id<std::decay_t<first_of<Rest...>>>) {
      launch_range<Name, D, true>(items, std::forward<Rest>(rest)...);
    } else {
      detail::launch_with_reductions<Name>(*this, items, std::forward<Rest>(rest)...);
    }
  }
  void launch_native(const detail::native_range& items, const kernel& object) {
    set_native_kernel(object, items);
  }
  template <int D>
  void launch_native(detail::native_range items, const id<D>& offset, const kernel& object) {
    for (int d = 0; d < D; ++d) items.offset[d] = offset[D - 1 - d];
    set_native_kernel(object, items);
  }
  template <typename First, typename...>
  struct first_type {
    using type = First;
  };
  template <typename... Ts>
  using first_of = typename first_type<Ts...>::type;
  template <typename... Ts>
  static constexpr bool takes_properties =
      ext::oneapi::experimental::is_property_list_v<std::decay_t<first_of<Ts...>>>;

  template <typename Name, int D, bool WithOffset, typename F>
  void launch_range(const range<D>& items, const id<D>& offset, const F& kernel) {
    detail::check_kernel_type<F>();
    using wrapper = detail::range_kernel<D, F, WithOffset>;
    const wrapper wrapped{items, offset, kernel};
    auto launch = detail::describe<detail::kernel_key<Name, F>>(wrapped, true);
    launch.body.range = &detail::run_box<D, wrapper>;
    for (int d = 0; d < D; ++d) launch.global[d] = items[D - 1 - d];
    launch.dimensions = D;
    set_kernel(launch);
  }
  template <typename Name, int D, typename F>
  void launch_nd_range(const nd_range<D>& items, const F& kernel) {
    detail::check_kernel_type<F>();
    using wrapper = detail::nd_range_kernel<D, F>;
    const wrapper wrapped{items.get_offset(), kernel};
    auto launch = detail::describe<detail::kernel_key<Name, F>>(wrapped, false);
    for (int d = 0; d < 3; ++d) {
      launch.global[d] = d < D ? items.get_global_range()[D - 1 - d] : 1;
      launch.local[d] = d < D ? items.get_local_range()[D - 1 - d] : 1;
    }
    launch.dimensions = D;
    launch.synchronises_all = detail::embedded_kernel_properties<F>::synchronises_all;
    set_kernel(launch);
  }
  /// `seen`: the work-group size that the kernel sees; `local`: the actual size, unless PRISM chooses it.
  template <typename Name, bool IsChosen, int D, typename F>
  void launch_work_groups(const range<D>& groups, const detail::group_size<D, IsChosen>& seen,
                          const range<D>& local, const F& kernel) {
    detail::check_kernel_type<F>();
    using key = detail::kernel_key<Name, F>;
    using wrapper = detail::work_group_kernel<D, F, IsChosen>;
    const wrapper wrapped{seen, kernel};
    auto launch = detail::describe<key>(wrapped, false);
    launch.body.work_item = &detail::run_group_alone<key, wrapper>;
    launch.group_dimensions = D;
    launch.chooses_group = IsChosen;
    for (int d = 0; d < 3; ++d) {
      launch.global[d] = d < D ? groups[D - 1 - d] : 1;
      launch.local[d] = d < D ? local[D - 1 - d] : 1;
    }
    set_kernel(launch); // checks the kernel's attributes first
    detail::check_hierarchical_group(local.size());
  }
  template <typename DataT, int D, access_mode M, target T, access::placeholder P>
  static detail::accessor_side side(const accessor<DataT, D, M, T, P>& accessor) {
    if constexpr (D == 0) return {accessor.prism_token(), detail::element_box{}, sizeof(DataT)};
    else
      return {accessor.prism_token(), detail::make_box(accessor.get_range(), accessor.get_offset()),
              sizeof(DataT)};
  }

  void bind_placeholder(std::uint64_t token);
  void set_constant(const void* id, const void* value, std::size_t bytes);
  void get_constant(const void* id, void* value, std::size_t bytes) const;
  void set_kernel(const detail::kernel_launch& launch);
  void set_native_kernel(const kernel& object, const detail::native_range& items);
  void set_accessor_argument(int index, std::uint64_t token);
  void set_local_argument(int index, std::uint64_t token);
  void set_pointer_argument(int index, const void* pointer);
  void set_value_argument(int index, const void* value, std::size_t bytes);
  void set_host_task(std::function<void(const interop_handle&)> task, void* bytes, std::size_t size,
                     bool is_interop);
  void copy_global(const void* object, std::size_t whole, std::size_t start, std::size_t count,
                   std::size_t unit, void* memory, bool into, detail::call_site site);
  void copy_out(const detail::accessor_side& from, detail::pointer_side to, detail::call_site site);
  void copy_in(detail::pointer_side from, const detail::accessor_side& to, detail::call_site site);
  void copy_across(const detail::accessor_side& from, const detail::accessor_side& to,
                   detail::call_site site);
  void update(const detail::accessor_side& what, detail::call_site site);
  void fill_accessor(const detail::accessor_side& to, const void* value, detail::call_site site);
  void fill_pointer(void* to, const void* value, std::size_t bytes, std::size_t count,
                    detail::call_site site);
  void fill_pitched(void* to, std::size_t pitch, const void* value, std::size_t bytes, std::size_t width,
                    std::size_t height, detail::call_site site);

  detail::handler_impl& m_impl;
};

}
} // namespace sycl::_V1
#pragma GCC diagnostic pop
