// sycl::queue: submits command groups to a device (SYCL 2020, "Queue class"). Thread-safe. The destructor
// does not block.
#pragma once

#include <sycl/device_selector.hpp>
#include <sycl/handler.hpp>

namespace sycl {
inline namespace _V1 {

namespace detail {
struct graph_queries; // <sycl/ext/oneapi/experimental/graph.hpp>
template <typename T>
inline constexpr bool is_accessor = false;
template <typename DataT, int D, access_mode M, target T, access::placeholder P>
inline constexpr bool is_accessor<accessor<DataT, D, M, T, P>> = true;
/// Returns the device of `in` with the highest score.
device select_device_in(const context& in, const std::function<int(const device&)>& selector);
} // namespace detail

class queue : public detail::shared_object<detail::queue_impl>, public detail::property_holder<queue> {
  template <typename Selector>
  using if_selector = std::enable_if_t<detail::is_selector<Selector>, int>;

public:
  explicit queue(const property_list& properties = {});
  explicit queue(const async_handler& handler, const property_list& properties = {});
  template <typename Selector, if_selector<Selector> = 0>
  explicit queue(const Selector& selector, const property_list& properties = {})
      : queue(select(selector), properties) {}
  template <typename Selector, if_selector<Selector> = 0>
  explicit queue(const Selector& selector, const async_handler& handler, const property_list& properties = {})
      : queue(select(selector), handler, properties) {}
  explicit queue(const device& on, const property_list& properties = {});
  explicit queue(const device& on, const async_handler& handler, const property_list& properties = {});
  template <typename Selector, if_selector<Selector> = 0>
  explicit queue(const context& in, const Selector& selector, const property_list& properties = {})
      : queue(in, select_in(in, selector), properties) {}
  template <typename Selector, if_selector<Selector> = 0>
  explicit queue(const context& in, const Selector& selector, const async_handler& handler,
                 const property_list& properties = {})
      : queue(in, select_in(in, selector), handler, properties) {}
  /// Throws errc::invalid if the device does not belong to the context.
  explicit queue(const context& in, const device& on, const property_list& properties = {});
  explicit queue(const context& in, const device& on, const async_handler& handler,
                 const property_list& properties = {});

  backend get_backend() const noexcept;
  context get_context() const;
  device get_device() const;
  bool is_in_order() const;
  bool is_host() const { return get_backend() == backend::ext_prism_host; }
  template <typename Param>
  typename detail::queue_descriptor<Param>::return_type get_info() const;

  /// Calls `group(handler&)` on the calling thread, then submits the command. If the function throws, nothing
  /// is submitted and the exception is passed on.
  template <typename Group>
  event submit(Group group, detail::call_site site = detail::call_site::here()) {
    return run_group(&call_group<Group>, const_cast<void*>(static_cast<const void*>(&group)), site);
  }
  /// `secondary` is ignored: PRISM does not fall back to another queue, but reports the errors of this one.
  template <typename Group>
  event submit(Group group, queue& /*secondary*/, detail::call_site site = detail::call_site::here()) {
    return submit(std::move(group), site);
  }

  /// Blocks until all commands submitted so far are complete. Does not call the asynchronous handler.
  void wait();
  void wait_and_throw();
  void throw_asynchronous();

  // ---- shortcuts: submit a command group with one command, with no, one or several dependencies

  template <typename Name = detail::unnamed, typename F>
  event single_task(const F& kernel, detail::call_site site = detail::call_site::here()) {
    return submit([&](handler& h) { h.single_task<Name>(kernel); }, site);
  }
  template <typename Name = detail::unnamed, typename F>
  event single_task(event dependency, const F& kernel, detail::call_site site = detail::call_site::here()) {
    return after(dependency, [&](handler& h) { h.single_task<Name>(kernel); }, site);
  }
  template <typename Name = detail::unnamed, typename F>
  event single_task(const std::vector<event>& dependencies, const F& kernel,
                    detail::call_site site = detail::call_site::here()) {
    return after(dependencies, [&](handler& h) { h.single_task<Name>(kernel); }, site);
  }

  template <typename Name = detail::unnamed, typename Properties, typename F,
            std::enable_if_t<ext::oneapi::experimental::is_property_list_v<Properties>, int> = 0>
  event single_task(Properties properties, const F& kernel,
                    detail::call_site site = detail::call_site::here()) {
    return submit([&](handler& h) { h.single_task<Name>(properties, kernel); }, site);
  }
  template <typename Name = detail::unnamed, typename Properties, typename F,
            std::enable_if_t<ext::oneapi::experimental::is_property_list_v<Properties>, int> = 0>
  event single_task(event dependency, Properties properties, const F& kernel,
                    detail::call_site site = detail::call_site::here()) {
    return after(dependency, [&](handler& h) { h.single_task<Name>(properties, kernel); }, site);
  }
  template <typename Name = detail::unnamed, typename Properties, typename F,
            std::enable_if_t<ext::oneapi::experimental::is_property_list_v<Properties>, int> = 0>
  event single_task(const std::vector<event>& dependencies, Properties properties, const F& kernel,
                    detail::call_site site = detail::call_site::here()) {
    return after(dependencies, [&](handler& h) { h.single_task<Name>(properties, kernel); }, site);
  }

  // `rest`: [dependencies,] [properties,] reductions, kernel.
  template <typename Name = detail::unnamed, typename... Rest>
  PRISM_CHECKED_LAUNCH(1, false)
  event parallel_for(range<1> items, Rest&&... rest) {
    return launch<Name>(items, std::forward<Rest>(rest)...);
  }
  template <typename Name = detail::unnamed, typename... Rest>
  PRISM_CHECKED_LAUNCH(1, false)
  event parallel_for(range<1> items, const std::vector<event>& dependencies, Rest&&... rest) {
    return launch<Name>(items, dependencies, std::forward<Rest>(rest)...);
  }
  template <typename Name = detail::unnamed, typename... Rest>
  PRISM_CHECKED_LAUNCH(2, false)
  event parallel_for(range<2> items, Rest&&... rest) {
    return launch<Name>(items, std::forward<Rest>(rest)...);
  }
  template <typename Name = detail::unnamed, typename... Rest>
  PRISM_CHECKED_LAUNCH(2, false)
  event parallel_for(range<2> items, const std::vector<event>& dependencies, Rest&&... rest) {
    return launch<Name>(items, dependencies, std::forward<Rest>(rest)...);
  }
  template <typename Name = detail::unnamed, typename... Rest>
  PRISM_CHECKED_LAUNCH(3, false)
  event parallel_for(range<3> items, Rest&&... rest) {
    return launch<Name>(items, std::forward<Rest>(rest)...);
  }
  template <typename Name = detail::unnamed, typename... Rest>
  PRISM_CHECKED_LAUNCH(3, false)
  event parallel_for(range<3> items, const std::vector<event>& dependencies, Rest&&... rest) {
    return launch<Name>(items, dependencies, std::forward<Rest>(rest)...);
  }
  template <typename Name = detail::unnamed, int Dimensions, typename... Rest>
  PRISM_CHECKED_LAUNCH(Dimensions, true)
  event parallel_for(nd_range<Dimensions> items, Rest&&... rest) {
    return launch<Name>(items, std::forward<Rest>(rest)...);
  }
  template <typename Name = detail::unnamed, int Dimensions, typename... Rest>
  PRISM_CHECKED_LAUNCH(Dimensions, true)
  event parallel_for(nd_range<Dimensions> items, const std::vector<event>& dependencies, Rest&&... rest) {
    return launch<Name>(items, dependencies, std::forward<Rest>(rest)...);
  }

  event memcpy(void* to, const void* from, std::size_t bytes,
               detail::call_site site = detail::call_site::here());
  event memcpy(void* to, const void* from, std::size_t bytes, event dependency,
               detail::call_site site = detail::call_site::here());
  event memcpy(void* to, const void* from, std::size_t bytes, const std::vector<event>& dependencies,
               detail::call_site site = detail::call_site::here());
  template <typename T>
  event copy(const T* from, T* to, std::size_t count, detail::call_site site = detail::call_site::here()) {
    return submit([&](handler& h) { h.copy(from, to, count, site); }, site);
  }
  template <typename T>
  event copy(const T* from, T* to, std::size_t count, event dependency,
             detail::call_site site = detail::call_site::here()) {
    return after(dependency, [&](handler& h) { h.copy(from, to, count, site); }, site);
  }
  template <typename T>
  event copy(const T* from, T* to, std::size_t count, const std::vector<event>& dependencies,
             detail::call_site site = detail::call_site::here()) {
    return after(dependencies, [&](handler& h) { h.copy(from, to, count, site); }, site);
  }
  // Copies a part of a device_global. The overloads with `dependencies` (an event or a vector of events)
  // require all counts and offsets.
  template <typename T, typename P>
  event copy(const std::remove_all_extents_t<T>* from, ext::oneapi::experimental::device_global<T, P>& to,
             std::size_t count = sizeof(T) / sizeof(std::remove_all_extents_t<T>), std::size_t start = 0,
             detail::call_site site = detail::call_site::here()) {
    return submit([&](handler& h) { h.copy(from, to, count, start, site); }, site);
  }
  template <typename T, typename P, typename Events>
  event copy(const std::remove_all_extents_t<T>* from, ext::oneapi::experimental::device_global<T, P>& to,
             std::size_t count, std::size_t start, const Events& dependencies,
             detail::call_site site = detail::call_site::here()) {
    return after(dependencies, [&](handler& h) { h.copy(from, to, count, start, site); }, site);
  }
  template <typename T, typename P>
  event copy(const ext::oneapi::experimental::device_global<T, P>& from, std::remove_all_extents_t<T>* to,
             std::size_t count = sizeof(T) / sizeof(std::remove_all_extents_t<T>), std::size_t start = 0,
             detail::call_site site = detail::call_site::here()) {
    return submit([&](handler& h) { h.copy(from, to, count, start, site); }, site);
  }
  template <typename T, typename P, typename Events>
  event copy(const ext::oneapi::experimental::device_global<T, P>& from, std::remove_all_extents_t<T>* to,
             std::size_t count, std::size_t start, const Events& dependencies,
             detail::call_site site = detail::call_site::here()) {
    return after(dependencies, [&](handler& h) { h.copy(from, to, count, start, site); }, site);
  }
  template <typename T, typename P>
  event memcpy(ext::oneapi::experimental::device_global<T, P>& to, const void* from,
               std::size_t bytes = sizeof(T), std::size_t offset = 0,
               detail::call_site site = detail::call_site::here()) {
    return submit([&](handler& h) { h.memcpy(to, from, bytes, offset, site); }, site);
  }
  template <typename T, typename P, typename Events>
  event memcpy(ext::oneapi::experimental::device_global<T, P>& to, const void* from, std::size_t bytes,
               std::size_t offset, const Events& dependencies,
               detail::call_site site = detail::call_site::here()) {
    return after(dependencies, [&](handler& h) { h.memcpy(to, from, bytes, offset, site); }, site);
  }
  template <typename T, typename P>
  event memcpy(void* to, const ext::oneapi::experimental::device_global<T, P>& from,
               std::size_t bytes = sizeof(T), std::size_t offset = 0,
               detail::call_site site = detail::call_site::here()) {
    return submit([&](handler& h) { h.memcpy(to, from, bytes, offset, site); }, site);
  }
  template <typename T, typename P, typename Events>
  event memcpy(void* to, const ext::oneapi::experimental::device_global<T, P>& from, std::size_t bytes,
               std::size_t offset, const Events& dependencies,
               detail::call_site site = detail::call_site::here()) {
    return after(dependencies, [&](handler& h) { h.memcpy(to, from, bytes, offset, site); }, site);
  }
  event memset(void* to, int value, std::size_t bytes, detail::call_site site = detail::call_site::here());
  event memset(void* to, int value, std::size_t bytes, event dependency,
               detail::call_site site = detail::call_site::here());
  event memset(void* to, int value, std::size_t bytes, const std::vector<event>& dependencies,
               detail::call_site site = detail::call_site::here());
  template <typename T>
  event fill(void* to, const T& value, std::size_t count,
             detail::call_site site = detail::call_site::here()) {
    return submit([&](handler& h) { h.fill(to, value, count, site); }, site);
  }
  template <typename T>
  event fill(void* to, const T& value, std::size_t count, event dependency,
             detail::call_site site = detail::call_site::here()) {
    return after(dependency, [&](handler& h) { h.fill(to, value, count, site); }, site);
  }
  template <typename T>
  event fill(void* to, const T& value, std::size_t count, const std::vector<event>& dependencies,
             detail::call_site site = detail::call_site::here()) {
    return after(dependencies, [&](handler& h) { h.fill(to, value, count, site); }, site);
  }
  event prefetch(const void* from, std::size_t bytes, detail::call_site site = detail::call_site::here());
  event prefetch(const void* from, std::size_t bytes, event dependency,
                 detail::call_site site = detail::call_site::here());
  event prefetch(const void* from, std::size_t bytes, const std::vector<event>& dependencies,
                 detail::call_site site = detail::call_site::here());
  event mem_advise(const void* from, std::size_t bytes, int advice,
                   detail::call_site site = detail::call_site::here());
  event mem_advise(const void* from, std::size_t bytes, int advice, event dependency,
                   detail::call_site site = detail::call_site::here());
  event mem_advise(const void* from, std::size_t bytes, int advice, const std::vector<event>& dependencies,
                   detail::call_site site = detail::call_site::here());

  // Two-dimensional copies; see handler. `dependencies`: none, an event, or a vector of events, which may be
  // in braces.
  template <typename Events = std::vector<event>>
  event ext_oneapi_memcpy2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                            std::size_t width, std::size_t height, const Events& dependencies = {},
                            detail::call_site site = detail::call_site::here()) {
    return after(dependencies, [&](handler& h) {
      h.ext_oneapi_memcpy2d(to, to_pitch, from, from_pitch, width, height, site);
    }, site);
  }
  template <typename T, typename Events = std::vector<event>>
  event ext_oneapi_copy2d(const T* from, std::size_t from_pitch, T* to, std::size_t to_pitch,
                          std::size_t width, std::size_t height, const Events& dependencies = {},
                          detail::call_site site = detail::call_site::here()) {
    return after(dependencies, [&](handler& h) {
      h.ext_oneapi_copy2d(from, from_pitch, to, to_pitch, width, height, site);
    }, site);
  }
  template <typename Events = std::vector<event>>
  event ext_oneapi_memset2d(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                            const Events& dependencies = {},
                            detail::call_site site = detail::call_site::here()) {
    return after(dependencies,
                 [&](handler& h) { h.ext_oneapi_memset2d(to, pitch, value, width, height, site); }, site);
  }
  template <typename T, typename Events = std::vector<event>>
  event ext_oneapi_fill2d(void* to, std::size_t pitch, const T& value, std::size_t width, std::size_t height,
                          const Events& dependencies = {},
                          detail::call_site site = detail::call_site::here()) {
    return after(dependencies,
                 [&](handler& h) { h.ext_oneapi_fill2d(to, pitch, value, width, height, site); }, site);
  }

  // Explicit operations on placeholder accessors, which these functions bind.
  template <typename SrcT, int D, access_mode M, target T, access::placeholder P, typename Dest>
  event copy(accessor<SrcT, D, M, T, P> from, Dest to, detail::call_site site = detail::call_site::here()) {
    return submit([&](handler& h) {
      h.require(from);
      require_accessor(h, to);
      h.copy(from, to, site);
    }, site);
  }
  template <typename Src, typename DestT, int D, access_mode M, target T, access::placeholder P,
            std::enable_if_t<!detail::is_accessor<Src>, int> = 0>
  event copy(Src from, accessor<DestT, D, M, T, P> to, detail::call_site site = detail::call_site::here()) {
    return submit([&](handler& h) {
      h.require(to);
      h.copy(from, to, site);
    }, site);
  }
  template <typename DataT, int D, access_mode M, target T, access::placeholder P>
  event update_host(accessor<DataT, D, M, T, P> what, detail::call_site site = detail::call_site::here()) {
    return submit([&](handler& h) {
      h.require(what);
      h.update_host(what, site);
    }, site);
  }
  template <typename DataT, int D, access_mode M, target T, access::placeholder P>
  event fill(accessor<DataT, D, M, T, P> to, const DataT& value,
             detail::call_site site = detail::call_site::here()) {
    return submit([&](handler& h) {
      h.require(to);
      h.fill(to, value, site);
    }, site);
  }
  /// Submits a barrier. It completes when all commands submitted to this queue before, or the given events,
  /// are complete. Commands submitted later begin after it.
  event ext_oneapi_submit_barrier(detail::call_site site = detail::call_site::here());
  event ext_oneapi_submit_barrier(const std::vector<event>& dependencies,
                                  detail::call_site site = detail::call_site::here());

  // sycl_ext_oneapi_bindless_images: a command that waits for a semaphore of another program, or signals it.
  // A value belongs to a timeline. Defined in <sycl/ext/oneapi/experimental/external_semaphore.hpp>.
  template <typename Semaphore>
  event ext_oneapi_wait_external_semaphore(Semaphore what, const std::vector<event>& after = {}) {
    return submit([&](handler& h) {
      h.depends_on(after);
      h.ext_oneapi_wait_external_semaphore(what);
    });
  }
  template <typename Semaphore>
  event ext_oneapi_wait_external_semaphore(Semaphore what, std::uint64_t value,
                                           const std::vector<event>& after = {}) {
    return submit([&](handler& h) {
      h.depends_on(after);
      h.ext_oneapi_wait_external_semaphore(what, value);
    });
  }
  template <typename Semaphore>
  event ext_oneapi_signal_external_semaphore(Semaphore what, const std::vector<event>& after = {}) {
    return submit([&](handler& h) {
      h.depends_on(after);
      h.ext_oneapi_signal_external_semaphore(what);
    });
  }
  template <typename Semaphore>
  event ext_oneapi_signal_external_semaphore(Semaphore what, std::uint64_t value,
                                             const std::vector<event>& after = {}) {
    return submit([&](handler& h) {
      h.depends_on(after);
      h.ext_oneapi_signal_external_semaphore(what, value);
    });
  }

  // sycl_ext_oneapi_graph: execution of a graph, the recording state, and the graph that records the queue.
  // Defined in <sycl/ext/oneapi/experimental/graph.hpp>.
  template <typename Graph>
  event ext_oneapi_graph(Graph what) {
    return execute_graph(*this, what);
  }
  template <typename Graph>
  event ext_oneapi_graph(Graph what, const event& after) {
    return execute_graph(*this, what, {after});
  }
  template <typename Graph>
  event ext_oneapi_graph(Graph what, const std::vector<event>& after) {
    return execute_graph(*this, what, after);
  }
  template <typename Queries = detail::graph_queries>
  auto ext_oneapi_get_state() const noexcept {
    return Queries::state(*this);
  }
  template <typename Queries = detail::graph_queries>
  auto ext_oneapi_get_graph() const {
    return Queries::graph(*this);
  }

  [[deprecated("the name is ext_oneapi_submit_barrier")]] event submit_barrier() {
    return ext_oneapi_submit_barrier();
  }
  [[deprecated("the name is ext_oneapi_submit_barrier")]] event
  submit_barrier(const std::vector<event>& dependencies) {
    return ext_oneapi_submit_barrier(dependencies);
  }
  /// Whether all submitted commands are complete.
  bool ext_oneapi_empty() const;
  bool khr_empty() const { return ext_oneapi_empty(); }
  /// The event of the last command of an in-order queue, or the one that was set for the next command since;
  /// a complete event where there is none. Throws errc::invalid if the queue is not in order.
  event ext_oneapi_get_last_event() const;
  /// The next command of an in-order queue, or the next wait() for it, waits for this event too; a later call
  /// replaces the event. Throws errc::invalid if the queue is not in order.
  void ext_oneapi_set_external_event(const event& external_event);
  /// Lets the device start the commands submitted so far, without waiting for them.
  void khr_flush() const;
  void ext_oneapi_prod() { khr_flush(); }

  const property_list& prism_properties() const noexcept;

private:
  friend struct detail::access_impl;
  explicit queue(detail::impl_ptr<detail::queue_impl> impl) : shared_object(std::move(impl)) {}

  template <typename Selector> // a template, so that the device constructor is instantiated only if it is
                               // used
  static device select(const Selector& selector) {
    return device(selector);
  }
  template <typename Selector>
  static device select_in(const context& in, const Selector& selector) {
    return detail::select_device_in(in, detail::ranking_of(selector));
  }
  template <typename Group>
  static void call_group(void* group, handler& h) {
    (*static_cast<Group*>(group))(h);
  }
  event run_group(void (*call)(void*, handler&), void* group, detail::call_site site);

  template <typename Events, typename Group>
  event after(const Events& dependencies, const Group& group, detail::call_site site) {
    return submit([&](handler& h) {
      h.depends_on(dependencies);
      group(h);
    }, site);
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // the handler's parallel_for warns of the offset
  template <typename Name, typename Shape, typename First, typename... Rest>
  event launch(const Shape& items, First&& first, Rest&&... rest) {
    using plain = std::decay_t<First>;
    if constexpr (std::is_same_v<plain, event> || std::is_same_v<plain, std::vector<event>>) {
      return after(first, [&](handler& h) { h.parallel_for<Name>(items, std::forward<Rest>(rest)...); },
                   detail::call_site::unknown());
    } else {
      return submit([&](handler& h) {
        h.parallel_for<Name>(items, std::forward<First>(first), std::forward<Rest>(rest)...);
      }, detail::call_site::unknown());
    }
  }
#pragma GCC diagnostic pop
  template <typename T>
  static void require_accessor(handler& h, const T& side) {
    if constexpr (detail::is_accessor<T>) h.require(side);
  }
};

}
} // namespace sycl::_V1

#undef PRISM_CHECKED_LAUNCH // of detail/launch_fault.hpp
#undef PRISM_REFUSE_LAUNCH

template <>
struct std::hash<sycl::queue> : sycl::detail::hash_by_impl {};
