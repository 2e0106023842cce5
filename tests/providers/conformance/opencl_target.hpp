// An OpenCL device with a queue of its own.
#pragma once

#include "tests/providers/conformance/target.hpp"

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

namespace provider_test {

class opencl_target final : public target {
public:
  opencl_target(cl_device_id device, std::string name);
  ~opencl_target() override;
  bool works() const { return m_queue != nullptr; }
  const prism_provider_device& device() const override { return m_device; }
  std::string name() const override { return m_name; }
  prism_status run(const prism_provider_plan* plan, const job& what, std::uint32_t threads,
                   std::vector<operand>& after, std::string& why) override;

  std::vector<cl_mem> upload(const job& what) const;
  /// Calls run without waiting for the device.
  prism_status start(const prism_provider_plan* plan, const job& what, const std::vector<cl_mem>& objects,
                     std::vector<cl_event> waits, cl_event& done, std::string& why) const;
  void download(const job& what, const std::vector<cl_mem>& objects, std::vector<operand>& after) const;
  cl_context context() const { return m_context; }
  cl_command_queue queue() const { return m_queue; }

private:
  std::string m_name;
  prism_provider_device m_device{};
  cl_context m_context = nullptr;
  cl_command_queue m_queue = nullptr;
};

} // namespace provider_test
