// The Barnes-Hut tree. It is built and traversed on the device: bodies are sorted along a Morton curve, and a
// complete binary tree is laid over that order. Its levels are computed from the leaves up, one kernel a
// level, so it needs no atomics, which a tree of octants built on the device would, and no copy to the host
// (as Lauterbach et al., "Fast BVH construction on GPUs", Eurographics 2009, and Karras, HPG 2012, but with
// the split in the middle of the order). Nodes have tight boxes, so an awkward split costs time and no
// accuracy.
//
// A node counts as one body for those further than its radius / theta from its centre of mass, where the
// radius reaches the farthest corner of its box. This bounds the error for all shapes of nodes (the criterion
// "Bmax" of Salmon & Warren, J. Comput. Phys. 111, 1994); with theta = 0 all attractions are computed. An
// item traverses for a block of neighbouring bodies (Barnes, J. Comput. Phys. 87, 1990): one on graphics
// processors, eight on processors, where their attractions fill a vector. Cost: O(n log n) for each call.
#pragma once

#include "samples/physics/gravity.hpp"

#include <cstdint>

namespace physics {

template <typename Real>
class tree {
public:
  tree(const sycl::queue& queue, std::size_t count);

  /// As attract_directly. Builds the tree of the positions first.
  void attract(sycl::buffer<vector4<Real>> from, sycl::buffer<vector4<Real>> to, const gravity& law);

  static constexpr std::uint32_t most_in_leaf = 8;

private:
  void bound(sycl::buffer<vector4<Real>> from);
  void sort(sycl::buffer<vector4<Real>> from);
  void make_leaves();
  void make_level(std::uint32_t first);
  template <int Width>
  void traverse(sycl::buffer<vector4<Real>> to, const gravity& law);

  sycl::queue m_queue;
  std::uint32_t m_count, m_leaves, m_in_leaf; // leaves: a power of two
  sycl::buffer<std::uint64_t> m_keys;
  sycl::buffer<std::uint32_t> m_order;
  sycl::buffer<vector4<Real>> m_sorted;
  // Node k has the children 2 k and 2 k + 1; 1 is the root, and m_leaves is the first leaf. A centre is the
  // centre of mass and the mass. The box of all bodies is in m_low[0] and m_high[0].
  sycl::buffer<vector4<Real>> m_centre, m_low, m_high;
  sycl::buffer<Real> m_radius2;
};

extern template class tree<float>;
extern template class tree<double>;

} // namespace physics
