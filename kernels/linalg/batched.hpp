// Batches of matrices: of small ones a work-item each, all in one kernel; of others one after the other.
#pragma once

#include "kernels/linalg/steps.hpp"

#include <prism/linalg/request.hpp>

namespace prism::linalg {

/// Rows and columns up to which a work-item does a matrix.
constexpr std::size_t most_small = 32;

/// The small matrices of a batch, by the task of the request; extents were checked, and none is 0.
template <typename T>
void run_small_batch(sequence& s, const detail::request& what);

} // namespace prism::linalg
