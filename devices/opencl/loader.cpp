#include "devices/opencl/loader.hpp"

#include <dlfcn.h>

namespace prism::devices::opencl {
namespace {

load_result open_library() {
  load_result result;
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  // Symbols of a preloaded OpenCL library (Oclgrind, tracing layers), or of one that the program links, come
  // before the library's own, so that a process never uses two loaders.
  const auto find = [library](const char* name) -> void* {
    if (void* symbol = dlsym(RTLD_DEFAULT, name)) return symbol;
    return library ? dlsym(library, name) : nullptr;
  };
  if (!library && !find("clGetPlatformIDs")) {
    const char* why = dlerror();
    result.reason = "libOpenCL.so.1 was not found: install an OpenCL loader such as ocl-icd-libopencl1";
    if (why) result.reason += " [" + std::string(why) + "]";
    return result;
  }
  static entry_points table;
#define PRISM_OPENCL_FIND(name) table.name = reinterpret_cast<decltype(table.name)>(find(#name));
  PRISM_OPENCL_REQUIRED(PRISM_OPENCL_FIND)
  PRISM_OPENCL_OPTIONAL(PRISM_OPENCL_FIND)
#undef PRISM_OPENCL_FIND
#define PRISM_OPENCL_CHECK(name)                                                                             \
  if (!table.name) {                                                                                         \
    result.reason = "libOpenCL.so.1 has no " #name ": OpenCL 1.2 or newer is needed";                        \
    return result;                                                                                           \
  }
  PRISM_OPENCL_REQUIRED(PRISM_OPENCL_CHECK)
#undef PRISM_OPENCL_CHECK
  result.api = &table;
  return result;
}

} // namespace

const load_result& load() {
  static const load_result result = open_library();
  return result;
}

} // namespace prism::devices::opencl
