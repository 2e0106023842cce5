// Steps over flat arrays of one type, and of bool, and over their rows, on the host device, in those types:
// narrow integers are neither widened nor wrapped, and what is true or false is a byte. Results are those of
// chunks.hpp.
#pragma once

#include "kernels/array/program.hpp"

namespace prism::array_detail {

/// Whether all steps of `p`, which is of the arithmetic whose numbers have the type `own`, run so: questions
/// and logic, and arithmetic of integers narrower than 64 bits.
bool has_flat_steps(const program& p, dtype own);

/// Computes the elements [begin, end) of a program that has_flat_steps().
void run_flat_steps(const program& p, dtype own, std::int64_t begin, std::int64_t end);

} // namespace prism::array_detail
