// The host device: the processor itself. Kernels run as native code on the threads of a shared pool and on
// the thread that waits for them. Memory is host memory, so adopting memory costs nothing.
#pragma once

#include "devices/api/device.hpp"
#include "devices/api/direct_runner.hpp"
#include "devices/host/memory.hpp"
#include "devices/host/parallel.hpp"
#include "devices/host/workers.hpp"

#include <oneapi/tbb/global_control.h>

namespace prism::devices::host {

class host_device final : public device, private direct_runner {
public:
  host_device();
  /// A sub-device: the same memory, fewer threads.
  host_device(const host_device& whole, unsigned threads);
  /// The sub-device of one NUMA node; its threads are bound to the node.
  host_device(const host_device& whole, const numa_node& node);
  const capabilities& info() const noexcept override { return m_info; }
  std::unique_ptr<memory> create_memory(std::uint64_t bytes, memory_kind kind,
                                        std::uint64_t alignment) override;
  std::unique_ptr<memory> adopt(void* host, std::uint64_t bytes) override;
  std::unique_ptr<program> create_program(const program_source& source) override;
  std::unique_ptr<program> create_program_from_binary(std::span<const std::byte> binary,
                                                      const program_source& source) override;
  std::unique_ptr<queue> create_queue(const queue_options& options) override;
  bool can_wait_for(const timeline& other) const noexcept override;
  std::string fingerprint() const override;
  void* native(std::string_view what) const noexcept override;
  std::vector<std::unique_ptr<device>> create_sub_devices(const partition& how) override;

private:
  host_device(const host_device& whole, unsigned threads, std::unique_ptr<thread_share> share);
  std::vector<std::unique_ptr<device>> on_nodes() const;
  void run_directly(std::uint64_t units, void (*part)(const void*, std::uint64_t, std::uint64_t),
                    const void* owner) override;

  capabilities m_info;
  std::shared_ptr<memory_budget> m_budget;
  std::unique_ptr<thread_share> m_share; // set for a sub-device
  /// Set only if a cgroup allows fewer processors than oneTBB counts: more threads would be throttled.
  std::unique_ptr<tbb::global_control> m_thread_limit;
  workers m_workers;
};

} // namespace prism::devices::host
