// A driver whose memory objects have addresses: the functions in front of the real loader that make of PoCL's
// device, which has fine-grained shared virtual memory, one that has cl_ext_buffer_device_address instead. As
// a preloaded library it serves every program. PRISM_TEST_ADDRESSES=old: the driver lists the extension but
// does not know its property, as drivers with an earlier version. An address is for kernels only: a function
// that is given one as a host pointer fails, and so does a kernel argument that is no address.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string>

namespace {

constexpr cl_mem_properties private_address = 0x5000;
constexpr cl_mem_info address_of_object = 0x5001;
constexpr cl_kernel_exec_info device_pointers = 0x5002;

struct buffer {
  cl_context context;
  char* base;
  std::size_t bytes;
};
std::mutex mutex;
std::map<cl_mem, buffer>& buffers() {
  static auto* const made = new std::map<cl_mem, buffer>; // outlives the drivers' threads
  return *made;
}

template <typename Function>
Function* real(const char* name) {
  static void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}
#define REAL(name) real<decltype(name)>(#name)

bool is_old() {
  const char* const wanted = std::getenv("PRISM_TEST_ADDRESSES");
  return wanted != nullptr && std::strcmp(wanted, "old") == 0;
}

bool is_address(const void* pointer) {
  const std::lock_guard lock(mutex);
  return std::any_of(buffers().begin(), buffers().end(), [&](const auto& each) {
    const auto* at = static_cast<const char*>(pointer);
    return at >= each.second.base && at < each.second.base + each.second.bytes;
  });
}

/// When the last command that uses the object is complete.
void CL_CALLBACK free_bytes(cl_mem object, void*) {
  buffer freed{};
  {
    const std::lock_guard lock(mutex);
    freed = buffers()[object];
    buffers().erase(object);
  }
  REAL(clSVMFree)(freed.context, freed.base);
}

cl_int set_argument(cl_kernel kernel, cl_uint index, cl_ulong address) {
  const auto* pointer = reinterpret_cast<const void*>(address);
  if (address != 0 && !is_address(pointer)) return CL_INVALID_ARG_VALUE;
  return REAL(clSetKernelArgSVMPointer)(kernel, index, pointer);
}

} // namespace

extern "C" {

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void* to, size_t* needed) {
  if (what == CL_DEVICE_SVM_CAPABILITIES) {
    if (needed) *needed = sizeof(cl_bitfield);
    if (to) std::memset(to, 0, std::min(bytes, sizeof(cl_bitfield)));
    return CL_SUCCESS;
  }
  if (what != CL_DEVICE_EXTENSIONS) return REAL(clGetDeviceInfo)(device, what, bytes, to, needed);
  size_t own = 0;
  if (const cl_int code = REAL(clGetDeviceInfo)(device, what, 0, nullptr, &own); code != CL_SUCCESS)
    return code;
  std::string names(own, '\0');
  REAL(clGetDeviceInfo)(device, what, own, names.data(), nullptr);
  names = names.c_str() + std::string(" cl_ext_buffer_device_address");
  if (needed) *needed = names.size() + 1;
  if (to && bytes <= names.size()) return CL_INVALID_VALUE;
  if (to) std::memcpy(to, names.c_str(), names.size() + 1);
  return CL_SUCCESS;
}

void* clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char* name) {
  if (std::strcmp(name, "clSetKernelArgDevicePointerEXT") == 0) return reinterpret_cast<void*>(&set_argument);
  return REAL(clGetExtensionFunctionAddressForPlatform)(platform, name);
}

cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties* properties,
                                    cl_mem_flags flags, size_t bytes, void* host, cl_int* code) {
  const bool has_address = properties && properties[0] == private_address && properties[1];
  if (!has_address) return REAL(clCreateBufferWithProperties)(context, properties, flags, bytes, host, code);
  if (code) *code = is_old() ? CL_INVALID_PROPERTY : CL_OUT_OF_RESOURCES;
  if (is_old() || host) return nullptr;
  void* const base = REAL(clSVMAlloc)(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, bytes, 0);
  if (!base) return nullptr;
  const cl_mem made = REAL(clCreateBuffer)(context, flags | CL_MEM_USE_HOST_PTR, bytes, base, code);
  if (!made) return nullptr;
  {
    const std::lock_guard lock(mutex);
    buffers()[made] = {context, static_cast<char*>(base), bytes};
  }
  REAL(clSetMemObjectDestructorCallback)(made, &free_bytes, nullptr);
  return made;
}

cl_int clGetMemObjectInfo(cl_mem object, cl_mem_info what, size_t bytes, void* to, size_t* needed) {
  if (what != address_of_object) return REAL(clGetMemObjectInfo)(object, what, bytes, to, needed);
  const std::lock_guard lock(mutex);
  const auto found = buffers().find(object);
  if (found == buffers().end()) return CL_INVALID_OPERATION;
  const auto address = reinterpret_cast<cl_ulong>(found->second.base);
  if (needed) *needed = bytes;
  for (size_t i = 0; i + sizeof address <= bytes; i += sizeof address) // one for each device of the context
    std::memcpy(static_cast<char*>(to) + i, &address, sizeof address);
  return CL_SUCCESS;
}

cl_int clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info what, size_t bytes, const void* value) {
  if (what == CL_KERNEL_EXEC_INFO_SVM_PTRS) return CL_INVALID_OPERATION;
  if (what != device_pointers) return REAL(clSetKernelExecInfo)(kernel, what, bytes, value);
  for (size_t i = 0; i < bytes / sizeof(cl_ulong); ++i)
    if (!is_address(static_cast<void* const*>(value)[i])) return CL_INVALID_VALUE;
  return REAL(clSetKernelExecInfo)(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, bytes, value);
}

// The device has no shared virtual memory.
void* clSVMAlloc(cl_context, cl_svm_mem_flags, size_t, cl_uint) { return nullptr; }
cl_int clSetKernelArgSVMPointer(cl_kernel, cl_uint, const void*) { return CL_INVALID_OPERATION; }
cl_int clEnqueueSVMMemcpy(cl_command_queue, cl_bool, void*, const void*, size_t, cl_uint, const cl_event*,
                          cl_event*) {
  return CL_INVALID_OPERATION;
}
cl_int clEnqueueSVMMemFill(cl_command_queue, void*, const void*, size_t, size_t, cl_uint, const cl_event*,
                           cl_event*) {
  return CL_INVALID_OPERATION;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void* host, cl_int* code) {
  if (!is_address(host)) return REAL(clCreateBuffer)(context, flags, bytes, host, code);
  if (code) *code = CL_INVALID_HOST_PTR;
  return nullptr;
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem from, cl_bool blocks, size_t offset, size_t bytes,
                           void* to, cl_uint count, const cl_event* list, cl_event* event) {
  if (is_address(to)) return CL_INVALID_VALUE;
  return REAL(clEnqueueReadBuffer)(queue, from, blocks, offset, bytes, to, count, list, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem to, cl_bool blocks, size_t offset, size_t bytes,
                            const void* from, cl_uint count, const cl_event* list, cl_event* event) {
  if (is_address(from)) return CL_INVALID_VALUE;
  return REAL(clEnqueueWriteBuffer)(queue, to, blocks, offset, bytes, from, count, list, event);
}

} // extern "C"
