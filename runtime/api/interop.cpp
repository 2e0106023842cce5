// Interoperability: native handles of SYCL objects and of a host task's objects, and SYCL objects from native
// handles.
#include "devices/api/interop.hpp"
#include "runtime/api/command_group.hpp"

#include <sycl/detail/opencl_handles.hpp>

#include <algorithm>
#include <map>

namespace sycl {
inline namespace _V1 {

namespace detail {

namespace {

struct handle_name {
  const char* opencl;
  const char* vulkan;
};
constexpr handle_name platform_name{"cl_platform_id", "VkInstance"}, device_name{"cl_device_id", "VkDevice"},
    context_name{"cl_context", "VkDevice"}, queue_name{"cl_command_queue", "VkQueue"},
    memory_name{"cl_mem", "VkBuffer"}, kernel_handle_name{"cl_kernel", "VkPipeline"},
    program_name{"cl_program", "VkShaderModule"}, event_name{"cl_event", "VkSemaphore"};

void check_backend(const device_impl& device, backend asked) {
  if (device.where() != asked) {
    throw_error(errc::backend_mismatch, "interoperability: " + describe(device) +
                                            " does not belong to the requested backend; "
                                            "compare get_backend() first");
  }
}

const char* text_of(const handle_name& name, backend asked) {
  if (asked == backend::ext_prism_host)
    throw_error(errc::feature_not_supported, "the host backend has no native handles");
  return asked == backend::opencl ? name.opencl : name.vulkan;
}

void* found(void* handle, const char* name) {
  if (!handle)
    throw_error(errc::feature_not_supported, std::string("the backend has no ") + name + " for this object");
  return handle;
}

void* of_device(const device_impl& device, backend asked, const handle_name& name) {
  check_backend(device, asked);
  const char* text = text_of(name, asked);
  return found(device.node().raw().native(text), text);
}

void* of_queue(const device_impl& device, const prism::queue_node& queue, backend asked) {
  check_backend(device, asked);
  const char* text = text_of(queue_name, asked);
  return found(guarded([&] { return queue.native(text); }), text);
}

/// Returns the interoperability interface of the backend. Throws if the process has no device of it.
prism::devices::interop& entrance(backend from) {
  for (const auto& platform : all_platforms()) {
    for (const auto& device : platform->devices()) {
      if (device->where() != from) continue;
      if (auto* const found = device->node().raw().interop()) return *found;
    }
  }
  throw_error(errc::feature_not_supported,
              "interoperability: no device of the requested backend accepts native handles");
}

/// Adds a reference for the caller, if the backend counts references.
void* given(void* handle, const handle_name& name, backend asked) {
  if (asked == backend::opencl) guarded([&] { entrance(asked).retain(name.opencl, handle); });
  return handle;
}

/// Retains a handle; the last copy releases it.
std::shared_ptr<void> hold(void* handle, const handle_name& name, backend from) {
  if (!handle)
    throw_error(errc::invalid, std::string("interoperability: the ") + text_of(name, from) + " is null");
  prism::devices::interop& owner = entrance(from);
  guarded([&] { owner.retain(name.opencl, handle); });
  return std::shared_ptr<void>(handle, [&owner, name](void* last) { owner.release(name.opencl, last); });
}

const std::shared_ptr<device_impl>& first_working(const context_impl& in) {
  return in.working(in.devices().front());
}

} // namespace

void* interop_native_queue(const interop_impl& impl, backend asked) {
  return of_queue(*impl.task().device, *impl.task().queue, asked);
}
void* interop_native_device(const interop_impl& impl, backend asked) {
  return of_device(*impl.task().device, asked, device_name);
}
void* interop_native_context(const interop_impl& impl, backend asked) {
  return of_device(*impl.task().device, asked, context_name);
}
void* interop_native_memory(const interop_impl& impl, backend asked, std::uint64_t token) {
  check_backend(*impl.task().device, asked);
  for (const host_task_state::pointer& p : impl.task().pointers) {
    if (p.token != token || !p.memory) continue;
    const char* text = text_of(memory_name, asked);
    return found(p.memory->native(text), text);
  }
  throw_error(errc::invalid,
              "interop_handle::get_native_mem: the accessor is not one of this command group with "
              "target::device");
}

void* native_of(const platform& object, backend asked) {
  return of_device(*access_impl::get(object)->devices().front(), asked, platform_name);
}
void* native_of(const device& object, backend asked) {
  return of_device(*access_impl::get(object), asked, device_name);
}
void* native_of(const context& object, backend asked) {
  return given(of_device(*first_working(*access_impl::get(object)), asked, context_name), context_name,
               asked);
}
void* native_of(const queue& object, backend asked) {
  return given(of_queue(*access_impl::get(object)->device(), access_impl::get(object)->node(), asked),
               queue_name, asked);
}

void* native_of(const kernel& object, backend asked) {
  const auto& impl = access_impl::get(object);
  const auto& device = first_working(*impl->bundle()->context());
  check_backend(*device, asked);
  if (impl->is_native()) return given(impl->native().handle.get(), kernel_handle_name, asked);
  const char* const text = text_of(kernel_handle_name, asked);
  void* const found_here =
      guarded([&] { return prism::built_kernel_on(device->node(), impl->id().record()).native(text); });
  return given(found(found_here, text), kernel_handle_name, asked);
}

std::vector<void*> native_of(const event& object, backend asked) {
  const auto& impl = access_impl::get(object);
  check_backend(impl->device() ? *impl->device() : *default_device(), asked);
  std::vector<void*> out;
  for (const auto& each : impl->native()) out.push_back(given(each.get(), event_name, asked));
  if (!out.empty()) return out;
  auto* const from = (impl->device() ? impl->device() : default_device())->node().raw().interop();
  if (!from)
    throw_error(errc::feature_not_supported, "get_native: the backend has no native handles for events");
  return guarded([&] {
    out.push_back(from->event_of(impl->command() ? prism::point_of(*impl->command())
                                                 : prism::devices::timeline_point{}));
    return out;
  });
}

std::vector<void*> native_of(const impl_ptr<buffer_impl>& object, backend asked) {
  const char* const text = text_of(memory_name, asked);
  std::vector<void*> out;
  for (const auto& [device, memory] : prism::allocations_of(*object->node())) {
    if (void* const handle = memory ? memory->native(text) : nullptr)
      out.push_back(given(handle, memory_name, asked));
  }
  return out;
}

std::vector<void*> native_of(const kernel_bundle_impl& object, backend asked) {
  const auto& device = first_working(*object.context());
  check_backend(*device, asked);
  std::vector<void*> out;
  for (const auto& each : object.native()) out.push_back(given(each.get(), program_name, asked));
  for (const auto& image : object.images()) {
    const char* const text = text_of(kernel_handle_name, asked);
    void* const kernel = guarded(
        [&] { return prism::built_kernel_on(device->node(), image->kernel()->record()).native(text); });
    void* const program =
        guarded([&] { return entrance(asked).facts_of_kernel(found(kernel, text)).program; });
    out.push_back(given(program, program_name, asked));
  }
  return out;
}

device device_of_native(backend from, const void* handle) {
  for (const auto& platform : all_platforms()) {
    for (const auto& device : platform->devices()) {
      if (device->where() == from && device->node().raw().native(text_of(device_name, from)) == handle) {
        return access_impl::make<sycl::device>(device);
      }
    }
  }
  throw_error(errc::invalid,
              "make_device: the handle belongs to no device that PRISM lists (PRISM_DEVICE_SELECTOR may "
              "hide it)");
}
platform platform_of_native(backend from, const void* handle) {
  for (const auto& platform : all_platforms()) {
    for (const auto& device : platform->devices()) {
      if (device->where() == from && device->node().raw().native(text_of(platform_name, from)) == handle) {
        return access_impl::make<sycl::platform>(platform);
      }
    }
  }
  throw_error(errc::invalid,
              "make_platform: the handle belongs to no platform that PRISM lists (PRISM_DEVICE_SELECTOR "
              "may hide it)");
}

// ---- objects from handles

namespace {

/// The devices of native contexts, by the handle of the context. They are created once and, as all devices,
/// never destroyed.
struct native_contexts {
  struct entry {
    std::vector<std::shared_ptr<device_impl>> listed, working;
  };
  std::mutex mutex;
  std::map<void*, entry> entries;
  static native_contexts& get() {
    static auto& table = *new native_contexts;
    return table;
  }
};

native_contexts::entry adopt_context(backend from, void* handle) {
  native_contexts::entry out;
  for (auto& adopted : guarded([&] { return entrance(from).adopt_context(handle); })) {
    for (const auto& platform : all_platforms()) {
      for (const auto& device : platform->devices()) {
        if (device->where() != from ||
            device->node().raw().native(text_of(device_name, from)) != adopted.handle)
          continue;
        prism::device_node& node = guarded([&]() -> prism::device_node& {
          return prism::adopt_device(std::move(adopted.made), device->node());
        });
        out.listed.push_back(device);
        out.working.push_back(std::make_shared<device_impl>(node, platform, device));
      }
    }
  }
  return out;
}

} // namespace

context context_of_native(backend from, void* handle, async_handler handler) {
  std::shared_ptr<void> held = hold(handle, context_name, from);
  for (const auto& platform : all_platforms()) { // a context that PRISM created
    const auto& first = platform->devices().front();
    if (first->where() != from || first->node().raw().native(text_of(context_name, from)) != handle) continue;
    return access_impl::make<context>(
        std::make_shared<context_impl>(platform->devices(), std::move(handler), property_list()));
  }
  native_contexts& table = native_contexts::get();
  const std::lock_guard lock(table.mutex);
  auto known = table.entries.find(handle);
  if (known == table.entries.end()) known = table.entries.emplace(handle, adopt_context(from, handle)).first;
  const native_contexts::entry& devices = known->second;
  if (devices.listed.empty()) {
    throw_error(
        errc::invalid,
        "make_context: PRISM lists none of the context's devices (PRISM_DEVICE_SELECTOR may hide them)");
  }
  auto made = std::make_shared<context_impl>(devices.listed, std::move(handler), property_list());
  made->stand_on(std::move(held), devices.working);
  return access_impl::make<context>(std::move(made));
}

queue queue_of_native(backend from, void* handle, const context& in, const async_handler& handler) {
  const std::shared_ptr<void> held = hold(handle, queue_name, from);
  const auto& where = access_impl::get(in);
  const auto facts = guarded([&] { return entrance(from).facts_of_queue(handle); }, where);
  for (const auto& device : where->devices()) {
    if (device->where() != from || device->node().raw().native(text_of(device_name, from)) != facts.device)
      continue;
    const auto& working = where->working(device);
    property_list properties;
    if (facts.in_order && facts.profiling)
      properties = {property::queue::in_order(), property::queue::enable_profiling()};
    else if (facts.in_order) properties = {property::queue::in_order()};
    else if (facts.profiling) properties = {property::queue::enable_profiling()};
    prism::queue_ptr node = guarded([&] {
      return prism::adopt_queue(working->node(), working->node().raw().interop()->adopt_queue(handle),
                                {facts.in_order, facts.profiling});
    }, where);
    return access_impl::make<queue>(queue_impl::make(where, working, handler, properties, std::move(node)));
  }
  throw_error(errc::invalid, "make_queue: the queue's device does not belong to the given context");
}

event event_of_native(backend from, const std::vector<void*>& handles, const context& in) {
  if (handles.empty()) throw_error(errc::invalid, "make_event: the list of events is empty");
  const auto& where = access_impl::get(in);
  std::vector<std::shared_ptr<void>> held;
  for (void* handle : handles) held.push_back(hold(handle, event_name, from));
  const auto queue = queue_impl::make(where, where->devices().front(), async_handler(), property_list());
  prism::command_group group;
  group.what = prism::host_task_request{[held, from] {
    for (const auto& each : held) entrance(from).wait_for_event(each.get());
  }};
  auto made = std::make_shared<event_impl>(
      guarded([&] { return prism::submit(queue->node(), std::move(group)); }, where), queue->origin());
  made->set_native(std::move(held));
  return access_impl::make<event>(std::move(made));
}

native_buffer buffer_of_native(backend from, void* handle, const context& in, const event& available,
                               std::size_t element_bytes) {
  const auto& where = access_impl::get(in);
  const auto& working = first_working(*where);
  check_backend(*working, from);
  const std::shared_ptr<void> held = hold(handle, memory_name, from);
  auto memory = guarded([&] { return working->node().raw().interop()->adopt_memory(handle); }, where);
  prism::devices::memory* const object = memory.get();
  element_box shape;
  shape.extent[2] = memory->size() / element_bytes;
  if (shape.extent[2] * element_bytes != memory->size()) {
    throw_error(errc::invalid, "make_buffer: the " + std::to_string(memory->size()) +
                                   " bytes of the memory object are not a multiple of the element's " +
                                   std::to_string(element_bytes));
  }
  prism::buffer_options options;
  options.extent[2] = shape.extent[2];
  options.element_bytes = element_bytes;
  prism::buffer_ptr node =
      guarded([&] { return prism::adopt_buffer(working->node(), std::move(memory), options); }, where);
  const std::uint64_t bytes = node->bytes();
  const auto give = [working, object, bytes](const void* from_host) {
    prism::write_to(working->node(), *object, from_host, bytes);
  };
  auto made = std::make_shared<buffer_impl>(node, shape, element_bytes, give);
  if (access_impl::get(available)->command()) { // no command uses the buffer before this event
    const auto queue = queue_impl::make(where, where->devices().front(), async_handler(), property_list());
    prism::command_group group;
    group.dependencies.push_back(access_impl::get(available)->command());
    prism::requirement r;
    r.buffer = node;
    r.mode = prism::access_mode::read_write;
    r.region.extent[2] = shape.extent[2];
    group.requirements.push_back(std::move(r));
    guarded([&] { return prism::submit(queue->node(), std::move(group)); }, where);
  }
  return {std::move(made), shape.extent[2]};
}

kernel kernel_of_native(backend from, void* handle, const context& in) {
  const auto& where = access_impl::get(in);
  check_backend(*first_working(*where), from);
  kernel_impl::native_kernel native;
  native.handle = hold(handle, kernel_handle_name, from);
  const auto facts = guarded([&] {
    (void)first_working(*where)->node().raw().interop()->adopt_kernel(
        handle); // throws if it belongs to another context
    return entrance(from).facts_of_kernel(handle);
  }, where);
  native.name = facts.name;
  native.arguments = facts.arguments;
  auto bundle =
      std::make_shared<kernel_bundle_impl>(where, where->devices(), bundle_state::executable, image_list());
  bundle->stand_on({hold(facts.program, program_name, from)});
  return access_impl::make<kernel>(std::make_shared<kernel_impl>(std::move(bundle), std::move(native)));
}

impl_ptr<kernel_bundle_impl> bundle_of_native(backend from, const std::vector<void*>& handles,
                                              const context& in, const std::vector<device>& on,
                                              bundle_state state) {
  using native_state = prism::devices::interop::program_state;
  const auto& where = access_impl::get(in);
  std::vector<std::shared_ptr<device_impl>> devices;
  for (const device& d : on) {
    if (!where->holds(access_impl::get(d)))
      throw_error(errc::invalid,
                  "a kernel bundle of native programs: a device does not belong to the context");
    devices.push_back(access_impl::get(d));
  }
  if (devices.empty())
    throw_error(errc::invalid, "a kernel bundle of native programs: the list of devices is empty");
  check_backend(*devices.front(), from);
  const native_state wanted = state == bundle_state::input    ? native_state::source
                              : state == bundle_state::object ? native_state::object
                                                              : native_state::executable;
  auto& interop = *where->working(devices.front())->node().raw().interop();
  std::vector<std::shared_ptr<void>> programs;
  for (void* handle : handles) {
    const std::shared_ptr<void> held = hold(handle, program_name, from);
    if (guarded([&] { return interop.state_of_program(handle); }, where) > wanted) {
      throw_error(errc::invalid,
                  "make_kernel_bundle: the native program is in a later state than the requested bundle");
    }
    void* const advanced = guarded([&] { return interop.advance_program(handle, wanted); }, where);
    programs.push_back(std::shared_ptr<void>(
        advanced, [&interop](void* last) { interop.release(program_name.opencl, last); }));
  }
  auto made = std::make_shared<kernel_bundle_impl>(where, std::move(devices), state, image_list());
  made->stand_on(std::move(programs));
  return made;
}

} // namespace detail

namespace opencl {
kernel_bundle<bundle_state::executable> create_bundle(const context& in, const std::vector<device>& on,
                                                      const std::vector<_cl_program*>& programs) {
  return detail::access_impl::make<kernel_bundle<bundle_state::executable>>(
      detail::bundle_of_native(backend::opencl, std::vector<void*>(programs.begin(), programs.end()), in, on,
                               bundle_state::executable));
}
bool has_extension(const platform& object, const std::string& extension) {
  const std::vector<device> all = object.get_devices();
  return std::all_of(all.begin(), all.end(), [&](const device& d) { return has_extension(d, extension); });
}
bool has_extension(const device& object, const std::string& extension) {
  const auto& impl = detail::access_impl::get(object);
  detail::check_backend(*impl, backend::opencl);
  const auto& all = impl->info().extensions;
  return std::find(all.begin(), all.end(), extension) != all.end();
}
} // namespace opencl

backend interop_handle::get_backend() const noexcept { return m_impl->task().device->where(); }

}
} // namespace sycl::_V1
