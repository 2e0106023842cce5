#include "devices/opencl/loader.hpp"

#include <array>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>

namespace prism::devices::opencl {
namespace {

/// Lets the loader read its variables now, and puts them back: Khronos' loader cuts lists of paths in place
/// at their separators, so that child processes of the program would miss drivers.
void read_variables(const entry_points& table) {
  struct variable {
    char* place;
    std::string value;
  };
  std::array<variable, 3> found{};
  std::size_t count = 0;
  for (const char* name : {"OCL_ICD_FILENAMES", "OCL_ICD_VENDORS", "OPENCL_LAYERS"})
    if (char* const value = std::getenv(name)) found[count++] = {value, value};
  cl_uint platforms = 0;
  table.clGetPlatformIDs(0, nullptr, &platforms);
  for (const variable& each : found)
    if (each.place && std::memcmp(each.place, each.value.c_str(), each.value.size()) != 0)
      std::memcpy(each.place, each.value.c_str(), each.value.size());
}

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
  read_variables(table);
  return result;
}

} // namespace

const load_result& load() {
  static const load_result result = open_library();
  return result;
}

} // namespace prism::devices::opencl
