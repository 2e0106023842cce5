// The format of .npy files as plain data (NumPy Enhancement Proposal 1). Pure functions.
#pragma once

#include <prism/array/dtype.hpp>

#include <string>
#include <string_view>

namespace prism::npy {

struct header {
  dtype type = dtype::float64;
  bool is_swapped = false; ///< bytes of an element are in the other order
  bool is_column_major = false;
  extents shape;
  std::size_t data = 0; ///< where the elements begin
};

/// Reads the header of `file` and checks that the elements are there. Throws errc::invalid with a reason.
header parse(std::string_view file);
/// The header for row-major elements of this machine. The elements begin at a multiple of 64.
std::string text_of_header(dtype type, const extents& shape);
/// Reverses the bytes of `count` elements.
void swap_bytes(char* elements, std::size_t count, dtype type);

} // namespace prism::npy
