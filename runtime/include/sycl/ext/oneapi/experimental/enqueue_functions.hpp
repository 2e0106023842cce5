// The extension sycl_ext_oneapi_enqueue_functions: commands without events, by free functions on a queue or a
// handler. PRISM creates the event nevertheless and drops it.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/queue.hpp>

namespace sycl {
inline namespace _V1 {

namespace detail {
template <typename KernelName, typename Target, typename Shape, typename KernelType, typename... Reductions>
void launch_freely(Target& on, const Shape& shape, const KernelType& kernel, Reductions&&... reductions) {
  on.template parallel_for<KernelName>(shape, std::forward<Reductions>(reductions)..., kernel);
}
} // namespace detail

namespace ext {
namespace oneapi {
namespace experimental {

/// A range and its launch properties, of which PRISM supports none.
template <typename Range, typename Properties = empty_properties_t>
class launch_config {
public:
  launch_config(Range launched, Properties properties = {}) : m_range(launched), m_properties(properties) {}
  Range get_range() const { return m_range; }
  Properties get_properties() const { return m_properties; }

private:
  Range m_range;
  Properties m_properties;
};

template <typename Group>
void submit(queue on, Group&& group, sycl::detail::call_site site = sycl::detail::call_site::here()) {
  on.submit(std::forward<Group>(group), site);
}
template <typename Values, typename Group>
void submit(queue on, properties<Values>, Group&& group,
            sycl::detail::call_site site = sycl::detail::call_site::here()) {
  on.submit(std::forward<Group>(group), site);
}
template <typename Group>
event submit_with_event(queue on, Group&& group,
                        sycl::detail::call_site site = sycl::detail::call_site::here()) {
  return on.submit(std::forward<Group>(group), site);
}
template <typename Values, typename Group>
event submit_with_event(queue on, properties<Values>, Group&& group,
                        sycl::detail::call_site site = sycl::detail::call_site::here()) {
  return on.submit(std::forward<Group>(group), site);
}

template <typename KernelName = sycl::detail::unnamed, typename KernelType>
void single_task(queue on, const KernelType& kernel,
                 sycl::detail::call_site site = sycl::detail::call_site::here()) {
  on.single_task<KernelName>(kernel, site);
}
template <typename KernelName = sycl::detail::unnamed, typename KernelType>
void single_task(handler& group, const KernelType& kernel) {
  group.single_task<KernelName>(kernel);
}

// In this extension the kernel precedes the reductions.
template <typename KernelName = sycl::detail::unnamed, int Dimensions, typename KernelType,
          typename... Reductions>
void parallel_for(queue on, range<Dimensions> items, const KernelType& kernel, Reductions&&... reductions) {
  sycl::detail::launch_freely<KernelName>(on, items, kernel, std::forward<Reductions>(reductions)...);
}
template <typename KernelName = sycl::detail::unnamed, int Dimensions, typename KernelType,
          typename... Reductions>
void parallel_for(handler& group, range<Dimensions> items, const KernelType& kernel,
                  Reductions&&... reductions) {
  sycl::detail::launch_freely<KernelName>(group, items, kernel, std::forward<Reductions>(reductions)...);
}
template <typename KernelName = sycl::detail::unnamed, int Dimensions, typename Properties,
          typename KernelType, typename... Reductions>
void parallel_for(queue on, launch_config<range<Dimensions>, Properties> config, const KernelType& kernel,
                  Reductions&&... reductions) {
  sycl::detail::launch_freely<KernelName>(on, config.get_range(), kernel,
                                          std::forward<Reductions>(reductions)...);
}
template <typename KernelName = sycl::detail::unnamed, int Dimensions, typename Properties,
          typename KernelType, typename... Reductions>
void parallel_for(handler& group, launch_config<range<Dimensions>, Properties> config,
                  const KernelType& kernel, Reductions&&... reductions) {
  sycl::detail::launch_freely<KernelName>(group, config.get_range(), kernel,
                                          std::forward<Reductions>(reductions)...);
}

template <typename KernelName = sycl::detail::unnamed, int Dimensions, typename KernelType,
          typename... Reductions>
void nd_launch(queue on, nd_range<Dimensions> items, const KernelType& kernel, Reductions&&... reductions) {
  sycl::detail::launch_freely<KernelName>(on, items, kernel, std::forward<Reductions>(reductions)...);
}
template <typename KernelName = sycl::detail::unnamed, int Dimensions, typename KernelType,
          typename... Reductions>
void nd_launch(handler& group, nd_range<Dimensions> items, const KernelType& kernel,
               Reductions&&... reductions) {
  sycl::detail::launch_freely<KernelName>(group, items, kernel, std::forward<Reductions>(reductions)...);
}
template <typename KernelName = sycl::detail::unnamed, int Dimensions, typename Properties,
          typename KernelType, typename... Reductions>
void nd_launch(queue on, launch_config<nd_range<Dimensions>, Properties> config, const KernelType& kernel,
               Reductions&&... reductions) {
  sycl::detail::launch_freely<KernelName>(on, config.get_range(), kernel,
                                          std::forward<Reductions>(reductions)...);
}
template <typename KernelName = sycl::detail::unnamed, int Dimensions, typename Properties,
          typename KernelType, typename... Reductions>
void nd_launch(handler& group, launch_config<nd_range<Dimensions>, Properties> config,
               const KernelType& kernel, Reductions&&... reductions) {
  sycl::detail::launch_freely<KernelName>(group, config.get_range(), kernel,
                                          std::forward<Reductions>(reductions)...);
}

// Kernel objects (native kernels), with their arguments in order.
template <typename... Args>
void single_task(handler& group, const kernel& object, Args&&... args) {
  group.set_args(std::forward<Args>(args)...);
  group.single_task(object);
}
template <int Dimensions, typename... Args>
void parallel_for(handler& group, range<Dimensions> items, const kernel& object, Args&&... args) {
  group.set_args(std::forward<Args>(args)...);
  group.parallel_for(items, object);
}
template <int Dimensions, typename... Args>
void nd_launch(handler& group, nd_range<Dimensions> items, const kernel& object, Args&&... args) {
  group.set_args(std::forward<Args>(args)...);
  group.parallel_for(items, object);
}
template <typename... Args>
void single_task(queue on, const kernel& object, Args&&... args) {
  on.submit([&](handler& group) { experimental::single_task(group, object, std::forward<Args>(args)...); },
            sycl::detail::call_site::unknown());
}
template <int Dimensions, typename... Args>
void parallel_for(queue on, range<Dimensions> items, const kernel& object, Args&&... args) {
  on.submit([&](handler& group) {
    experimental::parallel_for(group, items, object, std::forward<Args>(args)...);
  }, sycl::detail::call_site::unknown());
}
template <int Dimensions, typename... Args>
void nd_launch(queue on, nd_range<Dimensions> items, const kernel& object, Args&&... args) {
  on.submit([&](handler& group) {
    experimental::nd_launch(group, items, object, std::forward<Args>(args)...);
  }, sycl::detail::call_site::unknown());
}
template <int Dimensions, typename Properties, typename... Args>
void parallel_for(handler& group, launch_config<range<Dimensions>, Properties> config, const kernel& object,
                  Args&&... args) {
  experimental::parallel_for(group, config.get_range(), object, std::forward<Args>(args)...);
}
template <int Dimensions, typename Properties, typename... Args>
void parallel_for(queue on, launch_config<range<Dimensions>, Properties> config, const kernel& object,
                  Args&&... args) {
  experimental::parallel_for(on, config.get_range(), object, std::forward<Args>(args)...);
}
template <int Dimensions, typename Properties, typename... Args>
void nd_launch(handler& group, launch_config<nd_range<Dimensions>, Properties> config, const kernel& object,
               Args&&... args) {
  experimental::nd_launch(group, config.get_range(), object, std::forward<Args>(args)...);
}
template <int Dimensions, typename Properties, typename... Args>
void nd_launch(queue on, launch_config<nd_range<Dimensions>, Properties> config, const kernel& object,
               Args&&... args) {
  experimental::nd_launch(on, config.get_range(), object, std::forward<Args>(args)...);
}

inline void memcpy(queue on, void* to, const void* from, std::size_t bytes,
                   sycl::detail::call_site site = sycl::detail::call_site::here()) {
  on.memcpy(to, from, bytes, site);
}
inline void memcpy(handler& group, void* to, const void* from, std::size_t bytes,
                   sycl::detail::call_site site = sycl::detail::call_site::here()) {
  group.memcpy(to, from, bytes, site);
}
template <typename T>
void copy(queue on, const T* from, T* to, std::size_t count,
          sycl::detail::call_site site = sycl::detail::call_site::here()) {
  on.copy(from, to, count, site);
}
template <typename T>
void copy(handler& group, const T* from, T* to, std::size_t count,
          sycl::detail::call_site site = sycl::detail::call_site::here()) {
  group.copy(from, to, count, site);
}
inline void memset(queue on, void* to, int value, std::size_t bytes,
                   sycl::detail::call_site site = sycl::detail::call_site::here()) {
  on.memset(to, value, bytes, site);
}
inline void memset(handler& group, void* to, int value, std::size_t bytes,
                   sycl::detail::call_site site = sycl::detail::call_site::here()) {
  group.memset(to, value, bytes, site);
}
template <typename T>
void fill(queue on, T* to, const T& value, std::size_t count,
          sycl::detail::call_site site = sycl::detail::call_site::here()) {
  on.fill(to, value, count, site);
}
template <typename T>
void fill(handler& group, T* to, const T& value, std::size_t count,
          sycl::detail::call_site site = sycl::detail::call_site::here()) {
  group.fill(to, value, count, site);
}
/// The destination of a prefetch. In PRISM a prefetch is a hint that moves no data.
enum class prefetch_type { device, host };
inline void prefetch(queue on, void* from, std::size_t bytes, prefetch_type = prefetch_type::device,
                     sycl::detail::call_site site = sycl::detail::call_site::here()) {
  on.prefetch(from, bytes, site);
}
inline void prefetch(handler& group, void* from, std::size_t bytes, prefetch_type = prefetch_type::device,
                     sycl::detail::call_site site = sycl::detail::call_site::here()) {
  group.prefetch(from, bytes, site);
}
inline void mem_advise(queue on, void* from, std::size_t bytes, int advice,
                       sycl::detail::call_site site = sycl::detail::call_site::here()) {
  on.mem_advise(from, bytes, advice, site);
}
inline void mem_advise(handler& group, void* from, std::size_t bytes, int advice,
                       sycl::detail::call_site site = sycl::detail::call_site::here()) {
  group.mem_advise(from, bytes, advice, site);
}
inline void barrier(queue on) { on.ext_oneapi_submit_barrier(); }
inline void barrier(handler& group) { group.ext_oneapi_barrier(); }
inline void partial_barrier(queue on, const std::vector<event>& events) {
  on.ext_oneapi_submit_barrier(events);
}
inline void partial_barrier(handler& group, const std::vector<event>& events) {
  group.ext_oneapi_barrier(events);
}

}
}
} // namespace ext::oneapi::experimental

}
} // namespace sycl::_V1

#define SYCL_EXT_ONEAPI_ENQUEUE_FUNCTIONS 1

#include <sycl/detail/user_macros_restore.hpp>
