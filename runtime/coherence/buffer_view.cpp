#include "runtime/coherence/buffer_view.hpp"

namespace prism::runtime {

// create_buffer and create_sub_buffer make no other class
buffer_view& view_of(buffer_node& b) { return static_cast<buffer_view&>(b); }

memory::byte_box buffer_view::checked(const box& e) const {
  const std::uint64_t limits[3] = {m_shape.slices, m_shape.rows, m_shape.row_bytes / m_element_bytes};
  for (int d = 0; d < 3; ++d)
    if (e.offset[d] > limits[d] || e.extent[d] > limits[d] - e.offset[d])
      throw error(error_code::invalid, "an accessor's range exceeds its buffer: offset " +
                                           std::to_string(e.offset[d]) + " and range " +
                                           std::to_string(e.extent[d]) + " in a dimension of " +
                                           std::to_string(limits[d]) + " elements");
  return {
      {e.offset[0], e.offset[1], e.offset[2] * m_element_bytes},
      {e.offset[0] + e.extent[0], e.offset[1] + e.extent[1], (e.offset[2] + e.extent[2]) * m_element_bytes}};
}

box buffer_view::whole() const {
  return {{0, 0, 0}, {m_shape.slices, m_shape.rows, m_shape.row_bytes / m_element_bytes}};
}

buffer_view::parts buffer_view::in_root(const memory::byte_box& own) const {
  if (own.empty()) return {};
  if (m_whole) return {{own}, true};
  const memory::interval here = memory::bounds(m_shape, own);
  return {memory::boxes_of(m_root->geometry(), {here.begin + m_offset, here.end + m_offset}),
          memory::contiguous(m_shape, own)};
}

} // namespace prism::runtime
