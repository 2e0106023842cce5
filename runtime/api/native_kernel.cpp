// Native kernels (interoperability): their arguments and launches in command groups, and their limits on
// devices.
#include "devices/api/interop.hpp"
#include "runtime/api/command_group.hpp"

#include <prism/native.hpp>

#include <algorithm>
#include <cstring>

namespace sycl {
inline namespace _V1 {

namespace detail {

namespace {

prism::devices::interop& interop_of(const device_impl& device) {
  auto* const found = device.node().raw().interop();
  if (!found)
    throw_error(errc::kernel_not_supported, "a native kernel cannot run on " + describe(device) +
                                                ": its backend does not accept native kernels");
  return *found;
}

} // namespace

void handler_impl::set_argument(int index, prism::native_kernel_argument&& argument) {
  if (index < 0)
    throw_error(errc::invalid,
                "handler::set_arg: arguments are numbered from 0, not " + std::to_string(index));
  argument.index = static_cast<std::uint32_t>(index);
  if (argument.what == prism::native_kernel_argument::kind::accessor && !find(argument.token)) {
    throw_error(
        errc::invalid,
        "handler::set_arg: the accessor does not belong to this command group; make it with this handler");
  }
  if (argument.what == prism::native_kernel_argument::kind::local) {
    const auto found = std::find_if(m_locals.begin(), m_locals.end(),
                                    [&](const auto& l) { return l.token == argument.token; });
    if (found == m_locals.end()) {
      throw_error(
          errc::invalid,
          "handler::set_arg: the local_accessor does not belong to this command group; make it with this "
          "handler");
    }
    need_local(*found);
    argument.bytes = found->bytes;
  }
  m_arguments.push_back(std::move(argument));
}

void handler_impl::set_native_kernel(const kernel& object, const native_range& items) {
  const kernel_impl& impl = *access_impl::get(object);
  if (!impl.is_native()) {
    throw_error(errc::invalid,
                "handler: the kernel object " + impl.id().name() +
                    " is a kernel of this program; launch its function "
                    "object instead, with use_kernel_bundle to choose the bundle it comes from");
  }
  if (impl.bundle()->context() != m_queue->context()) {
    throw_error(errc::invalid, "handler: the kernel object " + impl.native().name +
                                   " belongs to another context than the queue");
  }
  if (fixes_order())
    refuse_fixed_order(impl.native().name,
                       "prism++ did not compile it, so the order of its sums is not known");
  for (const auto& argument : m_arguments) {
    if (argument.index < impl.native().arguments) continue;
    throw_error(errc::invalid, "handler: argument " + std::to_string(argument.index) +
                                   " was set for the kernel object " + impl.native().name + ", which has " +
                                   std::to_string(impl.native().arguments));
  }
  for (int d = 0; d < 3; ++d) {
    if (items.local[d] == 0 || items.global[d] % items.local[d] == 0) continue;
    throw_error(errc::nd_range, "parallel_for(nd_range) of " + impl.native().name +
                                    ": the local range does not divide the global range");
  }
  if (std::find(items.global, items.global + 3, 0) != items.global + 3) {
    set(prism::empty_request{}, "a kernel");
    return;
  }
  prism::native_kernel_request request;
  request.kernel = guarded([&] {
    return interop_of(*m_queue->device()).adopt_kernel(impl.native().handle.get());
  }, m_queue->context());
  std::copy(items.global, items.global + 3, request.global.begin());
  std::copy(items.local, items.local + 3, request.local.begin());
  std::copy(items.offset, items.offset + 3, request.offset.begin());
  request.arguments = std::move(m_arguments);
  m_arguments.clear();
  set(std::move(request), "a kernel");
}

namespace {

prism::native_argument native_argument_of(const prism::devices::native_argument& from) {
  if (!from.object) return {reinterpret_cast<void*>(from.offset), nullptr, 0};
  auto* const host = static_cast<std::byte*>(from.object->host_pointer());
  void* const handle = from.object->native("cl_mem");
  if (handle)
    return {from.object->address() ? reinterpret_cast<void*>(from.object->address() + from.offset) : nullptr,
            handle, from.offset};
  return {host ? host + from.offset : nullptr, nullptr, 0};
}

} // namespace

void handler_impl::set_native_function(std::function<void*(const prism::native_work&)> function) {
  const bool on_host = m_queue->device()->where() == backend::ext_prism_host;
  if (!on_host && !m_queue->node().native("cl_command_queue"))
    throw_error(errc::feature_not_supported,
                "native work: " + describe(*m_queue->device()) +
                    " does not support it; the host device and OpenCL devices do");
  for (const auto& argument : m_arguments)
    if (argument.what != prism::native_kernel_argument::kind::pointer &&
        argument.what != prism::native_kernel_argument::kind::accessor)
      throw_error(errc::kernel_argument, "native work: argument " + std::to_string(argument.index) +
                                             " is neither an accessor nor a USM pointer");
  auto call = [own = std::move(function)](const prism::devices::native_call& now) {
    std::vector<prism::native_argument> arguments;
    for (const auto& each : now.arguments) arguments.push_back(native_argument_of(each));
    return own(prism::native_work{now.queue, now.in_order, arguments.data(), arguments.size(), now.waits,
                                  now.wait_count});
  };
  prism::native_kernel_request request;
  request.kernel = std::make_shared<prism::devices::function_kernel>(std::move(call));
  request.arguments = std::move(m_arguments);
  m_arguments.clear();
  set(std::move(request), "native work");
}

prism::devices::kernel_limits native_kernel_limits(const kernel_impl& kernel, const device_impl& on) {
  const auto& in = kernel.bundle()->context();
  for (const auto& device : in->devices()) {
    if (device.get() != &on) continue;
    return guarded([&] {
      return interop_of(*in->working(device)).adopt_kernel(kernel.native().handle.get())->limits();
    }, in);
  }
  throw_error(errc::invalid, "kernel::get_info: " + kernel.native().name + " is not for " + describe(on) +
                                 ": the device does not belong to the kernel's context");
}

} // namespace detail

void handler::set_native_kernel(const kernel& object, const detail::native_range& items) {
  const auto& impl = *detail::access_impl::get(object);
  if (!impl.is_native() && impl.id().function()) m_impl.launch_function(*this, object, items);
  else m_impl.set_native_kernel(object, items);
}
void handler::prism_native(std::function<void*(const prism::native_work&)> function) {
  m_impl.set_native_function(std::move(function));
}
void handler::set_accessor_argument(int index, std::uint64_t token) {
  prism::native_kernel_argument argument;
  argument.what = prism::native_kernel_argument::kind::accessor;
  argument.token = token;
  m_impl.set_argument(index, std::move(argument));
}
void handler::set_local_argument(int index, std::uint64_t token) {
  prism::native_kernel_argument argument;
  argument.what = prism::native_kernel_argument::kind::local;
  argument.token = token;
  m_impl.set_argument(index, std::move(argument));
}
void handler::set_pointer_argument(int index, const void* pointer) {
  prism::native_kernel_argument argument;
  argument.what = prism::native_kernel_argument::kind::pointer;
  argument.pointer = pointer;
  m_impl.set_argument(index, std::move(argument));
}
void handler::set_value_argument(int index, const void* value, std::size_t bytes) {
  prism::native_kernel_argument argument;
  const auto* first = static_cast<const std::byte*>(value);
  argument.value.assign(first, first + bytes);
  m_impl.set_argument(index, std::move(argument));
}

}
} // namespace sycl::_V1
