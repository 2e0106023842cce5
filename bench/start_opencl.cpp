// Start-up baseline: opens the platforms, the device named by the argument, a context and a queue.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstring>
#include <vector>

int main(int count, char** words) {
  cl_uint platform_count = 0;
  clGetPlatformIDs(0, nullptr, &platform_count);
  std::vector<cl_platform_id> platforms(platform_count);
  clGetPlatformIDs(platform_count, platforms.data(), nullptr);
  for (cl_platform_id platform : platforms) {
    cl_device_id device = nullptr;
    char name[512] = {};
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) continue;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name) - 1, name, nullptr);
    if (count > 1 && std::strcmp(name, words[1]) != 0) continue;
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    cl_command_queue queue = context ? clCreateCommandQueue(context, device, 0, nullptr) : nullptr;
    if (!queue) return 1;
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
  }
  return 1;
}
