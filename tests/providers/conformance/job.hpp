// One operation with its operands, and an independent reference for it: sums of products in long double,
// written from the definitions in prism/provider.h. Solutions of triangular systems are judged by their
// residual.
#pragma once

#include "tests/providers/conformance/operand.hpp"

#include <string>

namespace provider_test {

struct job {
  prism_provider_operation what{};
  std::vector<operand> operands;
  double alpha[2] = {1, 0}, beta[2] = {0, 0};
  bool in_place = false; // operand 1 begins where operand 0 does
  bool written(int i) const { return (prism::provider::facts_of(what.operation)->written >> i & 1u) != 0; }
};

/// Properties of a job; those that are not set are random, if the operation has them.
struct job_wish {
  std::int32_t operation = PRISM_GEMM, type = PRISM_F32;
  std::int32_t out_type = 0; // of a written operand; 0: the type of the others
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t batch = -1;                  // -1: none
  bool plain = false;                       // column-major, no conjugation, positive unit strides
  std::int32_t storage = PRISM_STORED_FULL; // of a structured level 2 matrix
};
job make_job(const job_wish& wish, engine& random);
/// Whether the operation supports matrices of this storage.
bool takes_storage(std::int32_t operation, std::int32_t storage);

/// Writes NaN to the elements of the output operand that the operation must not read.
void poison_written(job& what);

/// Empty if only elements that the operation writes have other bytes than before.
std::string changed_elsewhere(const job& before, const std::vector<operand>& after);
/// Empty if `after` is right: every written element is within its bound, and every other byte is unchanged.
/// Otherwise it describes the first wrong element.
std::string difference(const job& before, const std::vector<operand>& after);

} // namespace provider_test
