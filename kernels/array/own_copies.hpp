// Copies of elements into an array of their own type on the host device: neither converted nor computed.
#pragma once

#include "kernels/array/program.hpp"

namespace prism::array_detail {

inline bool copies_elements(const program& p) {
  return p.fold == fold_op::none && p.steps == 0 && p.root == first_leaf && p.leaf[0].type == p.result.type;
}

/// Copies the elements [begin, end) of a program that copies_elements().
void copy_elements(const program& p, std::int64_t begin, std::int64_t end);

} // namespace prism::array_detail
