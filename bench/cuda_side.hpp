// A CUDA device with its primary context, one stream, memory and kernels of shaders/cuda: for the baselines
// in hand-written CUDA C and for NVIDIA's libraries. One thread uses it.
#pragma once

#include "bench/cuda_functions.hpp"

#include <array>
#include <map>
#include <vector>

namespace bench {

class cuda_side {
public:
  /// The device of this name. Throws not_there if libcuda or libnvrtc cannot be opened, or CUDA has no such
  /// device.
  cuda_side(const std::string& device_name, std::string shaders);
  ~cuda_side();
  cuda_side(const cuda_side&) = delete;

  const cuda::driver& driver() const { return m_driver; }
  cuda::stream stream() const { return m_stream; }
  /// "CUDA 13.0, NVRTC 13.0 of /usr/local/...".
  std::string versions() const;

  /// Memory that lives as long as this object.
  cuda::address memory(std::size_t bytes);
  cuda::address memory(const std::vector<float>& data);
  std::vector<float> read(cuda::address from, std::size_t count) const;
  /// The kernel NAME of NAME.cu, compiled at its first use.
  cuda::function kernel(const std::string& name);
  template <typename... Values>
  void launch(cuda::function kernel, std::array<unsigned, 2> groups, std::array<unsigned, 2> group,
              Values... values) const {
    void* arguments[] = {&values...};
    m_driver.check(m_driver.cuLaunchKernel(kernel, groups[0], groups[1], 1, group[0], group[1], 1, 0,
                                           m_stream, arguments, nullptr),
                   "cuLaunchKernel");
  }
  void wait() const { m_driver.check(m_driver.cuStreamSynchronize(m_stream), "cuStreamSynchronize"); }

private:
  void find_device(const std::string& name);

  cuda::driver m_driver;
  cuda::compiler m_compiler;
  std::string m_shaders, m_capability;
  int m_device = -1;
  cuda::context m_context = nullptr;
  cuda::stream m_stream = nullptr;
  std::vector<cuda::address> m_memories;
  std::map<std::string, cuda::function> m_kernels;
  std::vector<cuda::module> m_modules;
};

} // namespace bench
