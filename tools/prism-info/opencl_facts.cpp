// See driver_facts.hpp. Asks the OpenCL loader that the backend has opened.
#include "tools/prism-info/driver_facts.hpp"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <dlfcn.h>

namespace prism::info {
namespace {

using device_info = decltype(&clGetDeviceInfo);

/// An empty text if the driver does not know the question.
std::string text_of(device_info ask, cl_device_id device, cl_device_info what) {
  std::size_t bytes = 0;
  if (ask(device, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return "";
  std::string text(bytes, '\0');
  if (ask(device, what, bytes, text.data(), nullptr) != CL_SUCCESS) return "";
  text.resize(text.find('\0') == text.npos ? bytes : text.find('\0'));
  return text;
}

void add_uuid(json& facts, const char* key, device_info ask, cl_device_id device, cl_device_info what) {
  unsigned char bytes[CL_UUID_SIZE_KHR] = {};
  std::size_t written = 0;
  if (ask(device, what, sizeof bytes, bytes, &written) == CL_SUCCESS && written == sizeof bytes)
    facts[key] = uuid_text(bytes);
}

} // namespace

json opencl_facts(const devices::device& device) {
  json facts = json::object();
  void* const loader = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_NOLOAD);
  const auto ask = loader ? reinterpret_cast<device_info>(dlsym(loader, "clGetDeviceInfo")) : nullptr;
  const auto id = static_cast<cl_device_id>(device.native("cl_device_id"));
  if (!ask || !id) return facts;
  if (std::string version = text_of(ask, id, CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED); !version.empty())
    facts["conformance_version"] = version;
  if (std::string version = text_of(ask, id, CL_DEVICE_OPENCL_C_VERSION); !version.empty())
    facts["language_version"] = version;
  add_uuid(facts, "device_uuid", ask, id, CL_DEVICE_UUID_KHR);
  add_uuid(facts, "driver_uuid", ask, id, CL_DRIVER_UUID_KHR);
  cl_bool has_images = CL_FALSE;
  if (ask(id, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, nullptr) == CL_SUCCESS)
    facts["images"] = has_images != CL_FALSE;
  return facts;
}

} // namespace prism::info
