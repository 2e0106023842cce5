// The library's own implementation of every operation, on every device. It has the name "prism" among the
// providers.
#pragma once

#include <prism/blas/request.hpp>

namespace prism::blas {

/// The properties of the library's own kernels for an operation, in a provider's form.
prism_provider_support own_support(const sycl::device& device, const prism_provider_operation& what);

/// Throws errc::feature_not_supported, with the name of the device, if it lacks the type of the operands.
void require_type(const sycl::device& device, const prism_provider_operation& what, const std::string& name);

/// Submits and does not wait. `what` must be valid, and the device must have its type.
sycl::event run_own(sycl::queue& queue, const detail::request& what, const std::vector<sycl::event>& depends);

} // namespace prism::blas
