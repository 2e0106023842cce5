// The operations of prism.h as a table: number, name, operands. prism_run validates every call by it, so that
// an operation is a row here and not a function. Plain data.
#pragma once

#include <prism/linalg.hpp>

#include <cstdint>
#include <string>

namespace prism::c_interface {

enum class family : std::uint8_t { blas, linalg, transform, convolution };

/// `operands`: names with the kind in front, separated by spaces, `=` behind those that are written. Kinds:
/// M matrix, V vector, R vector of the real type, I vector of PRISM_S64, C vector and D matrix of the complex
/// type; G grid. For BLAS the library checks kinds itself; there they are only for the text.
struct operation_row {
  std::int32_t number;
  const char* name;
  family of;
  const char* operands;
  bool batched = false;   // matrices may be batches
  const char* takes = ""; // of BLAS: the options u uplo, s side, d diag
  linalg::detail::task task = linalg::detail::task::transpose;
};

/// Null for a number or name that is none.
const operation_row* find_operation(std::int32_t number);
const operation_row* find_operation(const std::string& name);
/// All names, for a message.
std::string operation_names();

} // namespace prism::c_interface
