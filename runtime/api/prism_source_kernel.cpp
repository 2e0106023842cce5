// <prism/source_kernel.hpp>: a native kernel on OpenCL devices, a prism::spirv_kernel on Vulkan devices.
#include "runtime/api/command_group.hpp"
#include "runtime/api/interop_handles.hpp"

#include <prism/source_kernel.hpp>
#include <prism/spirv_kernel.hpp>

#include <sycl/detail/opencl_handles.hpp>

#include <cstring>
#include <optional>

namespace prism {

using access = sycl::detail::access_impl;
using sycl::detail::throw_error;

struct source_kernel::state {
  sycl::device on;
  std::string name;
  std::shared_ptr<void> handle;       // cl_kernel
  std::optional<spirv_kernel> module; // Vulkan
  std::vector<source_parameter> parameters;
  bool knows_parameters = false;
};

namespace {

std::string label_of(const sycl::device& device) { return sycl::detail::describe(*access::get(device)); }

[[noreturn]] void refuse(const sycl::device& device, const std::string& language, const std::string& name) {
  const bool opencl = language == "opencl";
  throw_error(sycl::errc::feature_not_supported,
              "source_kernel: \"" + name + "\" is " + (opencl ? "OpenCL C" : "SPIR-V") + ", which " +
                  label_of(device) + " does not take; " +
                  (opencl ? "OpenCL devices do" : "Vulkan devices and some OpenCL devices do") +
                  ": use one of these, or a SYCL kernel, which every device runs");
}

void require_language(const std::string& language, const std::string& text, const std::string& name) {
  constexpr std::uint32_t magic = 0x07230203u; // of SPIR-V, in this machine's byte order
  if (language != "opencl" && language != "spirv")
    throw_error(sycl::errc::invalid, "source_kernel: there is no language \"" + language +
                                         "\"; there are \"opencl\" (OpenCL C) and \"spirv\" (SPIR-V)");
  const bool is_module =
      text.size() % 4 == 0 && text.size() >= 20 && std::memcmp(text.data(), &magic, 4) == 0;
  if (is_module != (language == "spirv"))
    throw_error(sycl::errc::invalid, "source_kernel: \"" + name + "\" is given as \"" + language +
                                         "\", and its text is " + (is_module ? "a" : "no") +
                                         " SPIR-V module of this machine's byte order");
}

std::vector<std::uint32_t> words_of(const std::string& text) {
  std::vector<std::uint32_t> words(text.size() / 4);
  std::memcpy(words.data(), text.data(), text.size());
  return words;
}

source_parameter parameter_of(const devices::interop::parameter_facts& from) {
  using kind = devices::interop::parameter_facts::kind;
  return {from.what == kind::value     ? source_parameter::kind::value
          : from.what == kind::pointer ? source_parameter::kind::pointer
                                       : source_parameter::kind::local,
          from.type, from.is_const};
}

} // namespace

source_kernel::source_kernel(const sycl::device& on, const std::string& language, const std::string& text,
                             const std::string& name) {
  require_language(language, text, name);
  auto made = std::make_shared<state>();
  made->on = on, made->name = name;
  const auto& device = *access::get(on);
  if (device.where() == sycl::backend::ext_prism_vulkan && language == "spirv") {
    made->module.emplace(words_of(text), name);
  } else if (auto* const interop = device.node().raw().interop();
             interop && device.where() == sycl::backend::opencl) {
    auto built = sycl::detail::guarded([&] { return interop->build_kernel(text, name); });
    made->handle = std::shared_ptr<void>(built.kernel, [interop, program = built.program](void* kernel) {
      interop->release(sycl::detail::kernel_handle_name.opencl, kernel);
      interop->release(sycl::detail::program_name.opencl, program);
    });
    made->knows_parameters = built.parameters_known;
    for (const auto& each : built.parameters) made->parameters.push_back(parameter_of(each));
  } else {
    refuse(on, language, name);
  }
  m_state = std::move(made);
}

const std::string& source_kernel::name() const noexcept { return m_state->name; }
sycl::device source_kernel::device() const { return m_state->on; }
bool source_kernel::knows_parameters() const noexcept { return m_state->knows_parameters; }
const std::vector<source_parameter>& source_kernel::parameters() const noexcept {
  return m_state->parameters;
}

namespace {

/// x first, as drivers count.
std::array<std::uint64_t, 3> x_first(const std::vector<std::size_t>& extents, std::uint64_t missing) {
  std::array<std::uint64_t, 3> out{missing, missing, missing};
  for (std::size_t d = 0; d < extents.size(); ++d) out[extents.size() - 1 - d] = extents[d];
  return out;
}

void set_native_arguments(sycl::handler& group, const std::vector<source_argument>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const source_argument& from = arguments[i];
    const int index = static_cast<int>(i);
    if (from.what == source_parameter::kind::local) {
      group.set_arg(index, sycl::local_accessor<std::byte, 1>(from.bytes, group));
      continue;
    }
    native_kernel_argument to;
    if (from.what == source_parameter::kind::pointer) {
      to.what = native_kernel_argument::kind::pointer;
      to.pointer = from.data;
    } else {
      const auto* const first = static_cast<const std::byte*>(from.data);
      to.value.assign(first, first + from.bytes);
    }
    sycl::detail::handler_impl::of(group).set_argument(index, std::move(to));
  }
}

std::vector<detail::spirv_argument> module_arguments(const std::string& name,
                                                     const std::vector<source_argument>& arguments) {
  std::vector<detail::spirv_argument> out;
  for (const source_argument& from : arguments) {
    if (from.what == source_parameter::kind::local)
      throw_error(sycl::errc::kernel_argument, "source_kernel: \"" + name +
                                                   "\": the size of local memory is "
                                                   "part of a module of Vulkan, and no argument");
    detail::spirv_argument to;
    if (from.what == source_parameter::kind::pointer) to.word = reinterpret_cast<std::uint64_t>(from.data);
    else to.value = from.data, to.bytes = from.bytes, to.alignment = from.bytes;
    out.push_back(to);
  }
  return out;
}

} // namespace

