// A plan of a provider as a command of a sycl::queue: on the host device and on OpenCL, ordered as any
// command, and no thread waits.
#pragma once

#include "kernels/provider/ranking.hpp"
#include "kernels/provider/registry.hpp"

#include <prism/native.hpp>
#include <sycl/sycl.hpp>

#include <optional>

namespace prism::provider {

/// A provider's plan for one device. Copied cheaply; used by any thread.
class device_plan {
public:
  /// Throws sycl::exception: kernel_not_supported with the provider's reason, memory_allocation when memory
  /// is short.
  device_plan(const open_provider& from, const sycl::device& device, const prism_provider_operation& what);
  /// Of the provider that does it best on the host, to be run by a host task whatever the device of the queue
  /// is; nothing where none can. `pinned`: as for ranking_on; "prism" means none.
  static std::optional<device_plan> of_host(const prism_provider_operation& what, const std::string& pinned);
  const open_provider& from() const noexcept;
  const prism_provider_support& support() const noexcept;
  const prism_provider_operation& what() const noexcept;

  /// The group's command, after handler::set_arg(i, accessor or USM pointer) for each operand in its order.
  /// `offset`: bytes to each operand's first element. Threads of the host are granted when it runs. A failure
  /// of the provider is the command's: asynchronous on the host device, thrown by submit on OpenCL.
  void submit(sycl::handler& group, const double (&alpha)[2], const double (&beta)[2],
              const std::vector<std::uint64_t>& offset) const;

  /// The same now, inside of a native command: the event on OpenCL, else null. Throws std::runtime_error with
  /// the provider's reason; then nothing was enqueued and no operand changed.
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

/// What query says of the operation on this device.
prism_provider_support support_on(const open_provider& from, const sycl::device& device,
                                  const prism_provider_operation& what);

/// The providers of the process for the operation on this device, and `others`, the best first, by their
/// models and by what is pinned: `pinned`, else what PRISM_PROVIDER says; the others with their reasons.
/// Throws sycl::exception (invalid) when PRISM_PROVIDER cannot be meant.
std::vector<ranked_provider> ranking_on(const sycl::device& device, const prism_provider_operation& what,
                                        const std::vector<candidate>& others = {},
                                        const std::string& pinned = {});
/// A plan of the best. Throws sycl::exception (kernel_not_supported) that explains why there is none.
device_plan best_plan(const sycl::device& device, const prism_provider_operation& what);

} // namespace prism::provider
