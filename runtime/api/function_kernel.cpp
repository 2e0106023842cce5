// Launches of free function kernels by their kernel objects: checks the arguments that set_arg has set, and
// passes their bytes to the function that the header made for the kernel.
#include "runtime/api/command_group.hpp"

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {

using argument_kind = prism::native_kernel_argument::kind;

void refuse_items(const std::string& name, const kernel_function& function, const native_range& items) {
  for (int d = function.dimensions; d < 3; ++d)
    if (items.global[d] != 1)
      throw_error(errc::nd_range, "handler: the kernel object " + name +
                                      " is launched with more dimensions than its " +
                                      std::to_string(function.dimensions));
  for (const std::uint64_t offset : items.offset)
    if (offset != 0)
      throw_error(errc::nd_range, "handler: the kernel object " + name +
                                      " is launched with an offset, which its function cannot ask for");
  for (int d = 0; d < function.dimensions; ++d)
    if (items.local[d] == 0)
      throw_error(errc::nd_range, "handler: the kernel object " + name + " needs an nd_range");
}

/// The bytes of an argument for a parameter of `size` bytes.
const void* bytes_of(const prism::native_kernel_argument& argument, std::size_t size,
                     const std::string& where) {
  if (argument.what != argument_kind::value && argument.what != argument_kind::pointer)
    throw_error(errc::kernel_argument,
                where + " is an accessor; launch the function with nd_launch or single_task");
  const bool is_value = argument.what == argument_kind::value;
  const std::size_t given = is_value ? argument.value.size() : sizeof argument.pointer;
  if (given != size)
    throw_error(errc::kernel_argument, where + " has " + std::to_string(given) +
                                           " bytes, the function's parameter " + std::to_string(size) +
                                           "; set a value of the parameter's type");
  return is_value ? static_cast<const void*>(argument.value.data()) : &argument.pointer;
}

} // namespace

void handler_impl::launch_function(handler& group, const kernel& object, const native_range& items) {
  const kernel_impl& impl = *access_impl::get(object);
  const kernel_function& function = *impl.id().function();
  const std::string& name = impl.id().name();
  refuse_items(name, function, items);
  if (!function.launch)
    throw_error(errc::kernel_argument, "handler: a parameter of the kernel object " + name +
                                           " is not trivially copyable and default constructible; launch the "
                                           "function with nd_launch or single_task");
  const auto arguments = std::move(m_arguments);
  m_arguments.clear();
  std::vector<const void*> values(function.parameters);
  for (const auto& argument : arguments) {
    const std::string where =
        "handler: argument " + std::to_string(argument.index) + " of the kernel object " + name;
    if (argument.index >= function.parameters)
      throw_error(errc::kernel_argument,
                  where + " was set, but it has " + std::to_string(function.parameters));
    values[argument.index] = bytes_of(argument, function.sizes[argument.index], where);
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!values[i])
      throw_error(errc::kernel_argument, "handler: argument " + std::to_string(i) + " of the kernel object " +
                                             name + " was not set");
  use_bundle(impl.bundle());
  function.launch(group, items, values.data());
}

}
}
} // namespace sycl::_V1::detail
