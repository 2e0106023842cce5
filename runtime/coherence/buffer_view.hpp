// A buffer or sub-buffer of the engine's interface: a view of a byte range of a root.
#pragma once

#include "runtime/coherence/buffer_state.hpp"
#include "runtime/engine/engine.hpp"

namespace prism::runtime {

class buffer_view final : public buffer_node {
public:
  buffer_view(root_ref root, std::uint64_t byte_offset, const memory::shape& geometry,
              std::uint64_t element_bytes, bool is_whole)
      : m_root(std::move(root)), m_offset(byte_offset), m_shape(geometry), m_element_bytes(element_bytes),
        m_whole(is_whole) {}
  std::uint64_t bytes() const override { return m_shape.bytes(); }

  const root_ref& root() const { return m_root; }
  std::uint64_t offset() const { return m_offset; }
  std::uint64_t element_bytes() const { return m_element_bytes; }
  const memory::shape& geometry() const { return m_shape; }
  memory::interval claim() const { return {m_offset, m_offset + bytes()}; }
  /// The smallest interval that contains `own`, a box in this view's coordinates.
  memory::interval claim(const memory::byte_box& own) const {
    const memory::interval here = memory::bounds(m_shape, own);
    return {here.begin + m_offset, here.end + m_offset};
  }
  /// Converts to this view's coordinates in bytes. Throws error{invalid} when the box exceeds the buffer.
  memory::byte_box checked(const box& elements) const;
  box whole() const;

  struct parts {
    memory::box_list boxes; // in the root's coordinates
    bool exact = true;      // false: the boxes cover more bytes than requested
  };
  parts in_root(const memory::byte_box& own) const;

private:
  root_ref m_root;
  std::uint64_t m_offset;
  memory::shape m_shape;
  std::uint64_t m_element_bytes;
  bool m_whole; // a view of the entire root with the same geometry
};

buffer_view& view_of(buffer_node& b);

} // namespace prism::runtime
