// Chooses the implementation of a call, and caches the choice for calls of the same shape on the same device.
// The candidates are the providers, by their ranking, and the library's own kernels among them.
//
// Thread-safe. A cached choice costs a hash of the description and a lock; a new one queries every provider.
#pragma once

#include "kernels/provider/run.hpp"

#include <prism/blas/request.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

namespace prism::blas {

struct choice {
  std::string what; // text_of the operation; for messages
  std::vector<provider::ranked_provider> ranking;
  std::vector<provider::device_plan> plans; // the usable providers, the best first
  std::size_t before_own = 0;         // the number of `plans` that rank before the library's own kernels
  bool has_own = true;                // false: another implementation is pinned
  bool falls_back = false;            // the own kernels replace a provider that fails, pinned or not
  std::atomic<std::size_t> failed{0}; // the number of `plans`, from the first on, that failed when they ran

  /// The implementation that the next call uses.
  std::string name() const;
};

/// Throws sycl::exception: `invalid` for an invalid setting, `kernel_not_supported` if the pinned
/// implementation cannot do the operation.
std::shared_ptr<choice> choice_for(const sycl::device& device, const detail::request& what);

/// The library's own code for an operation.
using own_code =
    std::function<sycl::event(sycl::queue&, const detail::request&, const std::vector<sycl::event>&)>;

/// Submits the plans of the choice from `failed` on. A plan that fails is logged and not used again. On the
/// host device the next one then runs in the same command; without a next one `own` runs before the event is
/// complete if the choice falls back, else the failure is the command's. On OpenCL the failure is thrown, and
/// nothing was submitted.
sycl::event submit_plans(sycl::queue& queue, const std::shared_ptr<choice>& chosen,
                         const detail::request& what, const std::vector<sycl::event>& depends,
                         const own_code& own = {});

/// Submits `what` to the chosen provider, where one comes before the library's own code; nothing where none
/// does, or where all have failed. Throws what `choice_for` and `submit_plans` throw. Without `own` no call
/// falls back to it.
std::optional<sycl::event> run_by_provider(sycl::queue& queue, const detail::request& what,
                                           const std::vector<sycl::event>& depends, const own_code& own = {});

/// "prism: warn: ...", unless PRISM_LOG asks for less.
void warn(const std::string& text);

/// What the program, else PRISM_PROVIDER, pins for the operation of that name; empty when nothing, or where
/// PRISM_PROVIDER pins a provider for all operations that has not this one.
std::string pinned_for(const std::string& operation);

/// The ranking with the library's own kernels among the providers.
std::vector<provider::ranked_provider> ranking_with_own(const sycl::device& device,
                                                        const prism_provider_operation& what);

} // namespace prism::blas
