// The functions of CUDA's driver (libcuda) and of its compiler (libnvrtc) that the baselines call, as their
// documentation declares them. Everything throws std::runtime_error with the call's name and the error's.
#pragma once

#include "bench/shared_library.hpp"

#include <cstdint>

namespace bench::cuda {

using context = struct CUctx_st*;
using stream = struct CUstream_st*;
using module = struct CUmod_st*;
using function = struct CUfunc_st*;
using program = struct _nvrtcProgram*;
using address = unsigned long long; // CUdeviceptr

/// Numbers of the interface.
constexpr int capability_major = 75, capability_minor = 76; // CUdevice_attribute
constexpr unsigned non_blocking = 1;                        // CUstream_flags

struct driver {
  driver();
  /// Does nothing for 0.
  void check(int status, const char* call) const;

  shared_library library{"libcuda"};
  int (*cuGetErrorName)(int, const char**);
  int (*cuInit)(unsigned);
  int (*cuDriverGetVersion)(int*);
  int (*cuDeviceGetCount)(int*);
  int (*cuDeviceGet)(int*, int);
  int (*cuDeviceGetName)(char*, int, int);
  int (*cuDeviceGetAttribute)(int*, int, int);
  int (*cuDevicePrimaryCtxRetain)(context*, int);
  int (*cuDevicePrimaryCtxRelease)(int);
  int (*cuCtxSetCurrent)(context);
  int (*cuStreamCreate)(stream*, unsigned);
  int (*cuStreamDestroy)(stream);
  int (*cuStreamSynchronize)(stream);
  int (*cuMemAlloc)(address*, std::size_t);
  int (*cuMemFree)(address);
  int (*cuMemcpyHtoD)(address, const void*, std::size_t);
  int (*cuMemcpyDtoH)(void*, address, std::size_t);
  int (*cuMemcpyDtoDAsync)(address, address, std::size_t, stream);
  int (*cuModuleLoadData)(module*, const void*);
  int (*cuModuleUnload)(module);
  int (*cuModuleGetFunction)(function*, module, const char*);
  int (*cuLaunchKernel)(function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        stream, void**, void**);
};

struct compiler {
  compiler();
  /// The machine code of a CUDA C text for a device of this capability ("90"). Throws with the compiler's
  /// log.
  std::string compiled(const std::string& text, const std::string& file_name,
                       const std::string& capability) const;

  shared_library library{"libnvrtc"};
  const char* (*nvrtcGetErrorString)(int);
  int (*nvrtcVersion)(int*, int*);
  int (*nvrtcCreateProgram)(program*, const char*, const char*, int, const char* const*, const char* const*);
  int (*nvrtcDestroyProgram)(program*);
  int (*nvrtcCompileProgram)(program, int, const char* const*);
  int (*nvrtcGetProgramLogSize)(program, std::size_t*);
  int (*nvrtcGetProgramLog)(program, char*);
  int (*nvrtcGetCUBINSize)(program, std::size_t*);
  int (*nvrtcGetCUBIN)(program, char*);

private:
  void check(int status, const char* call) const;
};

} // namespace bench::cuda
