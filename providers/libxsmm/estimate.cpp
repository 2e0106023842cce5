#include "providers/libxsmm/estimate.hpp"

#include "kernels/provider/operation.hpp"

namespace prism_libxsmm {

estimate estimated(const prism_provider_operation& what, int rows, int columns, bool has_wide_vectors) {
  const auto batch = double(prism::provider::batch_of(what));
  if (!has_wide_vectors) return {0.35, 30 + 5 * batch}; // it uses one processor
  // Where products of this size get one thread of the others too. Version 1.17 needs 0.8 us more for a
  // product than OpenBLAS, and 0.15 us for each of a batch, unless its vectors are narrow (Xeon, measured).
  const bool is_narrow = what.operand[0].type == PRISM_F32 && rows <= 4 && columns <= 4;
  return {0.86, is_narrow ? 30 + batch : 3'000 + 100 * batch};
}

} // namespace prism_libxsmm
