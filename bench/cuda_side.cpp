#include "bench/cuda_side.hpp"

#include <fstream>
#include <sstream>

namespace bench {

namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

} // namespace

cuda_side::cuda_side(const std::string& device_name, std::string shaders) : m_shaders(std::move(shaders)) {
  if (const int status = m_driver.cuInit(0); status != 0) {
    const char* name = nullptr;
    m_driver.cuGetErrorName(status, &name);
    throw not_there(std::string("cuInit gave ") + std::to_string(status) + " (" + (name ? name : "") + ")");
  }
  find_device(device_name);
  int major = 0, minor = 0;
  m_driver.check(m_driver.cuDeviceGetAttribute(&major, cuda::capability_major, m_device),
                 "cuDeviceGetAttribute");
  m_driver.check(m_driver.cuDeviceGetAttribute(&minor, cuda::capability_minor, m_device),
                 "cuDeviceGetAttribute");
  m_capability = std::to_string(major) + std::to_string(minor);
  m_driver.check(m_driver.cuDevicePrimaryCtxRetain(&m_context, m_device), "cuDevicePrimaryCtxRetain");
  m_driver.check(m_driver.cuCtxSetCurrent(m_context), "cuCtxSetCurrent");
  m_driver.check(m_driver.cuStreamCreate(&m_stream, cuda::non_blocking), "cuStreamCreate");
}

void cuda_side::find_device(const std::string& name) {
  int count = 0;
  m_driver.check(m_driver.cuDeviceGetCount(&count), "cuDeviceGetCount");
  for (int i = 0; i < count; ++i) {
    int device = 0;
    char text[256] = {};
    m_driver.check(m_driver.cuDeviceGet(&device, i), "cuDeviceGet");
    m_driver.check(m_driver.cuDeviceGetName(text, sizeof(text) - 1, device), "cuDeviceGetName");
    if (text != name) continue;
    m_device = device;
    return;
  }
  throw not_there("CUDA has no device of this name");
}

cuda_side::~cuda_side() {
  if (!m_context) return;
  if (m_stream) {
    m_driver.cuStreamSynchronize(m_stream);
    m_driver.cuStreamDestroy(m_stream);
  }
  for (cuda::module each : m_modules) m_driver.cuModuleUnload(each);
  for (cuda::address each : m_memories) m_driver.cuMemFree(each);
  m_driver.cuCtxSetCurrent(nullptr);
  m_driver.cuDevicePrimaryCtxRelease(m_device);
}

std::string cuda_side::versions() const {
  int driver = 0, major = 0, minor = 0;
  m_driver.cuDriverGetVersion(&driver);
  m_compiler.nvrtcVersion(&major, &minor);
  return "CUDA " + std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10) + ", NVRTC " +
         std::to_string(major) + "." + std::to_string(minor) + " of " + m_compiler.library.file() + ", sm_" +
         m_capability;
}

cuda::address cuda_side::memory(std::size_t bytes) {
  cuda::address made = 0;
  m_driver.check(m_driver.cuMemAlloc(&made, bytes), "cuMemAlloc");
  m_memories.push_back(made);
  return made;
}

cuda::address cuda_side::memory(const std::vector<float>& data) {
  const cuda::address made = memory(data.size() * sizeof(float));
  m_driver.check(m_driver.cuMemcpyHtoD(made, data.data(), data.size() * sizeof(float)), "cuMemcpyHtoD");
  return made;
}

std::vector<float> cuda_side::read(cuda::address from, std::size_t count) const {
  std::vector<float> out(count);
  m_driver.check(m_driver.cuMemcpyDtoH(out.data(), from, count * sizeof(float)), "cuMemcpyDtoH");
  return out;
}

cuda::function cuda_side::kernel(const std::string& name) {
  const auto found = m_kernels.find(name);
  if (found != m_kernels.end()) return found->second;
  const std::string code =
      m_compiler.compiled(text_of(m_shaders + "/" + name + ".cu"), name + ".cu", m_capability);
  cuda::module loaded = nullptr;
  m_driver.check(m_driver.cuModuleLoadData(&loaded, code.data()), "cuModuleLoadData");
  m_modules.push_back(loaded);
  cuda::function made = nullptr;
  m_driver.check(m_driver.cuModuleGetFunction(&made, loaded, name.c_str()), "cuModuleGetFunction");
  return m_kernels[name] = made;
}

} // namespace bench
