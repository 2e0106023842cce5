// Runs a provider's plan as a command of a sycl::queue, on the host device and on OpenCL. It is ordered like
// any command, and no thread waits for it.
#pragma once

#include "kernels/provider/ranking.hpp"
#include "kernels/provider/registry.hpp"

#include <prism/native.hpp>
#include <sycl/sycl.hpp>

#include <optional>

namespace prism::provider {

/// A provider's plan for one device. Cheap to copy; thread-safe.
class device_plan {
public:
  /// Throws sycl::exception: kernel_not_supported with the provider's reason, memory_allocation if memory is
  /// short.
  device_plan(const open_provider& from, const sycl::device& device, const prism_provider_operation& what);
  /// Of the provider that does it best on the host, to be run by a host task on every kind of queue;
  /// nothing where none can. `pinned`: as for ranking_on; "prism" means none. `threads`: that it may use at
  /// most; 0: all of the host.
  static std::optional<device_plan> of_host(const prism_provider_operation& what, const std::string& pinned,
                                            unsigned threads);
  const open_provider& from() const noexcept;
  const prism_provider_support& support() const noexcept;
  const prism_provider_operation& what() const noexcept;

  /// Submits the group's command. The caller has called handler::set_arg(i, accessor or USM pointer) for each
  /// operand in its order. `offset`: bytes to each operand's first element. Host threads are granted when it
  /// runs. A failure of the provider is a failure of the command: asynchronous on the host device, thrown by
  /// submit on OpenCL.
  void submit(sycl::handler& group, const double (&alpha)[2], const double (&beta)[2],
              const std::vector<std::uint64_t>& offset) const;

  /// Runs the plan now, inside of a native command. Returns the event on OpenCL, else null. Throws
  /// std::runtime_error with the provider's reason; then nothing was enqueued and no operand changed.
  void* run_in(const prism::native_work& now, const double (&alpha)[2], const double (&beta)[2],
               const std::vector<std::uint64_t>& offset) const;
  /// The same of a plan of the host, on the calling thread; `first`: to each operand's first element.
  void run_here(void* const* first) const;

private:
  device_plan() = default;
  struct state;
  /// `made` describes the device and the support; completed here, or the reason thrown.
  static std::shared_ptr<const state> planned(const open_provider& from, std::shared_ptr<state> made,
                                              const prism_provider_operation& what);
  std::shared_ptr<const state> m_state;
};

/// The result of the provider's query for the operation on this device.
prism_provider_support support_on(const open_provider& from, const sycl::device& device,
                                  const prism_provider_operation& what);

/// Whether the provider has the operation at all: for some type on a kind of device that it supports, of
/// ordinary operands.
bool has_operation(const open_provider& from, std::int32_t operation);

/// The process's providers for the operation on this device, and `others`, the best first, by their models
/// and by the pin: `pinned` (for this operation), else PRISM_PROVIDER. Those that are not usable have
/// reasons. Throws sycl::exception (invalid) if PRISM_PROVIDER is invalid.
std::vector<ranked_provider> ranking_on(const sycl::device& device, const prism_provider_operation& what,
                                        const std::vector<candidate>& others = {},
                                        const std::string& pinned = {});
/// A plan of the best provider. Throws sycl::exception (kernel_not_supported), with the reasons, if none is
/// usable.
device_plan best_plan(const sycl::device& device, const prism_provider_operation& what);

} // namespace prism::provider
