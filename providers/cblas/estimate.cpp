#include "providers/cblas/estimate.hpp"

#include "kernels/provider/operation.hpp"

namespace prism_cblas {
namespace {

/// How much of its speed for large products the library has for one of `work` multiplications. OpenBLAS has
/// kernels for small real products on processors with vectors of 64 bytes, up to a million multiplications;
/// above, it packs (measured on a Xeon, docs/operations-blas.md).
double part_of_speed(const prism_provider_operation& what, double work, bool has_small_kernels) {
  const bool is_real = what.operand[0].type == PRISM_F32 || what.operand[0].type == PRISM_F64;
  const double to_half = what.operation != PRISM_GEMM || !is_real || !has_small_kernels ? 100'000
                         : work <= 1'000'000                                            ? 15'000
                                                                                        : 400'000;
  return work / (work + to_half);
}

} // namespace

estimate estimated(const prism_provider_operation& what, double work, std::int64_t batch, const speed& of) {
  const bool products = what.operation >> 8 >= 3;
  const double of_one = of.has_small_kernels ? work / double(batch) : work;
  estimate out{products ? of.efficiency * part_of_speed(what, of_one, of.has_small_kernels) : 0.1,
               of.has_small_kernels ? of.overhead_ns + 20 * double(batch - 1)
                                    : of.overhead_ns * double(batch)};
  if (of.has_narrow_tiles && prism::provider::is_large_real_product(what)) out.efficiency /= 2;
  return out;
}

} // namespace prism_cblas
