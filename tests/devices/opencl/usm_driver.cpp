// A driver with unified shared memory: the functions in front of the real loader that make of PoCL's device,
// which has fine-grained shared virtual memory, one that has cl_intel_unified_shared_memory instead. As a
// preloaded library it serves every program. PRISM_TEST_SVM=coarse: the device also has coarse-grained shared
// virtual memory; otherwise it has none. What the specifications do not allow for a pointer fails with an
// error code: each function takes only memory of its own kind.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
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

enum class kind { none, coarse, device, host, shared };
struct allocation {
  kind what;
  std::size_t bytes;
};
std::mutex mutex;
std::map<const char*, allocation>& allocations() {
  static auto* const made = new std::map<const char*, allocation>; // outlives the drivers' threads
  return *made;
}

bool has_coarse() {
  const char* const wanted = std::getenv("PRISM_TEST_SVM");
  return wanted != nullptr && std::strcmp(wanted, "coarse") == 0;
}

template <typename Function>
Function* real(const char* name) {
  static void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}
#define REAL(name) real<decltype(name)>(#name)

kind kind_of(const void* pointer) {
  const std::lock_guard lock(mutex);
  const auto* at = static_cast<const char*>(pointer);
  auto found = allocations().upper_bound(at);
  if (found == allocations().begin()) return kind::none;
  --found;
  return at < found->first + found->second.bytes ? found->second.what : kind::none;
}
bool is_usm(kind what) { return what != kind::none && what != kind::coarse; }

void* allocate(cl_context context, kind what, size_t bytes, cl_uint alignment) {
  void* const made =
      REAL(clSVMAlloc)(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, bytes, alignment);
  if (!made) return nullptr;
  const std::lock_guard lock(mutex);
  allocations()[static_cast<const char*>(made)] = {what, bytes};
  return made;
}

void* made_or_code(void* made, cl_int* code) {
  if (code) *code = made ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
  return made;
}

void forget(void* pointer) {
  const std::lock_guard lock(mutex);
  allocations().erase(static_cast<const char*>(pointer));
}

// ---- the extension

void* allocate_host(cl_context context, const cl_mem_properties_intel*, size_t bytes, cl_uint alignment,
                    cl_int* code) {
  return made_or_code(allocate(context, kind::host, bytes, alignment), code);
}

void* allocate_device(cl_context context, cl_device_id device, const cl_mem_properties_intel*, size_t bytes,
                      cl_uint alignment, cl_int* code) {
  return made_or_code(device ? allocate(context, kind::device, bytes, alignment) : nullptr, code);
}

void* allocate_shared(cl_context context, cl_device_id device, const cl_mem_properties_intel*, size_t bytes,
                      cl_uint alignment, cl_int* code) {
  return made_or_code(device ? allocate(context, kind::shared, bytes, alignment) : nullptr, code);
}

cl_int free_usm(cl_context context, void* pointer) {
  if (!is_usm(kind_of(pointer))) return CL_INVALID_VALUE;
  forget(pointer);
  REAL(clSVMFree)(context, pointer);
  return CL_SUCCESS;
}

cl_int set_argument(cl_kernel kernel, cl_uint index, const void* pointer) {
  if (pointer && !is_usm(kind_of(pointer))) return CL_INVALID_ARG_VALUE;
  return REAL(clSetKernelArgSVMPointer)(kernel, index, pointer);
}

cl_int fill(cl_command_queue queue, void* to, const void* pattern, size_t width, size_t bytes, cl_uint count,
            const cl_event* list, cl_event* event) {
  if (!is_usm(kind_of(to))) return CL_INVALID_VALUE;
  return REAL(clEnqueueSVMMemFill)(queue, to, pattern, width, bytes, count, list, event);
}

cl_int copy(cl_command_queue queue, cl_bool blocks, void* to, const void* from, size_t bytes, cl_uint count,
            const cl_event* list, cl_event* event) {
  if (kind_of(to) == kind::coarse || kind_of(from) == kind::coarse) return CL_INVALID_VALUE;
  return REAL(clEnqueueSVMMemcpy)(queue, blocks, to, from, bytes, count, list, event);
}

cl_int text(const std::string& value, size_t bytes, void* to, size_t* needed) {
  if (needed) *needed = value.size() + 1;
  if (!to) return CL_SUCCESS;
  if (bytes < value.size() + 1) return CL_INVALID_VALUE;
  std::memcpy(to, value.c_str(), value.size() + 1);
  return CL_SUCCESS;
}

} // namespace

