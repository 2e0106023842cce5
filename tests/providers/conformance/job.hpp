// One operation on operands of its own, and the independent reference for it: sums of products in long
// double, written from the definitions in prism/provider.h. Solutions of triangular systems are judged by
// their residual.
#pragma once

#include "tests/providers/conformance/operand.hpp"

#include <string>

namespace provider_test {

struct job {
  prism_provider_operation what{};
  std::vector<operand> operands;
  double alpha[2] = {1, 0}, beta[2] = {0, 0};
  bool written(int i) const { return (prism::provider::facts_of(what.operation)->written >> i & 1u) != 0; }
};

/// What is chosen at random, as far as the operation has it.
struct job_wish {
  std::int32_t operation = PRISM_GEMM, type = PRISM_F32;
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t batch = -1;                  // -1: none
  bool plain = false;                       // column-major, no conjugation, positive unit strides
  std::int32_t storage = PRISM_STORED_FULL; // of the structured matrix of level 2
};
job make_job(const job_wish& wish, engine& random);
/// Whether the operation takes matrices stored so.
bool takes_storage(std::int32_t operation, std::int32_t storage);

/// Puts NaN where the written operand is and is not to be read.
void poison_written(job& what);

/// Empty when `after` is right: every written element within the bound, every other byte as it was. Else the
/// first that is not.
std::string difference(const job& before, const std::vector<operand>& after);

} // namespace provider_test
