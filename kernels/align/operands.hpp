// What the functions of align.hpp and path.hpp do with their operands before kernels use them.
#pragma once

#include "kernels/blas/operand.hpp"

#include <prism/align.hpp>

namespace prism::align::detail {

inline constexpr int piece_bits =
    21; // of the 31 bits of a result: the number of a piece; the rest is the score

template <typename T>
blas::place<std::remove_const_t<T>> placed(const vector_view<T>& v) {
  blas::place<std::remove_const_t<T>> out;
  out.pointer = const_cast<std::remove_const_t<T>*>(v.data);
  return out;
}
template <typename T>
blas::place<std::remove_const_t<T>> placed(const vector_view<T, buffer_place<T>>& v) {
  blas::place<std::remove_const_t<T>> out(v.data.buffer);
  out.offset = v.data.offset;
  return out;
}

/// A copy of the values, which is freed when the commands that use it are complete.
template <typename T>
sycl::buffer<T> copied(const std::vector<T>& values) {
  return sycl::buffer<T>(values.begin(), values.end());
}

template <typename Genome>
void require_genome(const Genome& genome) {
  prism::require_possible("align: genome", genome);
  if (genome.size > 1 && genome.stride != 1)
    prism::detail::refuse_view("align: a genome with stride " + std::to_string(genome.stride) +
                               "; a genome is contiguous");
  if (genome.size > std::size_t(256) << piece_bits)
    prism::detail::refuse_view("align: a genome of " + std::to_string(genome.size) +
                               " bases; at most 2^29 are supported");
}

} // namespace prism::align::detail
