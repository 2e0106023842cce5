// Kernels of the program's own OpenCL C text and SPIR-V modules (interop::build_kernel).
#include "devices/opencl/device.hpp"
#include "devices/opencl/interop.hpp"

#include <cstdint>
#include <cstring>

namespace prism::devices::opencl {
namespace {

bool is_module(std::string_view text) {
  std::uint32_t first = 0;
  if (text.size() < 20 || text.size() % 4 != 0) return false;
  std::memcpy(&first, text.data(), sizeof first);
  return first == 0x07230203u;
}

/// A text that the driver writes by `ask(bytes, to, needed)`; empty if it does not know it.
template <typename Ask>
std::string text_of(const Ask& ask) {
  std::size_t bytes = 0;
  if (ask(0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
  std::string out(bytes, '\0');
  if (ask(bytes, out.data(), nullptr) != CL_SUCCESS) return {};
  return out.c_str();
}

/// False if the driver does not know the parameter.
bool describe(const entry_points& api, cl_kernel kernel, cl_uint index, interop::parameter_facts& to) {
  cl_kernel_arg_address_qualifier space = 0;
  cl_kernel_arg_type_qualifier qualifiers = 0;
  if (api.clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, nullptr) !=
          CL_SUCCESS ||
      api.clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers, &qualifiers,
                             nullptr) != CL_SUCCESS)
    return false;
  to.type = text_of([&](std::size_t bytes, char* text, std::size_t* needed) {
    return api.clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, bytes, text, needed);
  });
  using kind = interop::parameter_facts::kind;
  to.what = space == CL_KERNEL_ARG_ADDRESS_PRIVATE ? kind::value
            : space == CL_KERNEL_ARG_ADDRESS_LOCAL ? kind::local
                                                   : kind::pointer;
  to.is_const = (qualifiers & CL_KERNEL_ARG_TYPE_CONST) != 0 || space == CL_KERNEL_ARG_ADDRESS_CONSTANT;
  return !to.type.empty();
}

} // namespace

program_handle opencl_interop::program_of(std::string_view text) {
  const auto& api = m_context->api;
  cl_int code = CL_SUCCESS;
  cl_program made = nullptr;
  if (is_module(text)) {
    const bool takes = api.clCreateProgramWithIL != nullptr &&
                       text_of([&](std::size_t bytes, char* to, std::size_t* needed) {
      return api.clGetDeviceInfo(m_device, CL_DEVICE_IL_VERSION, bytes, to, needed);
    }).find("SPIR-V") != std::string::npos;
    if (!takes)
      throw device_error(error_category::unsupported, "",
                         "this OpenCL driver takes no SPIR-V (it reports none in CL_DEVICE_IL_VERSION); give "
                         "it OpenCL C text");
    made = api.clCreateProgramWithIL(m_context->context.get(), text.data(), text.size(), &code);
  } else {
    const char* data = text.data();
    const std::size_t bytes = text.size();
    made = api.clCreateProgramWithSource(m_context->context.get(), 1, &data, &bytes, &code);
  }
  check(code, "make a program of the text");
  return {api, made};
}

interop::built_kernel opencl_interop::build_kernel(std::string_view text, const std::string& name) {
  const auto& api = m_context->api;
  program_handle program = program_of(text);
  const auto simulation = m_context->lock_simulation();
  const cl_int built =
      api.clBuildProgram(program.get(), 1, &m_device, "-cl-kernel-arg-info", nullptr, nullptr);
  if (built != CL_SUCCESS)
    throw device_error(error_category::build, make_error(built, "").driver_code(),
                       "build the text:\n" + text_of([&](std::size_t bytes, char* to, std::size_t* needed) {
      return api.clGetProgramBuildInfo(program.get(), m_device, CL_PROGRAM_BUILD_LOG, bytes, to, needed);
    }));
  cl_int code = CL_SUCCESS;
  kernel_handle kernel(api, api.clCreateKernel(program.get(), name.c_str(), &code));
  if (code == CL_INVALID_KERNEL_NAME)
    throw device_error(error_category::invalid, "",
                       "the text has no kernel \"" + name + "\"; it has " +
                           text_of([&](std::size_t bytes, char* to, std::size_t* needed) {
      return api.clGetProgramInfo(program.get(), CL_PROGRAM_KERNEL_NAMES, bytes, to, needed);
    }));
  check(code, "make a kernel of the text");
  built_kernel out;
  out.parameters.resize(facts_of_kernel(kernel.get()).arguments);
  out.parameters_known = true;
  for (std::size_t i = 0; i < out.parameters.size(); ++i)
    out.parameters_known =
        out.parameters_known && describe(api, kernel.get(), static_cast<cl_uint>(i), out.parameters[i]);
  out.kernel = kernel.release(), out.program = program.release();
  return out;
}

} // namespace prism::devices::opencl
