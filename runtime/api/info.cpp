// get_info of platform, device, context, queue and event: one line per descriptor.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // this file also answers deprecated queries
#include "runtime/api/kernel_impl.hpp"
#include "runtime/api/output.hpp"
#include "runtime/api/sub_devices.hpp"

#include <sycl/ext/oneapi/experimental/max_work_group_query.hpp>

#include <algorithm>
#include <limits>

namespace sycl {
inline namespace _V1 {

namespace detail {

namespace {

template <typename Descriptor>
struct answer;

// In an answer, `o` is the implementation of the SYCL object and `c` has the device's capabilities.
#define ANSWER(kind, type, name, ...)                                                                        \
  template <>                                                                                                \
  struct answer<info::kind::name> {                                                                          \
    static info::kind::name::return_type of([[maybe_unused]] const std::shared_ptr<type>& o) {               \
      return __VA_ARGS__;                                                                                    \
    }                                                                                                        \
  };
#define PLATFORM(name, ...) ANSWER(platform, platform_impl, name, __VA_ARGS__)
#define CONTEXT(name, ...) ANSWER(context, context_impl, name, __VA_ARGS__)
#define QUEUE(name, ...) ANSWER(queue, queue_impl, name, __VA_ARGS__)
#define EVENT(name, ...) ANSWER(event, event_impl, name, __VA_ARGS__)
#define DEVICE(name, ...)                                                                                    \
  template <>                                                                                                \
  struct answer<info::device::name> {                                                                        \
    static info::device::name::return_type of([[maybe_unused]] const std::shared_ptr<device_impl>& o) {      \
      [[maybe_unused]] const prism::devices::capabilities& c = o->info();                                    \
      return __VA_ARGS__;                                                                                    \
    }                                                                                                        \
  };

template <typename Enum>
std::vector<Enum> as_enums(const std::vector<int>& numbers) {
  std::vector<Enum> out;
  for (const int n : numbers) out.push_back(static_cast<Enum>(n));
  return out;
}

/// Returns the values that all devices of the context have.
template <typename Enum>
std::vector<Enum> common(const context_impl& context, std::vector<int> prism::devices::capabilities::* list) {
  std::vector<int> out = context.devices().front()->info().*list;
  for (const auto& device : context.devices()) {
    const std::vector<int>& other = device->info().*list;
    out.erase(std::remove_if(out.begin(), out.end(),
                             [&](int n) { return std::find(other.begin(), other.end(), n) == other.end(); }),
              out.end());
  }
  return as_enums<Enum>(out);
}

std::vector<aspect> aspects_of(const device_impl& device) {
  std::vector<aspect> out;
#define __SYCL_ASPECT(name, number)                                                                          \
  if (device.has(aspect::name)) out.push_back(aspect::name);
#include <sycl/info/aspects.def>
#undef __SYCL_ASPECT
  return out;
}

info::device_type type_of(const device_impl& device) {
  using prism::devices::device_type;
  switch (device.info().type) {
    case device_type::gpu: return info::device_type::gpu;
    case device_type::accelerator: return info::device_type::accelerator;
    case device_type::custom: return info::device_type::custom;
    default: return info::device_type::cpu;
  }
}

std::vector<std::string> common_extensions(const platform_impl& platform) {
  std::vector<std::string> out;
  if (platform.devices().empty()) return out;
  for (const std::string& e : platform.devices().front()->info().extensions) {
    if (std::all_of(platform.devices().begin(), platform.devices().end(), [&](const auto& d) {
      const auto& other = d->info().extensions;
      return std::find(other.begin(), other.end(), e) != other.end();
    })) {
      out.push_back(e);
    }
  }
  return out;
}

std::vector<info::fp_config> float_config(bool supported, bool with_denormals) {
  if (!supported) return {};
  std::vector<info::fp_config> out{info::fp_config::inf_nan, info::fp_config::round_to_nearest,
                                   info::fp_config::fma};
  if (with_denormals) {
    out.insert(out.end(),
               {info::fp_config::denorm, info::fp_config::round_to_zero, info::fp_config::round_to_inf});
  }
  return out;
}

std::uint32_t width(const device_impl& device, bool native, int which) {
  const auto& c = device.info();
  if (which == 5 && !device.has(aspect::fp64)) return 0;
  if (which == 6 && !device.has(aspect::fp16)) return 0;
  // half is emulated by float, so the driver has no width for it
  return native ? c.vector_widths_native[which] : std::max(c.vector_widths_preferred[which], 1u);
}

[[noreturn]] void opencl_only(const device_impl& device, const char* name) {
  throw_error(errc::invalid, std::string("info::device::") + name +
                                 " can be queried only for OpenCL devices, not for " + describe(device));
}
template <typename T>
T only_on_opencl(const device_impl& device, const char* name, T value) {
  if (device.where() != backend::opencl) opencl_only(device, name);
  return value;
}

info::event_command_status status_of(const event_impl& event) {
  if (event.is_discarded()) return info::event_command_status::ext_oneapi_unknown;
  event.refuse_recorded("event::get_info");
  if (!event.command()) return info::event_command_status::complete;
  switch (guarded([&] { return event.command()->query(); })) {
    case prism::command_node::status::submitted: return info::event_command_status::submitted;
    case prism::command_node::status::running: return info::event_command_status::running;
    case prism::command_node::status::complete: break;
  }
  guarded(
      [&] { event.command()->wait(); }); // a program that reads `complete` may rely on the command's effects
  return info::event_command_status::complete;
}

/// Returns the event's times. If a group became several commands: from the start of the first to the end of
/// the last.
prism::devices::profile times_of(const event_impl& event) {
  event.refuse_recorded("event::get_profiling_info");
  if (!event.command() || !event.profiling()) {
    throw_error(errc::invalid,
                "get_profiling_info: the event's queue was made without property::queue::enable_profiling");
  }
  return guarded([&] {
    prism::devices::profile times = event.last()->times();
    if (event.first() != event.last()) {
      const prism::devices::profile first = event.first()->times();
      times.submitted_ns = first.submitted_ns;
      times.started_ns = first.started_ns;
    }
    return times;
  }, event.context());
}

PLATFORM(version, o->node().version)
PLATFORM(name, o->node().name)
PLATFORM(vendor, o->node().vendor)
PLATFORM(profile, std::string("FULL_PROFILE"))
PLATFORM(extensions, common_extensions(*o))

CONTEXT(platform, access_impl::make<sycl::platform>(o->devices().front()->platform()))
CONTEXT(devices, access_impl::make<sycl::context>(o).get_devices())
CONTEXT(atomic_memory_order_capabilities,
        common<memory_order>(*o, &prism::devices::capabilities::atomic_orders))
CONTEXT(atomic_fence_order_capabilities,
        common<memory_order>(*o, &prism::devices::capabilities::fence_orders))
CONTEXT(atomic_memory_scope_capabilities,
        common<memory_scope>(*o, &prism::devices::capabilities::atomic_scopes))
CONTEXT(atomic_fence_scope_capabilities,
        common<memory_scope>(*o, &prism::devices::capabilities::fence_scopes))

CONTEXT(reference_count, static_cast<std::uint32_t>(o.use_count()))
QUEUE(context, access_impl::make<sycl::context>(o->context()))
QUEUE(device, access_impl::make<sycl::device>(as_listed(o->device())))
QUEUE(reference_count, static_cast<std::uint32_t>(o.use_count()))
EVENT(command_execution_status, status_of(*o))
EVENT(reference_count, static_cast<std::uint32_t>(o.use_count()))
ANSWER(event_profiling, event_impl, command_submit, times_of(*o).submitted_ns)
ANSWER(event_profiling, event_impl, command_start, times_of(*o).started_ns)
ANSWER(event_profiling, event_impl, command_end, times_of(*o).ended_ns)

DEVICE(device_type, type_of(*o))
DEVICE(vendor_id, c.vendor_id)
DEVICE(max_compute_units, c.compute_units)
DEVICE(max_work_item_dimensions, 3)
DEVICE(max_work_group_size, static_cast<std::size_t>(c.max_group_size))
DEVICE(max_num_sub_groups,
       static_cast<std::uint32_t>(std::max<std::uint64_t>(
           1, c.max_group_size / *std::min_element(c.sub_group_sizes.begin(), c.sub_group_sizes.end()))))
DEVICE(sub_group_independent_forward_progress, false)
DEVICE(sub_group_sizes, std::vector<std::size_t>(c.sub_group_sizes.begin(), c.sub_group_sizes.end()))
DEVICE(preferred_vector_width_char, width(*o, false, 0))
DEVICE(preferred_vector_width_short, width(*o, false, 1))
DEVICE(preferred_vector_width_int, width(*o, false, 2))
DEVICE(preferred_vector_width_long, width(*o, false, 3))
DEVICE(preferred_vector_width_long_long, width(*o, false, 3))
DEVICE(preferred_vector_width_float, width(*o, false, 4))
DEVICE(preferred_vector_width_double, width(*o, false, 5))
DEVICE(preferred_vector_width_half, width(*o, false, 6))
DEVICE(native_vector_width_char, width(*o, true, 0))
DEVICE(native_vector_width_short, width(*o, true, 1))
DEVICE(native_vector_width_int, width(*o, true, 2))
DEVICE(native_vector_width_long, width(*o, true, 3))
DEVICE(native_vector_width_long_long, width(*o, true, 3))
DEVICE(native_vector_width_float, width(*o, true, 4))
DEVICE(native_vector_width_double, width(*o, true, 5))
DEVICE(native_vector_width_half, width(*o, true, 6))
DEVICE(max_clock_frequency, c.max_clock_mhz)
DEVICE(address_bits, c.address_bits)
DEVICE(max_mem_alloc_size, c.max_allocation)
// Images are buffers that PRISM's own code reads. Coordinates of a sampler are floats, which count to 2^24.
DEVICE(image_support, true)
DEVICE(max_read_image_args, 128)
DEVICE(max_write_image_args, 128)
DEVICE(image2d_max_height, 1u << 24)
DEVICE(image2d_max_width, 1u << 24)
DEVICE(image3d_max_height, 1u << 24)
DEVICE(image3d_max_width, 1u << 24)
DEVICE(image3d_max_depth, 1u << 24)
DEVICE(image_max_buffer_size, static_cast<std::size_t>(c.max_allocation / 16))
DEVICE(max_samplers, 128)
DEVICE(max_parameter_size, static_cast<std::size_t>(c.max_argument_bytes))
DEVICE(mem_base_addr_align, c.base_alignment * 8)
DEVICE(half_fp_config, float_config(o->has(aspect::fp16), false))
DEVICE(single_fp_config, float_config(true, false))
DEVICE(double_fp_config, float_config(o->has(aspect::fp64), true))
DEVICE(global_mem_cache_type,
       c.global_cache ? info::global_mem_cache_type::read_write : info::global_mem_cache_type::none)
DEVICE(global_mem_cache_line_size, c.cache_line)
DEVICE(global_mem_cache_size, c.global_cache)
DEVICE(global_mem_size, c.global_memory)
DEVICE(max_constant_buffer_size, c.max_allocation)
DEVICE(max_constant_args, 8)
DEVICE(local_mem_type, c.type == prism::devices::device_type::cpu ? info::local_mem_type::global
                                                                  : info::local_mem_type::local)
DEVICE(local_mem_size, c.local_memory)
DEVICE(error_correction_support, false)
DEVICE(host_unified_memory, c.host_visible)
DEVICE(atomic_memory_order_capabilities, as_enums<memory_order>(c.atomic_orders))
DEVICE(atomic_fence_order_capabilities, as_enums<memory_order>(c.fence_orders))
DEVICE(atomic_memory_scope_capabilities, as_enums<memory_scope>(c.atomic_scopes))
DEVICE(atomic_fence_scope_capabilities, as_enums<memory_scope>(c.fence_scopes))
DEVICE(profiling_timer_resolution, static_cast<std::size_t>(c.timer_resolution_ns))
DEVICE(is_endian_little, true)
DEVICE(is_available, true)
DEVICE(is_compiler_available, o->has(aspect::online_compiler))
DEVICE(is_linker_available, o->has(aspect::online_linker))
DEVICE(execution_capabilities,
       only_on_opencl(*o, "execution_capabilities", std::vector{info::execution_capability::exec_kernel}))
DEVICE(queue_profiling, c.profiling)
DEVICE(built_in_kernels, {})
DEVICE(built_in_kernel_ids, {})
DEVICE(opencl_c_version, only_on_opencl(*o, "opencl_c_version", std::string("1.2")))
DEVICE(reference_count, static_cast<std::uint32_t>(o.use_count()))
DEVICE(usm_device_allocations, o->has(aspect::usm_device_allocations))
DEVICE(usm_host_allocations, o->has(aspect::usm_host_allocations))
DEVICE(usm_shared_allocations, o->has(aspect::usm_shared_allocations))
DEVICE(usm_restricted_shared_allocations, o->has(aspect::usm_shared_allocations))
DEVICE(usm_system_allocations, o->has(aspect::usm_system_allocations))
DEVICE(platform, access_impl::make<sycl::platform>(o->platform()))
DEVICE(name, c.name)
DEVICE(vendor, c.vendor)
DEVICE(driver_version, c.driver_version)
DEVICE(profile, only_on_opencl(*o, "profile", std::string("FULL_PROFILE")))
DEVICE(version, c.version)
DEVICE(backend_version, c.version)
DEVICE(aspects, aspects_of(*o))
DEVICE(extensions, c.extensions)
DEVICE(printf_buffer_size, std::size_t{standard_output_bytes})
DEVICE(preferred_interop_user_sync, only_on_opencl(*o, "preferred_interop_user_sync", true))
template <>
struct answer<info::device::parent_device> {
  static sycl::device of(const std::shared_ptr<device_impl>& o) {
    if (o->origin()) return access_impl::make<sycl::device>(o->origin()->whole);
    throw_error(errc::invalid,
                "info::device::parent_device: " + describe(*o) + " is a root device and has no parent");
  }
};
DEVICE(partition_max_sub_devices, c.partitions.max_sub_devices)
DEVICE(partition_properties, partition_properties_of(c.partitions))
DEVICE(partition_affinity_domains, affinity_domains_of(c.partitions))
DEVICE(partition_type_property, o->origin() ? o->origin()->how : info::partition_property::no_partition)
DEVICE(partition_type_affinity_domain,
       o->origin() ? o->origin()->domain : info::partition_affinity_domain::not_applicable)

#define KERNEL(name, ...) ANSWER(kernel, kernel_impl, name, __VA_ARGS__)
template <>
struct answer<info::kernel::num_args> {
  static std::uint32_t of(const std::shared_ptr<kernel_impl>& o) {
    if (o->is_native()) return o->native().arguments;
    if (const auto* function = o->id().function()) return static_cast<std::uint32_t>(function->parameters);
    throw_error(errc::invalid,
                "info::kernel::num_args: " + o->id().name() +
                    " captures its arguments; only native and free function kernels have numbered arguments");
  }
};
KERNEL(attributes, std::string())
KERNEL(function_name, o->is_native() ? o->native().name : o->id().name())
KERNEL(reference_count, static_cast<std::uint32_t>(o.use_count()))
KERNEL(context, access_impl::make<sycl::context>(o->bundle()->context()))

/// A kernel on one device.
struct placed_kernel {
  const prism::image::kernel_record* record;
  prism::devices::kernel_limits limits;
  const prism::devices::capabilities& info;

  range<3> required() const {
    if (!record) return range<3>(0, 0, 0);
    const auto& r = record->required_local_size;
    return range<3>(r[2], r[1], r[0]);
  }
  std::uint32_t sub_group_size() const {
    if (record && record->required_sub_group_size) return record->required_sub_group_size;
    return *std::max_element(info.sub_group_sizes.begin(), info.sub_group_sizes.end());
  }
};
placed_kernel placed(const kernel_impl& kernel, const device_impl& on) {
  if (kernel.is_native()) return {nullptr, native_kernel_limits(kernel, on), on.info()};
  const kernel_id_impl& id = kernel.id();
  if (!kernel.bundle()->find(id.slot(), &on)) {
    throw_error(
        errc::invalid,
        "kernel::get_info: " + id.name() + " is not for " + describe(on) + ": " +
            (id.refusal(on).empty() ? "the device does not belong to the kernel's bundle" : id.refusal(on)));
  }
  return {id.record(), guarded([&] { return prism::kernel_limits_on(on.node(), id.record()); }), on.info()};
}

template <typename Descriptor>
struct placed_answer;
#define PLACED(name, ...)                                                                                    \
  template <>                                                                                                \
  struct placed_answer<info::kernel_device_specific::name> {                                                 \
    static info::kernel_device_specific::name::return_type of([[maybe_unused]] const placed_kernel& k) {     \
      return __VA_ARGS__;                                                                                    \
    }                                                                                                        \
  };
template <>
struct placed_answer<info::kernel_device_specific::global_work_size> {
  static range<3> of(const placed_kernel&) {
    throw_error(errc::invalid,
                "info::kernel_device_specific::global_work_size can be queried only for built-in kernels and "
                "custom devices");
  }
};
PLACED(work_group_size, static_cast<std::size_t>(k.limits.max_group_size))
PLACED(compile_work_group_size, k.required())
PLACED(preferred_work_group_size_multiple, static_cast<std::size_t>(k.limits.preferred_multiple))
PLACED(private_mem_size, static_cast<std::size_t>(k.limits.private_bytes))
PLACED(max_num_sub_groups,
       static_cast<std::uint32_t>(std::max<std::uint64_t>(1, k.limits.max_group_size / k.sub_group_size())))
PLACED(compile_num_sub_groups, 0)
PLACED(max_sub_group_size, k.sub_group_size())
PLACED(compile_sub_group_size, k.record ? k.record->required_sub_group_size : 0)

template <int Dimensions>
struct answer<info::device::max_work_item_sizes<Dimensions>> {
  static range<Dimensions> of(const std::shared_ptr<device_impl>& o) {
    range<Dimensions> out;
    for (int d = 0; d < Dimensions; ++d)
      out[d] = o->info().max_local_size[static_cast<std::size_t>(Dimensions - 1 - d)];
    return out;
  }
};

/// Kernels count the groups of a dimension in 32 bits, and all work-items of a launch in 64.
template <int Dimensions>
struct answer<khr::info::device::max_work_group_range<Dimensions>> {
  static range<Dimensions> of(const std::shared_ptr<device_impl>&) {
    range<Dimensions> out;
    for (int d = 0; d < Dimensions; ++d) out[d] = std::numeric_limits<std::int32_t>::max();
    return out;
  }
};
template <>
struct answer<khr::info::device::max_work_group_range_size> {
  static std::size_t of(const std::shared_ptr<device_impl>& o) {
    return std::numeric_limits<std::size_t>::max() / o->info().max_group_size;
  }
};

namespace earlier = ext::oneapi::experimental::info::device;
template <int Dimensions>
struct answer<earlier::max_work_groups<Dimensions>> {
  static id<Dimensions> of(const std::shared_ptr<device_impl>& o) {
    return answer<khr::info::device::max_work_group_range<Dimensions>>::of(o);
  }
};
template <>
struct answer<earlier::max_global_work_groups> : answer<khr::info::device::max_work_group_range_size> {};

} // namespace

} // namespace detail

template <typename Param>
typename detail::platform_descriptor<Param>::return_type platform::get_info() const {
  return detail::answer<Param>::of(m_impl);
}
template <typename Param>
typename detail::device_descriptor<Param>::return_type device::get_info() const {
  return detail::answer<Param>::of(m_impl);
}
template <typename Param>
typename detail::context_descriptor<Param>::return_type context::get_info() const {
  return detail::answer<Param>::of(m_impl);
}
template <typename Param>
typename detail::queue_descriptor<Param>::return_type queue::get_info() const {
  return detail::answer<Param>::of(m_impl);
}
template <typename Param>
typename detail::event_descriptor<Param>::return_type event::get_info() const {
  return detail::answer<Param>::of(m_impl);
}
template <typename Param>
typename detail::event_profiling_descriptor<Param>::return_type event::get_profiling_info() const {
  return detail::answer<Param>::of(m_impl);
}

template <typename Param>
typename detail::kernel_descriptor<Param>::return_type kernel::get_info() const {
  return detail::answer<Param>::of(m_impl);
}
template <typename Param>
typename detail::kernel_device_specific_descriptor<Param>::return_type
kernel::get_info(const device& on) const {
  return detail::placed_answer<Param>::of(detail::placed(*m_impl, *detail::access_impl::get(on)));
}

#define INSTANTIATE_kernel(name)                                                                             \
  template info::kernel::name::return_type kernel::get_info<info::kernel::name>() const;
#define INSTANTIATE_kernel_device_specific(name)                                                             \
  template info::kernel_device_specific::name::return_type                                                   \
  kernel::get_info<info::kernel_device_specific::name>(const device&) const;
#define INSTANTIATE_platform(name)                                                                           \
  template std::decay_t<info::platform::name::return_type> platform::get_info<info::platform::name>() const;
#define INSTANTIATE_device(name)                                                                             \
  template info::device::name::return_type device::get_info<info::device::name>() const;
#define INSTANTIATE_context(name)                                                                            \
  template info::context::name::return_type context::get_info<info::context::name>() const;
#define INSTANTIATE_queue(name)                                                                              \
  template info::queue::name::return_type queue::get_info<info::queue::name>() const;
#define INSTANTIATE_event(name)                                                                              \
  template info::event::name::return_type event::get_info<info::event::name>() const;
#define INSTANTIATE_event_profiling(name)                                                                    \
  template info::event_profiling::name::return_type event::get_profiling_info<info::event_profiling::name>() \
      const;
#define PRISM_INFO(kind, name, ...) INSTANTIATE_##kind(name)
#define PRISM_OLD_INFO(kind, name, ...) INSTANTIATE_##kind(name)
#include <sycl/detail/info_table.hpp>
#undef PRISM_INFO
#undef PRISM_OLD_INFO

template range<1> device::get_info<khr::info::device::max_work_group_range<1>>() const;
template range<2> device::get_info<khr::info::device::max_work_group_range<2>>() const;
template range<3> device::get_info<khr::info::device::max_work_group_range<3>>() const;
template std::size_t device::get_info<khr::info::device::max_work_group_range_size>() const;
template id<1> device::get_info<ext::oneapi::experimental::info::device::max_work_groups<1>>() const;
template id<2> device::get_info<ext::oneapi::experimental::info::device::max_work_groups<2>>() const;
template id<3> device::get_info<ext::oneapi::experimental::info::device::max_work_groups<3>>() const;
template std::size_t
device::get_info<ext::oneapi::experimental::info::device::max_global_work_groups>() const;
template range<1> device::get_info<info::device::max_work_item_sizes<1>>() const;
template range<2> device::get_info<info::device::max_work_item_sizes<2>>() const;
template range<3> device::get_info<info::device::max_work_item_sizes<3>>() const;

}
} // namespace sycl::_V1
