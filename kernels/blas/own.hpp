// The library's own implementation of every operation, on every device. It has the name "prism" among the
// providers.
#pragma once

#include "kernels/blas/aliases.hpp"
#include "kernels/blas/parameters.hpp"
#include "kernels/provider/operation.hpp"

#include <prism/blas/request.hpp>

namespace prism::blas {

/// The properties of the library's own kernels for an operation, in a provider's form.
prism_provider_support own_support(const sycl::device& device, const prism_provider_operation& what);

/// Throws errc::feature_not_supported, with the name of the device, if it lacks the type of the operands.
void require_type(const sycl::device& device, const prism_provider_operation& what, const std::string& name);

/// Throws errc::invalid where a matrix that is written begins where another operand does; of vectors x and y
/// may be the same.
void refuse_aliases(const detail::request& what, const provider::operation_facts& facts);

/// `what` makes sense and the device has its type. Submits, does not wait.
sycl::event run_own(sycl::queue& queue, const detail::request& what, const std::vector<sycl::event>& depends);

/// The same for a product of float with these parameters.
sycl::event run_own_gemm(sycl::queue& queue, const detail::request& what,
                         const std::vector<sycl::event>& depends, const gemm_parameters& how);

} // namespace prism::blas
