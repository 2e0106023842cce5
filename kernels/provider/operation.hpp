// Properties of the operations of prism/provider.h: their names, their operands, and whether a description is
// valid. Pure functions of plain data. PRISM calls them before it queries a provider, and PRISM's own
// providers use this file too.
#pragma once

#include <prism/provider.h>

#include <span>
#include <string>

namespace prism::provider {

enum class operand_kind : char {
  vector,
  matrix,
  triangle, // square, only `uplo` counts
  scalar,
  index,
  indices,        // a vector of PRISM_S64
  reals,          // a vector of the real type
  complexes,      // a vector of the complex type
  complex_matrix, // of the complex type
  grid,           // 1 to 3 dimensions, and always a batch
  image,          // 4 dimensions: image, channel, row, column
};

struct operation_facts {
  std::int32_t id = 0;
  const char* name = "";
  std::span<const operand_kind> operands;
  std::uint32_t written = 0; // bit i: operand i is written
  bool has_side = false, has_diag = false;
  bool is_in_place = false; // the last operand is read for every beta
};

std::span<const operation_facts> all_operations();
/// Those of the BLAS, of which every element of a result can be compared with a sum of products.
std::span<const operation_facts> blas_operations();
/// Null for a number that is none.
const operation_facts* facts_of(std::int32_t operation);
/// "gemm"; "operation 0x0999" for a number that is not an operation.
std::string name_of_operation(std::int32_t operation);
/// "float", "complex double"; "type 0x1234".
std::string name_of_type(std::int32_t type);
/// Bytes of an element; 0 for a number that is not a type.
std::size_t bytes_of_type(std::int32_t type);

/// The number of dimensions of an operand, without the batch's; of a grid the least.
int own_rank(operand_kind kind);
/// The number of operations in the batch; 1 without a batch.
std::int64_t batch_of(const prism_provider_operation& what);

/// Whether it is one product of real matrices, large in each dimension: vectors of processors are full then.
bool is_large_real_product(const prism_provider_operation& what);

/// Whether no operand is banded or packed.
bool is_stored_in_full(const prism_provider_operation& what);

/// Whether two elements are at one place. Strides that interleave two dimensions without overlapping count
/// as if they did: programs do not use them.
bool overlaps(const prism_provider_operand& operand);

/// Why the description makes no sense, with the numbers that disagree; empty when it does.
std::string contradiction_in(const prism_provider_operation& what);

/// The operation on column-major operands of n rows and columns, or n elements; used to query support.
prism_provider_operation plain_operation(std::int32_t operation, std::int32_t type, std::int64_t n);

/// The approximate number of multiplications, for predictions.
double work_of(const prism_provider_operation& what);
/// Bytes of all operands' elements.
double bytes_of(const prism_provider_operation& what);

/// "gemm float 64x32 * 32x16"; for messages.
std::string text_of(const prism_provider_operation& what);

} // namespace prism::provider
