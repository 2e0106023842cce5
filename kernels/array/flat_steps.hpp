// One step over flat arrays of one type on the host device, in that type: narrow integers are neither widened
// nor wrapped, and what is true or false is written as bool at once. Results are those of chunks.hpp.
#pragma once

#include "kernels/array/program.hpp"

namespace prism::array_detail {

/// Computes the elements [begin, end) of a program.
using flat_runner = void (*)(const program& p, std::int64_t begin, std::int64_t end);

/// The function that computes `p`, which is of the arithmetic whose numbers have the type `own`; null if the
/// program is not one such step.
flat_runner find_flat_step(const program& p, dtype own);

} // namespace prism::array_detail
