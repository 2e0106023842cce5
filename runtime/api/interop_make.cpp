// Interoperability: SYCL objects from native handles.
#include "runtime/api/command_group.hpp"
#include "runtime/api/interop_handles.hpp"

#include <sycl/detail/opencl_handles.hpp>

#include <map>

namespace sycl {
inline namespace _V1 {
namespace detail {

device device_of_native(backend from, const void* handle) {
  for (const auto& platform : all_platforms()) {
    for (const auto& device : platform->devices()) {
      if (device->where() == from && device->node().raw().native(handle_text(device_name, from)) == handle) {
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
      if (device->where() == from &&
          device->node().raw().native(handle_text(platform_name, from)) == handle) {
        return access_impl::make<sycl::platform>(platform);
      }
    }
  }
  throw_error(errc::invalid,
              "make_platform: the handle belongs to no platform that PRISM lists (PRISM_DEVICE_SELECTOR "
              "may hide it)");
}

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
  for (auto& adopted : guarded([&] { return interop_of(from).adopt_context(handle); })) {
    for (const auto& platform : all_platforms()) {
      for (const auto& device : platform->devices()) {
        if (device->where() != from ||
            device->node().raw().native(handle_text(device_name, from)) != adopted.handle)
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
  std::shared_ptr<void> held = hold_handle(handle, context_name, from);
  for (const auto& platform : all_platforms()) { // a context that PRISM created
    const auto& first = platform->devices().front();
    if (first->where() != from || first->node().raw().native(handle_text(context_name, from)) != handle)
      continue;
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
  const std::shared_ptr<void> held = hold_handle(handle, queue_name, from);
  const auto& where = access_impl::get(in);
  const auto facts = guarded([&] { return interop_of(from).facts_of_queue(handle); }, where);
  for (const auto& device : where->devices()) {
    if (device->where() != from ||
        device->node().raw().native(handle_text(device_name, from)) != facts.device)
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
  for (void* handle : handles) held.push_back(hold_handle(handle, event_name, from));
  const auto queue = queue_impl::make(where, where->devices().front(), async_handler(), property_list());
  prism::command_group group;
  group.what = prism::host_task_request{[held, from] {
    for (const auto& each : held) interop_of(from).wait_for_event(each.get());
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
  const std::shared_ptr<void> held = hold_handle(handle, memory_name, from);
  auto memory = guarded([&] { return working->node().raw().interop()->adopt_memory(handle); }, where);
  return buffer_over(std::move(memory), in, available, element_bytes);
}

native_buffer buffer_over(std::unique_ptr<prism::devices::memory> memory, const context& in,
                          const event& available, std::size_t element_bytes) {
  const auto& where = access_impl::get(in);
  const auto& working = first_working(*where);
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
  native.handle = hold_handle(handle, kernel_handle_name, from);
  const auto facts = guarded([&] {
    (void)first_working(*where)->node().raw().interop()->adopt_kernel(
        handle); // throws if it belongs to another context
    return interop_of(from).facts_of_kernel(handle);
  }, where);
  native.name = facts.name;
  native.arguments = facts.arguments;
  auto bundle =
      std::make_shared<kernel_bundle_impl>(where, where->devices(), bundle_state::executable, image_list());
  bundle->stand_on({hold_handle(facts.program, program_name, from)});
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
    const std::shared_ptr<void> held = hold_handle(handle, program_name, from);
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
} // namespace opencl

}
} // namespace sycl::_V1
