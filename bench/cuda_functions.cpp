#include "bench/cuda_functions.hpp"

#include <memory>

namespace bench::cuda {

driver::driver() {
  library.find("cuGetErrorName", cuGetErrorName);
  library.find("cuInit", cuInit);
  library.find("cuDriverGetVersion", cuDriverGetVersion);
  library.find("cuDeviceGetCount", cuDeviceGetCount);
  library.find("cuDeviceGet", cuDeviceGet);
  library.find("cuDeviceGetName", cuDeviceGetName);
  library.find("cuDeviceGetAttribute", cuDeviceGetAttribute);
  library.find("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain);
  library.find("cuDevicePrimaryCtxRelease_v2", cuDevicePrimaryCtxRelease);
  library.find("cuCtxSetCurrent", cuCtxSetCurrent);
  library.find("cuStreamCreate", cuStreamCreate);
  library.find("cuStreamDestroy_v2", cuStreamDestroy);
  library.find("cuStreamSynchronize", cuStreamSynchronize);
  library.find("cuMemAlloc_v2", cuMemAlloc);
  library.find("cuMemFree_v2", cuMemFree);
  library.find("cuMemcpyHtoD_v2", cuMemcpyHtoD);
  library.find("cuMemcpyDtoH_v2", cuMemcpyDtoH);
  library.find("cuMemcpyDtoDAsync_v2", cuMemcpyDtoDAsync);
  library.find("cuModuleLoadData", cuModuleLoadData);
  library.find("cuModuleUnload", cuModuleUnload);
  library.find("cuModuleGetFunction", cuModuleGetFunction);
  library.find("cuLaunchKernel", cuLaunchKernel);
}

void driver::check(int status, const char* call) const {
  if (status == 0) return;
  const char* name = nullptr;
  cuGetErrorName(status, &name);
  throw std::runtime_error(std::string(call) + " gave " + std::to_string(status) + " (" +
                           (name ? name : "an unknown error") + ")");
}

compiler::compiler() {
  library.find("nvrtcGetErrorString", nvrtcGetErrorString);
  library.find("nvrtcVersion", nvrtcVersion);
  library.find("nvrtcCreateProgram", nvrtcCreateProgram);
  library.find("nvrtcDestroyProgram", nvrtcDestroyProgram);
  library.find("nvrtcCompileProgram", nvrtcCompileProgram);
  library.find("nvrtcGetProgramLogSize", nvrtcGetProgramLogSize);
  library.find("nvrtcGetProgramLog", nvrtcGetProgramLog);
  library.find("nvrtcGetCUBINSize", nvrtcGetCUBINSize);
  library.find("nvrtcGetCUBIN", nvrtcGetCUBIN);
}

void compiler::check(int status, const char* call) const {
  if (status != 0) throw std::runtime_error(std::string(call) + " gave " + nvrtcGetErrorString(status));
}

std::string compiler::compiled(const std::string& text, const std::string& file_name,
                               const std::string& capability) const {
  program made = nullptr;
  check(nvrtcCreateProgram(&made, text.c_str(), file_name.c_str(), 0, nullptr, nullptr),
        "nvrtcCreateProgram");
  const auto destroy = [&](program*) { nvrtcDestroyProgram(&made); };
  const std::unique_ptr<program, decltype(destroy)> destroyed(&made, destroy);
  const std::string target = "--gpu-architecture=sm_" + capability;
  const char* const options[] = {target.c_str(), "--std=c++17"};
  if (const int status = nvrtcCompileProgram(made, 2, options); status != 0) {
    std::size_t bytes = 0;
    check(nvrtcGetProgramLogSize(made, &bytes), "nvrtcGetProgramLogSize");
    std::string log(bytes, '\0');
    check(nvrtcGetProgramLog(made, log.data()), "nvrtcGetProgramLog");
    throw std::runtime_error("nvrtcCompileProgram of " + file_name + " with " + target + " gave " +
                             nvrtcGetErrorString(status) + ": " + log.c_str());
  }
  std::size_t bytes = 0;
  check(nvrtcGetCUBINSize(made, &bytes), "nvrtcGetCUBINSize");
  std::string code(bytes, '\0');
  check(nvrtcGetCUBIN(made, code.data()), "nvrtcGetCUBIN");
  return code;
}

} // namespace bench::cuda
