// Plain OpenCL 1.2: handles with their release functions, and a device with its context, queue, memory and
// kernels. For the baselines in hand-written OpenCL C.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#define CL_ENABLE_BETA_EXTENSIONS 1 // command buffers; their functions are looked up by name
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bench {

inline void check(cl_int status, const char* call) {
  if (status != CL_SUCCESS) throw std::runtime_error(std::string(call) + " gave " + std::to_string(status));
}

/// A handle with its release function.
template <typename Handle, cl_int (*Release)(Handle)>
class owned {
public:
  owned() = default;
  explicit owned(Handle handle) : m_handle(handle) {}
  owned(owned&& other) noexcept : m_handle(std::exchange(other.m_handle, nullptr)) {}
  owned& operator=(owned&& other) noexcept {
    std::swap(m_handle, other.m_handle);
    return *this;
  }
  ~owned() {
    if (m_handle) Release(m_handle);
  }
  Handle get() const { return m_handle; }
  const Handle* address() const { return &m_handle; }

private:
  Handle m_handle = nullptr;
};
using memory_handle = owned<cl_mem, clReleaseMemObject>;
using kernel_handle = owned<cl_kernel, clReleaseKernel>;
using program_handle = owned<cl_program, clReleaseProgram>;

/// Null if no platform has a device with this name.
inline cl_device_id find_opencl_device(const std::string& name) {
  cl_uint platform_count = 0;
  if (clGetPlatformIDs(0, nullptr, &platform_count) != CL_SUCCESS) return nullptr;
  std::vector<cl_platform_id> platforms(platform_count);
  clGetPlatformIDs(platform_count, platforms.data(), nullptr);
  for (cl_platform_id platform : platforms) {
    cl_uint count = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;
    std::vector<cl_device_id> devices(count);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
    for (cl_device_id device : devices) {
      char text[512] = {};
      clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(text) - 1, text, nullptr);
      if (text == name) return device;
    }
  }
  return nullptr;
}

/// Device, context, queue and kernels.
class opencl_side {
public:
  opencl_side(cl_device_id device, std::string shaders) : m_device(device), m_shaders(std::move(shaders)) {
    cl_int status = 0;
    m_context =
        owned<cl_context, clReleaseContext>(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status));
    check(status, "clCreateContext");
    m_queue = owned<cl_command_queue, clReleaseCommandQueue>(
        clCreateCommandQueue(m_context.get(), device, 0, &status));
    check(status, "clCreateCommandQueue");
  }
  cl_command_queue queue() const { return m_queue.get(); }

  /// `data`: what it holds at first; null for nothing.
  memory_handle bytes(std::size_t count, const void* data) const {
    cl_int status = 0;
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    memory_handle made(clCreateBuffer(m_context.get(), flags, count, const_cast<void*>(data), &status));
    check(status, "clCreateBuffer");
    return made;
  }
  memory_handle memory(const std::vector<float>* data, std::size_t count) const {
    return bytes(count * sizeof(float), data ? data->data() : nullptr);
  }
  memory_handle memory(const std::vector<float>& data) const { return memory(&data, data.size()); }

  kernel_handle kernel(const char* name) const { return kernel(name, name, ""); }
  /// A kernel of a file without its ending. The kernel retains its program.
  kernel_handle kernel(const std::string& file_name, const char* name, const char* options) const {
    std::ifstream file(m_shaders + "/" + file_name + ".cl");
    if (!file) throw std::runtime_error("cannot read " + m_shaders + "/" + file_name + ".cl");
    std::stringstream text;
    text << file.rdbuf();
    const std::string source = text.str();
    const char* start = source.c_str();
    cl_int status = 0;
    const program_handle program(clCreateProgramWithSource(m_context.get(), 1, &start, nullptr, &status));
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program.get(), 1, &m_device, options, nullptr, nullptr), "clBuildProgram");
    kernel_handle made(clCreateKernel(program.get(), name, &status));
    check(status, "clCreateKernel");
    return made;
  }

private:
  cl_device_id m_device;
  std::string m_shaders;
  owned<cl_context, clReleaseContext> m_context;
  owned<cl_command_queue, clReleaseCommandQueue> m_queue;
};

template <typename T>
void set(const kernel_handle& kernel, cl_uint index, const T& value) {
  check(clSetKernelArg(kernel.get(), index, sizeof(T), &value), "clSetKernelArg");
}

} // namespace bench