void source_kernel::launch(sycl::handler& group, const std::vector<std::size_t>& global,
                           const std::vector<std::size_t>& local,
                           const std::vector<source_argument>& arguments) const {
  const std::string begin = "source_kernel: \"" + m_state->name + "\"";
  if (global.empty() || global.size() > 3 || (!local.empty() && local.size() != global.size()))
    throw_error(sycl::errc::invalid, begin + " was given " + std::to_string(global.size()) + " global and " +
                                         std::to_string(local.size()) +
                                         " local extents; it takes 1 to 3, and as many local ones or none");
  auto& impl = sycl::detail::handler_impl::of(group);
  if (const auto where = access::make<sycl::device>(sycl::detail::as_listed(impl.queue().device()));
      where != m_state->on)
    throw_error(sycl::errc::invalid, begin + " was built for " + label_of(m_state->on) +
                                         ", and its queue is on " + label_of(where) +
                                         "; make a source_kernel for each device");
  const std::array<std::uint64_t, 3> all = x_first(global, 1);
  const std::array<std::uint64_t, 3> some =
      local.empty() ? std::array<std::uint64_t, 3>{0, 0, 0} : x_first(local, 1);
  if (m_state->module)
    return m_state->module->launch(group, all, some, module_arguments(m_state->name, arguments));
  if (arguments.size() != m_state->parameters.size())
    throw_error(sycl::errc::invalid, begin + " was given " + std::to_string(arguments.size()) +
                                         " arguments; it has " + std::to_string(m_state->parameters.size()));
  const sycl::kernel native = sycl::detail::kernel_of_native(
      sycl::backend::opencl, m_state->handle.get(), access::make<sycl::context>(impl.queue().context()));
  set_native_arguments(group, arguments);
  sycl::detail::native_range items;
  std::copy(all.begin(), all.end(), items.global);
  std::copy(some.begin(), some.end(), items.local);
  impl.set_native_kernel(native, items);
}

} // namespace prism
