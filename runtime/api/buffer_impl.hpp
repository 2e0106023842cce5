// The implementation of sycl::buffer, and the table of placeholder accessors of the process.
#pragma once

#include "runtime/api/impl.hpp"

#include <optional>

namespace sycl {
inline namespace _V1 {
namespace detail {

inline prism::source_line line_of(call_site site) noexcept { return {site.file(), site.line()}; }

class buffer_impl {
public:
  buffer_impl(const buffer_start& start, const property_list& properties, call_site site);
  /// A buffer over native memory (interoperability): `node` was created from it, and `give` copies data that
  /// was written elsewhere back to it.
  buffer_impl(prism::buffer_ptr node, const element_box& shape, std::uint64_t element_bytes,
              std::function<void(const void*)> give);
  /// A view of `parent`: a sub-buffer or a reinterpretation.
  buffer_impl(std::shared_ptr<buffer_impl> parent, prism::buffer_ptr node, const element_box& shape,
              std::uint64_t element_bytes, std::uint64_t byte_offset, bool is_part);
  /// Writes back and blocks as the standard requires. Errors are reported to the queue that used the buffer
  /// last.
  ~buffer_impl();
  buffer_impl(const buffer_impl&) = delete;

  const prism::buffer_ptr& node() const noexcept { return m_node; }
  const element_box& shape() const noexcept { return m_shape; }
  std::uint64_t element_bytes() const noexcept { return m_element_bytes; }
  std::uint64_t byte_offset() const noexcept { return m_byte_offset; } // in the root
  bool is_part() const noexcept { return m_is_part; }
  const std::shared_ptr<buffer_impl>& parent() const noexcept { return m_parent; }
  const property_list& properties() const noexcept {
    return m_parent ? m_parent->properties() : m_properties;
  }
  buffer_impl& root() noexcept { return m_parent ? m_parent->root() : *this; }

  // Call these on the root only.
  void set_write_back(bool write);
  void set_final(void* pointer, std::function<std::shared_ptr<void>()> alive,
                 std::function<void(const void*)> give);
  void used_by(const std::shared_ptr<queue_impl>& queue);

  /// Records a placeholder accessor of this buffer. The destructor removes it from the table.
  void remember(std::uint64_t token);

private:
  void finish();
  prism::source_line made_at() const noexcept {
    return {m_made_in.empty() ? nullptr : m_made_in.c_str(), m_made_line};
  }

  std::shared_ptr<buffer_impl> m_parent;
  element_box m_shape;
  std::uint64_t m_element_bytes, m_byte_offset = 0;
  bool m_is_part = false;
  property_list m_properties;
  prism::buffer_ptr m_node;
  std::string
      m_made_in; // source file, if transfers are reported; a copy, as its module may be unloaded later
  unsigned m_made_line = 0;
  std::mutex m_mutex; // protects the members below
  bool m_blocks = false, m_write_back = true, m_only_if_shared = false;
  std::shared_ptr<void> m_keep_alive;
  void leave_host_memory(const void* wanted, bool before_use);
  void* m_host = nullptr;                         // the program's memory, which the buffer may use in place
  void* m_pointer = nullptr;                      // the destination of write-back,
  std::function<std::shared_ptr<void>()> m_alive; // or a function that returns it,
  std::function<void(const void*)> m_give;        // or a function that takes the bytes
  std::weak_ptr<queue_impl> m_last_queue;
  std::vector<std::uint64_t> m_placeholders;
};

/// Throws errc::invalid for a region outside of the buffer, or no_init with access_mode::read.
void check_access(const buffer_impl& buffer, const access_request& request);
prism::access_mode engine_mode(const access_request& request);
prism::box engine_box(const element_box& box);

struct placeholder {
  std::shared_ptr<buffer_impl> buffer;
  access_request request;
};
/// Returns a new token. It encodes whether the accessor discards the previous contents.
std::uint64_t accessor_token(bool no_init, bool is_placeholder);
/// Returns an empty value if the token is not a placeholder's. Throws errc::invalid if its buffer was
/// destroyed.
std::optional<placeholder> find_placeholder(std::uint64_t token);

}
}
} // namespace sycl::_V1::detail