extern "C" {

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void* to, size_t* needed) {
  const auto answer = [&](cl_bitfield value) {
    if (needed) *needed = sizeof value;
    if (to) std::memcpy(to, &value, std::min(bytes, sizeof value));
    return CL_SUCCESS;
  };
  constexpr cl_bitfield everything = 15, not_at_once = 3; // access and atomics; the host not during kernels
  switch (what) {
    case CL_DEVICE_SVM_CAPABILITIES: return answer(has_coarse() ? CL_DEVICE_SVM_COARSE_GRAIN_BUFFER : 0);
    case CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL: return answer(everything);
    case CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: return answer(not_at_once);
    default: break;
  }
  if (what != CL_DEVICE_EXTENSIONS) return REAL(clGetDeviceInfo)(device, what, bytes, to, needed);
  size_t own = 0;
  if (const cl_int code = REAL(clGetDeviceInfo)(device, what, 0, nullptr, &own); code != CL_SUCCESS)
    return code;
  std::string names(own, '\0');
  REAL(clGetDeviceInfo)(device, what, own, names.data(), nullptr);
  return text(names.c_str() + std::string(" cl_intel_unified_shared_memory"), bytes, to, needed);
}

void* clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char* name) {
  const std::string asked = name;
  if (asked == "clHostMemAllocINTEL") return reinterpret_cast<void*>(&allocate_host);
  if (asked == "clDeviceMemAllocINTEL") return reinterpret_cast<void*>(&allocate_device);
  if (asked == "clSharedMemAllocINTEL") return reinterpret_cast<void*>(&allocate_shared);
  if (asked == "clMemFreeINTEL") return reinterpret_cast<void*>(&free_usm);
  if (asked == "clSetKernelArgMemPointerINTEL") return reinterpret_cast<void*>(&set_argument);
  if (asked == "clEnqueueMemFillINTEL") return reinterpret_cast<void*>(&fill);
  if (asked == "clEnqueueMemcpyINTEL") return reinterpret_cast<void*>(&copy);
  return REAL(clGetExtensionFunctionAddressForPlatform)(platform, name);
}

void* clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment) {
  if (!has_coarse() || (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER)) return nullptr;
  return allocate(context, kind::coarse, bytes, alignment);
}

void clSVMFree(cl_context context, void* pointer) {
  if (kind_of(pointer) != kind::coarse) return;
  forget(pointer);
  REAL(clSVMFree)(context, pointer);
}

cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void* pointer) {
  if (!has_coarse() || is_usm(kind_of(pointer))) return CL_INVALID_ARG_VALUE;
  return REAL(clSetKernelArgSVMPointer)(kernel, index, pointer);
}

cl_int clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info what, size_t bytes, const void* value) {
  if (what >= CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL &&
      what <= CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL)
    return bytes == sizeof(cl_bool) ? CL_SUCCESS : CL_INVALID_VALUE;
  if (what == CL_KERNEL_EXEC_INFO_SVM_PTRS)
    for (size_t i = 0; i < bytes / sizeof(void*); ++i)
      if (kind_of(static_cast<void* const*>(value)[i]) != kind::coarse) return CL_INVALID_VALUE;
  return REAL(clSetKernelExecInfo)(kernel, what, bytes, value);
}

/// Host and shared allocations are host pointers here.
cl_int clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocks, void* to, const void* from, size_t bytes,
                          cl_uint count, const cl_event* list, cl_event* event) {
  if (!has_coarse() || kind_of(to) == kind::device || kind_of(from) == kind::device) return CL_INVALID_VALUE;
  return REAL(clEnqueueSVMMemcpy)(queue, blocks, to, from, bytes, count, list, event);
}

cl_int clEnqueueSVMMemFill(cl_command_queue queue, void* to, const void* pattern, size_t width, size_t bytes,
                           cl_uint count, const cl_event* list, cl_event* event) {
  if (!has_coarse() || is_usm(kind_of(to))) return CL_INVALID_VALUE;
  return REAL(clEnqueueSVMMemFill)(queue, to, pattern, width, bytes, count, list, event);
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void* host, cl_int* code) {
  if (!(flags & CL_MEM_USE_HOST_PTR) || !is_usm(kind_of(host)))
    return REAL(clCreateBuffer)(context, flags, bytes, host, code);
  if (code) *code = CL_INVALID_HOST_PTR;
  return nullptr;
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem from, cl_bool blocks, size_t offset, size_t bytes,
                           void* to, cl_uint count, const cl_event* list, cl_event* event) {
  if (kind_of(to) == kind::device) return CL_INVALID_VALUE;
  return REAL(clEnqueueReadBuffer)(queue, from, blocks, offset, bytes, to, count, list, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem to, cl_bool blocks, size_t offset, size_t bytes,
                            const void* from, cl_uint count, const cl_event* list, cl_event* event) {
  if (kind_of(from) == kind::device) return CL_INVALID_VALUE;
  return REAL(clEnqueueWriteBuffer)(queue, to, blocks, offset, bytes, from, count, list, event);
}

} // extern "C"
